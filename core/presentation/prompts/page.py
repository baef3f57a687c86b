"""Makes the values of the prompt editor: chain, text, changes, checks, and the request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.common import number_format
from core.common.errors import InputError
from core.common.version import installed_version
from core.llm.protocol import SummaryRequest
from core.presentation.prompts.model import (
    PlaceholderRow,
    PromptDiffRow,
    PromptLevelRow,
    PromptPage,
    RequestPage,
    SectionRow,
)
from core.presentation.prompts.request import request_page
from core.presentation.prompts.trial_page import price_fact, trial_offer
from core.preview.options import Preview
from core.preview.run_requests import requests_of
from core.settings.profile import BUILT_IN, Profile
from core.settings.prompts import (
    PLACEHOLDERS,
    FileSignature,
    PromptChainLevel,
    PromptCheck,
    PromptDiffLine,
    PromptLevel,
    built_in,
    check_prompt,
    diff_lines,
    fill_placeholders,
    level_below,
    prompt_chain,
    prompt_names,
    prompt_signature,
    text_at,
    with_section,
)
from core.settings.prompts.prompt_files import FOLDER
from core.tokens.counter import TokenCounter

TITLES = {
    PromptLevel.MODEL: "This model",
    PromptLevel.PROVIDER: "This provider",
    PromptLevel.BASE: "All providers",
    PromptLevel.BUILT_IN: "Built in",
}
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class PromptPageRequest:
    """What the editor wants to see.

    ``level`` is a word of Level, "" for the one that is used. ``text`` None: what the file says, or
    for a level without a file the text below it; else the text being edited. ``seen`` is the file's
    signature when it was last read or saved. ``writer`` would be called to try the text.
    """

    name: str
    provider: str
    model: str
    folder: Path
    level: str = ""
    text: str | None = None
    seen: FileSignature | None = None
    focus: str = ""
    writer: Profile = BUILT_IN


def prompt_page(ask: PromptPageRequest, counter: TokenCounter, shown: Preview | None = None) -> PromptPage:
    """The page of one prompt at one level; ``shown`` is the preview that the request is made from.

    Raises InputError for an impossible name and where the built-in text is missing.
    """
    links = prompt_chain(ask.name, ask.provider, ask.model, ask.folder)
    here = _selected(links, ask.level)
    original = built_in(ask.name).text
    saved, problem = _saved(here, links, ask.folder)
    text = saved if ask.text is None else ask.text
    other = level_below(links, here.level)
    changes = diff_lines(text_at(other, ask.folder), text) if other is not None else ()
    found = check_prompt(text, original)
    requests = () if shown is None else requests_of(shown, text, counter, ask.focus)
    request = requests[0] if requests else None
    notice, detail, line = _notice(found, problem, ask.name)
    return PromptPage(
        name=ask.name,
        file=f"{FOLDER}/{ask.name}.md",
        chain=tuple(_row(link, here.level, ask.folder) for link in links),
        level=here.level.value,
        path=str(here.path),
        text=text,
        editable=here.level is not PromptLevel.BUILT_IN,
        edited=text != saved,
        against=f"Changes against {_named(other.level)}" if other is not None else "",
        added=f"+{_count(changes, '+')}",
        removed=f"{number_format.MINUS}{_count(changes, '-')}",
        changes=tuple(
            PromptDiffRow(one.mark, str(one.number) if one.number else "", one.text) for one in changes
        ),
        sections=tuple(SectionRow(name, name not in found.missing) for name in found.asked),
        sections_text=f"{len(found.asked) - len(found.missing)} of {len(found.asked)}",
        placeholders=_placeholders(text, found, request, counter, ask.focus),
        notice=notice,
        detail=detail,
        line=line,
        tokens=_tokens(text, request, counter, ask.focus),
        request=_request(shown, requests, counter, ask.writer),
        trial=trial_offer(shown, ask.name, requests, ask.writer),
        changed_outside=_changed(ask, here),
        seen=prompt_signature(here.path),
        names=prompt_names(),
        provider=ask.provider,
        model=ask.model,
    )


def insert_section(name: str, text: str, section: str) -> str:
    """The text with a section that the prompt ``name`` asks for put in at its end."""
    return with_section(text, section, built_in(name).text)


def _selected(links: Sequence[PromptChainLevel], level: str) -> PromptChainLevel:
    """The link that is shown; the one in use where the wanted level has no place here."""
    wanted = next((link for link in links if link.level == level), None)
    return wanted or next(link for link in links if link.wins)


def _saved(here: PromptChainLevel, links: tuple[PromptChainLevel, ...], folder: Path) -> tuple[str, str]:
    """The text of a level, or of the one below where it has no file; and what is wrong with it."""
    if here.exists:
        try:
            return text_at(here, folder), ""
        except InputError as error:
            return "", str(error)
    source = level_below(links, here.level)
    return (text_at(source, folder) if source is not None else ""), ""


def _row(link: PromptChainLevel, selected: PromptLevel, folder: Path) -> PromptLevelRow:
    built = link.level is PromptLevel.BUILT_IN
    return PromptLevelRow(
        level=link.level.value,
        title=TITLES[link.level],
        place=f"ships with Foldline {installed_version()}, read-only" if built else _place(link, folder),
        path=str(link.path),
        state=_state(link),
        exists=link.exists,
        wins=link.wins,
        shown=link.level is selected,
        editable=not built,
        problem=link.problem,
        tone="error" if link.problem else "",
    )


def _place(link: PromptChainLevel, folder: Path) -> str:
    place = f"{link.path.parent.relative_to(folder).as_posix()}/"
    if not link.exists or link.problem:
        return place
    if link.outdated:
        return f"{place} · installed, a newer text ships"
    return f"{place} · {'installed' if link.installed else 'edited'}"


def _state(link: PromptChainLevel) -> str:
    if link.problem:
        return "cannot be used"
    if link.wins:
        return "in use"
    return "" if link.level is PromptLevel.BUILT_IN else "covered" if link.exists else "none"


def _named(level: PromptLevel) -> str:
    return TITLES[level][0].lower() + TITLES[level][1:]


def _count(changes: Sequence[PromptDiffLine], mark: str) -> str:
    return number_format.count(sum(one.mark == mark for one in changes))


def _notice(found: PromptCheck, problem: str, name: str) -> tuple[str, str, int]:
    """Title and sentences of the bar, and the first line to go to."""
    if problem:
        return "This file cannot be used.", problem, 0
    if found.empty:
        return (
            "The text is empty.",
            "An empty prompt cannot be used; delete the override instead.",
            0,
        )
    said = [f"{{{one}}} is not a placeholder and would be sent as it is." for one, _ in found.unknown]
    asks = f"; {name} asks for {_word(len(found.asked))}."
    if len(found.missing) == 1:
        said.append(f"Section {found.missing[0]} is missing{asks}")
    elif found.missing:
        said.append(f"Sections {', '.join(found.missing)} are missing{asks}")
    count = len(found.unknown) + len(found.missing)
    title = f"{_word(count).capitalize()} {'thing' if count == 1 else 'things'} to check." if count else ""
    return title, " ".join(filter(None, said)), found.unknown[0][1] if found.unknown else 0


def _word(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else number_format.count(number)


def _placeholders(
    text: str, found: PromptCheck, request: SummaryRequest | None, counter: TokenCounter, focus: str
) -> tuple[PlaceholderRow, ...]:
    mark = counter.method.mark
    here = "the messages" if request is None else _measured(mark, counter.messages(request.messages))
    most = "the budget of the summary" if request is None else number_format.count(request.max_tokens)
    values = dict(zip(PLACEHOLDERS, (here, most, focus or "empty"), strict=True))
    known = tuple(PlaceholderRow(name, value, f"{{{name}}}" in text) for name, value in values.items())
    others = (PlaceholderRow(name, "not a placeholder", True, False) for name, _ in found.unknown)
    return (*known, *others)


def _measured(mark: str, tokens: int) -> str:
    return f"{number_format.tokens(mark, tokens)} tokens, appended"


def _tokens(text: str, request: SummaryRequest | None, counter: TokenCounter, focus: str) -> str:
    """Tokens of the prompt: as it is sent where there is a request, else as it stands."""
    method = counter.method
    sent = (
        fill_placeholders(text, {"max_tokens": "4000", "focus": focus}) if request is None else request.prompt
    )
    return f"{number_format.tokens(method.mark, counter.text(sent))} tokens · {method.label}"


def _request(
    shown: Preview | None, requests: Sequence[SummaryRequest], counter: TokenCounter, writer: Profile
) -> RequestPage:
    if shown is None:
        return RequestPage((), (), "Open a transcript to see the request.")
    page = request_page(shown, requests[0] if requests else None, counter)
    return replace(page, facts=(*page.facts, *price_fact(requests, writer)))


def _changed(ask: PromptPageRequest, here: PromptChainLevel) -> str:
    if ask.seen is None or prompt_signature(here.path).digest == ask.seen.digest:
        return ""
    if not here.exists:
        return "Another program deleted this file."
    return "Another program changed this file."

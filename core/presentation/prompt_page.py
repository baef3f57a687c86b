"""Builds the prompt editor's page: chain, text, changes, checks, request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.common import number_format
from core.common.errors import InputError
from core.common.paths import installed_version
from core.llm.chat_messages import flatten_request
from core.llm.pricing import MESSAGE_TOKENS
from core.llm.protocol import SummaryRequest
from core.presentation.model import LabelledFigure
from core.presentation.prompt_model import (
    PlaceholderRow,
    PromptDiffRow,
    PromptLevelRow,
    PromptPage,
    RequestPage,
    RequestPart,
    SectionRow,
)
from core.presentation.trial_page import price_fact, trial_offer
from core.preview.options import Preview
from core.preview.pipeline import summary_requests
from core.settings.profile import BUILT_IN, Profile
from core.settings.prompts import (
    PLACEHOLDERS,
    FileSignature,
    PromptChainLevel,
    PromptLevel,
    built_in,
    fill_placeholders,
    level_below,
    level_text,
    prompt_chain,
    prompt_names,
)
from core.settings.prompts.prompt_files import FOLDER
from core.settings.prompts.saving import (
    PromptCheck,
    PromptDiffLine,
    check_prompt,
    diff_lines,
    prompt_signature,
    with_section,
)
from core.tokens.counter import TokenCounter

TITLES = {
    PromptLevel.MODEL: "This model",
    PromptLevel.PROVIDER: "This provider",
    PromptLevel.BASE: "All providers",
    PromptLevel.BUILT_IN: "Built in",
}
_NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class PromptPageRequest:
    """What to show in the editor. ``level`` is a PromptLevel, "" for the one in use. ``text`` None: the
    file's text, or that of the level below; else the edited text. ``file_signature`` is the file's
    signature when last read or saved. ``writer`` would be called to try the text."""

    name: str
    provider: str
    model: str
    folder: Path
    level: str = ""
    text: str | None = None
    file_signature: FileSignature | None = None
    writer: Profile = BUILT_IN


def prompt_page(
    page_request: PromptPageRequest, counter: TokenCounter, preview: Preview | None = None
) -> PromptPage:
    """Return the page of a prompt at one level; the request is made from the preview ``preview``. Raises
    InputError for an invalid name or a missing built-in text."""
    links = prompt_chain(page_request.name, page_request.provider, page_request.model, page_request.folder)
    chosen = next((link for link in links if link.level == page_request.level), None)
    current = chosen or next(link for link in links if link.wins)
    original = built_in(page_request.name).text
    saved, problem = _saved(current, links, page_request.folder)
    text = saved if page_request.text is None else page_request.text
    lower_level = level_below(links, current.level)
    changes = (
        diff_lines(level_text(lower_level, page_request.folder), text) if lower_level is not None else ()
    )
    check = check_prompt(text, original)
    requests = () if preview is None else summary_requests(preview, text, counter)
    request = requests[0] if requests else None
    notice, detail, line = _notice(check, problem, page_request.name)
    return PromptPage(
        name=page_request.name,
        file=f"{FOLDER}/{page_request.name}.md",
        chain=tuple(_row(link, current.level, page_request.folder) for link in links),
        level=current.level.value,
        path=str(current.path),
        text=text,
        editable=current.level is not PromptLevel.BUILT_IN,
        edited=text != saved,
        changes_title=f"Changes against {TITLES[lower_level.level].lower()}"
        if lower_level is not None
        else "",
        added=f"+{_count(changes, '+')}",
        removed=f"{number_format.MINUS}{_count(changes, '-')}",
        changes=tuple(
            PromptDiffRow(change.mark, str(change.number) if change.number else "", change.text)
            for change in changes
        ),
        sections=tuple(SectionRow(name, name not in check.missing) for name in check.required),
        sections_text=f"{len(check.required) - len(check.missing)} of {len(check.required)}",
        placeholders=_placeholders(text, check, request, counter),
        notice=notice,
        detail=detail,
        line=line,
        tokens=_tokens(text, request, counter),
        request=_request(preview, requests, counter, page_request.writer),
        trial=trial_offer(preview, page_request.name, requests, page_request.writer),
        changed_outside=_change_note(page_request, current),
        file_signature=prompt_signature(current.path),
        names=prompt_names(),
        provider=page_request.provider,
        model=page_request.model,
    )


def insert_section(name: str, text: str, section: str) -> str:
    """Append a section that the prompt ``name`` requires."""
    return with_section(text, section, built_in(name).text)


def _saved(link: PromptChainLevel, links: tuple[PromptChainLevel, ...], folder: Path) -> tuple[str, str]:
    """Return the text of a level, else of the one below, and a problem."""
    if link.exists:
        try:
            return level_text(link, folder), ""
        except InputError as error:
            return "", str(error)
    below = level_below(links, link.level)
    return (level_text(below, folder) if below is not None else ""), ""


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
    location = f"{link.path.parent.relative_to(folder).as_posix()}/"
    if not link.exists or link.problem:
        return location
    if link.outdated:
        return f"{location} · installed, a newer text ships"
    return f"{location} · {'installed' if link.installed else 'edited'}"


def _state(link: PromptChainLevel) -> str:
    if link.problem:
        return "cannot be used"
    if link.wins:
        return "in use"
    return "" if link.level is PromptLevel.BUILT_IN else "not used" if link.exists else "none"


def _count(changes: Sequence[PromptDiffLine], mark: str) -> str:
    return number_format.count(sum(change.mark == mark for change in changes))


def _notice(check: PromptCheck, problem: str, name: str) -> tuple[str, str, int]:
    """Title and sentences of the bar, and the first line to go to."""
    if problem:
        return "This file cannot be used.", problem, 0
    if check.empty:
        return ("The text is empty.", "An empty prompt cannot be used; delete the override instead.", 0)
    sentences = [
        f"{{{placeholder}}} is not a placeholder and would be sent as it is."
        for placeholder, _ in check.unknown
    ]
    asks = f"; {name} asks for {_number_word(len(check.required))}."
    if len(check.missing) == 1:
        sentences.append(f"Section {check.missing[0]} is missing{asks}")
    elif check.missing:
        sentences.append(f"Sections {', '.join(check.missing)} are missing{asks}")
    count = len(check.unknown) + len(check.missing)
    title = (
        f"{_number_word(count).capitalize()} {'thing' if count == 1 else 'things'} to check." if count else ""
    )
    return title, " ".join(filter(None, sentences)), check.unknown[0][1] if check.unknown else 0


def _number_word(number: int) -> str:
    return _NUMBER_WORDS[number] if number < len(_NUMBER_WORDS) else number_format.count(number)


def _placeholders(
    text: str, check: PromptCheck, request: SummaryRequest | None, counter: TokenCounter
) -> tuple[PlaceholderRow, ...]:
    mark = counter.method.mark
    text_value = (
        "the messages"
        if request is None
        else f"{number_format.tokens(mark, counter.messages(request.messages))} tokens, appended"
    )
    max_tokens = "the budget of the summary" if request is None else number_format.count(request.max_tokens)
    values = dict(zip(PLACEHOLDERS, (text_value, max_tokens, "empty"), strict=True))
    known_rows = tuple(PlaceholderRow(name, value, f"{{{name}}}" in text) for name, value in values.items())
    unknown_rows = (PlaceholderRow(name, "not a placeholder", True, False) for name, _ in check.unknown)
    return (*known_rows, *unknown_rows)


def _tokens(text: str, request: SummaryRequest | None, counter: TokenCounter) -> str:
    """Count the prompt as sent in the request, else with default values."""
    method = counter.method
    prompt_text = (
        fill_placeholders(text, {"max_tokens": "4000", "focus": ""}) if request is None else request.prompt
    )
    return f"{number_format.tokens(method.mark, counter.text(prompt_text))} tokens · {method.label}"


def _request(
    preview: Preview | None, requests: Sequence[SummaryRequest], counter: TokenCounter, writer: Profile
) -> RequestPage:
    if preview is None:
        return RequestPage((), (), "Open a transcript to see the request.")
    page = request_page(preview, requests[0] if requests else None, counter)
    return replace(page, facts=(*page.facts, *price_fact(requests, writer)))


def request_page(preview: Preview, request: SummaryRequest | None, counter: TokenCounter) -> RequestPage:
    """Return a request's messages as sent, with role, text, tokens and figures."""
    if request is None:
        reason = preview.compaction.no_op.reason if preview.compaction.no_op is not None else ""
        return RequestPage((), (), reason or f"{preview.strategy.name} asks no model.")
    mark = counter.method.mark
    chat_messages = flatten_request(request)
    tokens = [counter.text(message["content"]) for message in chat_messages]
    parts = tuple(
        RequestPart(
            message["role"],
            f"{number} of {len(chat_messages)}",
            message["content"],
            number_format.tokens(mark, count),
        )
        for number, (message, count) in enumerate(zip(chat_messages, tokens, strict=True), 1)
    )
    total = sum(tokens) + MESSAGE_TOKENS * len(chat_messages)  # as in the question before a paid call
    first_index, last_index = preview.inputs[request.indices[0]], preview.inputs[request.indices[-1]]
    span = number_format.span(first_index, last_index + 1)
    facts = (
        LabelledFigure(
            "Would summarise",
            ", ".join(filter(None, (number_format.plural(len(request.messages), "message"), span))),
        ),
        LabelledFigure("Request", f"{number_format.tokens(mark, total)} tokens"),
        LabelledFigure("Summary at most", f"{number_format.count(request.max_tokens)} tokens"),
    )
    return RequestPage(parts, facts)


def _change_note(page_request: PromptPageRequest, current: PromptChainLevel) -> str:
    if (
        page_request.file_signature is None
        or prompt_signature(current.path).digest == page_request.file_signature.digest
    ):
        return ""
    if not current.exists:
        return "Another program deleted this file."
    return "Another program changed this file."

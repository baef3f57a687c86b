"""Builds the prompt editor's page: chain, text, changes, checks, request, and trials of the
text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from core.analysis.costs import run_cost
from core.common import number_format
from core.common.atomic_file import FileSignature
from core.common.errors import InputError
from core.common.number_format import dollar_text
from core.common.paths import installed_version
from core.llm.client import ChatMessages, chat_messages
from core.llm.destination import call_line
from core.llm.pricing import request_tokens
from core.llm.protocol import SummaryRequest, flatten_request
from core.losses.summary_evidence import Proportion, SummaryRetention
from core.presentation.dialog_model import (
    PlaceholderRow,
    PromptChanges,
    PromptContent,
    PromptDiffRow,
    PromptLevelRow,
    PromptNotice,
    PromptOutline,
    PromptPage,
    RequestPage,
    RequestPart,
    SectionRow,
    TrialOffer,
    TrialPage,
)
from core.presentation.model import LabelledFigure
from core.presentation.preview_wording import PROMPT_LEVELS
from core.preview.options import Preview
from core.preview.preview import RunRequests, requests_of
from core.settings.profile import BUILT_IN, Profile
from core.settings.prompt_levels import (
    PromptChainLevel,
    PromptCheck,
    PromptDiffLine,
    check_prompt,
    diff_lines,
    level_below,
    level_text,
    prompt_chain,
    prompt_signature,
)
from core.settings.prompts import (
    FOLDER,
    PLACEHOLDERS,
    PromptLevel,
    built_in,
    fill_placeholders,
    placeholder_lines,
    prompt_names,
)
from core.strategies.hybrid_agent import PROMPT as AGENT_PROMPT
from core.tokens.counter import TokenCounter, counter_for

_NUMBER_WORDS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPageRequest:
    """What to show in the editor. ``level`` is a PromptLevel, "" for the one in use. ``text`` None:
    the file's text, or that of the level below; else the edited text. ``file_signature`` is the
    file's signature when last read or saved. ``summary_profile`` would be called to try the
    text."""

    name: str
    provider: str
    model: str
    folder: Path
    level: str = ""
    text: str | None = None
    file_signature: FileSignature | None = None
    summary_profile: Profile = BUILT_IN


def prompt_page(asked: PromptPageRequest, preview: Preview | None = None) -> PromptPage:
    """Return the page of a prompt at one level; the requests are those of a run of ``preview``.
    Raises InputError for an invalid name or a missing built-in text."""
    links = prompt_chain(asked.name, asked.provider, asked.model, asked.folder)
    current = _asked_link(links, asked.level)
    below = level_below(links, current.level)
    saved, problem = _saved(current, below, asked.folder)
    text = saved if asked.text is None else asked.text
    check = check_prompt(text, built_in(asked.name).text)
    signature = prompt_signature(current.path)
    if preview is None:
        counter = counter_for("")
        run = RunRequests()
    else:
        counter = preview.source.counter
        run = requests_of(preview, {asked.name: text})
    request = next(iter(run.with_prompt(asked.name)), None)
    notice, detail, line = _notice(check, problem, asked.name)
    return PromptPage(
        name=asked.name,
        file=f"{FOLDER}/{asked.name}.md",
        chain=tuple(_row(link, current.level, asked.folder) for link in links),
        level=current.level.value,
        tokens=_tokens(text, request, counter),
        request=_sent_page(preview, asked.name, run),
        trial=trial_offer(preview, asked.name, run, asked.summary_profile),
        names=prompt_names(),
        provider=asked.provider,
        model=asked.model,
        content=PromptContent(
            path=str(current.path),
            text=text,
            editable=current.level is not PromptLevel.BUILT_IN,
            edited=text != saved,
            changed_outside=_changed_outside(current, asked.file_signature, signature),
            signature=signature,
        ),
        changes=_changes_against(below, text),
        outline=PromptOutline(
            sections=tuple(
                SectionRow(name, name not in check.missing) for name in check.required
            ),
            text=f"{len(check.required) - len(check.missing)} of {len(check.required)}",
            placeholders=_placeholders(text, check, request),
        ),
        notice=PromptNotice(text=notice, detail=detail, line=line),
    )


def _asked_link(links: Sequence[PromptChainLevel], level: str) -> PromptChainLevel:
    """Return the level that is asked for, else the one that is used."""
    for link in links:
        if link.level == level:
            return link
    return next(link for link in links if link.wins)


def _sent_page(preview: Preview | None, name: str, run: RunRequests) -> RequestPage:
    if preview is None:
        return RequestPage((), (), "Open a transcript to see the request.")
    page = request_page(preview, name, run)
    return replace(page, facts=(*page.facts, *price_fact(run, preview.summary.profile)))


def _changed_outside(
    link: PromptChainLevel, known: FileSignature | None, signature: FileSignature
) -> str:
    """Return what another program did to the file since it was read; "" for nothing."""
    if known is None or signature.digest == known.digest:
        return ""
    return f"Another program {'changed' if link.exists else 'deleted'} this file."


def _changes_against(below: PromptChainLevel | None, text: str) -> PromptChanges:
    title = ""
    changes = tuple[PromptDiffLine, ...]()
    if below is not None:
        title = f"Changes against {PROMPT_LEVELS[below.level].lower()}"
        changes = diff_lines(level_text(below), text)
    return PromptChanges(
        title=title,
        added=f"+{_count(changes, '+')}",
        removed=f"{number_format.MINUS}{_count(changes, '-')}",
        rows=tuple(
            PromptDiffRow(one.mark, str(one.number or ""), one.text) for one in changes
        ),
    )


def _saved(
    link: PromptChainLevel, below: PromptChainLevel | None, folder: Path
) -> tuple[str, str]:
    """Return the text of a level, else of the one below, and a problem."""
    if not link.exists:
        return (level_text(below) if below is not None else ""), ""
    try:
        return level_text(link), ""
    except InputError as error:
        return "", str(error)


def _location(link: PromptChainLevel, folder: Path) -> str:
    """Return where the text of a level is, and whether a person has changed it."""
    if link.level is PromptLevel.BUILT_IN:
        return f"Foldline {installed_version()}, read-only"
    location = f"{link.path.parent.relative_to(folder).as_posix()}/"
    if not link.exists or link.problem:
        return location
    if link.outdated:
        return f"{location} · installed, a newer text ships"
    return f"{location} · {'installed' if link.installed else 'edited'}"


def _level_state(link: PromptChainLevel) -> str:
    if link.problem:
        return "cannot be used"
    if link.wins:
        return "in use"
    if link.level is PromptLevel.BUILT_IN:
        return ""
    return "not used" if link.exists else "none"


def _row(link: PromptChainLevel, selected: PromptLevel, folder: Path) -> PromptLevelRow:
    return PromptLevelRow(
        level=link.level.value,
        title=PROMPT_LEVELS[link.level],
        location=_location(link, folder),
        path=str(link.path),
        state=_level_state(link),
        exists=link.exists,
        wins=link.wins,
        is_displayed=link.level is selected,
        problem=link.problem,
        tone="error" if link.problem else "",
    )


def _count(changes: Sequence[PromptDiffLine], mark: str) -> str:
    return number_format.count(sum(change.mark == mark for change in changes))


def _notice(check: PromptCheck, problem: str, name: str) -> tuple[str, str, int]:
    """Title and sentences of the bar, and the first line to go to."""
    if problem:
        return "This file cannot be used.", problem, 0
    if check.empty:
        return (
            "The text is empty.",
            "An empty prompt cannot be used; delete the override instead.",
            0,
        )
    sentences = [
        f"{{{one}}} is not a placeholder and would be sent as it is."
        for one, _ in check.unknown
    ]
    asks = f"; {name} asks for {_number_word(len(check.required))}."
    if check.missing:
        subject = "Section {} is" if len(check.missing) == 1 else "Sections {} are"
        sentences.append(f"{subject.format(', '.join(check.missing))} missing{asks}")
    count = len(check.unknown) + len(check.missing)
    things = "thing" if count == 1 else "things"
    if count:
        title = f"{_number_word(count).capitalize()} {things} to check."
    else:
        title = ""
    return title, " ".join(sentences), check.unknown[0][1] if check.unknown else 0


def _number_word(number: int) -> str:
    if number < len(_NUMBER_WORDS):
        return _NUMBER_WORDS[number]
    return number_format.count(number)


def _placeholders(
    text: str, check: PromptCheck, request: SummaryRequest | None
) -> tuple[PlaceholderRow, ...]:
    values = ("summary budget", _left_out(text))
    if request is not None:
        values = (
            number_format.count(request.max_tokens),
            request.focus or _left_out(text),
        )
    known = zip(PLACEHOLDERS, values, strict=True)
    return (
        *(PlaceholderRow(name, value, f"{{{name}}}" in text) for name, value in known),
        *(
            PlaceholderRow(name, "not a placeholder", True, False)
            for name, _ in check.unknown
        ),
    )


def _left_out(text: str) -> str:
    """Return where an empty focus is left out."""
    numbers = ", ".join(map(str, placeholder_lines(text, "focus")))
    if numbers:
        return f"empty: left out of line {numbers}"
    return "empty"


def _tokens(text: str, request: SummaryRequest | None, counter: TokenCounter) -> str:
    """Count the prompt as sent in the request, else with default values."""
    method, defaults = counter.method, {"max_tokens": "4000", "focus": ""}
    if request is None:
        prompt_text = fill_placeholders(text, defaults)
    else:
        prompt_text = request.prompt
    return f"{number_format.tokens(method.mark, counter.text(prompt_text))} tokens · {method.label}"


def request_page(preview: Preview, name: str, run: RunRequests) -> RequestPage:
    """Return the requests of a run that hold a prompt, as sent, with role, text, tokens and
    figures."""
    requests = run.with_prompt(name)
    summary_profile = preview.summary.profile
    if summary_profile.is_offline:
        counter = preview.source.counter
    else:
        counter = counter_for(summary_profile.model)
    if run.agent is not None and name == AGENT_PROMPT:
        return RequestPage(
            _parts(chat_messages(run.agent.system, run.agent.messages[:1]), counter), ()
        )
    if not requests:
        return RequestPage((), (), no_request(preview, name, run))
    parts: list[RequestPart] = []
    for number, request in enumerate(requests, 1):
        if len(requests) > 1:
            which = f"request {number} of {len(requests)}, "
        else:
            which = ""
        parts += _parts(flatten_request(request), counter, which)
    messages = number_format.plural(
        sum(len(one.messages) for one in requests), "message"
    )
    indices = [index for one in requests for index in one.indices]
    span = number_format.span(
        preview.result.inputs[min(indices)], preview.result.inputs[max(indices)] + 1
    )
    # As in the question before a paid call.
    total = sum(request_tokens(one, counter) for one in requests)
    facts = (
        LabelledFigure("Would summarise", f"{messages}, {span}"),
        LabelledFigure(
            "Request", f"{number_format.tokens(counter.method.mark, total)} tokens"
        ),
        LabelledFigure(
            "Summary at most",
            f"{number_format.count(sum(one.max_tokens for one in requests))} tokens",
        ),
    )
    return RequestPage(tuple(parts), facts)


def _parts(
    chat: ChatMessages, counter: TokenCounter, which: str = ""
) -> tuple[RequestPart, ...]:
    """Return the messages of one request; ``which`` says of which, where there are several."""
    mark = counter.method.mark
    count = len(chat)
    return tuple(
        RequestPart(
            str(one["role"]),
            f"{which}{number} of {count}",
            str(one["content"]),
            number_format.tokens(mark, counter.text(one["content"])),
        )
        for number, one in enumerate(chat, 1)
    )


_NO_REQUEST = "There is nothing to summarise."
_WORDING = (
    "The offline summary fills the sections that the text asks for; its wording matters only for "
    "a model."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTrial:
    """A trial summary with its tokens and budget. ``retained`` is what it retains, None if the
    result was refused; ``cost`` in US dollars, None if unknown. ``built_in`` is what the built-in
    text retains, None if not tried; ``is_same``: it gave the same summary. ``is_built_in``: this is
    the built-in text."""

    profile: Profile
    text: str
    tokens: int
    max_tokens: int
    retained: SummaryRetention | None
    cost: float | None = None
    built_in: SummaryRetention | None = None
    is_same: bool = False
    is_built_in: bool = False


def trial_key(preview: Preview, name: str, run: RunRequests) -> str:
    """Identify a trial by its requests and conversation."""
    values = [flatten_request(one) for one in run.requests]
    location = preview.source.conversation.document.absolute_path
    scope = preview.source.history.scope
    source = repr((location, scope, preview.strategy.name, name, values))
    return blake2b(source.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def no_request(preview: Preview, name: str, run: RunRequests) -> str:
    """Return why a run makes no request with a prompt, "" where it makes one."""
    if run.with_prompt(name):
        return ""
    no_op = preview.result.compaction.no_op
    if no_op is not None:
        return no_op.reason
    if not preview.strategy.prompts:
        return f"{preview.strategy.name} asks no model."
    if name not in preview.strategy.prompts:
        return f"{preview.strategy.name} does not use this prompt."
    if run.is_empty:
        return _NO_REQUEST
    return "A run of this conversation makes no request with this prompt."


def no_trial(preview: Preview | None, name: str, run: RunRequests) -> str:
    if preview is None:
        return "Open a transcript to try it."
    return no_request(preview, name, run)


def trial_offer(
    preview: Preview | None, name: str, run: RunRequests, summary_profile: Profile
) -> TrialOffer:
    is_model = not summary_profile.is_offline
    return TrialOffer(
        trial_key(preview, name, run) if preview is not None else "",
        "Try offline",
        f"Try with {summary_profile.name}…" if is_model else "Try with a model…",
        no_trial(preview, name, run),
        ""
        if is_model
        else f"The {summary_profile.name} profile calls no model: choose one that does.",
    )


def price_fact(
    run: RunRequests, summary_profile: Profile
) -> tuple[LabelledFigure, ...]:
    """Return the most that a run can cost; nothing for a profile without calls."""
    if summary_profile.is_offline or run.is_empty:
        return ()
    return (
        LabelledFigure(
            "Would go", call_line(summary_profile, run_cost(run, summary_profile).text)
        ),
    )


def trial_page(trial: PromptTrial, key: str, mark: str) -> TrialPage:
    """Return the result of a trial; ``mark`` is the counting method."""
    if trial.profile.is_offline:
        title, about = "Offline result", "written without a model"
        if trial.is_same:
            note = f"{_WORDING} The built-in text gives this same summary."
        else:
            note = _WORDING
    else:
        title = f"Result of {trial.profile.name}"
        if trial.cost is None:
            about = ""
        else:
            about = dollar_text(trial.cost)
        is_compared = trial.retained is None or trial.built_in or trial.is_built_in
        if is_compared:
            note = ""
        else:
            note = f"Try the built-in text with {trial.profile.name}, too, to compare."
    return TrialPage(
        title=title,
        about=about,
        key=key,
        facts=tuple(_facts(trial, mark)),
        note=note,
        text=trial.text,
    )


def _facts(trial: PromptTrial, mark: str) -> Iterator[LabelledFigure]:
    """Yield the size, then the share of each kind, with that of the built-in text below it."""
    retained = trial.retained
    built_in = None if trial.is_same else trial.built_in
    if retained is not None or trial.text:
        size = f"{number_format.tokens(mark, trial.tokens)} of {number_format.count(trial.max_tokens)}"
        yield LabelledFigure(
            "Tokens", size, "warn" if trial.tokens > trial.max_tokens else ""
        )
    if retained is not None:
        other = (built_in.messages, built_in.errors) if built_in else (None, None)
        yield from _share("Your messages, word for word", retained.messages, other[0])
        yield from _share("Open errors, word for word", retained.errors, other[1])


def _share(
    label: str, share: Proportion, built_in: Proportion | None
) -> Iterator[LabelledFigure]:
    if not share.total:
        yield LabelledFigure(label, "none there")
        return
    is_worse = not share.count or (
        built_in is not None and share.count < built_in.count
    )
    tone = "error" if is_worse else "warn"
    if share.count == share.total:
        tone = "ok"
    yield LabelledFigure(label, f"{share.count} of {share.total}", tone)
    if built_in is not None:
        yield LabelledFigure("– with built in", f"{built_in.count} of {built_in.total}")

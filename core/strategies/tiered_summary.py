"""Tier 3: the model call with its response or the reason for failure, and in safe mode the summary
of the originals, checked, completed and inserted."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.common.errors import Cancelled, FoldlineError, InputError
from core.facts.model import FILE_KINDS, Facts
from core.facts.tool_outcome import Outcome, tool_outcome
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings.prompts import fill_placeholders, required_sections
from core.settings.schema import SUMMARY_ROLE, SUMMARY_TOKENS
from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_replaced
from core.strategies.helpers import call_record, response_fault
from core.strategies.tiered_outputs import CLOSING, OPENING, OutputSizes
from core.summarize.earlier_summary import read_facts
from core.summarize.summary_request import CLOSING_REQUEST, summary_budget
from core.transcript.compaction import (
    FateKind,
    FateStep,
    ModelCall,
    Summary,
    TierOutcome,
)
from core.transcript.model import (
    Message,
    Speaker,
    Text,
    ToolCall,
    tool_calls,
    tool_responses,
)

FILES, TOOLS = "FILES", "TOOL HISTORY"
SECTIONS = (
    "TASK STATE",
    FILES,
    TOOLS,
    "ERRORS",
    "DECISIONS",
    "USER GUIDANCE",
    "NEXT STEPS",
)
"""The names of the seven sections, in their order (ION-16)."""

_SECTION_NAMES = "|".join(name.replace(" ", "[ _]") for name in SECTIONS)
_HEADING = re.compile(
    rf"^[ \t]*(?P<mark>(?:#{{1,6}}[ \t]*|\d{{1,2}}[.)][ \t]*|\*\*|__)*)(?P<name>{_SECTION_NAMES})"
    r"(?:\*\*|__)*[ \t]*(?P<end>$|:|[–—-](?=[ \t]))(?:\*\*|__)*[ \t]*(?P<rest>.*)$",
    re.IGNORECASE,
)
_EMPTY_BODIES = frozenset(
    {"", "none", "none.", "none noted.", "n/a", "-", "- none", "- none."}
)
_NO_ENTRIES = "None."


@dataclass(frozen=True, slots=True)
class TextSection:
    """A section of a text: its lines [start, end), the heading first, and its content."""

    name: str
    start: int
    end: int
    body: str

    @property
    def is_empty(self) -> bool:
        return self.body.strip().lower() in _EMPTY_BODIES


def summary_sections(text: str) -> tuple[TextSection, ...]:
    """Return the sections of a text in order; of a repeated name only the first."""
    lines = text.split("\n")
    headings = [
        (index, head)
        for index, line in enumerate(lines)
        if (head := _heading(line)) is not None
    ]
    ends = [*(index for index, _ in headings[1:]), len(lines)][: len(headings)]
    sections: dict[str, TextSection] = {}
    for (start, head), end in zip(headings, ends, strict=True):
        body = "\n".join((head["rest"], *lines[start + 1 : end]))
        name = head["name"].upper().replace("_", " ")
        sections.setdefault(name, TextSection(name, start, end, body))
    return tuple(sections.values())


def _heading(line: str) -> re.Match[str] | None:
    """Match a section heading: marked as a heading in any case, or bare in capitals."""
    match = _HEADING.match(line)
    return (
        match
        if match is not None and (match["mark"].strip() or match["name"].isupper())
        else None
    )


def without_wrapper(text: str) -> str:
    """Remove the wrapper's tags from a summary, so that it cannot close them itself."""
    return text.replace(OPENING, "").replace(CLOSING, "").strip()


def missing_sections(text: str, required: Sequence[str]) -> str:
    """Return what a summary lacks, as the end of a sentence; "" where it lacks nothing."""
    sections = {section.name: section for section in summary_sections(text)}
    missing = [name for name in required if name not in sections]
    if len(missing) == 1:
        return f"lacks the section {missing[0]}"
    if missing:
        *first, last = missing
        return f"lacks the sections {', '.join(first)} and {last}"
    # A model that has nothing to say may write the headings alone.
    if required and all(sections[name].is_empty for name in required):
        return "says nothing in any of its sections"
    return ""


def complete_summary(
    text: str,
    facts: Facts,
    messages: Sequence[Message],
    max_tokens: int,
    count: Callable[[str], int],
) -> str:
    """Add the files and tools of the calls that the summary leaves out (ION-03, ION-04)."""
    tools = [
        line
        for name, line in _tool_lines(messages)
        if not _mentions_tool(_body(text, TOOLS), name)
    ]
    text = _with_lines(
        text, TOOLS, _lines_that_fit(tools, max_tokens // 3, count, "more tools")
    )
    files_body = _body(text, FILES)
    paths = tuple(_file_lines(facts))
    tails = Counter(_tail(path) for path, _ in paths)
    files = [
        line
        for path, line in paths
        if not _mentions(files_body, path, is_unique=tails[_tail(path)] == 1)
    ]
    return _with_lines(
        text,
        FILES,
        _lines_that_fit(files, max_tokens - max_tokens // 3, count, "more files"),
    )


def _body(text: str, name: str) -> str:
    return next(
        (section.body for section in summary_sections(text) if section.name == name), ""
    )


def _mentions_tool(body: str, tool: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(tool)}(?![\w-])", body) is not None


def _tail(path: str) -> str:
    """Return the last two parts of a path."""
    folder, name = posixpath.split(path)
    return posixpath.join(posixpath.basename(folder), name)


def _mentions(body: str, path: str, *, is_unique: bool) -> bool:
    """Return whether the body names the path, whole, or by its tail where that is unique."""
    return (
        re.search(
            rf"(?<![\w.-]){re.escape(_tail(path) if is_unique else path)}(?![\w-])",
            body,
        )
        is not None
    )


def _file_lines(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield path and line of every file, changed files first."""
    for kind in FILE_KINDS:
        for fact in sorted(facts.of_kind(kind), key=lambda item: item.first):
            yield fact.key, f"- `{fact.key}`: {fact.detail}"


def _tool_lines(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """Yield name and line of every called tool, in the order of their first calls."""
    call_counts: Counter[str] = Counter()
    failure_counts: Counter[str] = Counter()
    by_id: dict[str, ToolCall] = {}
    for message in messages:
        for tool_call in tool_calls(message):
            call_counts[tool_call.name] += 1
            by_id[tool_call.id] = tool_call
        failure_counts.update(
            call.name
            for response in tool_responses(message)
            if (call := by_id.get(response.call_id)) is not None
            and tool_outcome(call, response).kind is Outcome.FAILED
        )
    for name, count in call_counts.items():
        if name:
            times = f"{count:,} call{'' if count == 1 else 's'}"
            if failure_counts[name]:
                ending = f", {failure_counts[name]:,} failed"
            else:
                ending = ""
            yield name, f"- `{name}`: {times}{ending}"


def _lines_that_fit(
    lines: Sequence[str], tokens_left: int, count: Callable[[str], int], label: str
) -> list[str]:
    """Return as many lines as fit, at least one, and a line that counts the others."""
    fitting: list[str] = []
    for line in lines:
        tokens_left -= count(line + "\n")
        if tokens_left < 0 and fitting:
            break
        fitting.append(line)
    more = len(lines) - len(fitting)
    if more:
        return [*fitting, f"- … and {more:,} {label}"]
    return fitting


def _with_lines(text: str, name: str, lines: Sequence[str]) -> str:
    """Add lines at the end of a section, which is inserted where it is missing."""
    sections = {section.name: section for section in summary_sections(text)}
    parts = text.split("\n")
    section = sections.get(name)
    if section is None:
        number = SECTIONS.index(name) + 1
        later = filter(None, map(sections.get, SECTIONS[number:]))
        later_starts = [one.start for one in later]
        index = min(later_starts, default=len(parts))
        new = [f"{number}. {name}:", *(lines or [_NO_ENTRIES]), ""]
        is_apart = not index or not parts[index - 1].strip()
        before = [] if is_apart else [""]
        return "\n".join((*parts[:index], *before, *new, *parts[index:])).rstrip("\n")
    if not lines:
        return text
    if section.is_empty:
        head = parts[section.start]
        found_head = _heading(head)
        assert found_head is not None
        if found_head["rest"]:
            heading_line = head[: found_head.start("rest")].rstrip()
        else:
            heading_line = head
        return "\n".join(
            (*parts[: section.start], heading_line, *lines, "", *parts[section.end :])
        ).rstrip("\n")
    end = section.end
    while not parts[end - 1].strip():
        end -= 1
    return "\n".join((*parts[:end], *lines, *parts[end:]))


SUMMARISE = "summarise"
SYSTEM = "system"
TEMPERATURE = 0.0
MAX_OUTPUT_TOKENS = 8000  # parameters of the request as in ion; output in tokens
_MIN_BUDGET = (
    320  # smallest budget in tokens that leaves room for words under seven headings
)
_COMPLETION = 4  # files and tools may exceed the budget by this fraction (1/4)
_CONTINUE = (
    "The conversation up to here was compacted; what the work needs of it stands above. "
    "Go on with the work from there, and do not ask for anything that the summary already says."
)


@dataclass(frozen=True, slots=True)
class SummaryAttempt:
    """The outcome of a request."""

    profile: str
    model: str
    answer: SummaryResponse | None = None
    fault: str = ""
    call: ModelCall | None = None

    def summary(self, text: str, sections: tuple[str, ...]) -> Summary:
        return Summary(text, self.profile, self.model, sections)


def request_for(
    context: StrategyContext, messages: Sequence[Message], end: int
) -> SummaryRequest:
    replaced = context.estimate_tokens(messages)
    max_tokens = context.values.integer(SUMMARY_TOKENS) or max(
        summary_budget(0, replaced), _MIN_BUDGET
    )
    return SummaryRequest(
        prompt=fill_placeholders(
            context.prompt, {"max_tokens": str(max_tokens), "focus": context.focus}
        ),
        messages=tuple(messages),
        indices=tuple(range(end)),
        trigger=CLOSING_REQUEST,
        max_tokens=max_tokens,
        todos=context.todos,
        transcript=context.transcript,
        focus=context.focus,
        temperature=TEMPERATURE,
        max_output_tokens=MAX_OUTPUT_TOKENS,
        prompt_name=context.prompt_name,
    )


def ask_for_summary(
    context: StrategyContext, strategy: str, request: SummaryRequest, *, strict: bool
) -> SummaryAttempt:
    """Request the summary. A failed call becomes a ``fault``, since the first two tiers need no
    model, also where a caller's own summariser raises (ION-63); cancellation and unusable profiles
    pass through. ``strict`` also rejects what is no whole summary."""
    summariser = context.summariser(context.profile)
    failed = SummaryAttempt(summariser.profile, summariser.model)
    label = f"{strategy}: {failed.profile} ({failed.model})"
    try:
        response = summariser.summarise(request)
    except (Cancelled, InputError):
        raise
    except FoldlineError as error:
        return replace(failed, fault=error.message)
    except Exception as error:
        return replace(
            failed, fault=f"{label} failed: {type(error).__name__}: {error}."
        )
    call = call_record(context, request, summariser, response)
    fault = "" if response.text else "wrote an empty summary"
    if fault := response_fault(context, request, response) if strict else fault:
        return replace(failed, fault=f"{label} {fault}.", call=call)
    return replace(failed, answer=response, call=call)


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSummaryResult:
    """The draft after tier 3, or why there is no summary; ``saves_nothing``: it would have saved
    nothing."""

    draft: HistoryDraft
    tier: TierOutcome
    fault: str = ""
    saves_nothing: bool = False
    summary: Summary | None = None
    call: ModelCall | None = None
    warnings: tuple[str, ...] = ()
    budget: int = 0
    fixes: tuple[str, ...] = ()


def summarise_draft(
    context: StrategyContext, strategy: str, draft: HistoryDraft, end: int
) -> TierSummaryResult:
    """Replace the entries before ``end`` by one summary message, or return the draft and the
    reason."""
    sizes = OutputSizes(context.estimate_tokens)
    estimate = context.estimate_tokens
    # The user's own prompt may ask for other sections.
    wanted = tuple(
        name for name in SECTIONS if name in required_sections(context.prompt)
    )
    before = estimate(draft.messages)
    overhead = sizes.text_tokens(_wrapped("\n".join(wanted)))
    if (size := estimate(draft.messages[:end])) <= overhead:
        reason = (
            f"Before the cut lie {size:,} tokens; a summary takes {overhead:,} before it says "
            f"anything."
        )
        return TierSummaryResult(
            draft=draft,
            tier=TierOutcome(3, SUMMARISE, before, (), reason),
            saves_nothing=True,
        )
    request = request_for(context, context.history[:end], end)
    attempt = ask_for_summary(context, strategy, request, strict=True)
    answer = attempt.answer
    label = f"{strategy}: the summary of {attempt.profile} ({attempt.model})"

    def failed(fault: str, *, saves_nothing: bool = False) -> TierSummaryResult:
        outcome = TierOutcome(3, SUMMARISE, before, (), fault)
        return TierSummaryResult(
            draft=draft,
            tier=outcome,
            fault=fault,
            saves_nothing=saves_nothing,
            call=attempt.call,
        )

    if answer is None:
        return failed(attempt.fault)
    text = written = without_wrapper(answer.text)
    if not answer.unwritten:
        # from the calls, within the unused budget or a part of it
        replaced, most = context.history[:end], request.max_tokens
        room = max(most - sizes.text_tokens(written), most // _COMPLETION)
        text = complete_summary(
            written, read_facts(replaced), replaced, room, sizes.text_tokens
        )
        if fault := missing_sections(text, wanted) or ("" if written else "is empty"):
            return failed(f"{label} {fault}.")
    summarised = _with_summary(context, draft, end, text)
    budget = (
        request.max_tokens
        + request.max_tokens // _COMPLETION
        + sizes.text_tokens(_wrapped(""))
    )
    after = estimate(summarised.messages[1:])
    after += budget if answer.unwritten else estimate(summarised.messages[:1])
    if after >= before and not answer.unwritten:
        reason = f"{label} saves nothing: {before:,} tokens became {after:,}."
        return failed(reason, saves_nothing=True)
    names = tuple(
        section.name for section in summary_sections(text) if not section.is_empty
    )
    return TierSummaryResult(
        draft=summarised,
        tier=TierOutcome(3, SUMMARISE, after, tuple(range(end))),
        summary=attempt.summary(text, names or answer.sections),
        call=attempt.call,
        warnings=answer.warnings,
        budget=budget,
        fixes=("TI-13",) if text != written else (),
    )


def _with_summary(
    context: StrategyContext, draft: HistoryDraft, end: int, text: str
) -> HistoryDraft:
    speaker = (
        Speaker.SYSTEM if context.values.text(SUMMARY_ROLE) == SYSTEM else Speaker.HUMAN
    )
    reason = (
        f"Before the protected messages, {context.span(0, end)}: the summary of the originals "
        f"stands for it."
    )
    step = FateStep(
        SUMMARISE, FateKind.SUMMARISED, reason, fix="TI-01" if draft.steps else ""
    )
    return with_replaced(
        draft, 0, end, (Message(speaker=speaker, blocks=(Text(_wrapped(text)),)),), step
    )


def _wrapped(text: str) -> str:
    return f"{OPENING}\n{text}\n{CLOSING}\n\n{_CONTINUE}"

"""Tier 3 in safe mode: summarises the originals, checks and completes the summary, and inserts it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.settings.keys import SUMMARY_ROLE
from core.settings.prompts import required_sections
from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_replaced
from core.strategies.tiered.ion_texts import CLOSING, OPENING
from core.strategies.tiered.summary_call import SummaryAttempt, ask_for_summary, request_for
from core.strategies.tiered.summary_sections import (
    SECTIONS,
    complete_summary,
    missing_sections,
    summary_sections,
    without_wrapper,
)
from core.strategies.tiered.tool_outputs import OutputSizes
from core.summarize.offline_summarizer import read_facts
from core.transcript.compaction import FateKind, FateStep, ModelCall, Summary, TierOutcome
from core.transcript.model import Message, Speaker, Text

RULE = "summarise"
SYSTEM = "system"

_CONTINUE = (
    "The conversation up to here was compacted; what the work needs of it stands above. "
    "Go on with the work from there, and do not ask for anything that the summary already says."
)
_COMPLETION = 4  # files and tools may exceed the budget by this fraction (1/4)


@dataclass(frozen=True, slots=True)
class TierSummaryResult:
    """The draft after tier 3, or why there is no summary; ``saves_nothing``: it would have saved nothing."""

    draft: HistoryDraft
    tier: TierOutcome
    fault: str = ""
    saves_nothing: bool = False
    summary: Summary | None = None
    call: ModelCall | None = None
    warnings: tuple[str, ...] = ()
    budget: int = 0
    fixes: tuple[str, ...] = ()
    unwritten: bool = False


def summarise_draft(
    context: StrategyContext, strategy: str, draft: HistoryDraft, end: int
) -> TierSummaryResult:
    """Replace the entries before ``end`` by one summary message, or return the draft and the reason."""
    sizes, wanted_sections = OutputSizes(context.estimate_tokens), _wanted_sections(context)
    before = context.estimate_tokens(draft.messages)
    overhead = sizes.text_tokens(_wrapped("\n".join(wanted_sections)))
    if (size := context.estimate_tokens(draft.messages[:end])) <= overhead:
        reason = f"Before the cut lie {size:,} tokens; a summary takes {overhead:,} before it says anything."
        return TierSummaryResult(draft, TierOutcome(3, RULE, before, (), reason), saves_nothing=True)
    request = request_for(context, context.history[:end], end)
    attempt = ask_for_summary(context, strategy, request, strict=True)
    if attempt.answer is None:
        return _failed_result(draft, before, attempt, attempt.fault)
    written = without_wrapper(attempt.answer.text)
    text = (
        written if attempt.answer.unwritten else _complete(context, end, written, request.max_tokens, sizes)
    )
    if not attempt.answer.unwritten and (
        fault := missing_sections(text, wanted_sections) or ("" if written else "is empty")
    ):
        return _failed_result(
            draft, before, attempt, f"{strategy}: the summary of {attempt.model_label} {fault}."
        )
    summarised = _with_summary(context, draft, end, text)
    budget = request.max_tokens + request.max_tokens // _COMPLETION + sizes.text_tokens(_wrapped(""))
    rest_tokens = context.estimate_tokens(summarised.messages[1:])
    after = rest_tokens + (
        budget if attempt.answer.unwritten else context.estimate_tokens(summarised.messages[:1])
    )
    if after >= before and not attempt.answer.unwritten:
        reason = (
            f"{strategy}: the summary of {attempt.model_label} saves nothing: {before:,} "
            f"tokens became {after:,}."
        )
        return replace(_failed_result(draft, before, attempt, reason), saves_nothing=True)
    section_names = (
        tuple(section.name for section in summary_sections(text) if not section.is_empty)
        or attempt.answer.sections
    )
    return TierSummaryResult(
        summarised,
        TierOutcome(3, RULE, after, tuple(range(end))),
        summary=Summary(text, attempt.profile, attempt.model, section_names),
        call=attempt.call,
        warnings=attempt.answer.warnings,
        budget=budget,
        fixes=("TI-13",) if text != written else (),
        unwritten=attempt.answer.unwritten,
    )


def _complete(context: StrategyContext, end: int, text: str, max_tokens: int, sizes: OutputSizes) -> str:
    """Complete the summary from the calls, within the unused budget or a part of it."""
    replaced = context.history[:end]
    room = max(max_tokens - sizes.text_tokens(text), max_tokens // _COMPLETION)
    return complete_summary(text, read_facts(replaced), replaced, room, sizes.text_tokens)


def _wanted_sections(context: StrategyContext) -> tuple[str, ...]:
    """Return the sections that the prompt asks for; the user's own prompt may ask for others."""
    prompt_sections = required_sections(context.prompt)
    return tuple(name for name in SECTIONS if name in prompt_sections)


def _failed_result(
    draft: HistoryDraft, tokens: int, attempt: SummaryAttempt, fault: str
) -> TierSummaryResult:
    return TierSummaryResult(draft, TierOutcome(3, RULE, tokens, (), fault), fault, call=attempt.call)


def _with_summary(context: StrategyContext, draft: HistoryDraft, end: int, text: str) -> HistoryDraft:
    system = context.values.text(SUMMARY_ROLE) == SYSTEM
    summary_message = Message(Speaker.SYSTEM if system else Speaker.HUMAN, (Text(_wrapped(text)),))
    pruned = any(step.rule != RULE for steps in draft.steps.values() for step in steps)
    span = context.span(0, end)
    reason = f"Before the protected messages, {span}: the summary of the originals stands for it."
    step = FateStep(RULE, FateKind.SUMMARISED, reason, fix="TI-01" if pruned else "")
    return with_replaced(draft, 0, end, (summary_message,), step)


def _wrapped(text: str) -> str:
    return f"{OPENING}\n{text}\n{CLOSING}\n\n{_CONTINUE}"

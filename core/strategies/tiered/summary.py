"""Tier 3: the model call with its response or the reason for failure, and in safe mode the summary
of the originals, checked, completed and inserted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.common.errors import Cancelled, FoldlineError, InputError
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings.keys import SUMMARY_ROLE, SUMMARY_TOKENS
from core.settings.prompts.placeholders import fill_placeholders
from core.settings.prompts.prompt_sections import required_sections
from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_replaced
from core.strategies.helpers import call_record, response_fault
from core.strategies.tiered.summary_sections import (
    SECTIONS,
    complete_summary,
    missing_sections,
    summary_sections,
    without_wrapper,
)
from core.strategies.tiered.tool_outputs import CLOSING, OPENING, OutputSizes
from core.summarize.earlier_summary import read_facts
from core.summarize.summary_request import CLOSING_REQUEST, summary_budget
from core.transcript.compaction import FateKind, FateStep, ModelCall, Summary
from core.transcript.model import Message, Speaker, Text
from core.transcript.run_details import TierOutcome

SUMMARISE = "summarise"
SYSTEM = "system"
TEMPERATURE = 0.0
MAX_OUTPUT_TOKENS = 8000  # parameters of the request as in ion; output in tokens
_MIN_BUDGET = 320  # smallest budget in tokens that leaves room for words under seven headings
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


def request_for(context: StrategyContext, messages: Sequence[Message], end: int) -> SummaryRequest:
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
        return replace(failed, fault=f"{label} failed: {type(error).__name__}: {error}.")
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
    unwritten: bool = False


def summarise_draft(
    context: StrategyContext, strategy: str, draft: HistoryDraft, end: int
) -> TierSummaryResult:
    """Replace the entries before ``end`` by one summary message, or return the draft and the
    reason."""
    sizes, estimate = OutputSizes(context.estimate_tokens), context.estimate_tokens
    # The user's own prompt may ask for other sections.
    wanted = tuple(name for name in SECTIONS if name in required_sections(context.prompt))
    before, overhead = estimate(draft.messages), sizes.text_tokens(_wrapped("\n".join(wanted)))
    if (size := estimate(draft.messages[:end])) <= overhead:
        reason = (
            f"Before the cut lie {size:,} tokens; a summary takes {overhead:,} before it says "
            f"anything."
        )
        return TierSummaryResult(
            draft=draft, tier=TierOutcome(3, SUMMARISE, before, (), reason), saves_nothing=True
        )
    request = request_for(context, context.history[:end], end)
    attempt = ask_for_summary(context, strategy, request, strict=True)
    answer, label = (
        attempt.answer,
        f"{strategy}: the summary of {attempt.profile} ({attempt.model})",
    )

    def failed(fault: str, *, saves_nothing: bool = False) -> TierSummaryResult:
        outcome = TierOutcome(3, SUMMARISE, before, (), fault)
        return TierSummaryResult(
            draft=draft, tier=outcome, fault=fault, saves_nothing=saves_nothing, call=attempt.call
        )

    if answer is None:
        return failed(attempt.fault)
    text = written = without_wrapper(answer.text)
    if not answer.unwritten:
        # from the calls, within the unused budget or a part of it
        replaced, most = context.history[:end], request.max_tokens
        room = max(most - sizes.text_tokens(written), most // _COMPLETION)
        text = complete_summary(written, read_facts(replaced), replaced, room, sizes.text_tokens)
        if fault := missing_sections(text, wanted) or ("" if written else "is empty"):
            return failed(f"{label} {fault}.")
    summarised = _with_summary(context, draft, end, text)
    budget = (
        request.max_tokens + request.max_tokens // _COMPLETION + sizes.text_tokens(_wrapped(""))
    )
    after = estimate(summarised.messages[1:])
    after += budget if answer.unwritten else estimate(summarised.messages[:1])
    if after >= before and not answer.unwritten:
        reason = f"{label} saves nothing: {before:,} tokens became {after:,}."
        return failed(reason, saves_nothing=True)
    names = tuple(section.name for section in summary_sections(text) if not section.is_empty)
    return TierSummaryResult(
        draft=summarised,
        tier=TierOutcome(3, SUMMARISE, after, tuple(range(end))),
        summary=attempt.summary(text, names or answer.sections),
        call=attempt.call,
        warnings=answer.warnings,
        budget=budget,
        fixes=("TI-13",) if text != written else (),
        unwritten=answer.unwritten,
    )


def _with_summary(
    context: StrategyContext, draft: HistoryDraft, end: int, text: str
) -> HistoryDraft:
    speaker = Speaker.SYSTEM if context.values.text(SUMMARY_ROLE) == SYSTEM else Speaker.HUMAN
    reason = (
        f"Before the protected messages, {context.span(0, end)}: the summary of the originals "
        f"stands for it."
    )
    step = FateStep(SUMMARISE, FateKind.SUMMARISED, reason, fix="TI-01" if draft.steps else "")
    return with_replaced(
        draft, 0, end, (Message(speaker=speaker, blocks=(Text(_wrapped(text)),)),), step
    )


def _wrapped(text: str) -> str:
    return f"{OPENING}\n{text}\n{CLOSING}\n\n{_CONTINUE}"

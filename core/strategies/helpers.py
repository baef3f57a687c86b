"""What the strategies share: thresholds, fates of a run, no-ops, and the assembly around a summary."""

from __future__ import annotations

from dataclasses import replace

from core.common.errors import CompactionFailed, InputError
from core.common.javascript_whitespace import trim
from core.common.rounding import half_up
from core.llm.chat_messages import human_text, request_messages
from core.llm.protocol import Summariser, SummaryRequest, SummaryResponse
from core.settings.keys import LIMIT, SUMMARY_TOKENS, THRESHOLD
from core.settings.prompts import fill_placeholders
from core.settings.schema import Mode
from core.strategies.base import StrategyContext
from core.summarize.summary_request import TRIGGER, continuation_text, reference_continuation, summary_budget
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Fate,
    FateKind,
    FateStep,
    ModelCall,
    NoOp,
    NoOpCode,
    Split,
    Summary,
)
from core.transcript.model import Message, Speaker, Text

OLDEST_FIRST = "oldest first"
"""The rule by which messages are dropped until the rest meets the target."""

PROMPT = "middle-out"
"""The prompt of the state snapshot; it bears the name of the strategy that it was written for."""

MIN_MESSAGES = 4
"""Fewest messages worth a summary (REQ-CS-002.8)."""


def single_fate(kind: FateKind, rule: str, reason: str, links: tuple[int, ...] = (), fix: str = "") -> Fate:
    """A fate of one step."""
    return Fate((FateStep(rule, kind, reason, links, fix),))


def percent_text(fraction: float) -> str:
    """A fraction as "20 %", with at most one decimal."""
    return half_up(fraction * 100, 1).removesuffix(".0") + " %"


def trigger_threshold(context: StrategyContext, declared: float) -> float:
    """The trigger as a fraction: the setting, else what the strategy declares (REQ-HD-001.10)."""
    value = context.values.get(THRESHOLD)
    return declared if value is None else float(value)


def known_limit(context: StrategyContext, strategy: str) -> int:
    """The model's window in tokens; InputError where none is known."""
    if context.limit is None:
        raise InputError(
            f"{strategy} needs a context limit and none is known.",
            f"Set {LIMIT} (--set {LIMIT}=N), or choose a model that has one (--model NAME).",
        )
    return context.limit


def hidden_above(context: StrategyContext, strategy: str, target: float) -> Compaction | None:
    """The run that changes nothing where what is hidden takes all of a target; None where it does not."""
    if not context.hidden or context.hidden < target:
        return None
    reason = (
        f"Every request holds {context.hidden:,} hidden tokens, and the target is {int(target):,}:"
        " no message that goes can meet it."
    )
    made = no_op(context, strategy, NoOpCode.NOTHING_TO_PRUNE, reason, parts=None)
    return replace(made, target=int(target))


def no_op(
    context: StrategyContext,
    strategy: str,
    code: NoOpCode,
    reason: str,
    way_out: str = "",
    *,
    parts: tuple[int, int, int] | None = (0, 0, 0),
    split: Split | None = None,
) -> Compaction:
    """A run that changes nothing, with every message kept and the reason said.

    ``request_messages`` are the counts that the metadata carries, None for strategies without such parts.
    """
    count = len(context.history)
    metadata = CompactionMetadata(count, count, strategy, False, *(parts or (None, None, None)))
    kept = single_fate(FateKind.KEPT, "nothing to compact", reason)
    return Compaction(
        context.history,
        tuple((index,) for index in range(count)),
        (kept,) * count,
        metadata,
        split=split,
        no_op=NoOp(code, reason, way_out),
    )


def refuse_larger(context: StrategyContext, compaction: Compaction) -> Compaction:
    """In safe mode a result that is not smaller than its source becomes a no-op (REQ-CS-006.2)."""
    if context.mode is Mode.REFERENCE or compaction.no_op is not None:
        return compaction
    before = context.estimate_tokens(context.history)
    after = context.estimate_tokens(compaction.messages)
    if after < before:
        return compaction
    name = compaction.metadata.strategy_used
    parts = None if compaction.metadata.top_preserved is None else (0, 0, 0)
    reason = f"The result is not smaller: {before:,} tokens became {after:,}."
    refused = no_op(context, name, NoOpCode.NOT_SMALLER, reason, parts=parts, split=compaction.split)
    return replace(refused, calls=compaction.calls, summary=compaction.summary, target=compaction.target)


def summarise_range(
    context: StrategyContext, strategy: str, start: int, end: int, split: Split, reasons: tuple[str, str, str]
) -> Compaction:
    """Replace messages [start, end) by a summary and an acknowledgement (REQ-CS-002.4, .7).

    ``reasons`` say why the top stays, the middle goes and the bottom stays.
    """
    history, request = context.history, _request(context, start, end)
    summariser, answer = ask_summariser(context, strategy, request)
    messages = (*history[:start], *_stand_in(context, answer.text), *history[end:])
    metadata = CompactionMetadata(
        len(history), len(messages), strategy, True, start, len(history) - end, end - start
    )
    compaction = Compaction(
        messages,
        _origins(len(history), start, end),
        _fates(len(history), start, end, reasons),
        metadata,
        inserted=frozenset({start, start + 1}),
        split=split,
        summary=Summary(answer.text, summariser.profile, summariser.model, answer.sections),
        calls=(call_record(context, request, summariser, answer),),
        warnings=answer.warnings,
        budgets={start: request.max_tokens},
    )
    return refuse_larger(context, compaction)


def _request(context: StrategyContext, start: int, end: int) -> SummaryRequest:
    """What is asked about messages [start, end)."""
    middle = context.history[start:end]
    most = summary_budget(context.values.whole(SUMMARY_TOKENS), context.estimate_tokens(middle))
    prompt = context.prompt
    if context.mode is Mode.SAFE:
        prompt = fill_placeholders(prompt, {"max_tokens": str(most), "focus": context.focus})
    places = tuple(range(start, end))
    todos, transcript, focus = context.todos, context.transcript, context.focus
    return SummaryRequest(prompt, middle, places, TRIGGER, most, todos, transcript, focus)


def call_record(
    context: StrategyContext,
    request: SummaryRequest,
    summariser: Summariser,
    answer: SummaryResponse,
    purpose: str = "",
) -> ModelCall:
    """The record of the call by which a request got its answer."""
    return ModelCall(
        summariser.profile,
        summariser.model,
        answer.input_tokens,
        answer.output_tokens,
        answer.retries,
        answer.steps,
        answer.cost,
        answer.seconds,
        answer.ladder,
        purpose,
        asked=0
        if answer.unwritten
        else context.estimate_tokens([part.message for part in request_messages(request)]),
        written=0 if answer.unwritten else context.estimate_tokens([human_text(answer.text)]),
    )


def _stand_in(context: StrategyContext, summary: str) -> tuple[Message, Message]:
    """The summary as a human message and the answer to it as an ai message (REQ-CS-002.7)."""
    if context.mode is Mode.REFERENCE:
        answer = reference_continuation(context.variant, context.todos)
    else:
        answer = continuation_text(context.todos)
    return Message(Speaker.HUMAN, (Text(summary),)), Message(Speaker.AI, (Text(answer),))


def _origins(count: int, start: int, end: int) -> tuple[tuple[int, ...], ...]:
    top = tuple((index,) for index in range(start))
    bottom = tuple((index,) for index in range(end, count))
    return (*top, tuple(range(start, end)), (), *bottom)


def _fates(count: int, start: int, end: int, reasons: tuple[str, str, str]) -> tuple[Fate, ...]:
    top, middle, bottom = reasons
    return (
        (single_fate(FateKind.KEPT, "top", top),) * start
        + (single_fate(FateKind.SUMMARISED, "middle", middle),) * (end - start)
        + (single_fate(FateKind.KEPT, "bottom", bottom),) * (count - end)
    )


_UNCHANGED = "The history is as it was."


def ask_summariser(
    context: StrategyContext, strategy: str, request: SummaryRequest
) -> tuple[Summariser, SummaryResponse]:
    """The answer to a request; CompactionFailed where there is none that can be used.

    Blank, cut off and refused answers are errors that name profile, model and cause; the history
    stays as it was (REQ-CS-006A.2, product.md section 3.1).
    """
    summariser = context.summariser(context.profile)
    who = f"{summariser.profile} ({summariser.model})"
    answer = summariser.summarise(request)
    if answer.finish_reason == "refusal":
        raise CompactionFailed(f"{strategy}: {who} refused to write the summary.", _UNCHANGED)
    if answer.finish_reason == "length":
        text = f"{strategy}: the summary of {who} ended too early (finish reason: length)."
        raise CompactionFailed(text, _UNCHANGED)
    if not trim(answer.text):
        raise CompactionFailed(f"{strategy}: {who} wrote an empty summary.", _UNCHANGED)
    return summariser, answer

"""Helpers of the strategies: thresholds, fates, no-ops, and replacing a range by a summary."""

from __future__ import annotations

from dataclasses import replace

from core.common.errors import CompactionFailed, InputError
from core.common.javascript_whitespace import trim
from core.common.number_format import half_up
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

OLDEST_FIRST = "oldest first"  # rule name in fates: messages are dropped until the rest meets the target
PROMPT = "middle-out"  # the prompt of the state snapshot, named after the strategy that it was written for
MIN_MESSAGES = 4  # fewest messages worth a summary (REQ-CS-002.8)


def single_fate(kind: FateKind, rule: str, reason: str, links: tuple[int, ...] = (), fix: str = "") -> Fate:
    return Fate((FateStep(rule, kind, reason, links, fix),))


def percent_text(fraction: float) -> str:
    """Format a fraction as "20 %", with at most one decimal."""
    return half_up(fraction * 100, 1).removesuffix(".0") + " %"


def trigger_threshold(context: StrategyContext, declared: float) -> float:
    """Return the trigger as a fraction: the setting, else the declared one (REQ-HD-001.10)."""
    value = context.values.get(THRESHOLD)
    return declared if value is None else float(value)


def require_limit(context: StrategyContext, strategy: str) -> int:
    """Return the model's window in tokens; raises InputError where none is known."""
    if context.limit is None:
        raise InputError(
            f"{strategy} needs a context limit and none is known.",
            f"Set {LIMIT} (--set {LIMIT}=N), or choose a model that has one (--model NAME).",
        )
    return context.limit


def hidden_tokens_no_op(context: StrategyContext, strategy: str, target: float) -> Compaction | None:
    """Return a no-op where hidden tokens alone reach the target, else None."""
    if not context.hidden or context.hidden < target:
        return None
    reason = (
        f"Every request holds {context.hidden:,} hidden tokens, and the target is {int(target):,}:"
        " no message that goes can meet it."
    )
    result = no_op_compaction(context, strategy, NoOpCode.NOTHING_TO_PRUNE, reason, parts=None)
    return replace(result, target=int(target))


def no_op_compaction(
    context: StrategyContext,
    strategy: str,
    code: NoOpCode,
    reason: str,
    hint: str = "",
    *,
    parts: tuple[int, int, int] | None = (0, 0, 0),
    split: Split | None = None,
) -> Compaction:
    """Return a run that changes nothing, with every message kept for this reason. ``parts`` are the top,
    middle and bottom counts of the metadata, None for strategies without such parts."""
    count = len(context.history)
    metadata = CompactionMetadata(count, count, strategy, False, *(parts or (None, None, None)))
    kept_fate = single_fate(FateKind.KEPT, "nothing to compact", reason)
    return Compaction(
        context.history,
        tuple((index,) for index in range(count)),
        (kept_fate,) * count,
        metadata,
        split=split,
        no_op=NoOp(code, reason, hint),
    )


def no_op_if_larger(context: StrategyContext, compaction: Compaction) -> Compaction:
    """In safe mode, turn a result that is not smaller than its source into a no-op (REQ-CS-006.2)."""
    if context.mode is Mode.REFERENCE or compaction.no_op is not None:
        return compaction
    before = context.estimate_tokens(context.history)
    after = context.estimate_tokens(compaction.messages)
    if after < before:
        return compaction
    name = compaction.metadata.strategy_used
    parts = None if compaction.metadata.top_preserved is None else (0, 0, 0)
    reason = f"The result is not smaller: {before:,} tokens became {after:,}."
    refused = no_op_compaction(
        context, name, NoOpCode.NOT_SMALLER, reason, parts=parts, split=compaction.split
    )
    return replace(refused, calls=compaction.calls, summary=compaction.summary, target=compaction.target)


def summarise_range(
    context: StrategyContext, strategy: str, start: int, end: int, split: Split, reasons: tuple[str, str, str]
) -> Compaction:
    """Replace messages [start, end) by a summary and an acknowledgement (REQ-CS-002.4, .7). ``reasons``
    explain why the top stays, the middle is replaced and the bottom stays."""
    history, request = context.history, _summary_request(context, start, end)
    summariser, response = ask_summariser(context, strategy, request)
    messages = (*history[:start], *_summary_messages(context, response.text), *history[end:])
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
        summary=Summary(response.text, summariser.profile, summariser.model, response.sections),
        calls=(call_record(context, request, summariser, response),),
        warnings=response.warnings,
        budgets={start: request.max_tokens},
    )
    return no_op_if_larger(context, compaction)


def _summary_request(context: StrategyContext, start: int, end: int) -> SummaryRequest:
    messages = context.history[start:end]
    max_tokens = summary_budget(context.values.integer(SUMMARY_TOKENS), context.estimate_tokens(messages))
    prompt = context.prompt
    if context.mode is Mode.SAFE:
        prompt = fill_placeholders(prompt, {"max_tokens": str(max_tokens), "focus": context.focus})
    indices = tuple(range(start, end))
    todos, transcript, focus = context.todos, context.transcript, context.focus
    return SummaryRequest(prompt, messages, indices, TRIGGER, max_tokens, todos, transcript, focus)


def call_record(
    context: StrategyContext,
    request: SummaryRequest,
    summariser: Summariser,
    response: SummaryResponse,
    purpose: str = "",
) -> ModelCall:
    return ModelCall(
        summariser.profile,
        summariser.model,
        response.input_tokens,
        response.output_tokens,
        response.retries,
        response.steps,
        response.cost,
        response.seconds,
        response.reductions,
        purpose,
        request_tokens=0
        if response.unwritten
        else context.estimate_tokens([part.message for part in request_messages(request)]),
        answer_tokens=0 if response.unwritten else context.estimate_tokens([human_text(response.text)]),
    )


def _summary_messages(context: StrategyContext, summary: str) -> tuple[Message, Message]:
    """Return the summary as a human message and the reply to it as an ai message (REQ-CS-002.7)."""
    if context.mode is Mode.REFERENCE:
        continuation = reference_continuation(context.variant, context.todos)
    else:
        continuation = continuation_text(context.todos)
    return Message(Speaker.HUMAN, (Text(summary),)), Message(Speaker.AI, (Text(continuation),))


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


_HISTORY_UNCHANGED = "The history is as it was."


def ask_summariser(
    context: StrategyContext, strategy: str, request: SummaryRequest
) -> tuple[Summariser, SummaryResponse]:
    """Return the summariser and its response; raises CompactionFailed where the response is unusable. Blank,
    truncated and refused responses are errors that name profile, model and cause; the history stays as it was
    (REQ-CS-006A.2, product.md section 3.1)."""
    summariser = context.summariser(context.profile)
    model_label = f"{summariser.profile} ({summariser.model})"
    response = summariser.summarise(request)
    if response.finish_reason == "refusal":
        raise CompactionFailed(f"{strategy}: {model_label} refused to write the summary.", _HISTORY_UNCHANGED)
    if response.finish_reason == "length":
        text = f"{strategy}: the summary of {model_label} ended too early (finish reason: length)."
        raise CompactionFailed(text, _HISTORY_UNCHANGED)
    if not trim(response.text):
        raise CompactionFailed(f"{strategy}: {model_label} wrote an empty summary.", _HISTORY_UNCHANGED)
    return summariser, response

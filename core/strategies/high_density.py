"""The high-density strategy: prunes on every turn; at the trigger, shortens older tool results to one line.
Uses no model (REQ-HD-004, -008). Reference: llxprt.md section 9."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import MISSING, Json
from core.facts.file_accesses import path_argument
from core.settings.keys import (
    FILE_DEDUPE,
    HEADROOM,
    LIMIT,
    PRESERVE,
    READ_WRITE,
    RECENCY,
    RETENTION,
    THRESHOLD,
)
from core.settings.schema import Mode
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.density.optimize import optimize_history
from core.strategies.helpers import (
    OLDEST_FIRST,
    hidden_tokens_no_op,
    no_op_compaction,
    no_op_if_larger,
    percent_text,
    require_limit,
    single_fate,
    trigger_threshold,
)
from core.strategies.one_line_results import PairedHistory, one_line, pair_history, shorten_results
from core.transcript.boundaries import CutRequest, TokenCount, adjust_tail, snap_cut
from core.transcript.compaction import Compaction, CompactionMetadata, Cut, Fate, FateKind, NoOpCode, Split
from core.transcript.model import Message, Speaker, ToolCall, ToolResponse
from core.transcript.tool_pairs import Pairs

NAME = "high-density"
TRIGGER = Trigger(TriggerMode.CONTINUOUS, 0.85)

_NO_RESULT = single_fate(
    FateKind.KEPT, "head", "Before the tail only tool results get shorter; this has none."
)
_NOT_SHORTER = single_fate(
    FateKind.KEPT, "head", "A line would not be shorter than what stands there.", fix="HD-02"
)
_REFERENCE_ERRORS = ("error:", "error occurred", "command failed")


def compress(context: StrategyContext) -> Compaction:
    """Shorten tool results before the tail, then drop the oldest messages while above the target."""
    history = context.history
    count = len(history)
    if not count:
        return no_op_compaction(context, NAME, NoOpCode.EMPTY_HISTORY, "The history is empty.", parts=None)
    limit = require_limit(context, NAME)
    keep = context.values.number(PRESERVE)
    target = math.floor(
        trigger_threshold(context, TRIGGER.threshold) * limit * context.values.number(HEADROOM)
    )
    if refused := hidden_tokens_no_op(context, NAME, target):
        return refused
    paired_history = pair_history(history)
    cut = _tail(context, keep, paired_history)
    if cut is None or cut.index <= 0:
        reason = f"The protected tail, the newest {percent_text(keep)}, reaches back to the first message."
        refused = no_op_compaction(
            context, NAME, NoOpCode.TAIL_COVERS_ALL, reason, f"{PRESERVE}=0.1", parts=None
        )
        return replace(refused, target=target)
    head = (
        _reference_head(context, cut.index)
        if context.mode is Mode.REFERENCE
        else _safe_head(context, cut, paired_history)
    )
    dropped = _messages_to_drop(context, head, cut.index, target - context.hidden, paired_history.pairs)
    return no_op_if_larger(context, _assemble(context, head, cut, dropped, target, keep))


def _tail(context: StrategyContext, keep: float, paired_history: PairedHistory) -> Cut | None:
    """Return the cut before the protected tail, which holds at least the newest message."""
    history = context.history
    count = len(history)
    size = max(1, math.floor(count * keep))
    start = count - size
    reference = adjust_tail(history, start, paired_history.last_response_by_id)
    request = CutRequest(
        "tail", max(start, 0), f"keep tail {percent_text(keep)} of {count}", reference, True, (0, count - 1)
    )
    return snap_cut(
        request, paired_history.pairs, safe=context.mode is Mode.SAFE, display_index=context.source_index
    )


@dataclass(frozen=True, slots=True)
class _ShortenedHead:
    """The messages before the tail after shortening, with the fates of the changed ones."""

    messages: Mapping[int, Message]  # only the changed ones
    fates: Mapping[int, Fate]
    dropped: frozenset[int]  # messages of unknown speakers, which the reference drops


def _reference_head(context: StrategyContext, end: int) -> _ShortenedHead:
    paths = _paths_by_id(context.history)
    changed: dict[int, Message] = {}
    fates: dict[int, Fate] = {}
    dropped: set[int] = set()
    for index in range(end):
        message = context.history[index]
        if message.speaker is Speaker.TOOL:
            blocks = tuple(
                replace(block, result=_reference_line(block, paths))
                if isinstance(block, ToolResponse)
                else block
                for block in message.blocks
            )
            changed[index] = replace(message, blocks=blocks)
            fates[index] = single_fate(FateKind.EDITED, "one-line results", "Tool result to one line.")
        elif message.speaker not in (Speaker.HUMAN, Speaker.AI):
            dropped.add(index)
            fates[index] = single_fate(
                FateKind.DROPPED, "unknown speaker", "The reference forgets other speakers."
            )
    return _ShortenedHead(changed, fates, frozenset(dropped))


def _paths_by_id(history: Sequence[Message]) -> Mapping[str, str]:
    """Return by call id the first path that a call names; the first call of a message counts."""
    paths: dict[str, str] = {}
    for message in history:
        if message.speaker is Speaker.AI:
            first = {block.id: block for block in reversed(message.blocks) if isinstance(block, ToolCall)}
            for id_, call in first.items():
                path = path_argument(call.arguments)
                if path is not None:
                    paths.setdefault(id_, path)
    return paths


def _reference_line(block: ToolResponse, paths: Mapping[str, str]) -> str:
    text = _reference_text(block.result).lower()
    failed = block.error is not MISSING and block.error != ""
    failed = failed or any(word in text for word in _REFERENCE_ERRORS)
    return one_line(_reference_name(block), paths.get(block.call_id), failed)


def _reference_name(block: ToolResponse) -> str:
    """Return the tool's name as JavaScript converts it to a string."""
    if block.name or "toolName" not in block.extra:
        return block.name
    name = block.extra["toolName"]
    return "undefined" if name is MISSING else json.dumps(name, ensure_ascii=False)


def _reference_text(result: Json) -> str:
    if isinstance(result, str):
        return result
    return json.dumps(
        "" if result is None or result is MISSING else result, ensure_ascii=False, separators=(",", ":")
    )


def _safe_head(context: StrategyContext, cut: Cut, paired_history: PairedHistory) -> _ShortenedHead:
    why = f"outside the protected tail ({context.span(cut.index, len(context.history))})"
    changed: dict[int, Message] = {}
    fates: dict[int, Fate] = {}
    fate_by_lines: dict[int, Fate] = {}  # by number of lines, shared between messages
    for index in range(cut.index):
        shortened = shorten_results(paired_history, index, context.estimate_tokens)
        if shortened is None:
            continue
        if shortened.message is None:
            fates[index] = _NOT_SHORTER
            continue
        changed[index] = shortened.message
        if shortened.lines not in fate_by_lines:
            subject = "Tool result" if shortened.lines == 1 else f"{shortened.lines} tool results"
            fate_by_lines[shortened.lines] = single_fate(
                FateKind.EDITED, "one-line results", f"{subject} to one line: {why}."
            )
        fates[index] = fate_by_lines[shortened.lines]
    return _ShortenedHead(changed, fates, frozenset())


def _messages_to_drop(
    context: StrategyContext, head: _ShortenedHead, end: int, target: int, pairs: Pairs
) -> tuple[int, str]:
    """Return the number of oldest messages to drop to meet the target, and the fix if it is more than in the
    reference. At most the head goes. The reference counts after removing unknown speakers; safe drops only up
    to a valid boundary, and nothing where the lines alone meet the target (REQ-HD-008.4, .6)."""
    remaining = [index for index in range(len(context.history)) if index not in head.dropped]
    messages = [head.messages.get(index, context.history[index]) for index in remaining]
    if context.mode is Mode.REFERENCE:
        return _count_to_drop(messages, target, end - len(head.dropped), context.estimate_tokens), ""
    first = _count_to_drop(messages, target, end, context.estimate_tokens)
    at_boundary = next((count for count in range(first, end + 1) if pairs.valid[count]), end)
    return at_boundary, "HD-03" if at_boundary != first else ""


def _count_to_drop(messages: Sequence[Message], target: int, max_count: int, estimate: TokenCount) -> int:
    """Return how many of the oldest, at most ``max_count``, must go so that the rest is within the target. A
    binary search that estimates each message at most twice, and many at a time."""
    low, high, remaining_tokens = 0, max_count, estimate(messages)
    while low < high:
        middle = (low + high) // 2
        tokens_after_cut = remaining_tokens - estimate(messages[low:middle])
        if tokens_after_cut <= target:
            high = middle
        else:
            remaining_tokens = tokens_after_cut - estimate(messages[middle : middle + 1])
            low = middle + 1
    return low


def _assemble(
    context: StrategyContext,
    head: _ShortenedHead,
    cut: Cut,
    drop_count_and_fix: tuple[int, str],
    target: int,
    keep: float,
) -> Compaction:
    dropped, fix = drop_count_and_fix
    history = context.history
    count = len(history)
    remaining = [index for index in range(count) if index not in head.dropped][dropped:]
    messages = tuple(head.messages.get(index, history[index]) for index in remaining)
    why = f"In the protected tail: newest {percent_text(keep)} = {context.span(cut.index, count)}."
    kept_tail = single_fate(FateKind.KEPT, "tail", why)
    fates = [_NO_RESULT] * cut.index + [kept_tail] * (count - cut.index)
    for index, fate in head.fates.items():
        fates[index] = fate
    first = remaining[0] if remaining else count
    reason = f"All results are lines and the target of {target:,} tokens is still missed: oldest first."
    dropped_fate = single_fate(FateKind.DROPPED, OLDEST_FIRST, reason, fix=fix)
    for index in range(first):
        if index not in head.dropped:
            fates[index] = dropped_fate
    metadata = CompactionMetadata(count, len(messages), NAME, False)
    split = Split(0, cut.index, count - cut.index, (cut,))
    compaction = Compaction(
        messages, tuple((i,) for i in remaining), tuple(fates), metadata, split=split, target=target
    )
    if context.mode is Mode.SAFE and not head.messages and not first:
        reason = "No tool result before the protected tail can get shorter."
        return replace(
            no_op_compaction(context, NAME, NoOpCode.NOTHING_TO_PRUNE, reason, parts=None, split=split),
            target=target,
        )
    return replace(
        compaction, warnings=_shortfall_warning(context.estimate_tokens(messages) + context.hidden, target)
    )


def _shortfall_warning(tokens: int, target: int) -> tuple[str, ...]:
    if tokens <= target:
        return ()
    return (
        f"The target of {target:,} tokens is missed by {tokens - target:,}: the tail alone is that large.",
    )


STRATEGY = Strategy(
    NAME,
    "Prunes stale reads and repeated files on every turn; at the trigger older tool results become one line.",
    False,
    TRIGGER,
    (READ_WRITE, FILE_DEDUPE, RECENCY, RETENTION, PRESERVE, HEADROOM, THRESHOLD, LIMIT),
    compress,
    optimize_history,
    needs_limit=True,
    reference="llxprt",
)

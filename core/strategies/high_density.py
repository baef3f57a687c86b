"""The high-density strategy: prunes on every turn; at the trigger, shortens older tool results to one line.
Uses no model (REQ-HD-004, -008). Reference: llxprt.md section 9."""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import MISSING, Json
from core.facts.file_accesses import key_argument, path_argument
from core.settings import keys
from core.settings.schema import Mode
from core.strategies import names
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.density.optimize import optimize_history
from core.strategies.density.recency_pruning import POINTER
from core.strategies.helpers import (
    OLDEST_FIRST,
    empty_history_no_op,
    hidden_tokens_no_op,
    no_op_compaction,
    no_op_if_larger,
    percent_text,
    place_cut,
    require_limit,
    single_fate,
    trigger_threshold,
)
from core.transcript.boundaries import CutRequest, TokenCount, adjust_tail, last_responses, suffix_sums
from core.transcript.compaction import Compaction, CompactionMetadata, Cut, Fate, FateKind, NoOpCode, Split
from core.transcript.model import Block, Message, Speaker, ToolCall, ToolResponse, with_blocks, with_result
from core.transcript.tool_outcomes import is_failed_result
from core.transcript.tool_pairs import Pairs, find_pairs

NAME = names.HIGH_DENSITY
TRIGGER = Trigger(TriggerMode.CONTINUOUS, 0.85)
_RULE = "one-line results"
_NO_RESULT = single_fate(
    FateKind.KEPT, "head", "Before the tail only tool results get shorter; this has none."
)
_NOT_SHORTER = single_fate(
    FateKind.KEPT, "head", "A line would not be shorter than what stands there.", fix="HD-02"
)
_REFERENCE_ERRORS = ("error:", "error occurred", "command failed")


def compress(context: StrategyContext) -> Compaction:
    """Shorten tool results before the tail, then drop the oldest messages while above the target."""
    history, count = context.history, len(context.history)
    if not count:
        return empty_history_no_op(context, NAME)
    limit, keep = require_limit(context, NAME), context.values.number(keys.PRESERVE)
    headroom = context.values.number(keys.HEADROOM)
    target = math.floor(trigger_threshold(context, TRIGGER.threshold) * limit * headroom)
    if refused := hidden_tokens_no_op(context, NAME, target):
        return refused
    pairs = find_pairs(history)
    start = count - max(1, math.floor(count * keep))  # the tail holds at least the newest message
    reference = adjust_tail(history, start, last_responses(history))
    detail = f"keep tail {percent_text(keep)} of {count}"
    request = CutRequest("tail", max(start, 0), detail, reference, True, (0, count - 1))
    cut = place_cut(context, request, pairs)
    if cut is None or cut.index <= 0:
        reason = f"The protected tail, the newest {percent_text(keep)}, reaches back to the first message."
        hint = f"{keys.PRESERVE}=0.1"
        refused = no_op_compaction(context, NAME, NoOpCode.TAIL_COVERS_ALL, reason, hint, parts=None)
        return replace(refused, target=target)
    is_reference = context.mode is Mode.REFERENCE
    head = _reference_head(context, cut.index) if is_reference else _safe_head(context, cut, pairs)
    return _drop_oldest(context, head, cut, pairs, target, keep)


@dataclass(frozen=True, slots=True)
class _ShortenedHead:
    """The messages before the tail after shortening, with the fates of the changed ones."""

    messages: Mapping[int, Message]  # only the changed ones
    fates: Mapping[int, Fate]
    dropped: frozenset[int] = frozenset()  # messages of unknown speakers, which the reference drops


def _reference_head(context: StrategyContext, end: int) -> _ShortenedHead:
    paths = _paths_by_id(context.history)
    edited = single_fate(FateKind.EDITED, _RULE, "Tool result to one line.")
    unknown = single_fate(FateKind.DROPPED, "unknown speaker", "The reference forgets other speakers.")
    changed: dict[int, Message] = {}
    fates: dict[int, Fate] = {}
    for index, message in enumerate(context.history[:end]):
        if message.speaker is Speaker.TOOL:
            blocks = (
                with_result(block, _reference_line(block, paths))
                if isinstance(block, ToolResponse)
                else block
                for block in message.blocks
            )
            changed[index], fates[index] = with_blocks(message, tuple(blocks)), edited
        elif message.speaker not in (Speaker.HUMAN, Speaker.AI):
            fates[index] = unknown
    return _ShortenedHead(changed, fates, frozenset(fates.keys() - changed.keys()))


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
    result: Json = "" if block.result is None or block.result is MISSING else block.result
    text = (
        result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    )
    failed = block.error is not MISSING and block.error != ""
    failed = failed or any(word in text.lower() for word in _REFERENCE_ERRORS)
    name = block.name
    if not name and "toolName" in block.extra:  # as JavaScript converts it to a string
        other: Json = block.extra["toolName"]
        name = "undefined" if other is MISSING else json.dumps(other, ensure_ascii=False)
    return _line(name, paths.get(block.call_id), failed)


def _line(name: str, argument: str | None, failed: bool) -> str:
    """Return the line for a result: the tool, its key argument, and its outcome."""
    outcome = "error" if failed else "success"
    return f"[{name} {argument}: {outcome}]" if argument else f"[{name}: {outcome}]"


def _safe_head(context: StrategyContext, cut: Cut, pairs: Pairs) -> _ShortenedHead:
    history, estimate = context.history, context.estimate_tokens
    calls = {
        (pair.response, pair.response_block): history[pair.call].blocks[pair.call_block]
        for pair in pairs.pairs
    }
    why = f"outside the protected tail ({context.span(cut.index, len(history))})"
    changed: dict[int, Message] = {}
    fates: dict[int, Fate] = {}
    fate_by_lines: dict[int, Fate] = {}  # by number of lines, shared between messages
    for index, message in enumerate(history[: cut.index]):
        results = [number for number, block in enumerate(message.blocks) if isinstance(block, ToolResponse)]
        if not results:
            continue
        lines = dict(_shorter_lines(message, [(n, calls.get((index, n))) for n in results], estimate))
        if not lines:
            fates[index] = _NOT_SHORTER
            continue
        blocks = tuple(lines.get(number, block) for number, block in enumerate(message.blocks))
        changed[index] = with_blocks(message, blocks)
        if len(lines) not in fate_by_lines:
            subject = "Tool result" if len(lines) == 1 else f"{len(lines)} tool results"
            fate_by_lines[len(lines)] = single_fate(FateKind.EDITED, _RULE, f"{subject} to one line: {why}.")
        fates[index] = fate_by_lines[len(lines)]
    return _ShortenedHead(changed, fates)


def _shorter_lines(
    message: Message, results: Sequence[tuple[int, Block | None]], estimate: TokenCount
) -> Iterator[tuple[int, ToolResponse]]:
    """Yield the lines for results that get shorter by it, given with the calls that they answer; pointers and
    lines of an earlier run stay."""
    for number, call in results:
        block = message.blocks[number]
        assert isinstance(block, ToolResponse)
        if _is_line(block.result):
            continue
        name, argument = block.name, None
        if isinstance(call, ToolCall):
            name, argument = call.name or name, key_argument(call.arguments)
        line = with_result(block, _line(name, argument, is_failed_result(block)))
        # A message that is this block alone was already counted.
        alone = message if len(message.blocks) == 1 else with_blocks(message, (block,))
        if estimate((with_blocks(message, (line,)),)) < estimate((alone,)):
            yield number, line


def _is_line(result: Json) -> bool:
    """Return whether the result is a pointer or a line from an earlier run."""
    if not isinstance(result, str) or len(result) > 400 or "\n" in result:
        return False
    return result == POINTER or (result.startswith("[") and result.endswith((": success]", ": error]")))


def _drop_oldest(
    context: StrategyContext, head: _ShortenedHead, cut: Cut, pairs: Pairs, target: int, keep: float
) -> Compaction:
    """Return the result after as many of the oldest messages went as the target needs, at most the head. The
    reference counts after removing unknown speakers; safe drops only up to a valid boundary, and nothing
    where the lines alone meet the target (REQ-HD-008.4, .6)."""
    history, count = context.history, len(context.history)
    split = Split(0, cut.index, count - cut.index, (cut,))
    remaining = [index for index in range(count) if index not in head.dropped]
    messages = [head.messages.get(index, history[index]) for index in remaining]
    room, most = target - context.hidden, cut.index - len(head.dropped)
    sums = suffix_sums(messages, context.estimate_tokens)
    dropped = fitting = bisect_left(range(most), True, key=lambda number: sums[number] <= room)
    if context.mode is Mode.SAFE:
        dropped = next((number for number in range(fitting, most + 1) if pairs.valid[number]), most)
    if context.mode is Mode.SAFE and not head.messages and not dropped:
        reason = "No tool result before the protected tail can get shorter."
        code = NoOpCode.NOTHING_TO_PRUNE
        return replace(no_op_compaction(context, NAME, code, reason, parts=None, split=split), target=target)
    remaining = remaining[dropped:]
    first = remaining[0] if remaining else count
    excess = sums[dropped] - room
    missed = f"The target of {target:,} tokens is missed by {excess:,}: the tail alone is that large."
    compaction = Compaction(
        tuple(messages[dropped:]),
        tuple((index,) for index in remaining),
        _fates(context, head, cut, first, target, "HD-03" if dropped != fitting else "", keep),
        CompactionMetadata(count, len(remaining), NAME, False),
        split=split,
        target=target,
        warnings=(missed,) if excess > 0 else (),
    )
    return no_op_if_larger(context, compaction, sums[dropped])


def _fates(
    context: StrategyContext, head: _ShortenedHead, cut: Cut, first: int, target: int, fix: str, keep: float
) -> tuple[Fate, ...]:
    """Return the fates of all messages, ``first`` being the first that remains."""
    count = len(context.history)
    why = f"In the protected tail: newest {percent_text(keep)} = {context.span(cut.index, count)}."
    reason = f"All results are lines and the target of {target:,} tokens is still missed: oldest first."
    dropped = single_fate(FateKind.DROPPED, OLDEST_FIRST, reason, fix=fix)
    kept_tail = single_fate(FateKind.KEPT, "tail", why)
    fates = [_NO_RESULT] * cut.index + [kept_tail] * (count - cut.index)
    for index, fate in head.fates.items():
        fates[index] = fate
    fates[:first] = [fates[index] if index in head.dropped else dropped for index in range(first)]
    return tuple(fates)


STRATEGY = Strategy(
    NAME,
    "Prunes stale reads and repeated files on every turn; at the trigger older tool results become one line.",
    False,
    TRIGGER,
    (*keys.DENSITY_SWITCHES, keys.RETENTION, keys.PRESERVE, keys.HEADROOM, keys.THRESHOLD, keys.LIMIT),
    compress,
    optimize_history,
    needs_limit=True,
    reference="llxprt",
)

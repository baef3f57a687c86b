"""The high-density strategy: prunes on every turn; at the trigger, shortens older tool results to
one line. Uses no model (REQ-HD-004, -008)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from core.common.json_value import MISSING, Json
from core.facts.file_accesses import key_argument, path_argument
from core.facts.tool_outcome import outcome_text, tool_outcome
from core.settings import schema
from core.settings.schema import Mode
from core.strategies import names
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.density.optimize import optimize_history
from core.strategies.density.recency_pruning import POINTER
from core.strategies.helpers import (
    OLDEST_FIRST,
    empty_history_no_op,
    last_request,
    no_op_compaction,
    no_op_if_larger,
    percent_text,
    place_cut,
    request_in_front,
    require_limit,
    single_fate,
    trigger_fraction,
)
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Cut,
    Fate,
    FateKind,
    NoOpCode,
    Split,
)
from core.transcript.model import (
    Block,
    Message,
    Speaker,
    ToolCall,
    ToolResponse,
    with_blocks,
    with_result,
)
from core.transcript.tool_pairs import CutRequest, Pairs, TokenCount, adjust_tail

NAME = names.HIGH_DENSITY
_RULE = "one-line results"
_NO_RESULT = single_fate(
    FateKind.KEPT,
    "head",
    "Before the Bottom only tool results get shorter; this has none.",
)
_NOT_SHORTER = single_fate(
    FateKind.KEPT,
    "head",
    "A line would not be shorter than what stands there.",
    fix="HD-02",
)
_REFERENCE_EDITED = single_fate(FateKind.EDITED, _RULE, "Tool result to one line.")
_LAST_REQUEST = single_fate(
    FateKind.KEPT,
    "last request",
    "The request that the rest answers stays, alone in front of it.",
    fix="HD-05",
)
WORTH_DROPPING = 10  # text goes for nothing where it frees less than a tenth of what is over the target
_UNKNOWN_SPEAKER = single_fate(
    FateKind.DROPPED, "unknown speaker", "The reference forgets other speakers."
)
_WRITTEN_LINE = re.compile(
    r"\[.*: (?:success|no output|error\b.*|reported: .*|output left out, [\d,]+ lines?)\]",
    re.IGNORECASE,
)
_REFERENCE_ERRORS = ("error:", "error occurred", "command failed")


def compress(context: StrategyContext) -> Compaction:
    """Shorten tool results before the tail, then drop the oldest messages while above the
    target."""
    history = context.history
    count = len(context.history)
    if not count:
        return empty_history_no_op(context, NAME)
    limit = require_limit(context, NAME)
    keep = context.values.number(schema.PRESERVE)
    trigger = trigger_fraction(STRATEGY, context.values) * limit
    # A share of the trigger, or tokens.
    headroom = context.values.number(schema.HEADROOM)
    target = math.floor(trigger * headroom if headroom <= 1 else min(headroom, trigger))
    pairs = context.pairs
    # The tail holds at least the newest message.
    start = count - max(1, math.floor(count * keep))
    reference = adjust_tail(history, start)
    detail = f"keep tail {percent_text(keep)} of {count}"
    request = CutRequest(
        name="tail",
        requested=max(start, 0),
        requested_detail=detail,
        reference=reference,
        keep_low=True,
        allowed=(0, count - 1),
    )
    cut = place_cut(context, request, pairs)
    if cut is None or cut.index <= 0:
        reason = f"The Bottom, the newest {percent_text(keep)}, reaches back to the first message."
        hint = f"{schema.PRESERVE}=0.1"
        refused = no_op_compaction(
            context, NAME, NoOpCode.TAIL_COVERS_ALL, reason, hint, parts=None
        )
        return replace(refused, target=target)
    if context.mode is Mode.SAFE:
        return _compact_head(
            context, _safe_shortener(context, cut, pairs), cut, pairs, target, keep
        )
    return _compact_head(
        context, _reference_shortener(context), cut, pairs, target, keep
    )


Shortener = Callable[[int], tuple[Message | None, Fate]]
"""Returns by index what a message before the tail becomes, None where it goes, and its fate."""


def _reference_shortener(context: StrategyContext) -> Shortener:
    history = context.history
    paths = _paths_by_id(context.history)

    def shorten(index: int) -> tuple[Message | None, Fate]:
        message = history[index]
        if message.speaker in (Speaker.HUMAN, Speaker.AI):
            return message, _NO_RESULT
        if message.speaker is not Speaker.TOOL:
            return None, _UNKNOWN_SPEAKER
        blocks = (
            with_result(block, _reference_line(block, paths))
            if isinstance(block, ToolResponse)
            else block
            for block in message.blocks
        )
        return with_blocks(message, tuple(blocks)), _REFERENCE_EDITED

    return shorten


def _paths_by_id(history: Sequence[Message]) -> Mapping[str, str]:
    """Return by call id the first path that a call names; the first call of a message counts."""
    paths: dict[str, str] = {}
    for message in history:
        if message.speaker is Speaker.AI:
            first = {
                block.id: block
                for block in reversed(message.blocks)
                if isinstance(block, ToolCall)
            }
            for id_, call in first.items():
                path = path_argument(call.arguments)
                if path is not None:
                    paths.setdefault(id_, path)
    return paths


def _reference_line(block: ToolResponse, paths: Mapping[str, str]) -> str:
    result: Json = (
        "" if block.result is None or block.result is MISSING else block.result
    )
    if isinstance(result, str):
        text = result
    else:
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    failed = block.error is not MISSING and block.error != ""
    # The reference takes every result that speaks of an error for a failed one.
    failed = failed or any(word in text.lower() for word in _REFERENCE_ERRORS)
    name = block.name
    if not name and "toolName" in block.extra:  # as JavaScript converts it to a string
        other: Json = block.extra["toolName"]
        if other is MISSING:
            name = "undefined"
        else:
            name = json.dumps(other, ensure_ascii=False)
    return _line(name, paths.get(block.call_id), "error" if failed else "success")


def _line(name: str, argument: str | None, outcome: str) -> str:
    """Return the line for a result: the tool, its key argument, and its outcome."""
    if argument:
        return f"[{name} {argument}: {outcome}]"
    return f"[{name}: {outcome}]"


def _places_of_results(message: Message) -> list[int]:
    return [
        place
        for place, block in enumerate(message.blocks)
        if isinstance(block, ToolResponse)
    ]


def _safe_shortener(context: StrategyContext, cut: Cut, pairs: Pairs) -> Shortener:
    history, estimate = context.history, context.estimate_tokens
    why = f"outside the Bottom ({context.span(cut.index, len(history))})"
    fate_by_lines: dict[int, Fate] = {}  # by number of lines, shared between messages

    def call_of(response: int, block: int) -> Block | None:
        call = pairs.calls.get((response, block))
        if call is None:
            return None
        return history[call[0]].blocks[call[1]]

    def shorten(index: int) -> tuple[Message | None, Fate]:
        message = history[index]
        results = _places_of_results(message)
        if not results:
            return message, _NO_RESULT
        lines = dict(
            _shorter_lines(message, [(n, call_of(index, n)) for n in results], estimate)
        )
        if not lines:
            return message, _NOT_SHORTER
        if len(lines) not in fate_by_lines:
            subject = "The tool result became one line"
            if len(lines) > 1:
                subject = f"{len(lines)} tool results became one line each"
            fate_by_lines[len(lines)] = single_fate(
                FateKind.EDITED, _RULE, f"{subject}: {why}."
            )
        if len(message.blocks) == 1:
            return lines[0], fate_by_lines[1]
        blocks = (
            lines[n].blocks[0] if n in lines else block
            for n, block in enumerate(message.blocks)
        )
        return with_blocks(message, tuple(blocks)), fate_by_lines[len(lines)]

    return shorten


def _shorter_lines(
    message: Message, results: Sequence[tuple[int, Block | None]], estimate: TokenCount
) -> Iterator[tuple[int, Message]]:
    """Yield the lines for results that get shorter by it, each as a message of its own, given with
    the calls that they answer; pointers and lines of an earlier run stay."""
    for number, call in results:
        block = message.blocks[number]
        assert isinstance(block, ToolResponse)
        if _is_line(block.result):
            continue
        name, argument = block.name, None
        if isinstance(call, ToolCall):
            name = call.name or name
            argument = key_argument(call.arguments)
        outcome = tool_outcome(call if isinstance(call, ToolCall) else None, block)
        # A message that is this block alone was already counted.
        if len(message.blocks) == 1:
            alone = message
        else:
            alone = with_blocks(message, (block,))
        text = _line(name, argument, outcome_text(outcome, block))
        line = with_blocks(message, (with_result(block, text),))
        if estimate((line,)) < estimate((alone,)):
            yield number, line


def _is_line(result: Json) -> bool:
    """Return whether the result is a pointer or a line from an earlier run."""
    # A line of an earlier run is short and one line, so most results need no search.
    if not isinstance(result, str) or len(result) > 400 or "\n" in result:
        return False
    return result == POINTER or _WRITTEN_LINE.fullmatch(result) is not None


_Entry: TypeAlias = tuple[Message | None, Fate, int]
"""What a message becomes, None if it goes; its fate; its tokens then."""


@dataclass(frozen=True, slots=True)
class _Head:
    """What is left before the tail: messages from ``first`` on as they become, with fates and
    sizes, and of those that go the last request of the person. ``total`` counts them and the
    tail."""

    first: int
    entries: Mapping[int, _Entry]
    total: int
    request: int | None = None
    fix: str = ""


def _kept_of_head(head: _Head) -> tuple[list[int], list[Message]]:
    """Return the indices and the messages of the head that are still there."""
    ordered = [(at, head.entries[at][0]) for at in sorted(head.entries)]
    kept = [(at, message) for at, message in ordered if message is not None]
    return [at for at, _ in kept], [message for _, message in kept]


def _compact_head(
    context: StrategyContext,
    shorten: Shortener,
    cut: Cut,
    pairs: Pairs,
    target: int,
    keep: float,
) -> Compaction:
    """Return the result after as many of the oldest messages went as the target needs, at most the
    head. The reference counts after removing unknown speakers; safe drops only up to a valid
    boundary, and nothing where the lines alone meet the target (REQ-HD-008.4, .6)."""
    history = context.history
    count = len(context.history)
    is_safe = context.mode is Mode.SAFE
    split = Split(0, cut.index, count - cut.index, (cut,))
    room = target - context.hidden
    head = _fitting_head(context, shorten, cut, pairs, room)
    # Safe mode throws no text away where the target stays missed all the same.
    if is_safe and head.first:
        head = _worthwhile_head(context, shorten, cut, head, room)
    is_unchanged = all(
        message is history[at] for at, (message, _, _) in head.entries.items()
    )
    if is_safe and not head.first and is_unchanged:
        reason = "No tool result before the Bottom can get shorter."
        code = NoOpCode.NOTHING_TO_PRUNE
        no_op = no_op_compaction(context, NAME, code, reason, parts=None, split=split)
        return replace(no_op, target=target)
    fates = _head_fates(context, shorten, head, target)
    why = f"In the Bottom: newest {percent_text(keep)} = {context.span(cut.index, count)}."
    kept_tail = single_fate(FateKind.KEPT, "tail", why)
    origins, messages = _kept_of_head(head)
    compaction = Compaction(
        messages=(*messages, *history[cut.index :]),
        origins=tuple((index,) for index in (*origins, *range(cut.index, count))),
        fates=(*fates, *(kept_tail,) * (count - cut.index)),
        metadata=CompactionMetadata(
            original_message_count=count,
            compressed_message_count=len(origins) + count - cut.index,
            strategy_used=NAME,
            llm_call_made=False,
        ),
        split=split,
        target=target,
    )
    return no_op_if_larger(context, compaction, head.total)


def _fitting_head(
    context: StrategyContext, shorten: Shortener, cut: Cut, pairs: Pairs, room: int
) -> _Head:
    """Read the head from its newest message on, until the room is used up. Messages that go are
    neither shortened nor counted; in safe mode the last request of the person is none of them."""
    history = context.history
    is_safe = context.mode is Mode.SAFE
    entries: dict[int, _Entry] = {}
    total = context.estimate_tokens(history[cut.index :])

    # The last request has its room before anything else.
    request = last_request(history) if is_safe else None
    if request is not None and request < cut.index:
        entries[request] = _whole_entry(context, request)
        total += entries[request][2]

    fitting = cut.index
    for index in reversed(range(cut.index)):
        if index not in entries:
            message, fate = shorten(index)
            size = 0 if message is None else context.estimate_tokens((message,))
            if total + size > room:
                break
            entries[index] = message, fate, size
            total += size
        fitting = index
    if not is_safe:
        return _Head(fitting, entries, total, None, "")

    # A head that begins with results would have lost their calls.
    first = _valid_start(pairs, fitting, cut.index)
    for index in range(fitting, first):
        if index != request:
            total -= entries.pop(index)[2]
    kept = request_in_front(history, first) if first else None
    if kept is not None and kept not in entries:
        entries[kept] = _whole_entry(context, kept)
        total += entries[kept][2]
    return _Head(first, entries, total, kept, "HD-03" if first != fitting else "")


def _whole_entry(context: StrategyContext, index: int) -> _Entry:
    message = context.history[index]
    return message, _NO_RESULT, context.estimate_tokens((message,))


def _valid_start(pairs: Pairs, start: int, end: int) -> int:
    """Return the first place from ``start`` on at which a request may begin, ``end`` without
    one."""
    return next((index for index in range(start, end) if pairs.valid[index]), end)


def _worthwhile_head(
    context: StrategyContext, shorten: Shortener, cut: Cut, head: _Head, room: int
) -> _Head:
    """Return the head as it is where dropping meets the target or frees a tenth of what is over,
    else one from which nothing goes: text is not thrown away for nothing."""
    if head.total <= room:
        return head
    whole = dict(head.entries)
    freed = 0
    for index in range(cut.index):
        if index in whole:
            continue
        message, fate = shorten(index)
        size = 0 if message is None else context.estimate_tokens((message,))
        whole[index] = message, fate, size
        freed += size
        # What else goes frees more, never less.
        if freed * WORTH_DROPPING >= freed + head.total - room:
            return head
    return _Head(0, whole, head.total + freed)


def _head_fates(
    context: StrategyContext, shorten: Shortener, head: _Head, target: int
) -> list[Fate]:
    reason = (
        f"All tool results are one line now, and the target of {target:,} tokens is still missed, "
        "so the oldest go."
    )
    dropped = single_fate(FateKind.DROPPED, OLDEST_FIRST, reason, fix=head.fix)
    gone = [dropped] * head.first
    if context.mode is not Mode.SAFE:
        gone = [
            _UNKNOWN_SPEAKER if shorten(index)[0] is None else dropped
            for index in range(head.first)
        ]
    if head.request is not None:
        gone[head.request] = _LAST_REQUEST
    return [
        *gone,
        *(head.entries[at][1] for at in sorted(head.entries) if at >= head.first),
    ]


STRATEGY = Strategy(
    name=NAME,
    about="Removes stale and repeated reads; old tool results become one line.",
    requires_llm=False,
    trigger=Trigger(mode=TriggerMode.CONTINUOUS, threshold=0.85),
    options=(
        *schema.DENSITY_SWITCHES,
        schema.RETENTION,
        schema.PRESERVE,
        schema.HEADROOM,
        schema.THRESHOLD,
        schema.LIMIT,
    ),
    compress=compress,
    optimize=optimize_history,
    needs_limit=True,
    reference="llxprt",
)

"""Split points of a history: llxprt's reference rules, and the valid boundary nearest to them. A
boundary is a position between two messages, 0 to n: ``[0, b)`` is left of it. The reference rules
(REQ-CS-004) can separate a call from its response; ``snap_cut`` cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.transcript.compaction import Cut, TraceStep
from core.transcript.model import Message, Speaker, ToolCall, ToolResponse
from core.transcript.tool_pairs import Pair, Pairs


def _answered_ids(message: Message) -> Iterator[str]:
    if message.speaker is Speaker.TOOL:
        for block in message.blocks:
            if isinstance(block, ToolResponse):
                yield block.call_id


def _are_answered(
    history: Sequence[Message], calls: Iterable[ToolCall], start: int
) -> bool:
    """Return whether tool messages from ``start`` on answer all these calls."""
    waiting = {call.id for call in calls}
    for index in range(start, len(history)):
        if not waiting:
            break
        waiting.difference_update(_answered_ids(history[index]))
    return not waiting


def _calls(message: Message) -> list[ToolCall]:
    if message.speaker is not Speaker.AI:
        return []
    return [block for block in message.blocks if isinstance(block, ToolCall)]


def adjust_for_tool_call_boundary(history: Sequence[Message], index: int) -> int:
    """Return the reference's split point for a wanted index (REQ-CS-004.1). Searches forward; if
    that reaches the end, backward from the original index."""
    if index <= 0 or not history:
        return index
    forward = find_forward_valid_split_point(history, index)
    if forward < len(history):
        return forward
    return find_backward_valid_split_point(history, index)


def find_forward_valid_split_point(history: Sequence[Message], index: int) -> int:
    """Skip tool messages; step back once before a call not answered on the right (REQ-CS-004.2)."""
    while index < len(history) and history[index].speaker is Speaker.TOOL:
        index += 1
    if 0 < index < len(history) and not _are_answered(
        history, _calls(history[index - 1]), index
    ):
        return index - 1
    return index


def find_backward_valid_split_point(history: Sequence[Message], start: int) -> int:
    """Return the nearest boundary at or before ``start`` that the reference accepts
    (REQ-CS-004.3)."""
    answered = {id_ for message in history[start:] for id_ in _answered_ids(message)}
    for index in range(start - 1, -1, -1):
        message = history[index]
        answered.update(_answered_ids(message))
        is_tool = message.speaker is Speaker.TOOL
        if not is_tool and all(call.id in answered for call in _calls(message)):
            return index + 1
    return start


def adjust_tail(history: Sequence[Message], index: int) -> int:
    """Return the reference's tail start of high-density: back over tool messages to their call. An
    ai message whose calls are not answered after it belongs to the head."""
    if index <= 0 or index >= len(history):
        return index
    while index > 0 and history[index].speaker is Speaker.TOOL:
        index -= 1
    calls = _calls(history[index])
    if (
        index > 0
        and calls
        and not any(_are_answered(history, [call], index + 1) for call in calls)
    ):
        index += 1
    return index


@dataclass(frozen=True, slots=True, kw_only=True)
class CutRequest:
    """A cut that a strategy requests: ``requested`` by the setting, ``reference`` by the reference
    rule. ``keep_low``: of two equally near boundaries the lower keeps more. ``allowed`` bounds the
    result, inclusive. ``moved_reason`` says why ``rule`` moves the cut from ``requested`` to
    ``reference``, up to "to"."""

    name: str
    requested: int
    requested_detail: str
    reference: int
    keep_low: bool
    allowed: tuple[int, int]
    moved_reason: str = "tool messages and unanswered calls move it"
    rule: str = "The reference rule"


def snap_cut(
    request: CutRequest,
    pairs: Pairs,
    *,
    safe: bool,
    display_index: Callable[[int], int] = int,
) -> Cut | None:
    """Place a cut at the reference's index or, in safe mode, at the valid boundary nearest to it.
    On a tie the boundary that keeps more wins. None: no valid boundary in the allowed range.
    ``display_index`` maps an index to the displayed number of a message, from 0."""
    reference = min(max(request.reference, 0), len(pairs.valid) - 1)
    requested = request.requested
    steps = [
        TraceStep(
            f"Asked: {request.requested_detail}",
            f"before #{display_index(requested) + 1}",
            requested,
        )
    ]
    if reference != requested:
        detail = f"{request.moved_reason} to before #{display_index(reference) + 1}"
        steps.append(TraceStep(f"{request.rule} moves it", detail, reference))
    broken = pairs.pairs_across(reference)
    orphans = tuple(dict.fromkeys(pair.id for pair in broken))
    index = reference
    nearest = _nearest(pairs.valid, reference, request.keep_low, request.allowed)
    if not safe:
        title, detail = "Reference mode", "no pair is cut here"
        if orphans:
            title, detail = (
                "Reference mode keeps this cut",
                f"it separates {', '.join(orphans)}",
            )
        steps.append(TraceStep(title, detail, reference, not orphans))
    else:
        if broken:
            steps.append(_broken_step(reference, broken[0], display_index))
        if nearest is None:
            return None
        index = nearest
        if index != reference:
            steps.append(_nearest_step(pairs.valid, reference, index, display_index))
    is_valid = bool(pairs.valid[index])
    if is_valid:
        detail = "every pair lies on one side"
    else:
        detail = "as the reference cuts"
    steps.append(
        TraceStep(f"Cut before #{display_index(index) + 1}", detail, index, is_valid)
    )
    safe_index = -1 if nearest is None else nearest
    return Cut(
        name=request.name,
        requested=requested,
        index=index,
        reference=reference,
        reference_orphans=orphans,
        trace=tuple(steps),
        safe=safe_index,
    )


def _nearest(
    valid: bytes, index: int, keep_low: bool, allowed: tuple[int, int]
) -> int | None:
    low, high = allowed
    for distance in range(len(valid)):
        if keep_low:
            pair = (index - distance, index + distance)
        else:
            pair = (index + distance, index - distance)
        for candidate in pair:
            if low <= candidate <= high and valid[candidate]:
                return candidate
    return None


def _broken_step(
    index: int, pair: Pair, display_index: Callable[[int], int]
) -> TraceStep:
    id_ = pair.id or "a call without id"
    detail = (
        f"#{display_index(pair.response) + 1} is the result of {id_} in "
        f"#{display_index(pair.call) + 1}"
    )
    return TraceStep("Not a valid boundary", detail, index, False)


def _nearest_step(
    valid: bytes, index: int, chosen: int, display_index: Callable[[int], int]
) -> TraceStep:
    distance = abs(chosen - index)
    other = 2 * index - chosen
    tie = 0 <= other < len(valid) and bool(valid[other])
    boundaries = f"before #{display_index(chosen) + 1}" + (
        f" and #{display_index(other) + 1}" if tie else ""
    )
    detail = f"{distance} away" + ("; a tie keeps more" if tie else "")
    return TraceStep(f"Nearest valid: {boundaries}", detail, chosen, True)


TokenCount = Callable[
    [Sequence[Message]], int
]  # counts the tokens of messages; additive


def suffix_sums(history: Sequence[Message], estimate: TokenCount) -> list[int]:
    """Return the tokens of ``history[i:]`` for every i; each message is counted once."""
    sums = [0] * (len(history) + 1)
    for index in range(len(history) - 1, -1, -1):
        sums[index] = sums[index + 1] + estimate((history[index],))
    return sums

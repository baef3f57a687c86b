"""Where a history may be cut: the reference rules of llxprt, and the valid boundary nearest to them.

A boundary is a position between two messages, 0 to n: ``[0, b)`` lies left of it. The reference
rules (REQ-CS-004, llxprt.md section 3) can separate a call from its response; ``snap_cut`` cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.transcript.compaction import Cut, TraceStep
from core.transcript.model import Message, Speaker, ToolCall, ToolResponse
from core.transcript.tool_pairs import Pair, Pairs


def last_responses(history: Sequence[Message]) -> Mapping[str, int]:
    """For each call id the index of the last ``tool`` message that answers it.

    The reference asks whether a call is answered at or after an index; the last answer tells.
    """
    last: dict[str, int] = {}
    for index, message in enumerate(history):
        if message.speaker is Speaker.TOOL:
            for block in message.blocks:
                if isinstance(block, ToolResponse):
                    last[block.call_id] = index
    return last


def _calls(message: Message) -> list[ToolCall]:
    if message.speaker is not Speaker.AI:
        return []
    return [block for block in message.blocks if isinstance(block, ToolCall)]


def _all_answered(calls: Sequence[ToolCall], last: Mapping[str, int], start: int) -> bool:
    return all(last.get(call.id, -1) >= start for call in calls)


def adjust_for_tool_call_boundary(
    history: Sequence[Message], index: int, last: Mapping[str, int] | None = None
) -> int:
    """The reference's split point for a wanted index (REQ-CS-004.1).

    Forward first; where that runs off the end, backward from the original index. ``last`` is
    ``last_responses(history)``, for callers that have it.
    """
    if index <= 0 or not history:
        return index
    last = last_responses(history) if last is None else last
    forward = find_forward_valid_split_point(history, index, last)
    if forward >= len(history):
        return find_backward_valid_split_point(history, index, last)
    return forward


def find_forward_valid_split_point(
    history: Sequence[Message], index: int, last: Mapping[str, int] | None = None
) -> int:
    """Skip tool messages; step back once before a call that is not answered on the right (REQ-CS-004.2)."""
    last = last_responses(history) if last is None else last
    while index < len(history) and history[index].speaker is Speaker.TOOL:
        index += 1
    if 0 < index < len(history):
        calls = _calls(history[index - 1])
        if calls and not _all_answered(calls, last, index):
            return index - 1
    return index


def find_backward_valid_split_point(
    history: Sequence[Message], start: int, last: Mapping[str, int] | None = None
) -> int:
    """The nearest position at or before ``start`` that the reference accepts (REQ-CS-004.3)."""
    last = last_responses(history) if last is None else last
    for index in range(start - 1, -1, -1):
        message = history[index]
        if message.speaker is Speaker.TOOL:
            continue
        calls = _calls(message)
        if calls and not _all_answered(calls, last, index + 1):
            continue
        return index + 1
    return start


def adjust_tail(history: Sequence[Message], index: int, last: Mapping[str, int]) -> int:
    """The reference's start of high-density's tail: back over tool messages to their call.

    An ai message whose calls nobody answers after it goes to the head (llxprt.md section 9).
    """
    if index <= 0 or index >= len(history):
        return index
    while index > 0 and history[index].speaker is Speaker.TOOL:
        index -= 1
    calls = _calls(history[index])
    if index > 0 and calls and not any(last.get(call.id, -1) > index for call in calls):
        index += 1
    return index


@dataclass(frozen=True, slots=True)
class CutRequest:
    """A cut as a strategy asks for it.

    ``asked`` by the setting, ``reference`` by the reference rule. ``keep_low`` says that of two
    boundaries as near the lower keeps more. ``allowed`` bounds the answer, inclusive. ``moved`` says in
    words what moves it from the one to the other, up to "to"; ``rule`` whose rule that is.
    """

    name: str
    asked: int
    asked_detail: str
    reference: int
    keep_low: bool
    allowed: tuple[int, int]
    moved: str = "tool messages and unanswered calls move it"
    rule: str = "The reference rule"


def _same(index: int) -> int:
    return index


def snap_cut(
    wish: CutRequest, pairs: Pairs, *, safe: bool, place: Callable[[int], int] = _same
) -> Cut | None:
    """Put a cut at the reference's index, or, in safe mode, at the valid boundary nearest to it.

    Of two as near the one that keeps more wins (product.md section 3.1). None: no valid boundary
    in the allowed range. ``place`` gives the number that people know a message by, from 0.
    """
    reference = min(max(wish.reference, 0), len(pairs.valid) - 1)
    steps = [TraceStep(f"Asked: {wish.asked_detail}", f"before #{place(wish.asked) + 1}", wish.asked)]
    if reference != wish.asked:
        detail = f"{wish.moved} to before #{place(reference) + 1}"
        steps.append(TraceStep(f"{wish.rule} moves it", detail, reference))
    broken = pairs.cut_by(reference)
    orphans = tuple(dict.fromkeys(pair.id for pair in broken))
    index = reference
    nearest = _nearest(pairs.valid, reference, wish.keep_low, wish.allowed)
    if not safe:
        steps.append(_reference_step(reference, orphans))
    else:
        if broken:
            steps.append(_broken_step(reference, broken[0], place))
        if nearest is None:
            return None
        index = nearest
        if index != reference:
            steps.append(_nearest_step(pairs.valid, reference, index, place))
    whole = bool(pairs.valid[index])
    detail = "every pair lies on one side" if whole else "as the reference cuts"
    steps.append(TraceStep(f"Cut before #{place(index) + 1}", detail, index, whole))
    mended = -1 if nearest is None else nearest
    return Cut(wish.name, wish.asked, index, reference, orphans, tuple(steps), mended)


def _nearest(valid: bytes, index: int, keep_low: bool, allowed: tuple[int, int]) -> int | None:
    low, high = allowed
    for distance in range(len(valid)):
        pair = (index - distance, index + distance) if keep_low else (index + distance, index - distance)
        for candidate in pair:
            if low <= candidate <= high and valid[candidate]:
                return candidate
    return None


def _reference_step(index: int, orphans: Sequence[str]) -> TraceStep:
    if not orphans:
        return TraceStep("Reference mode", "no pair is cut here", index, True)
    return TraceStep("Reference mode keeps this cut", f"it separates {', '.join(orphans)}", index, False)


def _broken_step(index: int, pair: Pair, place: Callable[[int], int]) -> TraceStep:
    id_ = pair.id or "a call without id"
    detail = f"#{place(pair.response) + 1} is the result of {id_} in #{place(pair.call) + 1}"
    return TraceStep("Not a valid boundary", detail, index, False)


def _nearest_step(valid: bytes, index: int, chosen: int, place: Callable[[int], int]) -> TraceStep:
    distance = abs(chosen - index)
    other = 2 * index - chosen
    tie = 0 <= other < len(valid) and bool(valid[other])
    near = f"before #{place(chosen) + 1}" + (f" and #{place(other) + 1}" if tie else "")
    detail = f"{distance} away" + ("; a tie keeps more" if tie else "")
    return TraceStep(f"Nearest valid: {near}", detail, chosen, True)


TokenCount = Callable[[Sequence[Message]], int]
"""Tokens of messages; additive."""


def suffix_sums(history: Sequence[Message], estimate: TokenCount) -> list[int]:
    """``sums[i]``: tokens of ``history[i:]``; one pass, each message counted once."""
    sums = [0] * (len(history) + 1)
    for index in range(len(history) - 1, -1, -1):
        sums[index] = sums[index + 1] + estimate((history[index],))
    return sums

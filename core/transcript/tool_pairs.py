"""Pairs of tool calls and responses, and the boundaries between messages that separate no pair."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from core.common.json_value import MISSING, Json
from core.common.number_format import plural
from core.transcript.compaction import Cut, TraceStep
from core.transcript.images import media_data
from core.transcript.model import Media, Message, Speaker, Text, ToolCall, ToolResponse

BlockPlace: TypeAlias = tuple[int, int]  # message and block index


class Pair(NamedTuple):
    """A call and its response: message and block indices, and their common id."""

    id: str
    call: int
    response: int
    call_block: int
    response_block: int


@dataclass(frozen=True)
class Pairs:
    """All pairs of a history, unpaired calls and responses, and the valid boundaries. ``valid[b]``
    is 1 if boundary b (before message b, 0 to n) separates no pair; unanswered calls and orphan
    responses do not matter. ``unanswered`` and ``orphans`` are (message index, id)."""

    pairs: tuple[Pair, ...]
    unanswered: tuple[tuple[int, str], ...]
    orphans: tuple[tuple[int, str], ...]
    valid: bytes

    @cached_property
    def partners(self) -> Mapping[int, tuple[int, ...]]:
        """The messages that each message shares a pair with, by ascending message."""
        partners: defaultdict[int, dict[int, None]] = defaultdict(dict)
        for pair in self.pairs:
            if pair.call != pair.response:
                partners[pair.call][pair.response] = None
                partners[pair.response][pair.call] = None
        return {index: tuple(partners[index]) for index in sorted(partners)}

    @cached_property
    def calls(self) -> Mapping[BlockPlace, BlockPlace]:
        """The place of the call that each response answers, by the response's place."""
        return {
            (pair.response, pair.response_block): (pair.call, pair.call_block)
            for pair in self.pairs
        }

    def pairs_across(self, boundary: int) -> tuple[Pair, ...]:
        return tuple(
            pair
            for pair in self.pairs
            if pair.call < boundary <= pair.response
            or pair.response < boundary <= pair.call
        )


class ToolPairJoiner:
    """Joins calls with responses by id in one pass over arriving messages. A response answers the
    nearest earlier unanswered call of its id, else the nearest earlier one (a second answer), else
    the first later one (files out of order). Repeated ids are thus joined turn by turn. ``pairs``
    are those found so far, in that order."""

    def __init__(self) -> None:
        self.pairs: list[Pair] = []
        self._waiting: dict[str, list[BlockPlace]] = {}
        self._answered: dict[str, BlockPlace] = {}
        self._early: dict[str, list[BlockPlace]] = {}

    def add(self, numbered_messages: Iterable[tuple[int, Message]]) -> None:
        """Add the next messages, each with its number; numbers ascend."""
        for index, message in numbered_messages:
            for block_index, block in enumerate(message.blocks):
                if isinstance(block, ToolCall):
                    self._call(block.id, (index, block_index))
                elif isinstance(block, ToolResponse):
                    self._response(block.call_id, (index, block_index))

    def unanswered(self) -> tuple[tuple[int, str], ...]:
        """Return calls without an answer, by message number and id."""
        return _open_ids(self._waiting)

    def orphans(self) -> tuple[tuple[int, str], ...]:
        """Return responses without a call, by message number and id."""
        return _open_ids(self._early)

    def _call(self, id_: str, place: BlockPlace) -> None:
        earlier_responses = self._early.pop(id_, None)
        if earlier_responses is None:
            self._waiting.setdefault(id_, []).append(place)
            return
        for response in earlier_responses:
            self._join(id_, place, response)

    def _response(self, id_: str, place: BlockPlace) -> None:
        open_calls = self._waiting.get(id_)
        if open_calls:
            self._join(id_, open_calls.pop(), place)
        elif id_ in self._answered:
            self._join(id_, self._answered[id_], place)
        else:
            self._early.setdefault(id_, []).append(place)

    def _join(self, id_: str, call: BlockPlace, response: BlockPlace) -> None:
        self._answered[id_] = call
        self.pairs.append(Pair(id_, call[0], response[0], call[1], response[1]))


def find_pairs(messages: Sequence[Message]) -> Pairs:
    """Join calls with responses as ``ToolPairJoiner`` does, and find the valid boundaries."""
    joiner = ToolPairJoiner()
    joiner.add(enumerate(messages))
    pairs = tuple(joiner.pairs)
    return Pairs(
        pairs, joiner.unanswered(), joiner.orphans(), _validity(pairs, len(messages))
    )


def _open_ids(open_ids: Mapping[str, list[BlockPlace]]) -> tuple[tuple[int, str], ...]:
    return tuple(
        sorted((place[0], id_) for id_, places in open_ids.items() for place in places)
    )


def _validity(pairs: Sequence[Pair], length: int) -> bytes:
    """Count the open pairs at each boundary, by differences; zero means valid."""
    # Counted by differences, a session with 100,000 pairs takes one pass.
    delta = [0] * (length + 2)
    for pair in pairs:
        delta[min(pair.call, pair.response) + 1] += 1
        delta[max(pair.call, pair.response) + 1] -= 1
    return bytes(open_pairs == 0 for open_pairs in accumulate(delta[:-1]))


_MAX_SCANNED = 2000  # characters searched at each end of a result
_FIRST_LINE = re.compile(
    r"\s*(?:<tool_use_error>|<returncode>\s*-?[1-9]|\{\s*\"error\"\s*:(?!\s*(?:null|false|\"\"|\{\}|\[\]))"
    r"|error\b|fatal\b|traceback \(most recent call last\)|exception\b"
    r"|failed\b|failure\b|permission denied\b|no such file\b|command not found\b)",
    re.IGNORECASE,
)
_ANYWHERE = re.compile(
    r"\b(?:exit(?:ed with)?[ _]?(?:code|status):? [1-9]\d*|process exited with code [1-9]\d*"
    r"|returned non-zero exit|error occurred|command failed)\b"
    r"|\"metadata\"\s*:\s*\{\s*\"exit_code\"\s*:\s*-?[1-9]",  # Codex, its result as JSON text
    re.IGNORECASE,
)
_HINTS = ("exit", "error occurred", "command failed")
"""Every match of _ANYWHERE contains one of these, in lower case."""


def is_marked_failed(response: ToolResponse) -> bool:
    """Return True if the error field says so; one that is empty, null or false does not."""
    return response.error is not MISSING and response.error not in (None, "", False)


def is_failed_result(response: ToolResponse) -> bool:
    """Return True if the response reports that its call failed: by its error field, or by its
    result: an object with an error, a first line that begins with an error word, or an exit code
    other than 0 near the beginning or end."""
    if is_marked_failed(response):
        return True
    if isinstance(response.result, dict) and _is_error_object(response.result):
        return True
    text = result_text(response.result)
    # Many tools have no mark for errors and say it in their first line.
    if _FIRST_LINE.match(text, 0, _MAX_SCANNED):
        return True
    # Programs say how they ended at the top or at the bottom; in between is what they printed.
    if len(text) <= 2 * _MAX_SCANNED:
        return _has_error(text)
    return _has_error(text[:_MAX_SCANNED]) or _has_error(text[-_MAX_SCANNED:])


def _is_error_object(result: Mapping[str, Json]) -> bool:
    """Return True for an object with an error, with success false, or with an exit code other than
    0."""
    codes = (result.get(name) for name in ("exit_code", "exitCode", "returncode"))
    return (
        bool(result.get("error") or result.get("is_error") or result.get("isError"))
        or result.get("success") is False
        or any(isinstance(code, int) and code != 0 for code in codes)
    )


def _has_error(text: str) -> bool:
    """Match _ANYWHERE, but only if one of its words occurs, which is a hundred times faster to
    check."""
    lowered = text.lower()
    return any(hint in lowered for hint in _HINTS) and bool(_ANYWHERE.search(text))


def response_content(response: ToolResponse) -> Json:
    """Return the part of a response that the model sees: its result, or its error if there is no
    result."""
    has_no_result = response.result in (None, "", MISSING)
    has_error = response.error is not MISSING and response.error is not None
    return response.error if has_no_result and has_error else response.result


def result_text(result: Json) -> str:
    """Return the text of a result: itself, the text parts of a list of blocks, or "" for other
    JSON."""
    if isinstance(result, str):
        return result
    if isinstance(result, list):
        parts = (part.get("text") for part in result if isinstance(part, dict))
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


_TEXTS = ("text", "input_text", "output_text")


def answer_parts(response: ToolResponse) -> tuple[Text | Media, ...]:
    """Return the parts of an answer in order; none if it is empty. A list with a text or an image
    is a list of parts; an unknown part becomes its JSON. Any other JSON is one text."""
    answer = response_content(response)
    # Without a known part, a list is a value that the tool returned.
    if isinstance(answer, list) and any(_is_known(part) for part in answer):
        return tuple(found for part in answer for found in _parts(part))
    text = "" if answer == [] else json_text(answer)
    if text:
        return (Text(text),)
    return ()


def answer_text(response: ToolResponse) -> str:
    return "\n".join(
        part.text for part in answer_parts(response) if isinstance(part, Text)
    )


def json_text(value: Json) -> str:
    """Return a text unchanged, "" for null or MISSING, other JSON compact."""
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _is_known(part: Json) -> bool:
    return _text(part) is not None or media_data(part) is not None


def _parts(part: Json) -> Iterator[Text | Media]:
    text = part if isinstance(part, str) else _text(part)
    if text is not None:
        yield Text(text)
    elif isinstance(
        links := part.get("image_urls") if isinstance(part, dict) else None, list
    ):
        yield from (Media("", link) for link in links if isinstance(link, str))
    elif data := media_data(part):
        yield Media(_mime(part), data, _caption(part))
    else:
        yield Text(json_text(part))


def _text(part: Json) -> str | None:
    if not isinstance(part, Mapping) or part.get("type") not in _TEXTS:
        return None
    text = part.get("text", part.get("value"))
    return text if isinstance(text, str) else None


def _mime(part: Mapping[str, Json]) -> str:
    inner = next(
        (
            part[name]
            for name in ("source", "inlineData", "file")
            if isinstance(part.get(name), dict)
        ),
        part,
    )
    mime = inner.get("media_type") or inner.get("mimeType") or inner.get("mime_type")
    return mime if isinstance(mime, str) else ""


def _caption(part: Mapping[str, Json]) -> str:
    title = part.get("title") or part.get("filename")
    return title if isinstance(title, str) else ""


# Split points of a history: llxprt's reference rules, and the valid boundary nearest to them. A
# boundary is a position between two messages, 0 to n: ``[0, b)`` is left of it. The reference
# rules (REQ-CS-004) can separate a call from its response; ``snap_cut`` cannot.


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
            title = "Reference mode keeps this cut"
            detail = f"it separates {', '.join(orphans)}"
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
        # Of two boundaries that are equally near, the one that keeps more is tried first.
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
    detail = f"{plural(distance, 'message')} away" + (
        "; a tie keeps more" if tie else ""
    )
    return TraceStep(f"Nearest valid: {boundaries}", detail, chosen, True)


# Counts the tokens of messages; additive.
TokenCount = Callable[[Sequence[Message]], int]


def suffix_sums(history: Sequence[Message], estimate: TokenCount) -> list[int]:
    """Return the tokens of ``history[i:]`` for every i; each message is counted once."""
    sums = [0] * (len(history) + 1)
    for index in range(len(history) - 1, -1, -1):
        sums[index] = sums[index + 1] + estimate((history[index],))
    return sums

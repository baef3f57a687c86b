"""Pairs of tool calls and responses, and the boundaries between messages that separate no pair."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from core.common.json_value import MISSING, Json
from core.transcript.image_tokens import media_data
from core.transcript.model import Media, Message, Text, ToolCall, ToolResponse

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
    if _FIRST_LINE.match(text, 0, _MAX_SCANNED):
        return True
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

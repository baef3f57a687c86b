"""Builds and merges messages for APIs in which the roles alternate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.common.json_value import MISSING, Json
from core.formats.common.source_bytes import read_document
from core.formats.writing.base import (
    ExportInput,
    ExportLosses,
    ExportMessage,
    export_messages_from_user,
    is_whole,
    joined_pieces,
    split_records,
)
from core.formats.writing.raw_json import record_json
from core.transcript.model import Message

ByteRange = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ApiMessage:
    """One message to write. ``source_record`` is the source's record if it is written unchanged. ``first``
    and ``last`` are the byte ranges of the source records at its ends: records that were neighbours in the
    source are never merged, new neighbours of one role are."""

    role: str
    content: Json
    fields: Mapping[str, Json] = field(default_factory=dict)
    source_record: Json = MISSING
    first: ByteRange | None = None
    last: ByteRange | None = None


@dataclass(frozen=True, slots=True)
class ApiMessageFormat:
    """How an API writes messages: its ``role`` names, the ``key`` of the content, ``build`` to make a
    message, ``is_result`` for tool results (which come first), ``of_text`` to make a part of plain text."""

    name: str
    key: str
    role: Callable[[Message], str]
    build: Callable[[Sequence[ExportMessage], str, ExportLosses], ApiMessage]
    is_result: Callable[[Json], bool]
    of_text: Callable[[str], Json]

    def value(self, turn: ApiMessage) -> Json:
        if turn.source_record is not MISSING:
            return turn.source_record
        return {"role": turn.role, self.key: turn.content, **turn.fields}

    def parts(self, turn: ApiMessage) -> list[Json] | None:
        """Return the content as a list of parts; None if it cannot be merged with another."""
        value = self.value(turn)
        content = value.get(self.key) if isinstance(value, dict) else False
        match content:
            case None | "":
                return []
            case str():
                return [self.of_text(content)]
            case dict():
                return [content]
        return content if isinstance(content, list) else None

    def joined(self, earlier: ApiMessage, later: ApiMessage) -> ApiMessage:
        """Merge two messages: results first, as APIs require, then the rest in order."""
        parts = [*(self.parts(earlier) or ()), *(self.parts(later) or ())]
        results = [part for part in parts if self.is_result(part)]
        others = [part for part in parts if not self.is_result(part)]
        value = self.value(earlier)
        pairs = value.items() if isinstance(value, dict) else ()
        fields = {key: held for key, held in pairs if key not in ("role", self.key)}
        return ApiMessage(earlier.role, results + others, fields, first=earlier.first, last=later.last)


def api_messages(
    given: ExportInput, api_format: ApiMessageFormat, losses: ExportLosses
) -> Iterable[ApiMessage]:
    """Yield the messages of a history; unchanged ones of this format as they are in the file."""
    same = given.comes_from(api_format.name)
    split = split_records(given.conversation)
    data = read_document(given.conversation.document) if same else b""
    for group in joined_pieces(export_messages_from_user(given, losses)):
        place = group[0].record if same else None
        if place and is_whole(group, split):
            raw = record_json(data, *place, given.conversation.document.name)
            yield ApiMessage(
                api_format.role(group[0].message), None, source_record=raw, first=place, last=place
            )
            continue
        turn = api_format.build(group, given.conversation.format, losses)
        if turn.content or same:
            yield turn
        else:
            losses.leave_out("message without content")


def by_turns(
    messages: Iterable[ApiMessage], api_format: ApiMessageFormat, following: Mapping[ByteRange, ByteRange]
) -> list[ApiMessage]:
    """Merge messages so that roles alternate; this also puts results right behind their calls."""
    merged: list[ApiMessage] = []
    for turn in messages:
        last = merged[-1] if merged else None
        if last is None or last.role != turn.role or _stay_apart(last, turn, api_format, following):
            merged.append(turn)
        else:
            merged[-1] = api_format.joined(last, turn)
    return merged


def _stay_apart(
    last: ApiMessage, turn: ApiMessage, api_format: ApiMessageFormat, following: Mapping[ByteRange, ByteRange]
) -> bool:
    """Return whether two messages were neighbours in the source, or have no parts to merge."""
    if api_format.parts(last) is None or api_format.parts(turn) is None:
        return True
    return last.last is not None and turn.first is not None and following.get(last.last) == turn.first

"""Messages that go to an API in which roles take turns: built, merged, and left apart as in the source."""

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
    """One message to write. ``whole`` is the source's record where it goes out as it is. ``first`` and
    ``last`` are the source records at its ends, by range: two that were neighbours there stay apart, new
    neighbours of one role are joined."""

    role: str
    content: Json
    fields: Mapping[str, Json] = field(default_factory=dict)
    whole: Json = MISSING
    first: ByteRange | None = None
    last: ByteRange | None = None


@dataclass(frozen=True, slots=True)
class ApiMessageFormat:
    """How an API writes a message: its format's ``name``, the ``key`` of the content, who has which
    ``role``, how one is ``built`` of pieces, what ``is_result`` of a tool and goes first. ``of_text`` makes
    the part that a content of plain text becomes where two messages are joined."""

    name: str
    key: str
    role: Callable[[Message], str]
    built: Callable[[Sequence[ExportMessage], str, ExportLosses], ApiMessage]
    is_result: Callable[[Json], bool]
    of_text: Callable[[str], Json]

    def value(self, turn: ApiMessage) -> Json:
        """The message as JSON."""
        if turn.whole is not MISSING:
            return turn.whole
        return {"role": turn.role, self.key: turn.content, **turn.fields}

    def parts(self, turn: ApiMessage) -> list[Json] | None:
        """The content as a list of parts; None where it is none and cannot be joined with another."""
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

    def joined(self, one: ApiMessage, other: ApiMessage) -> ApiMessage:
        """One message of two: results first, as APIs want them, then the rest in order."""
        parts = [*(self.parts(one) or ()), *(self.parts(other) or ())]
        results = [part for part in parts if self.is_result(part)]
        others = [part for part in parts if not self.is_result(part)]
        value = self.value(one)
        pairs = value.items() if isinstance(value, dict) else ()
        fields = {key: held for key, held in pairs if key not in ("role", self.key)}
        return ApiMessage(one.role, results + others, fields, first=one.first, last=other.last)


def api_messages(given: ExportInput, manner: ApiMessageFormat, losses: ExportLosses) -> Iterable[ApiMessage]:
    """The messages of a history. What is as it was in a file of this format goes out as it stands there."""
    same = given.comes_from(manner.name)
    split = split_records(given.conversation)
    data = read_document(given.conversation.document) if same else b""
    for group in joined_pieces(export_messages_from_user(given, losses)):
        place = group[0].record if same else None
        if place and is_whole(group, split):
            raw = record_json(data, *place, given.conversation.document.name)
            yield ApiMessage(manner.role(group[0].message), None, whole=raw, first=place, last=place)
            continue
        turn = manner.built(group, given.conversation.format, losses)
        if turn.content or same:
            yield turn
        else:
            losses.leave_out("message without content")


def by_turns(
    found: Iterable[ApiMessage], manner: ApiMessageFormat, following: Mapping[ByteRange, ByteRange]
) -> list[ApiMessage]:
    """Roles by turns, as APIs need them; this also puts results right behind their calls."""
    merged: list[ApiMessage] = []
    for turn in found:
        last = merged[-1] if merged else None
        if last is None or last.role != turn.role or _stay_apart(last, turn, manner, following):
            merged.append(turn)
        else:
            merged[-1] = manner.joined(last, turn)
    return merged


def _stay_apart(
    last: ApiMessage, turn: ApiMessage, manner: ApiMessageFormat, following: Mapping[ByteRange, ByteRange]
) -> bool:
    """True for records that were neighbours in the source, and for those without parts to join."""
    if manner.parts(last) is None or manner.parts(turn) is None:
        return True
    return last.last is not None and turn.first is not None and following.get(last.last) == turn.first

"""Builds and merges messages for APIs in which the roles alternate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.common.json_value import MISSING, Json
from core.formats.common.open_document import read_document
from core.formats.writing.base import (
    ExportInput,
    ExportLosses,
    ExportMessage,
    export_messages_from_user,
    group_by_record,
    is_unchanged_record,
    split_records,
)
from core.formats.writing.raw_json import record_json
from core.transcript.model import Message

ByteRange = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ApiMessage:
    """One message to write. ``source_record`` is the source's record if it is written unchanged.
    ``first_record`` and ``last_record`` are the byte ranges of the source records at its ends: records
    that were neighbours in the source are never merged, new neighbours of one role are."""

    role: str
    content: Json
    fields: Mapping[str, Json] = field(default_factory=dict)
    source_record: Json = MISSING
    first_record: ByteRange | None = None
    last_record: ByteRange | None = None


@dataclass(frozen=True, slots=True)
class ApiMessageFormat:
    """How an API writes messages: its ``role`` names, the ``key`` of the content, ``build`` to make a
    message, ``is_result`` for tool results (which come first), ``text_part`` to make a part of plain text."""

    name: str
    key: str
    role: Callable[[Message], str]
    build: Callable[[Sequence[ExportMessage], str, ExportLosses], ApiMessage]
    is_result: Callable[[Json], bool]
    text_part: Callable[[str], Json]

    def message_json(self, message: ApiMessage) -> Json:
        if message.source_record is not MISSING:
            return message.source_record
        return {"role": message.role, self.key: message.content, **message.fields}

    def parts(self, message: ApiMessage) -> list[Json] | None:
        """Return the content as a list of parts; None if it cannot be merged with another."""
        value = self.message_json(message)
        content = value.get(self.key) if isinstance(value, dict) else False
        match content:
            case None | "":
                return []
            case str():
                return [self.text_part(content)]
            case dict():
                return [content]
        return content if isinstance(content, list) else None

    def merge(self, earlier: ApiMessage, later: ApiMessage) -> ApiMessage:
        """Merge two messages: results first, as APIs require, then the rest in order."""
        parts = [*(self.parts(earlier) or ()), *(self.parts(later) or ())]
        results = [part for part in parts if self.is_result(part)]
        others = [part for part in parts if not self.is_result(part)]
        value = self.message_json(earlier)
        pairs = value.items() if isinstance(value, dict) else ()
        fields = {key: item for key, item in pairs if key not in ("role", self.key)}
        return ApiMessage(
            earlier.role,
            results + others,
            fields,
            first_record=earlier.first_record,
            last_record=later.last_record,
        )


def api_messages(
    export_input: ExportInput, api_format: ApiMessageFormat, losses: ExportLosses
) -> Iterable[ApiMessage]:
    """Yield the messages of a history; unchanged ones of this format as they are in the file."""
    is_same_format = export_input.is_from_format(api_format.name)
    split_ranges = split_records(export_input.conversation)
    data = read_document(export_input.conversation.document) if is_same_format else b""
    for group in group_by_record(export_messages_from_user(export_input, losses)):
        record_range = group[0].record if is_same_format else None
        if record_range and is_unchanged_record(group, split_ranges):
            raw_record = record_json(data, *record_range, export_input.conversation.document.name)
            yield ApiMessage(
                api_format.role(group[0].message),
                None,
                source_record=raw_record,
                first_record=record_range,
                last_record=record_range,
            )
            continue
        message = api_format.build(group, export_input.conversation.format, losses)
        if message.content or is_same_format:
            yield message
        else:
            losses.count_left_out("message without content")


def merge_by_role(
    messages: Iterable[ApiMessage], api_format: ApiMessageFormat, next_ranges: Mapping[ByteRange, ByteRange]
) -> list[ApiMessage]:
    """Merge messages so that roles alternate; this also puts results right behind their calls."""
    merged: list[ApiMessage] = []
    for message in messages:
        previous = merged[-1] if merged else None
        can_merge = (
            previous is not None
            and previous.role == message.role
            and api_format.parts(previous) is not None
            and api_format.parts(message) is not None
        )
        if not can_merge or previous is None:
            merged.append(message)
        elif previous.last_record and next_ranges.get(previous.last_record, ()) == message.first_record:
            merged.append(message)  # they were neighbours in the source
        else:
            merged[-1] = api_format.merge(previous, message)
    return merged

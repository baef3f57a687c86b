"""Finds the list of messages in a document, and the wanted one of several conversations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.conversation_list import check_number, listed_conversation
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records, note_problems
from core.formats.common.format import ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.json_ranges import JsonRecord, parse_json_document
from core.formats.common.open_document import document_lines
from core.formats.common.source_bytes import read_document, read_line, read_range
from core.transcript.model import Conversation, ListedConversation

_SAMPLE_SIZE = 200
_MAX_RECORDS_PER_CONVERSATION = (
    3  # one in this many records must hold a conversation in a list of conversations
)
_ROLE_FIELDS = ("role", "from", "speaker")


@dataclass(frozen=True, slots=True)
class ConversationRecords:
    """The records of one conversation. ``fields`` are the other fields of the object that holds them;
    ``layout`` is the conversation's (format.py); ``listed`` are all conversations if there are several."""

    records: tuple[JsonRecord, ...]
    fields: Mapping[str, Json]
    layout: Mapping[str, Json]
    number: int = 1
    siblings: int = 1
    listed: tuple[ListedConversation, ...] = ()


@dataclass(frozen=True, slots=True)
class DetectionSample:
    """First records of the first conversation; ``has_records`` is False if there is no list of records."""

    has_records: bool
    records: tuple[Json, ...] = ()
    fields: Mapping[str, Json] = field(default_factory=dict)
    unit: str = "messages"


def detection_sample(opened: OpenedDocument, keys: Sequence[str]) -> DetectionSample:
    """Return the list under the first of ``keys``, else the top array or lines."""
    if not opened.head:
        return DetectionSample(opened.container is DocumentContainer.ARRAY, (), {})
    conversations = [value for value in opened.head if _messages_key(value, keys)]
    message_count = sum(1 for value in opened.head if _is_message(value) and not _messages_key(value, keys))
    if conversations and len(conversations) >= message_count:
        key = _messages_key(conversations[0], keys)
        if _MAX_RECORDS_PER_CONVERSATION * len(conversations) < len(opened.head):
            return DetectionSample(False)
        return DetectionSample(
            True, tuple(conversations[0][key][:_SAMPLE_SIZE]), _other_fields(conversations[0], key)
        )
    if opened.container is DocumentContainer.OBJECT:
        return DetectionSample(False, (), {})
    unit = "lines" if opened.container is DocumentContainer.LINES else "messages"
    return DetectionSample(True, opened.head, {}, unit)


def conversation_records(
    opened: OpenedDocument, keys: Sequence[str], request: ReadRequest, notes: ImportNotes
) -> ConversationRecords:
    """Return the requested records. Raises InputError if no conversation has that number."""
    if opened.container is DocumentContainer.OBJECT:
        return _object_records(opened, keys, request, notes)
    selected: tuple[int, JsonRecord] | None = None
    plain_records: list[JsonRecord] = []
    list_entries: list[ListedConversation] = []
    for index, record in enumerate(iterate_records(opened, notes, request.progress, request.stop)):
        key = _messages_key(record.value, keys)
        if key:
            list_entries.append(
                listed_conversation(
                    len(list_entries) + 1, _other_fields(record.value, key), record.value[key]
                )
            )
            selected = (index, record) if len(list_entries) == request.conversation else selected
        else:
            plain_records.append(record)
    if 0 < len(list_entries) < sum(1 for record in plain_records if _is_message(record.value)):
        notes.skip(f"with {keys[0]} of its own", len(list_entries))
        notes.warn(0, f"{len(list_entries)} of the records hold {keys[0]} of their own; they were skipped")
        list_entries, selected = [], None
    check_number(opened.document.name, request.conversation, max(1, len(list_entries)))
    if selected is None:
        return ConversationRecords(
            tuple(plain_records), {}, {"container": opened.container.value, "path": []}
        )
    for record in plain_records:
        notes.warn(record.line, f"the record has no list of {keys[0]}; it was skipped")
        notes.skip(f"without {keys[0]}", line=record.line)
    return _listed_records(opened, keys, selected, request.conversation, list_entries)


def _listed_records(
    opened: OpenedDocument,
    keys: Sequence[str],
    selected: tuple[int, JsonRecord],
    number: int,
    list_entries: Sequence[ListedConversation],
) -> ConversationRecords:
    index, record = selected
    key = _messages_key(record.value, keys)
    data = read_range(opened.document, record.start, record.end)
    message_records = parse_json_document(data, line=record.line, start=record.start).arrays[key]
    by_line = opened.container is DocumentContainer.LINES
    layout: dict[str, Json] = {
        "container": opened.container.value,
        "path": [key] if by_line else [index, key],
    }
    if by_line:
        layout["line"] = record.line
    fields = _other_fields(record.value, key)
    picker_entries = tuple(list_entries) if len(list_entries) > 1 else ()
    return ConversationRecords(
        message_records, fields, {**layout, "beside": [*fields]}, number, len(list_entries), picker_entries
    )


def _object_records(
    opened: OpenedDocument, keys: Sequence[str], request: ReadRequest, notes: ImportNotes
) -> ConversationRecords:
    assert opened.json is not None, "an object was read whole"
    note_problems(opened.json, notes)
    value = opened.json.value
    key = _messages_key(value, keys)
    if key:
        check_number(opened.document.name, request.conversation, 1)
        fields = _other_fields(value, key)
        layout: dict[str, Json] = {"container": "object", "path": [key], "beside": [*fields]}
        return ConversationRecords(opened.json.arrays[key], fields, layout)
    names = " or ".join(f'"{name}"' for name in keys)
    raise InputError(
        f"{opened.document.name} has no list {names} at its top.",
        "Choose a transcript of this format, or let the format be found by content.",
    )


def source_records(conversation: Conversation) -> Sequence[JsonRecord]:
    """Read the records of a conversation's list again. Raises InputError if the file changed."""
    document, layout, data = conversation.document, conversation.layout, read_document(conversation.document)
    path = layout.get("path", ())
    if "line" in layout:
        line = read_line(document, layout["line"])
        return parse_json_document(line.data, line=line.number, start=line.start).arrays[path[-1]]
    if layout.get("container") == "jsonl":
        lines = document_lines(document)
        return [JsonRecord(line.number, line.start, line.end, parse_bytes(line.data).value) for line in lines]
    parsed = parse_json_document(data)
    if len(path) < 2:
        return parsed.arrays[path[0]] if path else parsed.records or ()
    run = (parsed.records or ())[path[0]]
    return parse_json_document(data[run.start : run.end], line=run.line, start=run.start).arrays[path[-1]]


def _messages_key(value: Json, keys: Sequence[str]) -> str:
    if not isinstance(value, dict) or "call_id" in value:  # a call's result may be a list
        return ""
    return next((key for key in keys if isinstance(value.get(key), list)), "")


def _is_message(value: Json) -> bool:
    """Return whether a record is a message by itself."""
    return isinstance(value, dict) and any(name in value for name in _ROLE_FIELDS)


def _other_fields(value: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    return {name: item for name, item in value.items() if name != key}

"""Finds the list of messages in a document, and the wanted one of several conversations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records, note_problems
from core.formats.common.format import ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, list_of
from core.formats.common.json_parsing import JsonRecord, parse_bytes, parse_json_document
from core.formats.common.open_document import document_lines, read_document, read_line, read_range
from core.transcript.model import Conversation, ListedConversation

_ID_FIELDS = ("id", "instance_id", "task_id", "session_id", "conversation_id", "name", "title")
_LISTED_ROLE_FIELDS = ("role", "from", "speaker", "type", "source")
_USERS = ("user", "human", "HumanMessage")
_SYSTEM = ("system", "developer")
_MESSAGE_FIELDS = (
    "data",
    "kwargs",
    "llm_message",
    "args",
)  # fields in which LangChain and OpenHands hold a message
_CONTENT = ("content", "value", "parts", "blocks")
_PART_FIELDS = ("parts", "call_id")  # fields of records that may be several messages, or part of one
_RESULT = "tool_result"
_MAX_TITLE_LENGTH = 80


def check_number(name: str, number: int, count: int) -> None:
    """Raise InputError for a conversation number that the document does not have."""
    if 1 <= number <= count:
        return
    raise InputError(
        f"{name} holds {count} conversation{'' if count == 1 else 's'}, not {number}.",
        f"Choose a number from 1 to {count}." if count > 1 else "Leave the number out.",
    )


def check_branch(name: str, branch: int, count: int) -> None:
    """Raise InputError for a branch that the conversation does not have."""
    if not 1 <= branch <= max(1, count):
        raise InputError(
            f"{name} has {count} branch{'' if count == 1 else 'es'}, not {branch}.",
            f"Choose a number from 1 to {count}." if count > 1 else "Leave the branch out.",
        )


def listed_conversation(
    number: int, fields: Mapping[str, Json], records: Sequence[Json]
) -> ListedConversation:
    """Return one conversation, titled by its id (and trial), else by the user's first words. Its messages are
    counted as readers count them; None for records of other kinds."""
    return ListedConversation(number, _id_title(fields) or _first_prompt(records), _message_count(records))


def first_words(text: str) -> str:
    """Return the beginning of a text on one line, short enough for a list."""
    line = " ".join(text[: 4 * _MAX_TITLE_LENGTH].split())
    return line if len(line) <= _MAX_TITLE_LENGTH else f"{line[: _MAX_TITLE_LENGTH - 1].rstrip()}…"


def _id_title(fields: Mapping[str, Json]) -> str:
    for name in _ID_FIELDS:
        value = fields.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            trial = fields.get("trial")
            title = f"{name.removesuffix('_id')} {value}" if str(value).isdecimal() else str(value)
            return first_words(title) + (f", trial {trial}" if isinstance(trial, int) else "")
    return ""


def _message_count(records: Sequence[Json]) -> int | None:
    """Count records without leading system messages (product.md section 2); a user's record with a tool
    result beside other content counts as two."""
    count = 0
    for record in records:
        fields = fields_of(record)
        role = fields.get("role", fields.get("from", fields.get("speaker")))
        if not isinstance(role, str) or "type" in fields or any(name in fields for name in _PART_FIELDS):
            return None
        if count or role not in _SYSTEM:
            content = fields.get("content")
            parts = content if role == "user" and isinstance(content, list) else ()
            is_result_kinds = {part.get("type") == _RESULT for part in parts if isinstance(part, dict)}
            count += max(1, len(is_result_kinds))
    return count


def _first_prompt(records: Sequence[Json]) -> str:
    """Return the user's first words, wherever a format keeps them."""
    for record in map(fields_of, records):
        if _is_user_record(record):
            message = next(
                (record[name] for name in _MESSAGE_FIELDS if isinstance(record.get(name), dict)), record
            )
            words = first_words(_text(next((message[name] for name in _CONTENT if name in message), None)))
            if words:
                return words
    return ""


def _is_user_record(record: Mapping[str, Json]) -> bool:
    kind = list_of(record.get("id"))  # in LangChain's constructors the path of a class
    return any(name in _USERS for name in (*kind[-1:], *map(record.get, _LISTED_ROLE_FIELDS)))


def _text(content: Json) -> str:
    if isinstance(content, list):
        parts = (fields_of(part).get("text") for part in content)
        return " ".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


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

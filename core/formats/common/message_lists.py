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
from core.formats.common.json_ranges import JsonRecord, read_whole
from core.formats.common.source_bytes import read_range
from core.transcript.model import ListedConversation

_SAMPLE = 200
_LEAST = 3  # one in this many records must hold a conversation in a list of conversations
_WHO = ("role", "from", "speaker")


@dataclass(frozen=True, slots=True)
class ConversationRecords:
    """The records of one conversation. ``fields`` are the other fields of the object that holds them;
    ``layout`` is the conversation's (see base.py); ``listed`` are all conversations if there are several."""

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
    holding = [value for value in opened.head if _key_of(value, keys)]
    turns = sum(1 for value in opened.head if _is_turn(value) and not _key_of(value, keys))
    if holding and len(holding) >= turns:
        key = _key_of(holding[0], keys)
        if _LEAST * len(holding) < len(opened.head):
            return DetectionSample(False)
        return DetectionSample(True, tuple(holding[0][key][:_SAMPLE]), _others(holding[0], key))
    if opened.container is DocumentContainer.OBJECT:
        return DetectionSample(False, (), {})
    unit = "lines" if opened.container is DocumentContainer.LINES else "messages"
    return DetectionSample(True, opened.head, {}, unit)


def conversation_records(
    opened: OpenedDocument, keys: Sequence[str], request: ReadRequest, notes: ImportNotes
) -> ConversationRecords:
    """Return the requested records. Raises InputError if no conversation has that number."""
    if opened.container is DocumentContainer.OBJECT:
        return _hold_object(opened, keys, request, notes)
    wanted: tuple[int, JsonRecord] | None = None
    plain: list[JsonRecord] = []
    listed: list[ListedConversation] = []
    for index, record in enumerate(iterate_records(opened, notes, request.progress, request.stop)):
        key = _key_of(record.value, keys)
        if key:
            listed.append(listed_conversation(len(listed) + 1, _others(record.value, key), record.value[key]))
            wanted = (index, record) if len(listed) == request.conversation else wanted
        else:
            plain.append(record)
    if 0 < len(listed) < sum(1 for record in plain if _is_turn(record.value)):
        notes.skip(f"with {keys[0]} of its own", len(listed))
        notes.warn(0, f"{len(listed)} of the records hold {keys[0]} of their own; they were skipped")
        listed, wanted = [], None
    check_number(opened.document.name, request.conversation, max(1, len(listed)))
    if wanted is None:
        return ConversationRecords(tuple(plain), {}, {"container": opened.container.value, "path": []})
    for record in plain:
        notes.warn(record.line, f"the record has no list of {keys[0]}; it was skipped")
        notes.skip(f"without {keys[0]}", line=record.line)
    return _hold_one(opened, keys, wanted, request.conversation, listed)


def _hold_one(
    opened: OpenedDocument,
    keys: Sequence[str],
    wanted: tuple[int, JsonRecord],
    number: int,
    listed: Sequence[ListedConversation],
) -> ConversationRecords:
    index, record = wanted
    key = _key_of(record.value, keys)
    data = read_range(opened.document, record.start, record.end)
    inner = read_whole(data, line=record.line, start=record.start).arrays[key]
    by_line = opened.container is DocumentContainer.LINES
    layout: dict[str, Json] = {
        "container": opened.container.value,
        "path": [key] if by_line else [index, key],
    }
    if by_line:
        layout["line"] = record.line
    fields = _others(record.value, key)
    siblings = tuple(listed) if len(listed) > 1 else ()
    return ConversationRecords(inner, fields, {**layout, "beside": [*fields]}, number, len(listed), siblings)


def _hold_object(
    opened: OpenedDocument, keys: Sequence[str], request: ReadRequest, notes: ImportNotes
) -> ConversationRecords:
    assert opened.json is not None, "an object was read whole"
    note_problems(opened.json, notes)
    value = opened.json.value
    key = _key_of(value, keys)
    if key:
        check_number(opened.document.name, request.conversation, 1)
        fields = _others(value, key)
        layout: dict[str, Json] = {"container": "object", "path": [key], "beside": [*fields]}
        return ConversationRecords(opened.json.arrays[key], fields, layout)
    names = " or ".join(f'"{name}"' for name in keys)
    raise InputError(
        f"{opened.document.name} has no list {names} at its top.",
        "Choose a transcript of this format, or let the format be found by content.",
    )


def _key_of(value: Json, keys: Sequence[str]) -> str:
    if not isinstance(value, dict) or "call_id" in value:  # a call's result may be a list
        return ""
    return next((key for key in keys if isinstance(value.get(key), list)), "")


def _is_turn(value: Json) -> bool:
    """Return whether a record is a message by itself."""
    return isinstance(value, dict) and any(name in value for name in _WHO)


def _others(value: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    return {name: item for name, item in value.items() if name != key}

"""Reader for llxprt: history entries as JSON (a list or ``{history}``), and session recordings."""

from __future__ import annotations

from collections.abc import Mapping

from core.common.json_value import Json
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes, unreadable_message
from core.formats.common.json_access import string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import check_number, conversation_records, detection_sample
from core.formats.common.tool_linking import link_calls
from core.formats.llxprt.messages import (
    SPEAKERS,
    LlxprtReplay,
    apply_recording_line,
    read_item,
    recording_messages,
)
from core.transcript.model import Conversation, Message

_KEYS = ("history", "messages")
_EVENT_TYPES = (
    "session_start",
    "content",
    "compressed",
    "rewind",
    "provider_switch",
    "session_event",
    "session_metadata",
    "directories_changed",
    "checkpoint_created",
    "checkpoint_renamed",
    "checkpoint_deleted",
    "session_forked",
    "session_named",
)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by speaker and blocks, or by the envelope of a recording."""
    events = sum(1 for value in opened.objects if _is_event(value))
    if events:
        total = len(opened.objects)
        return 0.98 * events / total, f"seq, type and payload of a recording in {events} of {total} lines"
    sample = detection_sample(opened, _KEYS)
    items = sum(1 for value in sample.records if _is_item(value))
    if not items:
        empty = sample.has_records and not sample.records and "history" in (opened.objects or ({},))[0]
        return (0.6, "an empty history") if empty else (0.0, "")
    total = len(sample.records)
    return 0.98 * items / total, f"speaker and blocks in {items} of {total} entries"


def _is_event(value: Mapping[str, Json]) -> bool:
    return value.get("type") in _EVENT_TYPES and "seq" in value and isinstance(value.get("payload"), dict)


def _is_item(value: Json) -> bool:
    return isinstance(value, dict) and "speaker" in value and isinstance(value.get("blocks"), list)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a history or replay a recording; InputError for an unknown number."""
    if any(_is_event(value) for value in opened.objects):
        return _read_recording(opened, request)
    notes = ImportNotes()
    raw = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(raw.records)
    messages = [_message(record, notes) for record in raw.records]
    return Conversation(
        "llxprt",
        opened.document,
        link_calls(messages, notes),
        report=notes.report(),
        number=raw.number,
        siblings=raw.siblings,
        listed=raw.listed,
        layout=raw.layout,
    )


def _message(record: JsonRecord, notes: ImportNotes) -> Message:
    sources = (record.source(),)
    if not isinstance(record.value, dict):
        return unreadable_message(record, notes, "an entry is not an object")
    speaker = record.value.get("speaker")
    if not isinstance(speaker, str) or speaker not in SPEAKERS:
        notes.warn(record.line, f"the speaker {str(speaker)[:40]!r} is not known; kept as unknown")
    return read_item(record.value, sources, notes)


def _read_recording(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    check_number(opened.document.name, request.conversation, 1)
    notes = ImportNotes()
    replay = LlxprtReplay(notes)
    for record in iterate_records(opened, notes, request.progress, request.stop):
        notes.records += 1
        apply_recording_line(replay, record)
    messages, recorded = recording_messages(replay)
    cwd = replay.session_start.get("cwd") or next(iter(replay.session_start.get("workspaceDirs") or ()), "")
    session_id = replay.session_start.get("sessionId")
    container = "array" if opened.container is DocumentContainer.ARRAY else "jsonl"
    return Conversation(
        "llxprt",
        opened.document,
        link_calls(messages, notes),
        recorded=recorded,
        report=notes.report(),
        model=replay.model,
        cwd=string_of(cwd),
        session_id=string_of(session_id),
        layout={"container": container, "path": [], "opens_with": "session_start"},
    )


LLXPRT = Format(
    "llxprt",
    "llxprt",
    "History entries of llxprt-code as JSON, and its session recordings (JSONL).",
    score,
    read,
    real_file_seen=False,
)

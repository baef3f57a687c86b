"""Reader for llxprt: history entries as JSON (a list or ``{history}``), and session recordings."""

from __future__ import annotations

from collections.abc import Mapping

from core.common.json_value import Json
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes, unreadable_message
from core.formats.common.json_access import fields_of, list_of, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import check_number, conversation_records, detection_sample
from core.formats.common.tool_linking import link_calls
from core.formats.llxprt.entries import SPEAKERS, read_entry
from core.formats.llxprt.recording import LlxprtRecording
from core.transcript.model import Conversation, Message

_KEYS = ("history", "messages")
_EVENT_TYPES = (
    *("session_start", "content", "compressed", "rewind", "provider_switch", "session_event"),
    *("session_metadata", "directories_changed", "checkpoint_created", "checkpoint_renamed"),
    *("checkpoint_deleted", "session_forked", "session_named"),
)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by speaker and blocks, or by the envelope of a recording."""
    if events := sum(map(_is_event, opened.objects)):
        total = len(opened.objects)
        return 0.98 * events / total, f"seq, type and payload of a recording in {events} of {total} lines"
    sample = detection_sample(opened, _KEYS)
    if entries := sum(map(_is_entry, sample.records)):
        total = len(sample.records)
        return 0.98 * sample.share(entries), f"speaker and blocks in {entries} of {total} entries"
    is_empty = sample.has_records and not sample.records and "history" in (opened.objects or ({},))[0]
    return (0.6, "an empty history") if is_empty else (0.0, "")


def _is_event(value: Mapping[str, Json]) -> bool:
    return value.get("type") in _EVENT_TYPES and "seq" in value and isinstance(value.get("payload"), dict)


def _is_entry(value: Json) -> bool:
    return isinstance(value, dict) and "speaker" in value and isinstance(value.get("blocks"), list)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a history or replay a recording; InputError for an unknown number."""
    if any(map(_is_event, opened.objects)):
        return _read_recording(opened, request)
    loaded = conversation_records(opened, _KEYS, request)
    messages = [_message(record, loaded.notes) for record in loaded.records]
    return loaded.conversation("llxprt", link_calls(messages, loaded.notes))


def _message(record: JsonRecord, notes: ImportNotes) -> Message:
    if not isinstance(record.value, dict):
        return unreadable_message(record, notes, "an entry is not an object")
    speaker = record.value.get("speaker")
    if not isinstance(speaker, str) or speaker not in SPEAKERS:
        notes.warn(record.line, f"the speaker {str(speaker)[:40]!r} is not known; kept as unknown")
    return read_entry(record.value, record.source(), notes)


def _read_recording(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    check_number(opened.document.name, request.conversation, 1)
    recording = LlxprtRecording()
    notes, container = recording.notes, opened.container
    for record in iterate_records(opened, notes, request.progress, request.stop):
        notes.records += 1
        recording.add_line(record)
    messages, recorded = recording.messages()
    start = fields_of(recording.session_start)
    cwd = start.get("cwd") or next(iter(list_of(start.get("workspaceDirs"))), "")
    return Conversation(
        "llxprt",
        opened.document,
        link_calls(messages, notes),
        recorded=recorded,
        report=notes.report(),
        model=recording.model,
        cwd=string_of(cwd),
        session_id=string_of(start.get("sessionId")),
        layout={
            "container": "array" if container is DocumentContainer.ARRAY else "jsonl",
            "path": [],
            "opens_with": "session_start",
        },
    )


LLXPRT = Format(
    "llxprt",
    "llxprt",
    "History entries of llxprt-code as JSON, and its session recordings (JSONL).",
    score,
    read,
    real_file_seen=False,
)

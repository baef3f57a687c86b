"""Reader for opencode: ``opencode export``, ``{info, messages: [{info, parts}]}``, alone or several.

A tool part holds a call and its result, so each step of an assistant record becomes an ai and a tool message.
Sessions of sub-agents (``parentID``) in the same file are conversations of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, list_of, nested, number_of, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import conversation_records, detection_sample, first_words
from core.formats.common.tool_linking import link_calls
from core.formats.common.usage_reports import UsageReports
from core.formats.opencode.records import OpencodeRecord, opencode_messages, read_record
from core.transcript.model import Conversation, ListedConversation

_KEYS = ("messages",)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by messages that have ``info`` with a role, and ``parts``."""
    sample = detection_sample(opened, _KEYS)
    if known := sum(map(_is_message, sample.records)):
        return 0.99 * sample.share(known), f"info and parts in {sample.counted(known)}"
    has_info = sample.has_records and "projectID" in fields_of(sample.fields.get("info"))
    return (0.6, "an empty session") if has_info and not sample.records else (0.0, "")


def _is_message(value: Json) -> bool:
    return "role" in fields_of(nested(value, "info")) and isinstance(value.get("parts"), list)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one session; InputError for an unknown number."""
    loaded = conversation_records(opened, _KEYS, request)
    notes = loaded.notes
    records = [read_record(record, notes) for record in loaded.records]
    messages, recorded = opencode_messages(records, notes)
    answers = [record for record in records if record.is_assistant and not record.is_summary]
    reports = UsageReports()
    for record in answers:
        output = number_of(nested(record.info, "tokens", "output"))
        reports.add(record.source, record.tokens, output, string_of(record.info.get("modelID")))
    info = fields_of(loaded.fields.get("info"))
    models = (string_of(record.info.get("modelID")) for record in reversed(answers))
    folders = (string_of(nested(record.info, "path", "cwd")) for record in answers)
    loaded.system_texts += _system(records)
    if loaded.siblings > 1:
        loaded.listed = _listed_sessions(opened, request)
    return replace(
        loaded.conversation("opencode", link_calls(messages, notes)),
        recorded=recorded,
        model=next(filter(None, models), ""),
        cwd=string_of(info.get("directory")) or next(filter(None, folders), ""),
        session_id=string_of(info.get("id")),
        reported_context=next((record.tokens for record in reversed(answers) if record.tokens), None),
        usage=reports.reported_usage(messages),
        title=string_of(info.get("title")),
    )


def _system(records: Sequence[OpencodeRecord]) -> Sequence[str]:
    for record in reversed(records):
        system = record.info.get("system")
        texts = [text for text in ([system] if isinstance(system, str) else list_of(system)) if text]
        if texts:
            return [text for text in texts if isinstance(text, str)]
    return ()


def _listed_sessions(opened: OpenedDocument, request: ReadRequest) -> tuple[ListedConversation, ...]:
    """Return all sessions of the file; those of sub-agents with the call of their parent."""
    records = iterate_records(opened, ImportNotes(), request.progress, request.stop)
    sessions = [record.value for record in records if isinstance(nested(record.value, "messages"), list)]
    calls = dict(pair for session in sessions for pair in _child_sessions(session))
    listed: list[ListedConversation] = []
    for number, session in enumerate(sessions, 1):
        info = fields_of(session.get("info"))
        id_, kind = string_of(info.get("id")), "sub-agent" if info.get("parentID") else ""
        title = first_words(string_of(info.get("title")) or id_)
        count = _message_count(session["messages"])
        listed.append(ListedConversation(number, title, count, kind, calls.get(id_, "")))
    return tuple(listed)


def _message_count(values: Sequence[Json]) -> int:
    records = [read_record(JsonRecord(0, 0, 0, value), ImportNotes()) for value in values]
    return len(opencode_messages(records, ImportNotes())[0])


def _child_sessions(session: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    for message in list_of(session.get("messages")):
        for part in list_of(nested(message, "parts")):
            metadata = fields_of(nested(part, "state", "metadata"))
            child, call = metadata.get("sessionId", metadata.get("sessionID")), nested(part, "callID")
            if isinstance(child, str) and isinstance(call, str):
                yield child, call


OPENCODE = Format(
    "opencode",
    "opencode",
    "Sessions of opencode as its export command writes them: {info, messages: [{info, parts}]}.",
    score,
    read,
    real_file_seen=False,
)

"""Reader for opencode: ``opencode export``, ``{info, messages: [{info, parts}]}``, alone or several.

A tool part holds a call and its result, so each step of an assistant record becomes an ai and a tool message.
Sessions of sub-agents (``parentID``) in the same file are conversations of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, list_of, number_of, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import (
    ConversationRecords,
    conversation_records,
    detection_sample,
    first_words,
)
from core.formats.common.tool_linking import link_calls
from core.formats.common.usage_reports import UsageReports
from core.formats.opencode.records import OpencodeRecord, opencode_compactions, read_entry
from core.transcript.model import Conversation, ListedConversation, SystemPart

_KEYS = ("messages",)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by messages that have ``info`` with a role, and ``parts``."""
    sample = detection_sample(opened, _KEYS)
    known = sum(1 for value in sample.records if _is_message(value))
    if not known:
        empty = (
            sample.has_records and not sample.records and "projectID" in fields_of(sample.fields.get("info"))
        )
        return (0.6, "an empty session") if empty else (0.0, "")
    total = len(sample.records)
    return 0.99 * known / total, f"info and parts in {known} of {total} {sample.unit}"


def _is_message(value: Json) -> bool:
    info = fields_of(fields_of(value).get("info"))
    return "role" in info and isinstance(value.get("parts"), list)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one session; InputError for an unknown number."""
    notes = ImportNotes()
    raw = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(raw.records)
    entries = [read_entry(record, notes) for record in raw.records]
    messages, recorded = opencode_compactions(entries, notes)
    info = fields_of(raw.fields.get("info"))
    answers = [entry for entry in entries if entry.is_assistant and not entry.is_summary]
    paths = (string_of(fields_of(entry.info.get("path")).get("cwd")) for entry in answers)
    return Conversation(
        "opencode",
        opened.document,
        link_calls(messages, notes),
        SystemPart(_system(entries)),
        recorded=recorded,
        report=notes.report(),
        model=next((model for model in map(_model, reversed(answers)) if model), ""),
        cwd=string_of(info.get("directory")) or next(filter(None, paths), ""),
        session_id=string_of(info.get("id")),
        reported_context=next((entry.tokens for entry in reversed(answers) if entry.tokens), None),
        usage=_usage_reports(answers).reported_usage(messages),
        number=raw.number,
        siblings=raw.siblings,
        listed=_list_sessions(opened, request, raw),
        title=string_of(info.get("title")),
        layout=raw.layout,
    )


def _model(entry: OpencodeRecord) -> str:
    return string_of(entry.info.get("modelID"))


def _usage_reports(answers: Sequence[OpencodeRecord]) -> UsageReports:
    reports = UsageReports()
    for entry in answers:
        output = number_of(fields_of(entry.info.get("tokens")).get("output"))
        reports.add(entry.source, entry.tokens, output, _model(entry))
    return reports


def _system(entries: Sequence[OpencodeRecord]) -> tuple[str, ...]:
    for entry in reversed(entries):
        system = entry.info.get("system")
        texts = tuple(text for text in ([system] if isinstance(system, str) else list_of(system)) if text)
        if texts:
            return tuple(text for text in texts if isinstance(text, str))
    return ()


def _list_sessions(
    opened: OpenedDocument, request: ReadRequest, raw: ConversationRecords
) -> tuple[ListedConversation, ...]:
    """Return all sessions of the file; those of sub-agents with the call of their parent."""
    if raw.siblings < 2:
        return ()
    sessions = list(_sessions(opened, request))
    calls = dict(pair for session in sessions for pair in _child_sessions(session))
    return tuple(_list_entry(number, session, calls) for number, session in enumerate(sessions, 1))


def _sessions(opened: OpenedDocument, request: ReadRequest) -> Iterator[Mapping[str, Json]]:
    for record in iterate_records(opened, ImportNotes(), request.progress, request.stop):
        if isinstance(record.value, dict) and isinstance(record.value.get("messages"), list):
            yield record.value


def _list_entry(number: int, session: Mapping[str, Json], calls: Mapping[str, str]) -> ListedConversation:
    info = fields_of(session.get("info"))
    id_, count = string_of(info.get("id")), _message_count(session["messages"])
    kind = "sub-agent" if info.get("parentID") else ""
    return ListedConversation(
        number, first_words(string_of(info.get("title")) or id_), count, kind, calls.get(id_, "")
    )


def _message_count(values: Sequence[Json]) -> int:
    entries = [read_entry(JsonRecord(0, 0, 0, value), ImportNotes()) for value in values]
    return len(opencode_compactions(entries, ImportNotes())[0])


def _child_sessions(session: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    for message in list_of(session.get("messages")):
        for part in list_of(fields_of(message).get("parts")):
            fields = fields_of(part)
            metadata = fields_of(fields_of(fields.get("state")).get("metadata"))
            child = metadata.get("sessionId", metadata.get("sessionID"))
            if isinstance(child, str) and isinstance(fields.get("callID"), str):
                yield child, fields["callID"]


OPENCODE = Format(
    "opencode",
    "opencode",
    "Sessions of opencode as its export command writes them: {info, messages: [{info, parts}]}.",
    score,
    read,
    real_file_seen=False,
)

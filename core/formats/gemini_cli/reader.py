"""Reader for sessions of Gemini CLI: one JSON object with its messages, a log of records (JSONL),
or what it prints as a stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.json_access import coerce_text, nested, number_of
from core.formats.common.message_lists import (
    check_branch,
    check_number,
    conversation_records,
    first_words,
)
from core.formats.common.messages import ImportNotes
from core.formats.common.session_log import SessionLog
from core.formats.gemini_cli.records import SHOWN_ONLY, request_tokens
from core.formats.gemini_cli.replay import GeminiEntry, GeminiReplay
from core.formats.gemini_cli.stream import is_stream, read_stream
from core.transcript.model import Conversation, ConversationBranch, Speaker, Text

_RECORD_TYPES = ("user", "gemini", *SHOWN_ONLY)
_OPERATIONS = ("$set", "$rewindTo", "$patch")


def score(file: OpenedDocument) -> FormatScore:
    """Judge by sessionId and projectHash, and by records of the types user and gemini."""
    values = file.objects
    if not values:
        return 0.0, ""
    if is_stream(file):
        return 0.99, "the events of its stream"
    if _is_object(file):
        if _is_session_header(values[0]):
            return 0.98, "sessionId and projectHash beside messages"
        records = [value for value in values[0]["messages"] if isinstance(value, dict)]
        if any(value.get("type") == "gemini" for value in records):
            share = sum(map(_is_record, records)) / len(records)
            return 0.8 * share, "messages of the types user and gemini"
        return 0.0, ""
    known = sum(
        _is_session_header(value) or _is_record(value) or any(name in value for name in _OPERATIONS)
        for value in values
    )
    if any(map(_is_session_header, values)):
        return 0.98 * known / len(values), "sessionId and projectHash in the first line"
    if any(value.get("type") == "gemini" and "content" in value for value in values):
        return 0.98 * known / len(values), "records of the type gemini"
    return 0.0, ""


def _is_object(file: OpenedDocument) -> bool:
    return file.container is DocumentContainer.OBJECT and isinstance(
        file.objects[0].get("messages"), list
    )


def _is_session_header(value: Mapping[str, Json]) -> bool:
    return "sessionId" in value and "projectHash" in value


def _is_record(value: Mapping[str, Json]) -> bool:
    return (
        value.get("type") in _RECORD_TYPES
        and "id" in value
        and "content" in value
        and "role" not in value
    )


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a session; the history before each rewind is a branch."""
    check_number(file.document.name, request.conversation, 1)
    if is_stream(file):
        return read_stream(file, request)
    is_object = _is_object(file)
    main = _read_object(file, request) if is_object else _replay_log(file, request, 1)
    check_branch(file.document.name, request.branch, 1 + len(main.rewound))
    replay = main if request.branch == 1 else _replay_log(file, request, request.branch)
    messages, recorded = replay.messages(replay.notes)
    log = SessionLog(
        answers_are_records=True,
        notes=replay.notes,
        messages=messages,
        recorded=[*recorded],
        title=coerce_text(replay.fields.get("summary")),
    )
    log.session_id = coerce_text(replay.fields.get("sessionId"))
    _add_usage(log, replay)
    is_array = file.container is DocumentContainer.ARRAY
    container = DocumentContainer.OBJECT if is_object else DocumentContainer.LINES
    return replace(
        log.conversation("gemini_cli", file),
        branches=(_default_branch(main), *main.rewound) if main.rewound else (),
        branch=request.branch,
        layout={
            "container": (file.container if is_array else container).value,
            "path": ["messages"] if is_object else [],
        },
    )


def _read_object(file: OpenedDocument, request: ReadRequest) -> GeminiReplay:
    replay = GeminiReplay(document=file.document)
    raw = conversation_records(file, ("messages",), request, replay.notes)
    replay.fields |= raw.fields
    for record in raw.records:
        replay.notes.records += 1
        if isinstance(record.value, dict):
            replay.add_entry(record.value, record.source())
        else:
            replay.notes.warn(record.line, "a record is not an object; it was skipped")
            replay.notes.skip("not an object")
    return replay


def _replay_log(file: OpenedDocument, request: ReadRequest, branch: int) -> GeminiReplay:
    replay = GeminiReplay(document=file.document, branch=branch)
    for record in iterate_records(file, replay.notes, request.progress, request.stop):
        if not replay.add_line(record):
            break
        replay.notes.records += 1
    return replay


def _default_branch(main: GeminiReplay) -> ConversationBranch:
    """Return the branch that the session ended in; it begins at the last rewind."""
    messages, _ = main.messages(ImportNotes())
    line = main.rewound[-1].line
    new_prompts = (
        m.blocks for m in messages if m.sources[0].line > line and m.speaker is Speaker.HUMAN
    )
    texts = [block.text for block in next(new_prompts, ()) if isinstance(block, Text)]
    return ConversationBranch(1, first_words(" ".join(texts)), len(messages), line)


def _add_usage(log: SessionLog, replay: GeminiReplay) -> None:
    for entry in replay.log:
        if (
            isinstance(entry, GeminiEntry)
            and entry.is_active
            and entry.value.get("type") == "gemini"
        ):
            model, size = coerce_text(entry.value.get("model")), request_tokens(entry.value)
            log.model, log.reported_context = model or log.model, size or log.reported_context
            log.reports.add(
                entry.source, size, number_of(nested(entry.value, "tokens", "output")), model
            )


GEMINI_CLI = Format(
    name="gemini_cli",
    label="Gemini CLI",
    about="Sessions of Gemini CLI: JSON with sessionId and messages, the log (JSONL) that later versions "
    "write (no real one was seen), and its stream-json.",
    score=score,
    read=read,
)

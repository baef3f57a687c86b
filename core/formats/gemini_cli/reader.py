"""Reader for sessions of Gemini CLI: one JSON object with its messages, or a log of records (JSONL)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import nested, number_of
from core.formats.common.message_lists import check_branch, check_number, conversation_records, first_words
from core.formats.common.tool_linking import link_calls
from core.formats.common.usage_reports import UsageReports
from core.formats.gemini_cli.log_replay import (
    KINDS,
    OPERATIONS,
    GeminiEntry,
    GeminiReplay,
    add_entry,
    apply_log_line,
    replay_messages,
    rewound_branches,
)
from core.formats.gemini_cli.records import request_tokens
from core.transcript.model import Conversation, ConversationBranch, Speaker, Text

_KEYS = ("messages",)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by sessionId and projectHash, and by records of the types user and gemini."""
    values = opened.objects
    if not values:
        return 0.0, ""
    if opened.container is DocumentContainer.OBJECT and isinstance(values[0].get("messages"), list):
        records = [value for value in values[0]["messages"] if isinstance(value, dict)]
        known = sum(1 for value in records if _is_record(value))
        if _is_session_header(values[0]):
            return 0.98, "sessionId and projectHash beside messages"
        has_gemini = any(value.get("type") == "gemini" for value in records)
        return (
            (0.8 * known / len(records), "messages of the types user and gemini") if has_gemini else (0.0, "")
        )
    known = sum(
        1 for value in values if _is_session_header(value) or _is_record(value) or _is_operation(value)
    )
    has_header = any(_is_session_header(value) for value in values)
    has_gemini = any(value.get("type") == "gemini" and "content" in value for value in values)
    if not has_header and not has_gemini:
        return 0.0, ""
    reason = "sessionId and projectHash in the first line" if has_header else "records of the type gemini"
    return 0.98 * known / len(values), reason


def _is_session_header(value: Mapping[str, Json]) -> bool:
    return "sessionId" in value and "projectHash" in value


def _is_record(value: Mapping[str, Json]) -> bool:
    return value.get("type") in KINDS and "id" in value and "content" in value and "role" not in value


def _is_operation(value: Mapping[str, Json]) -> bool:
    return any(name in value for name in OPERATIONS)


@dataclass(frozen=True, slots=True)
class _Session:
    replay: GeminiReplay
    fields: Mapping[str, Json]
    branches: tuple[ConversationBranch, ...] = ()


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a session; the history before each rewind is a branch."""
    is_object = opened.container is DocumentContainer.OBJECT and isinstance(
        opened.objects[0].get("messages"), list
    )
    check_number(opened.document.name, request.conversation, 1)
    session = _read_object(opened, request) if is_object else _read_log(opened, request)
    messages, recorded = replay_messages(session.replay)
    model, context, reports = _model_context_and_usage(session.replay)
    container = DocumentContainer.OBJECT if is_object else DocumentContainer.LINES
    if opened.container is DocumentContainer.ARRAY:
        container = DocumentContainer.ARRAY
    return Conversation(
        "gemini_cli",
        opened.document,
        link_calls(messages, session.replay.notes),
        recorded=recorded,
        report=session.replay.notes.report(),
        model=model,
        session_id=coerce_text(session.fields.get("sessionId")),
        reported_context=context,
        usage=reports.reported_usage(messages),
        branches=session.branches,
        branch=request.branch,
        title=first_words(coerce_text(session.fields.get("summary"))),
        layout={"container": container.value, "path": ["messages"] if is_object else []},
    )


def _read_object(opened: OpenedDocument, request: ReadRequest) -> _Session:
    notes = ImportNotes()
    raw = conversation_records(opened, _KEYS, request, notes)
    check_branch(opened.document.name, request.branch, 1)
    replay = GeminiReplay(opened.document, notes)
    for record in raw.records:
        notes.records += 1
        if isinstance(record.value, dict):
            add_entry(replay, record.value, record.source())
        else:
            notes.warn(record.line, "a record is not an object; it was skipped")
            notes.skip("not an object")
    return _Session(replay, raw.fields)


def _read_log(opened: OpenedDocument, request: ReadRequest) -> _Session:
    main = _replay_log(opened, request, 0)
    check_branch(opened.document.name, request.branch, 1 + len(main.rewinds))
    replay = main if request.branch == 1 else _replay_log(opened, request, request.branch - 1)
    branches = (_default_branch(main), *rewound_branches(main)) if main.rewinds else ()
    return _Session(replay, replay.fields, branches)


def _default_branch(main: GeminiReplay) -> ConversationBranch:
    """Return the branch that the session ended in; it begins at the last rewind."""
    messages, _ = replay_messages(replace(main, notes=ImportNotes()))
    line = main.rewinds[-1].line
    new_messages = [message for message in messages if message.sources[0].line > line]
    prompts = (message.blocks for message in new_messages if message.speaker is Speaker.HUMAN)
    texts = [block.text for block in next(prompts, ()) if isinstance(block, Text)]
    return ConversationBranch(1, first_words(" ".join(texts)), len(messages), line)


def _replay_log(opened: OpenedDocument, request: ReadRequest, stop_before_rewind: int) -> GeminiReplay:
    replay = GeminiReplay(opened.document, ImportNotes(), stop_before_rewind)
    for record in iterate_records(opened, replay.notes, request.progress, request.stop):
        if not apply_log_line(replay, record):
            break
        replay.notes.records += 1
    return replay


def _model_context_and_usage(replay: GeminiReplay) -> tuple[str, int | None, UsageReports]:
    """Return the last model, the size of the last request, and the sizes of all requests."""
    model, context, reports = "", None, UsageReports()
    for entry in replay.log:
        if isinstance(entry, GeminiEntry) and entry.is_active and entry.value.get("type") == "gemini":
            own_model, size = coerce_text(entry.value.get("model")), request_tokens(entry.value)
            model, context = own_model or model, size or context
            output = number_of(nested(entry.value, "tokens", "output"))
            reports.add(entry.source, size, output, own_model)
    return model, context, reports


GEMINI_CLI = Format(
    "gemini_cli",
    "Gemini CLI",
    "Sessions of Gemini CLI: JSON with sessionId and messages, or the log (JSONL) that later versions write;"
    " no real log was seen.",
    score,
    read,
)

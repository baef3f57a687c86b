"""Reader for goose: its database, an exported session (``conversation``), and the JSONL of earlier
versions.

A compaction of goose hides messages from the model and adds others that only the model sees
(``metadata.agentVisible``, ``userVisible``); earlier versions wrote a ``conversationCompacted``
block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import filterfalse, groupby

from core.common.json_value import MISSING, Json
from core.formats.anthropic_blocks import plain_text
from core.formats.common.databases import Database, json_of
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import (
    Format,
    FormatScore,
    ReaderEvidence,
    ReadOnly,
    ReadRequest,
)
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    content_parts,
    fields_of,
    iso_timestamp,
    list_of,
    nested,
    number_of,
    other_fields,
    string_of,
)
from core.formats.common.message_lists import (
    DetectionSample,
    conversation_records,
    detection_sample,
)
from core.formats.common.messages import (
    BlockShape,
    ImportNotes,
    UsageReports,
    link_calls,
    record_messages,
    shaped_block,
    speaker_of,
    split_by_speaker,
    unreadable_message,
)
from core.formats.common.session_log import joined_answers
from core.formats.common.stored_sessions import (
    SessionStore,
    StoredSession,
    read_stored,
    store_score,
)
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    Media,
    Message,
    MessageFlag,
    RecordedCompaction,
    ReportedUsage,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_KEYS = ("conversation",)
_HEADER_FIELDS = ("working_dir", "tools", "description", "extension_data")
_COMPACTED = "conversationCompacted"
_UNSENT_TYPES = (
    "toolConfirmationRequest",
    "actionRequired",
    "systemNotification",
    _COMPACTED,
)
_GOOSE_TYPES = (
    *_UNSENT_TYPES,
    "toolRequest",
    "toolResponse",
    "frontendToolRequest",
    "redactedThinking",
)
"""Content types that only goose has."""
_COMPACTED_KEY = "$compacted"
"""Note in ``extra`` of a message: the conversation was compacted before it."""
_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}


def _stored_sessions(database: Database) -> Iterator[StoredSession]:
    for row in database.rows(
        "sessions", "id name parent_session_id", "ORDER BY updated_at DESC, id DESC"
    ):
        yield StoredSession(
            row["id"], row["name"] or "", row["parent_session_id"] or ""
        )


def _stored_session(
    database: Database, session: str
) -> tuple[Mapping[str, Json], Iterator[Json]]:
    names = (
        "id name working_dir total_tokens input_tokens output_tokens model_config_json"
    )
    row = database.row("sessions", names, "WHERE id = ?", session)
    model_config = json_of(row.pop("model_config_json"))
    ledger = "created_timestamp model input_tokens output_tokens is_compaction"
    # Only newer databases have a row for each request.
    has_ledger = "usage_ledger.session_id" in database.columns
    if has_ledger:
        usage = [
            *database.rows("usage_ledger", ledger, "WHERE session_id = ?", session)
        ]
    else:
        usage = []
    fields = {**row, "model_config": fields_of(model_config), "usage_ledger": usage}
    return fields, _stored_messages(database, session)


def _stored_messages(database: Database, session: str) -> Iterator[Json]:
    names = "id message_id role created_timestamp content_json metadata_json"
    # Times are whole seconds, and equal ones are common: then the id decides.
    condition = "WHERE session_id = ? ORDER BY created_timestamp, id"
    for row in database.rows("messages", names, condition, session):
        content = json_of(row["content_json"])
        metadata = json_of(row["metadata_json"])
        own = {"id": row["message_id"] or str(row["id"]), "role": row["role"]}
        own |= {"created": row["created_timestamp"], "content": content}
        # Without metadata a message is seen by the person and the model.
        if metadata is not MISSING and metadata is not None:
            own["metadata"] = metadata
        # A row that cannot be parsed is counted by the caller and does not end the session.
        yield MISSING if content is MISSING else own


_COLUMNS = "sessions.working_dir messages.content_json"
_DATABASE = SessionStore(_COLUMNS, "conversation", _stored_sessions, _stored_session)


def _present_header_fields(sample: DetectionSample) -> list[str]:
    first = fields_of(sample.records[0]) if sample.records else {}
    return [name for name in _HEADER_FIELDS if name in sample.fields or name in first]


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the content types that only goose has, else by the fields around plain messages."""
    if file.container is DocumentContainer.DATABASE:
        return store_score(file, _DATABASE)
    sample = detection_sample(file, _KEYS)
    messages = [value for value in sample.records if "role" in fields_of(value)]
    header_fields = _present_header_fields(sample)
    if not messages:
        is_empty = "working_dir" in header_fields
        return (0.6, "an empty conversation") if is_empty else (0.0, "")
    has_header_line = len(sample.records) > len(messages) and bool(header_fields)
    share = sample.share(len(messages) + has_header_line)
    goose_messages = sum(map(_has_goose_content, messages))
    if goose_messages:
        counted = sample.counted(goose_messages)
        return 0.98 * share, f"toolRequest, toolResponse and the like in {counted}"
    # Plain messages with a role belong to many formats; goose gives each a time in whole seconds.
    if not all(isinstance(value.get("created"), int) for value in messages):
        return 0.0, ""
    reason = f"created in each of the {sample.unit}"
    if header_fields:
        return 0.97 * share, f"{reason}, {', '.join(header_fields)}"
    return 0.7 * share, reason


def _has_goose_content(value: Mapping[str, Json]) -> bool:
    return any(
        fields_of(block).get("type") in _GOOSE_TYPES
        for block in list_of(value.get("content"))
    )


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one session; InputError for an unknown number. Its fields are around the messages, or in
    the first line of JSONL."""
    if file.container is DocumentContainer.DATABASE:
        return read_stored(file, request, (_DATABASE,), _read_session)
    return _read_session(file, request)


def _read_session(file: OpenedDocument, request: ReadRequest) -> Conversation:
    loaded = conversation_records(file, _KEYS, request)
    notes, header, records = loaded.notes, loaded.fields, loaded.records
    if records:
        first = records[0].value
    else:
        first = None
    # In earlier versions the first line of the JSONL is the session.
    if isinstance(first, dict) and "role" not in first:
        notes.skip("session fields", line=records[0].line)
        header, records = {**header, **first}, records[1:]
    elif not records and header:
        notes.skip("session fields")
    all_messages = [
        message for record in records for message in _read_messages(record, notes)
    ]
    sent, recorded = _compactions(all_messages)
    messages, recorded = joined_answers(link_calls(sent, notes), recorded)
    config = fields_of(header.get("model_config"))
    size = number_of(header.get("input_tokens"))
    return replace(
        loaded.conversation("goose", messages, list_of(header.get("tools"))),
        recorded=recorded,
        model=string_of(config.get("model_name")),
        cwd=string_of(header.get("working_dir")),
        session_id=string_of(header.get("id")),
        # In a session, these totals are those of its last request; sums have names of their own.
        reported_context=size or number_of(header.get("total_tokens")),
        reported_limit=number_of(config.get("context_limit")),
        usage=_usage(messages, header),
        title=string_of(header.get("name")) or string_of(header.get("description")),
    )


def _usage(
    messages: Sequence[Message], header: Mapping[str, Json]
) -> tuple[ReportedUsage, ...]:
    """Return the usage of each request, whose row of the ledger follows its answer; without such
    rows that of the last request, which the session records."""
    reports = UsageReports()
    model = string_of(nested(header, "model_config", "model_name"))
    answers = [message for message in messages if message.speaker is Speaker.AI]
    # Presumably backwards, so that of several rows for one answer the newest counts.
    for row in map(fields_of, reversed(list_of(header.get("usage_ledger")))):
        time = iso_timestamp(row.get("created_timestamp"))
        earlier = [message for message in answers if message.timestamp <= time]
        # A request that wrote a summary is no step of the session.
        if earlier and not row.get("is_compaction"):
            sizes = (
                number_of(row.get("input_tokens")),
                number_of(row.get("output_tokens")),
            )
            reports.add(earlier[-1].sources[0], *sizes, string_of(row.get("model")))
    if answers and not reports.reported_usage(messages):
        sizes = (
            number_of(header.get("input_tokens")),
            number_of(header.get("output_tokens")),
        )
        reports.add(answers[-1].sources[0], *sizes, model)
    return reports.reported_usage(messages)


def _kind_of(part: Json) -> str:
    return string_of(fields_of(part).get("type"))


def _message_extra(value: Mapping[str, Json]) -> dict[str, Json]:
    """Return the further fields of a message; an id that is no text is one of these."""
    known = ["content", "role", "created"]
    if isinstance(value.get("id"), str):
        known.append("id")
    return dict(other_fields(value, known))


def _read_messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    """Return the messages of a record: tool results apart from the user's words."""
    value = record.value
    if not isinstance(value, dict):
        return [unreadable_message(record, notes)]
    speaker = speaker_of(
        string_of(value.get("role")).lower(), _SPEAKERS, notes, record.line
    )
    parts = content_parts(value.get("content"))
    kinds = list(map(_kind_of, parts))
    for kind in kinds:
        if kind in _UNSENT_TYPES:
            notes.skip(f"content: {kind}", line=record.line)
    sent = [
        part
        for part, kind in zip(parts, kinds, strict=True)
        if kind not in _UNSENT_TYPES
    ]
    # A message of nothing but notices, which goose shows and never sends, is none.
    if parts and not sent and _COMPACTED not in kinds:
        return []
    extra = _message_extra(value)
    if _COMPACTED in kinds:
        extra[_COMPACTED_KEY] = True
    blocks = tuple(map(_block, sent))
    id_ = string_of(value.get("id"))
    time = iso_timestamp(value.get("created"))
    split = split_by_speaker(blocks, speaker)
    return record_messages(
        record.source(), split, id=id_, time=time, extra=extra or NO_EXTRA
    )


_CONTENT_SHAPES: Mapping[str, BlockShape] = {
    "text": BlockShape(Text, ("text",), required=("text",)),
    "thinking": BlockShape(Thinking, ("thinking",)),
    "reasoning": BlockShape(Thinking, ("text",)),
    "image": BlockShape(Media, ("mimeType", "data"), required=("data",)),
}


def _block(block: Json) -> Block:
    fields = fields_of(block)
    if fields.get("type") in ("toolRequest", "frontendToolRequest"):
        return _call(fields)
    if fields.get("type") == "toolResponse":
        return _response(fields)
    return shaped_block(block, _CONTENT_SHAPES)


def _call(fields: Mapping[str, Json]) -> ToolCall:
    """Read a call; one that goose could not parse has its error instead of a name."""
    wrapped = fields_of(fields.get("toolCall"))
    # A call is wrapped with its status; one that failed to parse has an error and no value.
    value = fields_of(wrapped.get("value")) or wrapped
    name = coerce_text(value.get("name"))
    arguments = value.get("arguments", {})
    return ToolCall(
        coerce_text(fields.get("id")),
        name,
        arguments,
        other_fields(fields, ("type", "id")),
    )


def _response(fields: Mapping[str, Json]) -> ToolResponse:
    wrapped = fields.get("toolResult")
    outer = fields_of(wrapped)
    # The value of a result may be the list of its content itself.
    value = outer.get("value", wrapped if isinstance(wrapped, list) else "")
    # goose failed to run the tool, or the tool says that it failed.
    is_refused = outer.get("status") == "error"
    has_failed = is_refused or fields_of(value).get("isError") is True
    if is_refused:
        result = outer.get("error", "")
    else:
        result = fields_of(value).get("content", value)
    error = plain_text(result) if has_failed else MISSING
    extra = other_fields(fields, ("type", "id", "toolResult"))
    return ToolResponse(coerce_text(fields.get("id")), "", result, error, extra)


def _is_only_mark(message: Message) -> bool:
    return not message.blocks and bool(message.extra.get(_COMPACTED_KEY))


def _marked_compactions(
    all_messages: Sequence[Message],
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages, and the compactions of which only a mark is there."""
    messages: list[Message] = []
    recorded: list[RecordedCompaction] = []
    for message in all_messages:
        # Earlier versions left only a mark of it.
        is_mark = message.extra.get(_COMPACTED_KEY)
        place = message.sources[0]
        if is_mark:
            mark = RecordedCompaction(
                kind="summary", boundary=len(messages), source=place
            )
            recorded.append(mark)
        if message.blocks or not is_mark:
            messages.append(message)
    return messages, tuple(recorded)


def _compactions(
    all_messages: Sequence[Message],
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages without those added by compactions, and the compactions.

    If some messages are hidden from the model, consecutive messages hidden from the user are a
    summary and a continuation; the prompt repeated after them stays. ``kept`` are the earlier
    messages that the model sees.
    """
    messages: list[Message] = []
    recorded: list[RecordedCompaction] = []
    if all(_is_visible(message, "agentVisible") for message in all_messages):
        return _marked_compactions(all_messages)
    grouped = groupby(
        all_messages, key=lambda message: _is_visible(message, "userVisible")
    )
    runs = [(visible, list(group)) for visible, group in grouped]
    for (visible, run), (_, next_run) in zip(
        runs, [*runs[1:], (True, [])], strict=True
    ):
        if visible:
            messages += filterfalse(_is_only_mark, run)
            continue
        # After the summary goose repeats the last message of the person as a fresh copy.
        if next_run and run[0].blocks == next_run[0].blocks:
            messages.append(run.pop(0))
        if run:
            recorded.append(_compaction(messages, run))
    return messages, tuple(recorded)


def _compaction(
    messages: Sequence[Message], summary: Sequence[Message]
) -> RecordedCompaction:
    kept = tuple(
        index for index, m in enumerate(messages) if _is_visible(m, "agentVisible")
    )
    flagged = tuple(
        replace(m, flags=m.flags | MessageFlag.RECORDED_SUMMARY) for m in summary
    )
    return RecordedCompaction(
        kind="summary",
        boundary=len(messages),
        summary=flagged,
        kept=kept,
        source=summary[0].sources[0],
    )


def _is_visible(message: Message, name: str) -> bool:
    return fields_of(message.extra.get("metadata")).get(name) is not False


GOOSE = Format(
    name="goose",
    label="goose",
    about="Sessions of goose: its database (sessions.db), its exports in JSON, and the JSONL of earlier "
    "versions.",
    score=score,
    read=read,
    evidence=ReaderEvidence.DESCRIPTION,
    read_only=ReadOnly.DATABASE,
)

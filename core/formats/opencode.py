"""Reader for opencode: ``opencode export``, ``{info, messages: [{info, parts}]}``, alone or
several; its stores are read as such objects.

A tool part holds a call and its result, so each step of an assistant record becomes an ai and a
tool message. Sessions of sub-agents (``parentID``) in the same file are conversations of their own.

A compaction is a user record with a ``compaction`` part, answered by an assistant record with
``summary``; neither is a message of the session. An unfinished summary compacted nothing. Earlier
versions wrote the summary without the user record. Results are cleared one by one, each with its
time in ``state.time.compacted``; those between the same two records are one pruning, after the last
record of that time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.common.databases import Database, json_of
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    iterate_records,
)
from core.formats.common.format import Format, FormatScore, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    iso_timestamp,
    list_of,
    nested,
    number_of,
    other_fields,
    string_of,
    sum_of,
)
from core.formats.common.message_lists import (
    conversation_records,
    detection_sample,
    first_words,
)
from core.formats.common.messages import (
    ImportNotes,
    UsageReports,
    link_calls,
    record_messages,
    reported_cache,
)
from core.formats.common.stored_sessions import (
    SessionStore,
    StoredSession,
    read_stored,
    store_score,
    stored_document,
    with_bad_rows,
)
from core.transcript.model import (
    NO_EXTRA,
    REASONING_TOKENS,
    Block,
    Conversation,
    ListedConversation,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_SESSION_NAMES = "id parent_id directory title version revert time_created time_updated"
_FOLDER_FIELDS = ("id", "projectID", "directory")


def _sessions(table: str, database: Database) -> Iterator[StoredSession]:
    for row in database.rows(
        table, "id title parent_id", "ORDER BY time_updated DESC, id DESC"
    ):
        yield StoredSession(row["id"], row["title"] or "", row["parent_id"] or "")


def _fields(table: str, database: Database, session: str) -> Mapping[str, Json]:
    row = database.row(table, _SESSION_NAMES, "WHERE id = ?", session)
    names = {
        "parent_id": "parentID",
        "directory": "directory",
        "title": "title",
        "version": "version",
    }
    info = {
        "id": session,
        **{name: row[column] for column, name in names.items() if row[column]},
    }
    if isinstance(revert := json_of(row["revert"]), dict):
        info["revert"] = revert
    return {
        "info": {
            **info,
            "time": {"created": row["time_created"], "updated": row["time_updated"]},
        }
    }


def _records(database: Database, session: str) -> Iterator[Json]:
    """Yield the messages with their parts."""
    parts: dict[str, list[Json]] = {}
    bad_count = 0
    # Parts are read at once: a query a message is slow for a long session.
    for row in database.rows(
        "part",
        "id message_id data",
        "WHERE session_id = ? ORDER BY id",
        session,
    ):
        if isinstance(part := json_of(row["data"]), dict):
            ids = {
                "id": row["id"],
                "sessionID": session,
                "messageID": row["message_id"],
            }
            parts.setdefault(row["message_id"], []).append(ids | part)
        else:
            bad_count += 1
    condition = "WHERE session_id = ? ORDER BY time_created, id"
    for row in database.rows("message", "id data", condition, session):
        info = json_of(row["data"])
        own_parts = parts.pop(row["id"], [])
        ids = {"id": row["id"], "sessionID": session}
        yield (
            {"info": ids | info, "parts": own_parts}
            if isinstance(info, dict)
            else MISSING
        )
    # Parts that are no JSON are counted, though nobody knows where they stood.
    yield from [MISSING] * bad_count


def _new_records(database: Database, session: str) -> Iterator[Json]:
    condition = "WHERE session_id = ? ORDER BY seq, time_created, id"
    for row in database.rows(
        "session_message", "id type time_created data", condition, session
    ):
        if not isinstance(data := json_of(row["data"]), dict):
            yield MISSING
            continue
        time = data.get("time") or {"created": row["time_created"]}
        yield from _old_records(row["id"], row["type"], {**data, "time": time})


def _old_summary(id_: str, data: Mapping[str, Json]) -> Json:
    """Return the answer of a compaction, which is a message of its own in version 1."""
    is_done = data.get("status", "completed") == "completed"
    # Probably the text behind the summary is what opencode sends again word for word.
    texts = [data[name] for name in ("summary", "recent") if data.get(name)]
    summary: dict[str, Json] = {
        "id": f"{id_}-summary",
        "role": "assistant",
        "summary": True,
        "parentID": id_,
    }
    # Readers of version 1 take a summary without a finish for one that failed.
    summary |= {"time": data["time"], **({"finish": "stop"} if is_done else {})}
    return {
        "info": summary,
        "parts": [{"type": "text", "text": text} for text in texts],
    }


def _old_records(id_: str, kind: str, data: Mapping[str, Json]) -> Iterator[Json]:
    """Yield a message of version 2 as version 1 has it."""
    info: dict[str, Json] = {"id": id_, "role": "user", "time": data["time"]}
    text = {"type": "text", "text": string_of(data.get("text"))}
    if kind == "user":
        files = [
            {"type": "file", "url": nested(file, "uri"), **fields_of(file)}
            for file in list_of(data.get("files"))
        ]
        yield {"info": info, "parts": [text, *files]}
    elif kind == "assistant":
        answer = {
            "role": "assistant",
            "modelID": nested(data, "model", "id"),
            "providerID": nested(data, "model", "providerID"),
        }
        info |= {
            **answer,
            "tokens": data.get("tokens"),
            "error": _error(data.get("error")),
        }
        yield {"info": info, "parts": [*map(_old_part, list_of(data.get("content")))]}
    elif kind == "system":
        yield {"info": {**info, "role": "system"}, "parts": [text]}
    elif kind == "shell":
        # The person ran it, so the output answers no call.
        output = f"$ {string_of(data.get('command'))}\n{string_of(data.get('output'))}"
        yield {
            "info": info,
            "parts": [{"type": "text", "text": output, "synthetic": True}],
        }
    elif kind == "compaction":
        yield {
            "info": info,
            "parts": [{"type": "compaction", "auto": data.get("reason") == "auto"}],
        }
        yield _old_summary(id_, data)
    elif kind in ("synthetic", "skill"):
        yield {"info": info, "parts": [{**text, "synthetic": True}]}
    else:
        # A kind that is not known becomes a part that is counted.
        yield {"info": info, "parts": [{"type": kind}]}


def _error(error: Json) -> Json:
    """Return an error with its words where version 1 has them."""
    fields = fields_of(error)
    if fields:
        return {
            "name": fields.get("type", fields.get("name")),
            "data": {"message": fields.get("message")},
        }
    return None


def _old_part(part: Json) -> Json:
    fields = fields_of(part)
    if fields.get("type") != "tool":
        return part
    state = dict(fields_of(fields.get("state")))
    # Version 2 has the parts of an output where version 1 has its text.
    if "content" in state:
        state["output"] = state.pop("content")
    return {
        "type": "tool",
        "callID": fields.get("id"),
        "tool": fields.get("name"),
        "state": state,
    }


def child_calls(session: Json) -> Mapping[str, str]:
    calls: dict[str, str] = {}
    for message in list_of(nested(session, "messages")):
        for part in list_of(nested(message, "parts")):
            metadata = fields_of(nested(part, "state", "metadata"))
            child, call = (
                # Probably the name of the field was changed between versions.
                metadata.get("sessionId", metadata.get("sessionID")),
                nested(part, "callID"),
            )
            if isinstance(child, str) and isinstance(call, str):
                calls[child] = call
    return calls


_OLD_DATABASE = SessionStore(
    "session.directory message.data part.message_id",
    "messages",
    lambda database: _sessions("session", database),
    lambda database, session: (
        _fields("session", database, session),
        _records(database, session),
    ),
    child_calls,
)
_NEW_DATABASE = SessionStore(
    "session_v2.directory session_message.seq",
    "messages",
    lambda database: _sessions("session_v2", database),
    lambda database, session: (
        _fields("session_v2", database, session),
        _new_records(database, session),
    ),
    child_calls,
    filled_table="session_message",
)


DATABASES = (_NEW_DATABASE, _OLD_DATABASE)


def is_session_file(file: OpenedDocument) -> bool:
    """Return whether a file is the session in a folder of JSON files, apart from its messages."""
    if file.json:
        fields = fields_of(file.json.value)
    else:
        fields = {}
    return all(name in fields for name in _FOLDER_FIELDS) and "info" not in fields


def folder_session(file: OpenedDocument) -> tuple[OpenedDocument, int]:
    """Return the session of such a file with its messages, and how many files of it are not
    JSON."""
    if file.json:
        info = fields_of(file.json.value)
    else:
        info = {}
    # The id becomes part of a path: it must not lead elsewhere.
    path = file.document.path
    session = Path(string_of(info.get("id"))).name
    if path and session:
        folders = path.absolute().parents
    else:
        folders = ()
    # The session lies in storage/session/PROJECT, two folders below the store.
    if len(folders) > 2:
        records = _folder_records(folders[2], session)
    else:
        records = ()
    return stored_document(file.document, {"info": info}, "messages", records)


def _folder_records(storage: Path, session: str) -> Sequence[Json]:
    found = [_json_file(path) for path in _json_paths(storage / "message" / session)]
    messages = [message for message in found if isinstance(message, dict)]
    messages.sort(
        key=lambda message: (
            nested(message, "time", "created") or 0,
            string_of(message.get("id")),
        )
    )
    records: list[Json] = [MISSING] * (len(found) - len(messages))
    # Of early versions.
    flat = [_json_file(path) for path in _json_paths(storage / "part")]
    for message in messages:
        records += _records_of_message(storage, message, flat)
    return records


def _records_of_message(
    storage: Path, message: Mapping[str, Json], flat: Sequence[Json]
) -> list[Json]:
    """Return a message with its parts, and MISSING for each part that cannot be read."""
    id_ = string_of(message.get("id"))
    parts = [
        _json_file(path) for path in _json_paths(storage / "part" / Path(id_).name)
    ]
    parts += [part for part in flat if nested(part, "messageID") == id_]
    read = [part for part in parts if part is not MISSING]
    return [{"info": message, "parts": read}] + [MISSING] * (len(parts) - len(read))


def _json_paths(folder: Path) -> list[Path]:
    """Return the JSON files of a folder. Raises InputError where no folder can have such a name, as
    with an id of thousands of characters."""
    try:
        return sorted(folder.glob("*.json"))
    except (OSError, ValueError) as error:
        shown = folder.name[:40]
        text = f"The files of the id {shown!r}… ({len(folder.name):,} characters) cannot be read"
        reason = getattr(error, "strerror", "") or str(error)
        raise InputError(
            f"{text}: {reason}.", "Name a session that opencode wrote."
        ) from error


def _json_file(path: Path) -> Json:
    try:
        return json_of(path.read_bytes())
    except OSError:
        return MISSING


def without_reverted(
    records: Sequence[JsonRecord], revert: Mapping[str, Json], notes: ImportNotes
) -> Sequence[JsonRecord]:
    """Return the records up to the message, or the part of it, to which the user took the session
    back."""
    ids = [nested(record.value, "info", "id") for record in records]
    # Only the place is recorded: the messages stay in the store until the next prompt.
    message = revert.get("messageID")
    part = revert.get("partID")
    if not message or message not in ids:
        return records
    index = ids.index(message)
    sent = list(records[:index])
    parts = list_of(nested(records[index].value, "parts"))
    if part:
        kept = list(takewhile(lambda one: nested(one, "id") != part, parts))
    else:
        kept = []
    if kept:
        own = records[index]
        sent.append(
            JsonRecord(own.line, own.start, own.end, {**own.value, "parts": kept})
        )
    notes.skip("taken back", len(records) - len(sent), line=records[-1].line)
    return sent


_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}
_PART_ID_FIELDS = ("id", "messageID", "sessionID", "type")
WITHOUT_CALL = "withoutCall"
"""In the metadata of a part that Foldline wrote: a result whose call is not in the transcript."""
_SUMMARY_QUESTION = Message(
    speaker=Speaker.HUMAN,
    blocks=(Text("What did we do so far?"),),
    flags=MessageFlag.META | MessageFlag.RECORDED_SUMMARY,
)
"""What opencode sends in place of the request for a summary, in front of that (toModelMessages)."""
_SUBTASK = "The following tool was executed by the user"
"""What opencode sends in place of a ``subtask`` part, whose call is in the next record."""
# The text of such a file is sent beside it, as a synthetic part.
_UNSENT_MIME_TYPES = ("text/plain", "application/x-directory")


@dataclass(frozen=True, slots=True)
class OpencodeRecord:
    """A record with its messages; ``marker`` requests a compaction, ``cleared_calls`` are (time,
    call id)."""

    info: Mapping[str, Json]
    messages: tuple[Message, ...]
    source: Source
    marker: Mapping[str, Json] | None = None
    cleared_calls: tuple[tuple[int, str], ...] = ()

    @property
    def id(self) -> str:
        return string_of(self.info.get("id"))

    @property
    def created_at(self) -> int:
        return number_of(nested(self.info, "time", "created")) or 0

    @property
    def is_assistant(self) -> bool:
        return self.info.get("role") == "assistant"

    @property
    def is_summary(self) -> bool:
        return self.is_assistant and self.info.get("summary") is True

    @property
    def tokens(self) -> int | None:
        """The reported size of the answered request."""
        paths = (("input",), ("cache", "read"), ("cache", "write"))
        return sum_of(*(nested(self.info, "tokens", *path) for path in paths))


def _steps(
    parts: Iterable[Mapping[str, Json]], notes: ImportNotes, line: int
) -> list[tuple[list[Block], list[Block]]]:
    """Return what the model said, and the results, for each step."""
    steps: list[tuple[list[Block], list[Block]]] = [([], [])]
    for part in parts:
        # A step without results before it is the same answer going on.
        if part.get("type") == "step-start" and steps[-1][1]:
            steps.append(([], []))
        _add_part(part, *steps[-1], notes, line)
    return steps


def _cleared_calls(parts: Iterable[Mapping[str, Json]]) -> Iterator[tuple[int, str]]:
    for part in parts:
        if time := number_of(nested(part, "state", "time", "compacted")):
            yield time, coerce_text(part.get("callID"))


def read_record(record: JsonRecord, notes: ImportNotes) -> OpencodeRecord:
    """Return the messages of a record; parts without content are counted."""
    source = record.source()
    info = nested(record.value, "info")
    if not isinstance(info, dict):
        notes.warn(record.line, "a message has no info; kept as it is")
        message = Message(
            speaker=Speaker.UNKNOWN,
            blocks=(Opaque("message", record.value),),
            sources=(source,),
            flags=MessageFlag.OPAQUE,
        )
        return OpencodeRecord(NO_EXTRA, (message,), source)
    parts = [
        part for part in list_of(record.value.get("parts")) if isinstance(part, dict)
    ]
    if info.get("role") == "user":
        parts = _sent_parts(parts, notes, record.line)
    steps = _steps(parts, notes, record.line)
    _note_reasoning(
        [said for said, _ in steps], number_of(nested(info, "tokens", "reasoning")) or 0
    )
    requests = (part for part in parts if part.get("type") == "compaction")
    # An assistant record never asks for a compaction.
    marker = None if info.get("role") == "assistant" else next(requests, None)
    cleared_calls = tuple(_cleared_calls(parts))
    messages = _messages(info, steps, source, _flags(info, parts), notes)
    return OpencodeRecord(info, messages, source, marker, cleared_calls)


def _sent_parts(
    parts: Sequence[dict[str, Json]], notes: ImportNotes, line: int
) -> list[dict[str, Json]]:
    """Return the parts of a prompt without the texts that only the person sees."""
    sent = [part for part in parts if part.get("ignored") is not True]
    if len(sent) < len(parts):
        notes.skip("text, shown only", len(parts) - len(sent), line=line)
    return sent


def _note_reasoning(said: Sequence[list[Block]], tokens: int) -> None:
    """Note the reported size of encrypted reasoning, which opencode sends again, at its first
    block."""
    for blocks in said:
        for index, block in enumerate(blocks):
            if (
                # Only empty reasoning is encrypted; the size of a readable one is counted.
                isinstance(block, Thinking)
                and not block.text.strip()
                and tokens
                and _is_encrypted(block)
            ):
                blocks[index] = replace(
                    block, extra={**block.extra, REASONING_TOKENS: tokens}
                )
                return


def _is_encrypted(block: Thinking) -> bool:
    providers = fields_of(block.extra.get("metadata")).values()
    return any(nested(provider, "reasoningEncryptedContent") for provider in providers)


def _messages(
    info: Mapping[str, Json],
    steps: Sequence[tuple[list[Block], list[Block]]],
    source: Source,
    flags: MessageFlag,
    notes: ImportNotes,
) -> tuple[Message, ...]:
    role = string_of(info.get("role"))
    known = ("id", "role", "sessionID") if role in _SPEAKERS else ("id", "sessionID")
    if role not in _SPEAKERS:
        notes.warn(source.line, f'the role "{role}" is not known; kept as unknown')
    error = string_of(nested(info, "error", "data", "message")) or string_of(
        nested(info, "error", "name")
    )
    if error and not any(said for said, _ in steps):
        steps[0][0].append(Text(error))
        flags |= MessageFlag.API_ERROR
    id_ = string_of(info.get("id"))
    time = iso_timestamp(nested(info, "time", "created"))
    extra = other_fields(info, known)
    speaker = _SPEAKERS.get(role, Speaker.UNKNOWN)
    first, *others = [
        part
        for said, results in steps
        for part in ((speaker, said), (Speaker.TOOL, results))
    ]
    parts = [first, *(part for part in others if part[1])]
    return tuple(record_messages(source, parts, flags, id_, time, extra))


def _flags(info: Mapping[str, Json], parts: Sequence[Json]) -> MessageFlag:
    """Return META for a user record with only synthetic texts or a command's task, which the
    harness wrote."""
    texts = [part for part in parts if part.get("type") in ("text", "subtask")]
    is_synthetic = bool(texts) and all(
        part.get("synthetic") is True or part["type"] == "subtask" for part in texts
    )
    return (
        MessageFlag.META
        if is_synthetic and info.get("role") == "user"
        else MessageFlag.NONE
    )


def _responses(
    state: Mapping[str, Json],
    id_: str,
    name: str,
) -> Iterator[ToolResponse]:
    """Yield the answer to a call, if it has ended."""
    details = other_fields(state, ("input", "output", "error", "raw"))
    # A call that still runs, or was broken off, has no result.
    if state.get("status") == "completed":
        yield ToolResponse(id_, name, state.get("output", ""), MISSING, details)
    elif state.get("status") == "error":
        error = state.get("error", "")
        yield ToolResponse(id_, name, error, error, details)


def _is_sent_file(part: Mapping[str, Json]) -> bool:
    return (
        isinstance(part.get("url"), str) and part.get("mime") not in _UNSENT_MIME_TYPES
    )


def _add_part(
    part: Mapping[str, Json],
    said: list[Block],
    results: list[Block],
    notes: ImportNotes,
    line: int,
) -> None:
    kind = string_of(part.get("type"))
    if kind == "subtask":
        said.append(Text(_SUBTASK))
    elif kind in ("text", "reasoning") and isinstance(part.get("text"), str):
        extra = other_fields(part, (*_PART_ID_FIELDS, "text"))
        said.append(
            Text(part["text"], extra)
            if kind == "text"
            else Thinking(part["text"], extra)
        )
    elif kind == "file" and _is_sent_file(part):
        extra = other_fields(part, (*_PART_ID_FIELDS, "mime", "url", "filename"))
        said.append(
            Media(
                string_of(part.get("mime")),
                part["url"],
                string_of(part.get("filename")),
                extra,
            )
        )
    elif kind == "tool":
        state = fields_of(part.get("state"))
        id_ = coerce_text(part.get("callID"))
        name = coerce_text(part.get("tool"))
        extra = other_fields(part, (*_PART_ID_FIELDS, "callID", "tool", "state"))
        # The call was taken out by a compaction, and a tool part has a call in any case.
        if not nested(state, "metadata", WITHOUT_CALL):
            said.append(ToolCall(id_, name, state.get("input", {}), extra))
        results += _responses(state, id_, name)
    elif kind != "compaction":
        # A text file is sent as a synthetic text beside its part; the others are bookkeeping.
        notes.skip(f"part: {kind or 'without a type'}", line=line)


def opencode_messages(
    records: Sequence[OpencodeRecord], notes: ImportNotes
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages without those of compactions, and the compactions in order."""
    markers = {record.id: record for record in records if record.marker is not None}
    messages: list[Message] = []
    message_indices: dict[str, int] = {}
    ends: list[int] = []  # for each record, the index of the first message after it
    compactions: list[tuple[int, RecordedCompaction]] = []  # with their times
    marker_boundary = 0
    context: int | None = None
    for record in records:
        message_indices.setdefault(record.id, len(messages))
        if record.marker is not None:
            # The summary is answered later, so the boundary is where it was asked for.
            marker_boundary = len(messages)
            notes.skip("request for a summary", line=record.source.line)
        elif record.is_summary and _is_finished(record.info):
            marker = markers.get(string_of(record.info.get("parentID")))
            if marker is None:
                boundary = len(messages)
            else:
                boundary = marker_boundary
            compaction = _compaction(record, marker, boundary, context, message_indices)
            compactions.append((record.created_at, compaction))
        elif record.is_summary:
            notes.skip("summary that was not finished", line=record.source.line)
        else:
            messages += record.messages
            # The size of a summary's own request is not that of the session.
            context = record.tokens or context
        ends.append(len(messages))
    compactions += _prunings(records, ends)
    ordered = sorted(compactions, key=lambda timed: (timed[1].boundary, timed[0]))
    return messages, tuple(compaction for _, compaction in ordered)


def _is_finished(info: Mapping[str, Json]) -> bool:
    # An aborted summary has a time, too, but also an error.
    return bool(
        info.get("finish") or nested(info, "time", "completed")
    ) and not info.get("error")


def _compaction(
    record: OpencodeRecord,
    request: OpencodeRecord | None,
    boundary: int,
    context: int | None,
    message_indices: Mapping[str, int],
) -> RecordedCompaction:
    """Build a compaction; ``tokens_before`` is the last request before it, the size after is
    unknown."""
    if request:
        marker = fields_of(request.marker)
    else:
        marker = NO_EXTRA
    first_kept = message_indices.get(string_of(marker.get("tail_start_id")), boundary)
    summary = tuple(
        replace(m, flags=m.flags | MessageFlag.RECORDED_SUMMARY)
        for m in record.messages
    )
    trigger = ""
    if marker.get("auto") is True:
        trigger = "auto"
    elif marker.get("auto") is False:
        trigger = "manual"
    kept = tuple(range(first_kept, boundary))
    return RecordedCompaction(
        kind="summary",
        boundary=boundary,
        trigger=trigger,
        tokens_before=context,
        summary=summary,
        kept=kept,
        source=record.source,
        context_after=(_SUMMARY_QUESTION, *summary, *kept),
    )


def _prunings(
    records: Sequence[OpencodeRecord], ends: Sequence[int]
) -> Iterator[tuple[int, RecordedCompaction]]:
    """Yield the prunings with their times: the calls that were cleared after the same record."""
    prunings: dict[int, list[tuple[int, str]]] = {}
    for time, id_ in (call for record in records for call in record.cleared_calls):
        before = [
            index
            for index, record in enumerate(records)
            # The clearing has a time but no record; the last one written by then is its place.
            if 0 < record.created_at <= time
        ]
        prunings.setdefault(before[-1] if before else len(records) - 1, []).append(
            (time, id_)
        )
    for last_record, calls in prunings.items():
        calls.sort(key=lambda call: call[0])
        ids = tuple(id_ for _, id_ in calls)
        yield (
            calls[0][0],
            RecordedCompaction(
                kind="microcompact",
                boundary=ends[last_record],
                trigger="auto",
                cleared=ids,
            ),
        )


_KEYS = ("messages",)


def score(file: OpenedDocument) -> FormatScore:
    """Judge by messages that have ``info`` with a role, and ``parts``; else by its store."""
    if file.container is DocumentContainer.DATABASE:
        return store_score(file, *DATABASES)
    if is_session_file(file):
        return (
            0.99,
            "id, projectID and directory of a session with its messages in other files",
        )
    sample = detection_sample(file, _KEYS)
    if known := sum(map(_is_message, sample.records)):
        return 0.99 * sample.share(known), f"info and parts in {sample.counted(known)}"
    has_info = sample.has_records and "projectID" in fields_of(
        sample.fields.get("info")
    )
    if has_info and not sample.records:
        return (0.6, "an empty session")
    return (0.0, "")


def _is_message(value: Json) -> bool:
    return "role" in fields_of(nested(value, "info")) and isinstance(
        value.get("parts"), list
    )


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    if file.container is DocumentContainer.DATABASE:
        return read_stored(file, request, DATABASES, _read_session)
    if is_session_file(file):
        session, bad_count = folder_session(file)
        conversation = _read_session(session, request)
        return replace(
            conversation, report=with_bad_rows(conversation.report, bad_count)
        )
    return _read_session(file, request)


def _usage_reports(answers: Iterable[OpencodeRecord]) -> UsageReports:
    reports = UsageReports()
    for record in answers:
        output = number_of(nested(record.info, "tokens", "output"))
        held = fields_of(nested(record.info, "tokens", "cache"))
        cache = reported_cache(
            held.get("read"), held.get("write"), record.info.get("cost")
        )
        model = string_of(record.info.get("modelID"))
        reports.add(record.source, record.tokens, output, model, cache)
    return reports


def _read_session(file: OpenedDocument, request: ReadRequest) -> Conversation:
    loaded = conversation_records(file, _KEYS, request)
    notes = loaded.notes
    info = fields_of(loaded.fields.get("info"))
    sent = without_reverted(loaded.records, fields_of(info.get("revert")), notes)
    records = [read_record(record, notes) for record in sent]
    messages, recorded = opencode_messages(records, notes)
    answers = [
        record for record in records if record.is_assistant and not record.is_summary
    ]
    reports = _usage_reports(answers)
    models = (string_of(record.info.get("modelID")) for record in reversed(answers))
    folders = (string_of(nested(record.info, "path", "cwd")) for record in answers)
    loaded.system_texts += _system(records)
    if loaded.siblings > 1:
        loaded.listed = _listed_sessions(file, request)
    return replace(
        loaded.conversation("opencode", link_calls(messages, notes)),
        recorded=recorded,
        model=next(filter(None, models), ""),
        cwd=string_of(info.get("directory")) or next(filter(None, folders), ""),
        session_id=string_of(info.get("id")),
        reported_context=next(
            (record.tokens for record in reversed(answers) if record.tokens), None
        ),
        usage=reports.reported_usage(messages),
        title=string_of(info.get("title")),
    )


def _system(records: Sequence[OpencodeRecord]) -> Sequence[str]:
    # The prompt is repeated in each record; the last is the one that would be sent.
    for record in reversed(records):
        system = record.info.get("system")
        texts = [
            text
            for text in ([system] if isinstance(system, str) else list_of(system))
            if text
        ]
        if texts:
            return [text for text in texts if isinstance(text, str)]
    return ()


def _listed_sessions(
    file: OpenedDocument, request: ReadRequest
) -> tuple[ListedConversation, ...]:
    """Return all sessions of the file; those of sub-agents with the call of their parent."""
    records = iterate_records(file, ImportNotes(), request.progress, request.stop)
    sessions = [
        record.value
        for record in records
        if isinstance(nested(record.value, "messages"), list)
    ]
    calls = {
        child: call
        for session in sessions
        for child, call in child_calls(session).items()
    }
    listed: list[ListedConversation] = []
    for number, session in enumerate(sessions, 1):
        info = fields_of(session.get("info"))
        id_ = string_of(info.get("id"))
        kind = "sub-agent" if info.get("parentID") else ""
        title = first_words(string_of(info.get("title")) or id_)
        count = _message_count(session["messages"])
        listed.append(
            ListedConversation(number, title, count, kind, calls.get(id_, ""))
        )
    return tuple(listed)


def _message_count(values: Sequence[Json]) -> int:
    records = [
        read_record(JsonRecord(0, 0, 0, value), ImportNotes()) for value in values
    ]
    return len(opencode_messages(records, ImportNotes())[0])


OPENCODE = Format(
    name="opencode",
    label="opencode",
    about="Sessions of opencode and Kilo: their database (opencode.db, kilo.db), the JSON files of earlier "
    "versions, and what the export command writes.",
    score=score,
    read=read,
    evidence=ReaderEvidence.FIXTURE,
)

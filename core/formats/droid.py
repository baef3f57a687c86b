"""Reader for Factory Droid: its sessions, and the stream that ``droid exec`` prints.

The messages of a session form a tree: each names the one that it follows, or follows the one before
it. The chain from the last message to the root is the history, each other leaf a branch. Every
other record belongs to the message before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.anthropic_blocks import read_content
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    nested,
    request_tokens,
    string_of,
)
from core.formats.common.message_lists import check_branch
from core.formats.common.messages import ImportNotes
from core.formats.common.open_document import format_shapes
from core.formats.common.session_log import (
    RecordTree,
    SessionLog,
    listed_branches,
    log_records,
    shape_score,
    side_file,
)
from core.transcript.model import (
    Block,
    Conversation,
    Message,
    MessageFlag,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    joined_text,
)

_DROID_SPEAKERS = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "system": Speaker.SYSTEM,
}


def _score_droid(file: OpenedDocument) -> FormatScore:
    """Judge by the line at the top of a session, or by the records of a stream."""
    if file.objects:
        first = file.objects[0]
    else:
        first = {}
    if first.get("type") == "session_start" and format_shapes("droid").match(first):
        return 0.99, "session_start at the top"
    # A stream has its texts beside the type; messages inside are those of another agent.
    if any(isinstance(value.get("message"), dict) for value in file.objects):
        return 0.0, ""
    return shape_score(file, "droid", "records of its stream")


def _read_droid(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = SessionLog()
    records = log_records(file, request, log)
    tree, owners = _tree(records)
    chains = tree.chains()
    check_branch(file.document.name, request.branch, len(chains))
    if chains:
        chain = chains[request.branch - 1]
    else:
        chain = set()
    log.notes.lose_parents(tree.lost_parents(chain))
    for record in records:
        # What stands before the first message belongs to every branch.
        if owners[record.start] in chain or not owners[record.start]:
            _add_droid(record, log)
        else:
            log.notes.skip("on another branch", line=record.line)
    path = file.document.path
    if path:
        # The session names no model; the file of settings beside it does.
        settings = side_file(file, f"{path.stem}.settings.json")
    else:
        settings = {}
    log.model = string_of(settings.get("model")) or log.model
    spoken = [record for record in records if _is_message(record)]
    branches = listed_branches(
        chains, spoken, lambda record: owners[record.start], _text
    )
    return replace(
        log.conversation("droid", file), branches=branches, branch=request.branch
    )


def _tree(records: Sequence[JsonRecord]) -> tuple[RecordTree, dict[int, str]]:
    """Return the tree of the messages, and for each record, by its start, the message that it
    belongs to; "" for one before the first. A hook's row is none; who follows it follows the
    message before it."""
    tree = RecordTree()
    owners = dict[int, str]()
    last = ""
    # Ids of records that are no messages, by them the message that they follow.
    aliases = {"": ""}
    for record in records:
        id_ = string_of(record.value.get("id"))
        parent = string_of(record.value.get("parentId"))
        if parent:
            parent = aliases.get(parent, parent)
        else:
            parent = last
        # A parent that is not in the file would cut off all that came before it.
        is_lost = bool(parent) and parent not in tree.parents
        parent = last if is_lost else parent
        if _is_message(record):
            last = id_ or f"line {record.line}"
            if is_lost:
                tree.lost[last] = record.line
            tree.add(last, parent, record.line)
        elif record.value.get("type") in ("session_start", "message"):
            aliases[id_] = parent
        owners[record.start] = last
    return tree, owners


def _is_message(record: JsonRecord) -> bool:
    return record.value.get("type") == "message" and not nested(
        record.value, "message", "hookEventName"
    )


def _text(record: JsonRecord) -> str:
    message = record.value.get("message")
    if isinstance(message, dict):
        blocks = read_content(message, ImportNotes(), record.line)[0]
    else:
        blocks = ()
    return joined_text(Message(speaker=Speaker.HUMAN, blocks=tuple(blocks)))


def _add_message(record: JsonRecord, log: SessionLog) -> None:
    if not _is_message(record):
        log.notes.skip("hook", line=record.line)
        return
    value = record.value
    message = value.get("message")
    blocks: Sequence[Block]
    if isinstance(message, dict):
        blocks, _ = read_content(message, log.notes, record.line)
    else:
        message = value
        blocks = (Text(string_of(value.get("text"))),)
    speaker = _DROID_SPEAKERS.get(string_of(message.get("role")), Speaker.UNKNOWN)
    flags = (
        MessageFlag.META
        # Reminders that only the model sees are no words of the person.
        if message.get("visibility") == "llm_only"
        else MessageFlag.NONE
    )
    id_ = string_of(value.get("id"))
    time = value.get("timestamp")
    log.add(record, speaker, blocks, id=id_, time=time, flags=flags)


def _add_droid(record: JsonRecord, log: SessionLog) -> None:
    value = record.value
    kind = string_of(record.value.get("type"))
    id_ = string_of(value.get("id"))
    time = value.get("timestamp")
    # Some versions of the stream have only an id, the same for call and result.
    call_id = coerce_text(value.get("toolCallId", value.get("id")))
    log.session_id = log.session_id or coerce_text(
        value.get("session_id", value.get("sessionId"))
    )
    if kind == "message":
        _add_message(record, log)
    elif kind == "tool_call":
        call = ToolCall(
            call_id, coerce_text(value.get("toolName")), value.get("parameters", {})
        )
        log.add(record, Speaker.AI, [call], id=id_, time=time)
    elif kind == "tool_result":
        result = value.get("value", "")
        error = result if value.get("isError") is True else MISSING
        log.add(
            record,
            Speaker.TOOL,
            [ToolResponse(call_id, "", result, error)],
            id=id_,
            time=time,
        )
    elif kind == "completion":
        if text := string_of(value.get("finalText")):
            log.add(record, Speaker.AI, [Text(text)], id=id_, time=time)
        usage = fields_of(value.get("usage"))
        # Presumably the input tokens leave out what was read from the cache.
        size = request_tokens(usage.get("inputTokens"), usage.get("cacheReadTokens"))
        log.reported_context = size or log.reported_context
    elif kind == "compaction_state":
        log.compact(record, _summary(value))
    else:
        _read_session_fields(value, kind, id_, log)
        log.notes.skip(kind or "without a type", line=record.line)


def _summary(value: Mapping[str, Json]) -> str:
    summary = value.get("summaryText") or value.get("summary")
    # The summary is a text or an object with title and body.
    return string_of(summary) or string_of(nested(summary, "body"))


def _read_session_fields(
    value: Mapping[str, Json], kind: str, id_: str, log: SessionLog
) -> None:
    if kind in ("session_start", "system"):
        log.cwd = string_of(value.get("cwd"))
        log.model = string_of(value.get("model"))
        log.title = string_of(value.get("sessionTitle")) or string_of(
            value.get("title")
        )
    if kind == "session_start":
        log.session_id = id_


DROID = Format(
    name="droid",
    label="Factory Droid",
    about="Sessions of Factory Droid (JSONL), and the stream of its headless mode.",
    score=_score_droid,
    read=_read_droid,
    evidence=ReaderEvidence.FIXTURE,
)

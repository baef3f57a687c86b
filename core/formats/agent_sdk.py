"""Reader for the stream of the Claude Agent SDK (stream-json), and for a list of its messages: a
record for each block of an answer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from core.formats.anthropic_blocks import read_block, read_content
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, ReaderEvidence, ReadOnly, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    number_of,
    string_of,
    sum_of,
)
from core.formats.common.message_lists import check_number, first_words, numbered
from core.formats.common.messages import INPUT_TOKEN_FIELDS, ImportNotes
from core.formats.common.session_log import SessionLog, log_records, shape_score
from core.transcript.model import (
    Conversation,
    ListedConversation,
    MessageFlag,
    Speaker,
    joined_text,
)

_SDK_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI}


def _note_other_conversation(log: SessionLog, notes: ImportNotes) -> None:
    places = {
        (one.line, one.start) for message in log.messages for one in message.sources
    }
    for line, _ in places:
        notes.skip("record of another conversation", line=line)


def _listed(
    number: int, call_id: str, conversation: Conversation
) -> ListedConversation:
    messages = conversation.messages
    title = first_words(joined_text(messages[0])) if messages else ""
    kind = "sub-agent" if call_id else ""
    return ListedConversation(number, title, len(messages), kind, call_id)


def _read_sdk(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read the main conversation, or that of a sub-agent, whose records name the call that started
    it; all are one stream."""
    notes = ImportNotes()
    logs = {"": SessionLog(notes=notes)}
    records = log_records(file, replace(request, conversation=1), logs[""])
    for record in records:
        kind = string_of(record.value.get("type"))
        # Records of a sub-agent name the call that started it, and stand between those of the main
        # one.
        call_id = string_of(record.value.get("parent_tool_use_id"))
        log = logs.setdefault(call_id, SessionLog(notes=notes))
        log.session_id = log.session_id or string_of(record.value.get("session_id"))
        if kind in _SDK_SPEAKERS:
            _add_answer(record, log)
        # Rows of their own with results are of the stream alone.
        elif kind == "tool_result":
            block = read_block(record.value, notes, record.line)
            log.add(record, Speaker.TOOL, [block], time=record.value.get("timestamp"))
        else:
            _note_system(record, log, kind)
    check_number(file.document.name, request.conversation, len(logs))
    others = [
        log
        for place, log in enumerate(logs.values(), 1)
        if place != request.conversation
    ]
    for log in others:
        _note_other_conversation(log, notes)
    conversations = [log.conversation("agent_sdk", file) for log in logs.values()]
    listed = [
        _listed(number, call_id, conversation)
        for number, (call_id, conversation) in enumerate(
            zip(logs, conversations, strict=True), 1
        )
    ]
    return numbered(
        conversations[request.conversation - 1], request.conversation, listed
    )


def _add_answer(record: JsonRecord, log: SessionLog) -> None:
    message = fields_of(record.value.get("message"))
    id_ = string_of(message.get("id"))
    usage = fields_of(message.get("usage"))
    blocks, _ = read_content(message, log.notes, record.line)
    speaker = _SDK_SPEAKERS[record.value["type"]]
    if log.messages:
        last = log.messages[-1]
    else:
        last = None
    # The stream has a record for each block of an answer, all with its id.
    if last is not None and id_ and last.id == id_:
        log.extend(record, last.speaker, blocks)
    else:
        # The harness speaks in the name of the user.
        is_generated = record.value.get("isSynthetic") is True
        flags = MessageFlag.META if is_generated else MessageFlag.NONE
        log.add(
            record,
            speaker,
            blocks,
            id=id_,
            time=record.value.get("timestamp"),
            flags=flags,
        )
    model = string_of(message.get("model"))
    log.model = model or log.model
    log.report(
        sum_of(*map(usage.get, INPUT_TOKEN_FIELDS)), usage.get("output_tokens"), model
    )


def _note_system(record: JsonRecord, log: SessionLog, kind: str) -> None:
    """Take model and folder from the first record, compactions from those of the system."""
    value = record.value
    subtype = coerce_text(record.value.get("subtype"))
    if subtype == "init":
        log.model = string_of(value.get("model"))
        log.cwd = string_of(value.get("cwd"))
        # The stream names the tools and does not describe them.
        log.tools = [
            {"name": name}
            for name in list_of(value.get("tools"))
            if isinstance(name, str)
        ]
    if subtype == "compact_boundary":
        # A live stream has these names with underscores, a file without.
        about = fields_of(value.get("compact_metadata", value.get("compactMetadata")))
        before = number_of(about.get("pre_tokens", about.get("preTokens")))
        log.compact(record, trigger=string_of(about.get("trigger")), before=before)
    else:
        log.notes.skip(
            " ".join(filter(None, (kind, subtype))) or "without a type",
            line=record.line,
        )


AGENT_SDK = Format(
    name="agent_sdk",
    label="Claude Agent SDK",
    about="The stream of the Claude Agent SDK and of Claude Code's headless mode (stream-json), also"
    " as a list; sub-agents are conversations of their own.",
    score=partial(
        shape_score, format="agent_sdk", sign="type and session_id of a stream"
    ),
    read=_read_sdk,
    evidence=ReaderEvidence.DESCRIPTION,
    read_only=ReadOnly.RECORD,
)

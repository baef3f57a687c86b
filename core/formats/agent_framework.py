"""Reader for messages of Microsoft's Agent Framework: a list or lines of them (its file history), a
session (``AgentSession.to_dict``) and the thread of earlier versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from core.common.json_value import MISSING, Json
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
    fields_of,
    list_of,
    nested,
    other_fields,
    string_of,
)
from core.formats.common.message_lists import detection_sample
from core.formats.common.messages import speaker_of
from core.formats.common.session_log import SessionLog, object_log
from core.formats.common.stored_sessions import stored_document
from core.formats.openai_chat_messages import read_arguments
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    Opaque,
    RecordedCompaction,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_KEY = "messages"
_TYPES = ("message", "chat_message")
_SPEAKERS = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}
_UNSENT = ("usage", "function_approval_response")
"""Kinds of contents that no request holds."""
_APPROVAL = "function_approval_request"
_SERVER_KINDS = (
    "mcp_server_tool",
    "code_interpreter_tool",
    "image_generation_tool",
    "shell_tool",
)
_MESSAGE_FIELDS = ("type", "role", "contents", "message_id", "additional_properties")


def _is_message(value: Json) -> bool:
    fields = fields_of(value)
    return fields.get("type") in _TYPES and isinstance(fields.get("contents"), list)


def _stored(state: Mapping[str, Json]) -> Iterator[list[Json]]:
    """Yield the lists of messages that the providers of a session keep in its state."""
    for inner in (
        *fields_of(state.get("state")).values(),
        # Presumably threads of earlier versions kept their messages there.
        state.get("chat_message_store_state"),
    ):
        messages = nested(inner, _KEY)
        if isinstance(messages, list) and any(map(_is_message, messages)):
            yield messages


def _session_of(file: OpenedDocument) -> OpenedDocument:
    """Return the messages in the state of a session as a document; any other file as it is."""
    if file.container is not DocumentContainer.OBJECT or not file.objects:
        return file
    session = file.objects[0]
    messages = next(_stored(session), None)
    if messages is None:
        return file
    fields = {"session_id": session.get("session_id", session.get("service_thread_id"))}
    return stored_document(file.document, fields, _KEY, messages)[0]


def score(file: OpenedDocument) -> FormatScore:
    """Judge by messages with contents, at the top or in the state of a session."""
    is_object = file.container is DocumentContainer.OBJECT and bool(file.objects)
    if is_object and next(_stored(file.objects[0]), None) is not None:
        return 0.98, "messages in the state of a session"
    sample = detection_sample(file, (_KEY,))
    count = sum(map(_is_message, sample.records))
    if not count:
        return 0.0, ""
    return 0.98 * sample.share(count), f"contents in {sample.counted(count)}"


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(_session_of(file), request, _KEY, session_id="session_id")
    excluded: list[int] = []
    records = list(log.records)
    # A call that was approved is written twice: in the question, and when it is made.
    made = {id_ for record in records for id_ in _call_ids(record.value)}
    for record in records:
        if not _is_message(record.value):
            log.notes.skip("without contents", line=record.line)
            continue
        # A strategy of the framework marks what it takes out and deletes nothing.
        if nested(record.value, "additional_properties", "_excluded") is True:
            excluded.append(len(log.messages))
        _add_message(record, log, made)
    if excluded:
        boundary = excluded[-1] + 1
        kept = tuple(index for index in range(boundary) if index not in set(excluded))
        log.recorded.append(
            RecordedCompaction(kind="truncate", boundary=boundary, kept=kept)
        )
    return replace(log.conversation("agent_framework", file), document=file.document)


def _call_ids(message: Mapping[str, Json]) -> Iterator[str]:
    for content in map(fields_of, list_of(message.get("contents"))):
        if content.get("type") == "function_call":
            yield coerce_text(content.get("call_id"))


def _call_to_approve(content: Json) -> Json:
    """Return the call that waits for approval; None if the content asks for none."""
    if coerce_text(nested(content, "type")) == _APPROVAL:
        return nested(content, "function_call")
    return None


def _add_message(record: JsonRecord, log: SessionLog, made: Set[str]) -> None:
    """Add a message; a call that waits for approval is a call, unless it is among those made."""
    value = record.value
    role = nested(value.get("role"), "value") or value.get("role")
    speaker = speaker_of(role, _SPEAKERS, log.notes, record.line)
    blocks: list[Block] = []
    for content in list_of(value.get("contents")):
        kind = coerce_text(nested(content, "type"))
        asked = _call_to_approve(content)
        if kind in _UNSENT or coerce_text(nested(asked, "call_id")) in made:
            log.notes.skip(f"content: {kind}", line=record.line)
        else:
            blocks.append(_block(content if asked is None else asked))
    # A message of nothing but usage or approvals was never sent.
    if not blocks and list_of(value.get("contents")):
        return
    has_results = any(isinstance(block, ToolResponse) for block in blocks)
    # Some clients send results in the name of the user.
    speaker = Speaker.TOOL if has_results and speaker is Speaker.HUMAN else speaker
    extra = other_fields(value, _MESSAGE_FIELDS)
    log.add(
        record, speaker, blocks, id=coerce_text(value.get("message_id")), extra=extra
    )


def _block(content: Json) -> Block:
    fields = fields_of(content)
    kind = fields.get("type")
    text = fields.get("text")
    extra = other_fields(fields, ("type", "text", "additional_properties"))
    if kind == "text" and isinstance(text, str):
        return Text(text, extra)
    if kind == "text_reasoning":
        return Thinking(string_of(text), extra)
    if kind == "function_call":
        arguments, notes = read_arguments(fields.get("arguments"))
        arguments = {} if arguments is None else arguments
        call_id = coerce_text(fields.get("call_id"))
        name = coerce_text(fields.get("name"))
        return ToolCall(call_id, name, arguments, notes)
    if kind == "function_result":
        return _response(fields)
    if kind in ("data", "uri") and isinstance(fields.get("uri"), str):
        return Media(string_of(fields.get("media_type")), fields["uri"])
    return _server_block(coerce_text(kind), content)


def _server_block(kind: str, content: Json) -> Block:
    """Return a call that the provider answered itself, or its answer; else an opaque block."""
    fields = fields_of(content)
    tool, _, side = kind.rpartition("_")
    # The provider answered these itself, so that no result of ours may be missing.
    if tool not in _SERVER_KINDS:
        return Opaque(kind or "unknown", content)
    id_ = coerce_text(fields.get("call_id"))
    name = coerce_text(fields.get("tool_name")) or tool
    if side == "call":
        arguments = fields.get("arguments", fields.get("inputs", {}))
        return ServerTool(kind, content, None, (ToolCall(id_, name, arguments),))
    result = fields.get("output", fields.get("outputs", ""))
    return ServerTool(kind, content, None, (ToolResponse(id_, name, result),))


def _response(fields: Mapping[str, Json]) -> ToolResponse:
    """Read a result; ``items`` repeat it as contents."""
    result = fields.get("result")
    exception = fields.get("exception")
    result = "" if result is None else result
    error = MISSING if exception is None else exception
    return ToolResponse(coerce_text(fields.get("call_id")), "", result, error)


AGENT_FRAMEWORK = Format(
    name="agent_framework",
    label="Agent Framework",
    about="Messages, sessions and threads of Microsoft's Agent Framework.",
    score=score,
    read=read,
    evidence=ReaderEvidence.FIXTURE,
    read_only=ReadOnly.RECORD,
)

"""Reader for messages of Pydantic AI, as its ``ModelMessagesTypeAdapter`` writes them.

A request holds what the person, the harness and the tools said since the last answer; a response
is one answer. The provider's own tools have call and result in the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from core.common.json_value import MISSING, Json
from core.formats.anthropic_blocks import plain_text
from core.formats.common.document import OpenedDocument
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
    list_of,
    nested,
    other_fields,
    string_of,
)
from core.formats.common.message_lists import detection_sample
from core.formats.common.messages import BlockShape, bare_part, shaped_block
from core.formats.common.session_log import SessionLog, object_log
from core.formats.openai_chat_messages import read_arguments
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    MessageFlag,
    RecordedCompaction,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_KEY = "messages"
_KINDS = ("request", "response")
_CALLS = ("tool-call", "tool-search-call", "load-capability-call")
_RETURNS = ("tool-return", "tool-search-return", "load-capability-return")
_SERVER_CALLS = ("builtin-tool-call", "native-tool-call")
_SERVER_RETURNS = ("builtin-tool-return", "native-tool-return")
_RETRIES = ("retry-prompt", "retry-feedback")
_FAILED = ("failed", "denied", "retried")
_COMPACTION = "compaction"
_MARKS = ("cache-point",)
"""Pieces of a prompt that say nothing."""
_ANSWER_SHAPES: Mapping[str, BlockShape] = {
    "text": BlockShape(Text, ("content",), required=("content",)),
    "thinking": BlockShape(Thinking, ("content",)),
}


def _is_message(value: Json) -> bool:
    fields = fields_of(value)
    parts = fields.get("parts")
    is_known = fields.get("kind") in _KINDS and isinstance(parts, list)
    # Parts alone are those of other libraries, too; only here each has a part_kind.
    return is_known and all("part_kind" in fields_of(part) for part in list_of(parts))


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the kind of messages and of their parts."""
    sample = detection_sample(file, (_KEY,))
    count = sum(map(_is_message, sample.records))
    if not count:
        return 0.0, ""
    return 0.98 * sample.share(count), f"kind and parts in {sample.counted(count)}"


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(file, request, _KEY)
    log.answers_are_records = True
    instructions = ""
    for record in log.records:
        value = record.value
        log.session_id = string_of(value.get("conversation_id")) or log.session_id
        if value.get("kind") == "response":
            _add_response(record, log)
        elif value.get("kind") == "request":
            instructions = string_of(value.get("instructions")) or instructions
            _add_request(record, log)
        else:
            log.notes.skip("without a known kind", line=record.line)
    if instructions:  # sent in front of each request; those of the last one count
        log.system.append(instructions)
    return log.conversation("pydantic_ai", file)


def _add_request(record: JsonRecord, log: SessionLog) -> None:
    """Add the parts in their order, neighbours of one speaker as one message."""
    parts = list_of(record.value.get("parts"))
    if not parts:
        log.notes.skip("request without parts", line=record.line)
    spoken: list[tuple[Speaker, MessageFlag, Block]] = []
    for part in map(fields_of, parts):
        # Later ones are messages between the others.
        if part.get("part_kind") == "system-prompt" and not log.messages and not spoken:
            log.add_system(record, string_of(part.get("content")))
            continue
        speaker, flags = _speaker(part)
        spoken += (
            (speaker, flags, block) for block in _request_blocks(part, log, record.line)
        )
    for (speaker, flags), group in groupby(spoken, key=lambda entry: entry[:2]):
        time = next(
            (part["timestamp"] for part in parts if "timestamp" in fields_of(part)),
            None,
        )
        log.add(record, speaker, [block for *_, block in group], time=time, flags=flags)


def _speaker(part: Mapping[str, Json]) -> tuple[Speaker, MessageFlag]:
    kind = part.get("part_kind")
    # A retry with a tool answers its call; without one the library asks the model again.
    if kind in _RETURNS or (kind in _RETRIES and part.get("tool_name")):
        return Speaker.TOOL, MessageFlag.NONE
    if kind == "system-prompt":
        return Speaker.SYSTEM, MessageFlag.NONE
    is_person = kind == "user-prompt"
    return Speaker.HUMAN, MessageFlag.NONE if is_person else MessageFlag.META


def _request_blocks(
    part: Mapping[str, Json], log: SessionLog, line: int
) -> Sequence[Block]:
    kind = part.get("part_kind")
    content = part.get("content")
    if kind in _RETURNS:
        return (_response(part),)
    if kind in _RETRIES and part.get("tool_name"):
        if isinstance(content, str):
            text = content
        else:
            text = plain_text(content)
        return (
            ToolResponse(_call_id(part), coerce_text(part["tool_name"]), content, text),
        )
    if kind in ("user-prompt", "system-prompt", *_RETRIES):
        pieces = [
            one for one in content_parts(content) if nested(one, "kind") not in _MARKS
        ]
        return [_content(one, log, line) for one in pieces]
    return (shaped_block(dict(part), {}, kind=coerce_text(kind)),)


def _content(part: Json, log: SessionLog, line: int) -> Block:
    """Convert a piece of a prompt: a text, a link, or the bytes of a file."""
    fields = fields_of(part)
    if not fields:
        return bare_part(part, log.notes, line)
    if isinstance(fields.get("text"), str):
        return Text(fields["text"], other_fields(fields, ("type", "text")))
    media_type = string_of(fields.get("media_type"))
    for name in ("url", "data"):
        if isinstance(fields.get(name), str):
            return Media(
                media_type, fields[name], "", other_fields(fields, (name, "media_type"))
            )
    if isinstance(fields.get("content"), str):
        return Text(fields["content"], other_fields(fields, ("content",)))
    return shaped_block(part, {}, kind=coerce_text(fields.get("kind")))


def _call_id(part: Mapping[str, Json]) -> str:
    return coerce_text(part.get("tool_call_id"))


def _call(part: Mapping[str, Json]) -> ToolCall:
    arguments, extra = read_arguments(part.get("args"))
    arguments = {} if arguments is None else arguments
    return ToolCall(
        _call_id(part), coerce_text(part.get("tool_name")), arguments, extra
    )


def _response(part: Mapping[str, Json]) -> ToolResponse:
    content = part.get("content")
    failed = part.get("outcome") in _FAILED
    error = (plain_text(content) or coerce_text(part["outcome"])) if failed else MISSING
    result = "" if content is None else content
    return ToolResponse(
        _call_id(part), coerce_text(part.get("tool_name")), result, error
    )


def _add_response(record: JsonRecord, log: SessionLog) -> None:
    value = record.value
    time = record.value.get("timestamp")
    parts = list_of(value.get("parts"))
    # The summary replaces what is before the answer that it came with.
    for summary in filter(_is_summary, parts):
        _add_summary(record, string_of(nested(summary, "content")), log)
    answer = [part for part in parts if not _is_summary(part)]
    blocks = [_answer_block(part, log, record.line) for part in answer]
    log.model = string_of(value.get("model_name")) or log.model
    if blocks or not parts:
        log.add(record, Speaker.AI, blocks, time=time)
    tokens = (
        nested(value.get("usage"), name) for name in ("input_tokens", "output_tokens")
    )
    log.report(*tokens)


def _is_summary(part: Json) -> bool:
    """Return whether a part is a compaction of the provider that can be read."""
    fields = fields_of(part)
    return fields.get("part_kind") == _COMPACTION and bool(
        string_of(fields.get("content"))
    )


def _add_summary(record: JsonRecord, text: str, log: SessionLog) -> None:
    """Add the summary that the provider sends on in place of all before it."""
    log.recorded.append(
        RecordedCompaction(
            kind="summary", boundary=len(log.messages), source=record.source()
        )
    )
    log.add(record, Speaker.AI, [Text(text)], flags=MessageFlag.RECORDED_SUMMARY)


def _answer_block(part: Json, log: SessionLog, line: int) -> Block:
    fields = fields_of(part)
    kind = coerce_text(fields.get("part_kind"))
    if kind in _CALLS:
        return _call(fields)
    # The provider answered these calls itself, in the same message.
    if kind in _SERVER_CALLS:
        return ServerTool(kind, part, None, (_call(fields),))
    if kind in _SERVER_RETURNS:
        return ServerTool(kind, part, None, (_response(fields),))
    if kind == "file":
        return _content(fields.get("content"), log, line)
    return shaped_block(part, _ANSWER_SHAPES, ("part_kind",), kind)


PYDANTIC_AI = Format(
    name="pydantic_ai",
    label="Pydantic AI",
    about="Messages of Pydantic AI (ModelMessagesTypeAdapter, all_messages_json).",
    score=score,
    read=read,
    evidence=ReaderEvidence.FIXTURE,
    read_only=ReadOnly.RECORD,
)

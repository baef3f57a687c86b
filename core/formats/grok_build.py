"""Reader for Grok Build: the current context of a session (chat_history.jsonl), or its whole course
(updates.jsonl), in which an answer comes in pieces; with the files beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.anthropic_blocks import plain_text
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    other_fields,
    string_of,
)
from core.formats.common.session_log import (
    SessionLog,
    log_records,
    shape_score,
    side_file,
)
from core.formats.openai_chat_messages import function_call, read_part
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    MessageFlag,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_SPOKEN = ("", "interjection")
"""Reasons of user records that the user typed."""


def _score_grok(file: OpenedDocument) -> FormatScore:
    """Judge by the records of its history; those of the system and reasoning are shared with
    others."""
    result, reason = shape_score(file, "grok_build", "records of its history")
    return (max(result, 0.6) if result else 0.0), reason


def _read_grok(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = SessionLog()
    is_course = False
    # Some look like items of Responses.
    for record in log_records(replace(file, format=""), request, log):
        if update := fields_of(nested(record.value, "params", "update")):
            is_course = True
            _add_update(record, update, log)
        else:
            _add_grok(record, log)
    summary = side_file(file, "summary.json")
    signals = side_file(file, "signals.json")
    log.session_id = string_of(nested(summary, "info", "id"))
    log.cwd = string_of(nested(summary, "info", "cwd"))
    log.model = log.model or string_of(summary.get("current_model_id"))
    log.title = string_of(summary.get("generated_title")) or string_of(
        summary.get("session_summary")
    )
    log.reported_context = number_of(signals.get("contextTokensUsed"))
    log.reported_limit = number_of(signals.get("contextWindowTokens"))
    if (count := number_of(signals.get("compactionCount"))) and not is_course:
        if count == 1:
            times = "once"
        else:
            times = f"{count} times"
        whole = "the file holds the context after that, updates.jsonl the whole course"
        log.notes.warn(0, f"compacted {times}; {whole}")
    return log.conversation("grok_build", file)


def _calls(value: Mapping[str, Json]) -> Iterator[Block]:
    for call in map(fields_of, list_of(value.get("tool_calls"))):
        function = other_fields(call.get("function", call), ("id",))
        yield function_call(function, coerce_text(call.get("id")), {})


def _flags_of(value: Mapping[str, Json]) -> MessageFlag:
    is_spoken = coerce_text(value.get("synthetic_reason")) in _SPOKEN
    return MessageFlag.NONE if is_spoken else MessageFlag.META


def _add_grok(record: JsonRecord, log: SessionLog) -> None:
    value = record.value
    content = record.value.get("content")
    kind = string_of(value.get("type")) or string_of(value.get("role"))
    # Only in front it is the system prompt; later it is what the harness says.
    if kind == "system" and not log.messages:
        log.add_system(record, plain_text(content))
    elif kind in ("user", "system"):
        blocks = _content(content, log, record.line)
        log.add(record, Speaker.HUMAN, blocks, flags=_flags_of(value))
    elif kind == "reasoning":
        text = plain_text(value.get("summary"))
        _say(
            record,
            [Thinking(text, {"encrypted_content": value.get("encrypted_content")})],
            log,
        )
    elif kind == "backend_tool_call":
        tool = fields_of(value.get("kind"))
        id_ = coerce_text(tool.get("id"))
        name = coerce_text(tool.get("tool_type"))
        # Tools of the server are named with their call; their results are never in the file.
        call = ToolCall(id_, name, tool.get("action", {}))
        _say(record, [ServerTool(kind, value, None, (call,))], log)
    elif kind == "assistant":
        log.model = string_of(value.get("model_id")) or log.model
        _say(record, [*_content(content, log, record.line), *_calls(value)], log)
    elif kind in ("tool_result", "tool"):
        response = ToolResponse(coerce_text(value.get("tool_call_id")), "", content)
        log.extend(record, Speaker.TOOL, [response])
    else:
        log.notes.skip(kind or "without a type", line=record.line)


_CHUNKS: Mapping[str, tuple[Speaker, type[Text] | type[Thinking]]] = {
    "user_message_chunk": (Speaker.HUMAN, Text),
    "agent_message_chunk": (Speaker.AI, Text),
    "agent_thought_chunk": (Speaker.AI, Thinking),
}


def _has_continued(
    log: SessionLog, speaker: Speaker, block: type[Text | Thinking], text: str
) -> bool:
    """Add a piece to the text that it continues; return False if it begins one."""
    if not log.messages:
        return False
    last = log.messages[-1]
    end = last.blocks[-1]
    if last.speaker is not speaker or not isinstance(end, block):
        return False
    joined = replace(end, text=end.text + text)
    log.messages[-1] = replace(last, blocks=(*last.blocks[:-1], joined))
    return True


def _add_update(
    record: JsonRecord, update: Mapping[str, Json], log: SessionLog
) -> None:
    """Add an event of the course; the pieces of a text are joined."""
    kind = string_of(update.get("sessionUpdate"))
    time = record.value.get("timestamp")
    id_ = coerce_text(update.get("toolCallId"))
    if kind in _CHUNKS:
        speaker, block = _CHUNKS[kind]
        text = plain_text([update.get("content")])
        # The course has texts as the pieces that were streamed.
        if not _has_continued(log, speaker, block, text):
            log.extend(record, speaker, [block(text)], time=time)
    elif kind == "tool_call":
        # The protocol has no name of a tool, only a title and a kind.
        name = string_of(update.get("title")) or string_of(update.get("kind"))
        log.extend(
            record,
            Speaker.AI,
            [ToolCall(id_, name, update.get("rawInput", {}))],
            time=time,
        )
    # A call is updated while it runs; only its end has the result.
    elif kind == "tool_call_update" and update.get("status") in ("completed", "failed"):
        result = update.get("rawOutput", update.get("content", ""))
        error = plain_text(result) if update["status"] == "failed" else MISSING
        log.extend(
            record, Speaker.TOOL, [ToolResponse(id_, "", result, error)], time=time
        )
    # The course goes on behind it and does not say what the summary was.
    elif kind == "compaction_checkpoint":
        log.compact(record)
    else:
        log.notes.skip(kind or "without a type", line=record.line)


def _say(record: JsonRecord, blocks: list[Block], log: SessionLog) -> None:
    """Add to the answer that began with its reasoning, else as a new one."""
    if log.messages:
        last = log.messages[-1]
    else:
        last = None
    is_begun = last is not None and all(
        isinstance(block, Thinking | ServerTool) for block in last.blocks
    )
    (log.extend if is_begun else log.add)(record, Speaker.AI, blocks)


def _content(content: Json, log: SessionLog, line: int) -> list[Block]:
    if isinstance(content, str):
        if content:
            return [Text(content)]
        return []
    return [
        Media("", string_of(part.get("url")))
        if isinstance(part, dict) and part.get("type") == "image"
        else read_part(part, log.notes, line)
        for part in list_of(content)
    ]


GROK_BUILD = Format(
    name="grok_build",
    label="Grok Build",
    about="Sessions of Grok Build: the current context (chat_history.jsonl) and the whole course "
    "(updates.jsonl); "
    "of the latter only a description was seen.",
    score=_score_grok,
    read=_read_grok,
    evidence=ReaderEvidence.FIXTURE,
)

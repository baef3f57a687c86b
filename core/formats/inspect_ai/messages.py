"""Reads messages of Inspect samples, and tools, usage and compactions from their events."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import plain_text
from core.formats.common.json_access import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    other_fields,
    string_of,
    sum_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.messages import (
    BlockShape,
    ImportNotes,
    UsageReports,
    record_messages,
    shaped_block,
    speaker_of,
    unreadable_message,
)
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    ReportedUsage,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_ATTACHMENT_REFERENCE = re.compile(r"attachment://([0-9a-f]+)")
_ROLES = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}
_MEDIA = ("image", "audio", "video", "document")


def resolve_attachments(value: Json, attachments: Mapping[str, str]) -> Json:
    """Return a value with every reference to an attachment replaced; missing ones stay."""
    if isinstance(value, str):
        return _ATTACHMENT_REFERENCE.sub(lambda match: attachments.get(match[1], match[0]), value)
    if isinstance(value, list):
        return [resolve_attachments(item, attachments) for item in value]
    if isinstance(value, dict):
        return {key: resolve_attachments(item, attachments) for key, item in value.items()}
    return value


def is_system(value: Json) -> bool:
    return isinstance(value, dict) and value.get("role") == "system"


def read_message(record: JsonRecord, notes: ImportNotes) -> Message:
    value = record.value
    if not isinstance(value, dict):
        return unreadable_message(record, notes)
    speaker = speaker_of(value.get("role"), _ROLES, notes, record.line)
    blocks: tuple[Block, ...]
    if speaker is Speaker.TOOL:
        blocks, own_fields = (_response(value),), ["tool_call_id", "function", "error"]
    else:
        calls = (
            shaped_block(
                call, _CALL, ("type",) if nested(call, "type") == "function" else (), "tool_call"
            )
            for call in list_of(value.get("tool_calls"))
        )
        blocks, own_fields = (*_content(value.get("content")), *calls), ["tool_calls"]
    if "attachment://" in str(value.get("content")):
        notes.warn(record.line, "an attachment that the message names is not in the file")
    id_, extra = (
        coerce_text(value.get("id")),
        other_fields(value, ["role", "content", "id", *own_fields]),
    )
    return record_messages(record.source(), [(speaker, blocks)], id=id_, extra=extra)[0]


def _content(content: Json) -> tuple[Block, ...]:
    if content in ("", None):
        return ()
    if isinstance(content, str):
        return (Text(content),)
    return (
        tuple(map(_part, content)) if isinstance(content, list) else (Opaque("content", content),)
    )


_PARTS: Mapping[str, BlockShape] = {
    "text": BlockShape(Text, ("text",), required=("text",)),
    "reasoning": BlockShape(Thinking, ("reasoning",), required=("reasoning",)),
}
_CALL = {"tool_call": BlockShape(ToolCall, ("id", "function"), ("arguments",), default=None)}


def _part(part: Json) -> Block:
    kind = nested(part, "type")
    if isinstance(part, str):
        return Text(part)
    if kind == "reasoning" and part.get("redacted") is True:
        return Opaque("redacted_thinking", part)
    if kind in _MEDIA and isinstance(part.get(kind), str):
        return _media(part, kind)
    return shaped_block(part, _PARTS)


def _media(part: Mapping[str, Json], kind: str) -> Media:
    data, mime = part[kind], string_of(part.get("mime_type"))
    if data.startswith("data:"):
        mime = data[5:100].split(";", 1)[0].split(",", 1)[0]
    mime = mime or f"{kind}/{coerce_text(part.get('format')) or '*'}"
    extra = other_fields(part, ("type", kind, "filename"))
    return Media(mime, data, coerce_text(part.get("filename")), extra)


def _response(value: Mapping[str, Json]) -> ToolResponse:
    """Return the result, and the error if there was one: its message or the whole object."""
    error, content = value.get("error"), value.get("content", "")
    failure: Json = MISSING
    if error is not None:
        text = error.get("message") if isinstance(error, dict) else error
        failure = text if isinstance(text, str) else plain_text(error)
    return ToolResponse(
        coerce_text(value.get("tool_call_id")),
        coerce_text(value.get("function")),
        "" if content is None else content,
        failure,
        {"error": error} if isinstance(error, dict) else NO_EXTRA,
    )


_KINDS = {"summary": "summary", "edit": "microcompact", "trim": "truncate"}


class InspectEvents:
    """The events of a sample with the messages of its conversation; ``values`` are the raw values
    of ``messages``."""

    def __init__(
        self,
        events: Sequence[Mapping[str, Json]],
        messages: Sequence[Message],
        values: Sequence[Json],
    ) -> None:
        self._events, self._messages, self._values = events, messages, values
        self._indices = {_message_key(value): index for index, value in enumerate(values)}

    def usage(self) -> tuple[ReportedUsage, ...]:
        """Return the reports of requests whose answers are among the messages, in their order."""
        reports = UsageReports()
        for event in self._events:
            index = self._answer_index(event) if event.get("event") == "model" else -1
            output = fields_of(event.get("output"))
            if index >= 0:
                usage, model = _usage(output.get("usage")), coerce_text(output.get("model"))
                reports.add(self._messages[index].sources[0], *usage, model)
        return reports.reported_usage(self._messages)

    def compactions(self, pool: Sequence[Json], notes: ImportNotes) -> Iterator[RecordedCompaction]:
        """Yield each compaction event, with the input of the next request as its result. ``pool``
        are the messages that ``input_refs`` refer to; compactions of other agents in the sample are
        counted."""
        for number, event in enumerate(self._events):
            if event.get("event") != "compaction":
                continue
            request = next((e for e in self._events[number:] if e.get("event") == "model"), None)
            boundary = self._answer_index(request) if request else len(self._messages)
            if boundary < 0:
                notes.skip("compaction of another agent")
                continue
            context_after = tuple(self._context(_request_input(request or {}, pool), boundary))
            kind = _KINDS.get(coerce_text(event.get("type")), "replace")
            new_messages = tuple(
                message for message in context_after if isinstance(message, Message)
            )
            before, after = (
                number_of(event.get("tokens_before")),
                number_of(event.get("tokens_after")),
            )
            summary = new_messages if kind == "summary" else ()
            yield RecordedCompaction(
                kind=kind,
                boundary=boundary,
                trigger="auto",
                tokens_before=before,
                tokens_after=after,
                summary=summary,
                context_after=context_after,
            )

    def _answer_index(self, event: Mapping[str, Json]) -> int:
        choices = list_of(nested(event.get("output"), "choices"))
        return self._indices.get(
            _message_key(nested(choices[0], "message") if choices else None), -1
        )

    def _context(self, input_values: Sequence[Json], boundary: int) -> Iterator[int | Message]:
        is_start = True
        for value in input_values:
            index = self._indices.get(_message_key(value), -1)
            if 0 <= index < boundary and _content_key(value) == _content_key(self._values[index]):
                yield index
            elif not (is_start and is_system(value)):
                message = read_message(JsonRecord(0, 0, 0, value), ImportNotes())
                flags = MessageFlag.RECORDED_SUMMARY if index < 0 else self._messages[index].flags
                yield replace(message, sources=(), flags=flags)
            is_start = is_start and is_system(value)


def sample_events(sample: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """Return all events in order; before October 2024 they were in ``transcript``."""
    events = sample.get("events") or nested(sample, "transcript", "events")
    return [event for event in list_of(events) if isinstance(event, dict)]


def offered_tools(events: Sequence[Mapping[str, Json]]) -> Sequence[Json]:
    return list_of(
        next((event.get("tools") for event in events if event.get("event") == "model"), None)
    )


def _request_input(event: Mapping[str, Json], pool: Sequence[Json]) -> Sequence[Json]:
    """Return the input of a request: given in full, or as ranges of the message pool."""
    full_input, ranges = event.get("input"), event.get("input_refs")
    if full_input or not isinstance(ranges, list):
        return list_of(full_input)
    pairs = (pair for pair in ranges if isinstance(pair, list) and len(pair) == 2)
    index_ranges = [
        (start, end) for start, end in pairs if isinstance(start, int) and isinstance(end, int)
    ]
    return [message for start, end in index_ranges for message in pool[start:end]]


def _message_key(value: Json) -> str:
    return string_of(nested(value, "id")) or _content_key(value)


def _content_key(value: Json) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    names = ("role", "content", "tool_calls", "tool_call_id")
    return json.dumps([value.get(name) for name in names], sort_keys=True)


def _usage(value: Json) -> tuple[int | None, int | None]:
    """Return tokens of request and answer. Cached tokens are reported inside or beside the input,
    depending on the provider; the total decides."""
    usage = fields_of(value)
    total, output = number_of(usage.get("total_tokens")), number_of(usage.get("output_tokens"))
    if total is not None and output is not None:
        return total - output, output
    names = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
    return sum_of(*map(usage.get, names)), output

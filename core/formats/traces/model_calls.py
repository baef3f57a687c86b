"""Conversations from the calls of a model that a trace recorded: each repeats the prompt of the one before.

What is new in a prompt is a message of the conversation. A prompt that no longer begins like the one before
shows a compaction: what was not in it before is the summary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import read_block
from core.formats.common.document import OpenedDocument
from core.formats.common.format import ReadRequest
from core.formats.common.json_access import (
    coerce_text,
    content_parts,
    fields_of,
    list_of,
    nested,
    string_of,
)
from core.formats.common.json_parsing import JsonRecord, json_or_text
from core.formats.common.message_lists import check_number, first_words, numbered
from core.formats.common.messages import ImportNotes, langchain_fields
from core.formats.common.session_log import SessionLog, object_log
from core.formats.common.stored_sessions import stored_document, with_outer_notes
from core.formats.openai_chat.messages import ROLES, read_call, read_part
from core.transcript.model import (
    Block,
    Conversation,
    ListedConversation,
    Message,
    MessageFlag,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_LANGCHAIN_ROLES = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}
_ANTHROPIC_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document")


@dataclass(frozen=True, slots=True)
class TracedCall:
    """A call of a model, or of a tool where no call of a model has messages (then only ``outputs``).
    ``group`` is the conversation; ``time`` sorts as text or number of its source."""

    group: str
    time: Json
    inputs: Sequence[Json] = ()
    outputs: Sequence[Json] = ()
    model: str = ""
    context: int | None = None
    output_tokens: int | None = None
    tools: Sequence[Json] = ()
    is_sub_agent: bool = False
    is_tool: bool = False


def read_calls(
    opened: OpenedDocument, request: ReadRequest, format: str, calls: Iterable[TracedCall], notes: ImportNotes
) -> Conversation:
    """Return one conversation of a trace; those of sub-agents are listed last."""
    groups: dict[str, list[TracedCall]] = {}
    for call in calls:
        groups.setdefault(call.group, []).append(call)
    ordered = sorted(groups.items(), key=lambda item: item[1][0].is_sub_agent)
    check_number(opened.document.name, request.conversation, max(1, len(ordered)))
    group, chosen = ordered[request.conversation - 1] if ordered else ("", [])
    spoken = [call for call in chosen if call.inputs or (call.outputs and not call.is_tool)]
    records = _records(spoken or chosen)
    tools = next((call.tools for call in reversed(chosen) if call.tools), ())
    inner, _ = stored_document(opened.document, {"id": group, "tools": list(tools)}, "messages", records)
    conversation = _read_records(inner, request, format)
    listed = tuple(
        ListedConversation(number, first_words(name), None, "sub-agent" if own[0].is_sub_agent else "")
        for number, (name, own) in enumerate(ordered, 1)
    )
    joined_report = with_outer_notes(conversation.report, notes.report())
    return numbered(replace(conversation, report=joined_report), request.conversation, listed)


def _records(calls: Sequence[TracedCall]) -> list[Json]:
    """Return messages with the time and usage of the call that they ended, and compactions."""
    records: list[Json] = []
    context: list[tuple[Json, int]] = []  # identities of the messages of the last prompt, their records
    for call in calls:
        inputs = [message for value in call.inputs for message in _split(value)]
        keys = [_identity(message) for message in inputs]
        old_keys = [key for key, _ in context]
        if context and call.inputs and keys[: len(old_keys)] != old_keys:
            places = dict(context)
            shared = 0
            while shared < min(len(keys), len(old_keys)) and keys[shared] == old_keys[shared]:
                shared += 1
            is_shorter = len(keys) < len(old_keys) or shared == 0
            if is_shorter or any(key in places for key in keys[shared:]):
                new = [m for m, key in zip(inputs, keys, strict=True) if key not in places]
                kept = [places[key] for key in keys if key in places]
                records.append({"compaction": new, "kept": kept, "before": call.context, "time": call.time})
                context = [(key, places.get(key, len(records) - 1)) for key in keys]
            else:
                context = context[:shared]
        for message, key in zip(inputs[len(context) :], keys[len(context) :], strict=True):
            context.append((key, len(records)))
            records.append({"message": message, "time": call.time})
        usage = {"context": call.context, "output": call.output_tokens, "model": call.model}
        for message in (message for value in call.outputs for message in _split(value)):
            context.append((_identity(message), len(records)))
            records.append({"message": message, "time": call.time, "usage": usage})
            usage = {"model": call.model}
    return records


def _split(value: Json) -> list[Json]:
    """Return a message; of a list of lists, as LangSmith has it, each one."""
    if isinstance(value, list):
        return [message for item in value for message in _split(item)]
    return [value] if isinstance(value, dict) else [{"role": "user", "content": coerce_text(value)}]


def _identity(message: Json) -> str:
    """Return what makes a message the same in two prompts: its role, words, calls and results."""
    speaker, blocks = read_message(message, ImportNotes(), 0)
    parts = [str(speaker)]
    for block in blocks:
        if isinstance(block, ToolCall):
            parts.append(f"call {block.id} {block.name}")
        elif isinstance(block, ToolResponse):
            parts.append(f"result {block.call_id}")
        elif not isinstance(block, Thinking):
            parts.append(getattr(block, "text", "").strip())
    return "\n".join(filter(None, parts))


def _read_records(opened: OpenedDocument, request: ReadRequest, format: str) -> Conversation:
    log = object_log(opened, replace(request, conversation=1), "messages")
    log.tools = list_of(log.fields.get("tools"))
    places: list[list[int]] = []  # for each record its messages
    for record in log.records:
        start = len(log.messages)
        if "compaction" in record.value:
            _add_compaction(record, log, places)
        else:
            _add_message(record, log)
        places.append([*range(start, len(log.messages))])
    return log.conversation(format, opened)


def _add_message(record: JsonRecord, log: SessionLog) -> None:
    speaker, blocks = read_message(record.value.get("message"), log.notes, record.line)
    if speaker is Speaker.SYSTEM and not log.messages:
        log.add_system(record, *(block.text for block in blocks if isinstance(block, Text)))
        return
    log.add(record, speaker, blocks, time=record.value.get("time"))
    usage = fields_of(record.value.get("usage"))
    log.model = string_of(usage.get("model")) or log.model
    log.report(usage.get("context"), usage.get("output"), string_of(usage.get("model")))


def _add_compaction(record: JsonRecord, log: SessionLog, places: Sequence[Sequence[int]]) -> None:
    kept = [index for place in list_of(record.value.get("kept")) for index in places[place]]
    log.compact(record, kept=sorted(dict.fromkeys(kept)))
    new = [read_message(message, log.notes, record.line) for message in list_of(record.value["compaction"])]
    summary = tuple(
        Message(speaker, blocks, (record.source(),), MessageFlag.RECORDED_SUMMARY)
        for speaker, blocks in new
        if speaker is not Speaker.SYSTEM
    )
    log.recorded[-1] = replace(log.recorded[-1], summary=summary)


def read_message(value: Json, notes: ImportNotes, line: int) -> tuple[Speaker, tuple[Block, ...]]:
    """Read a message of OpenTelemetry (parts), OpenAI, Anthropic or LangChain."""
    fields = fields_of(value)
    if "role" not in fields and (langchain := langchain_fields(value)):
        fields = {**langchain, "role": _LANGCHAIN_ROLES.get(langchain["type"], "user")}
    speaker = ROLES.get(string_of(fields.get("role")), Speaker.UNKNOWN)
    content = fields.get("parts", fields.get("content", fields.get("contents")))
    if speaker is Speaker.TOOL and "parts" not in fields:
        name, id_ = coerce_text(fields.get("name")), coerce_text(fields.get("tool_call_id", fields.get("id")))
        return speaker, (ToolResponse(id_, name, "" if content is None else content),)
    blocks = [_part(part, notes, line) for part in content_parts(content or None)]
    for call in list_of(fields.get("tool_calls")):
        call = fields_of(nested(call, "tool_call") or call)
        if "function" in call:
            blocks.append(read_call(call, notes, line))
        else:
            arguments = call.get("args", call.get("arguments", {}))
            id_, name = coerce_text(call.get("id")), coerce_text(call.get("name"))
            blocks.append(ToolCall(id_, name, json_or_text(arguments)))
    is_result = bool(blocks) and all(isinstance(block, ToolResponse) for block in blocks)
    if speaker is Speaker.HUMAN and is_result:
        speaker = Speaker.TOOL
    return speaker, tuple(blocks)


def _part(part: Json, notes: ImportNotes, line: int) -> Block:
    fields = fields_of(nested(part, "message_content") or part)
    kind, content = string_of(fields.get("type")), fields.get("content")
    id_ = coerce_text(fields.get("id"))
    if kind in ("text", "reasoning") and isinstance(content, str):
        return Text(content) if kind == "text" else Thinking(content)
    if kind == "tool_call":
        arguments = fields.get("arguments", fields.get("args", {}))
        return ToolCall(id_, coerce_text(fields.get("name")), json_or_text(arguments))
    if kind == "tool_call_response":
        result = fields.get("response", fields.get("result", ""))
        return ToolResponse(id_, coerce_text(fields.get("name")), result)
    if kind in _ANTHROPIC_BLOCKS:
        return read_block(dict(fields), notes, line)
    return read_part(dict(fields), notes, line) if fields else Opaque("part", part)

"""Reader for UIMessages of the Vercel AI SDK: messages of parts, a call and its result in one part.

A message of several steps becomes an ai and a tool message for each (formats.md section 26).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import other_fields, text_of
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.message_lists import conversation_records, detection_sample
from core.formats.common.tool_linking import link_calls
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    Message,
    MessageFlag,
    Opaque,
    Source,
    Speaker,
    SystemPart,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_KEYS = ("messages",)
_SPEAKERS: Mapping[Json, Speaker] = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "system": Speaker.SYSTEM,
}
_OWN_PARTS = ("step-start", "dynamic-tool", "tool-invocation", "source-url", "source-document")
_CALL_FIELDS = ("type", "toolCallId", "toolName", "input", "output", "errorText")
_DENIED = "The person denied the call."


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by roles with typed parts; parts of tools and steps are specific to this format."""
    sample = detection_sample(opened, _KEYS)
    messages = [value for value in sample.records if _is_message(value)]
    if not messages:
        return 0.0, ""
    share = len(messages) / len(sample.records)
    why = f"role and parts in {len(messages)} of {len(sample.records)} {sample.unit}"
    signs = sorted({part["type"] for value in messages for part in value["parts"] if _is_sign(part)})
    return (0.97 * share, f"{why}, {signs[0]}") if signs else (0.85 * share, why)


def _is_message(value: Json) -> bool:
    if not isinstance(value, dict) or value.get("role") not in ("user", "assistant", "system"):
        return False
    parts = value.get("parts")
    return isinstance(parts, list) and all(
        isinstance(part, dict) and isinstance(part.get("type"), str) for part in parts
    )


def _is_sign(part: Mapping[str, Json]) -> bool:
    return part["type"] in _OWN_PARTS or (part["type"].startswith("tool-") and "toolCallId" in part)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Leading system messages become the system part. Raises InputError."""
    notes = ImportNotes()
    raw = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(raw.records)
    messages: list[Message] = []
    texts: list[str] = []
    system: list[list[int]] = []
    for record in raw.records:
        of_record = list(_messages(record, notes))
        if not messages and of_record and of_record[0].speaker is Speaker.SYSTEM:
            texts.append("\n".join(block.text for block in of_record[0].blocks if isinstance(block, Text)))
            system.append([record.line, record.start, record.end])
        else:
            messages += of_record
    return Conversation(
        "ai_sdk",
        opened.document,
        link_calls(messages, notes),
        SystemPart(tuple(texts)),
        report=notes.report(),
        model=text_of(raw.fields.get("model")),
        session_id=text_of(raw.fields.get("id") or raw.fields.get("chatId")),
        number=raw.number,
        siblings=raw.siblings,
        listed=raw.listed,
        title=text_of(raw.fields.get("title")),
        layout={**raw.layout, "system": system},
    )


def _messages(record: JsonRecord, notes: ImportNotes) -> Iterator[Message]:
    value = record.value
    source = Source(record.line, record.start, record.end)
    parts = value.get("parts") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(parts, list):
        notes.warn(record.line, "a message has no list of parts; kept as it is")
        yield Message(Speaker.UNKNOWN, (Opaque("message", value),), (source,), MessageFlag.OPAQUE)
        return
    role = value.get("role")
    speaker = _SPEAKERS.get(role) if isinstance(role, str) else None
    if speaker is None:
        notes.warn(record.line, f"the role {str(role)[:40]!r} is not known; kept as unknown")
    extra = other_fields(value, ("id", "role", "parts"))
    place = 0
    for spoken, answers in _steps(parts) if speaker is Speaker.AI else [([*map(_block, parts)], [])]:
        for who, blocks in ((speaker or Speaker.UNKNOWN, spoken), (Speaker.TOOL, answers)):
            if blocks or (not place and not answers):
                opaque = (
                    MessageFlag.OPAQUE
                    if any(isinstance(block, Opaque) for block in blocks)
                    else MessageFlag.NONE
                )
                at = (Source(source.line, source.start, source.end, place),)
                yield Message(who, tuple(blocks), at, opaque, text_of(value.get("id")), "", extra)
                place += 1


_Step = tuple[list[Block], list[Block]]


def _steps(parts: Sequence[Json]) -> list[_Step]:
    """Return the model's blocks and the tools' answers for each step.

    A new step begins at its mark, and when the model speaks again after a tool.
    """
    steps: list[_Step] = [([], [])]
    for part in parts:
        tool = _tool(part)
        marks = isinstance(part, dict) and part.get("type") == "step-start"
        if marks or (tool is None and _has_call(steps[-1])):
            steps.append(([], []))
        if marks:
            continue
        if tool is None:
            steps[-1][0].append(_block(part))
        else:
            call, answer = tool
            steps[-1][0].append(call)
            steps[-1][1].extend(() if answer is None else (answer,))
    return [step for step in steps if step[0]] or steps[:1]


def _has_call(step: _Step) -> bool:
    return any(isinstance(block, ToolCall) for block in step[0])


def _tool(part: Json) -> tuple[ToolCall, ToolResponse | None] | None:
    """Return the call of a tool part and its answer, if it has one; None for other parts."""
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "tool-invocation" and isinstance(part.get("toolInvocation"), dict):
        return _invocation(part["toolInvocation"])
    if kind != "dynamic-tool" and not (isinstance(kind, str) and kind.startswith("tool-")):
        return None
    id_ = text_of(part.get("toolCallId"))
    name = text_of(part.get("toolName")) if kind == "dynamic-tool" else kind.removeprefix("tool-")
    given = part.get("input", part.get("rawInput", {}))
    return ToolCall(id_, name, given, other_fields(part, _CALL_FIELDS)), _outcome(part, id_, name)


def _outcome(part: Mapping[str, Json], id_: str, name: str) -> ToolResponse | None:
    state = part.get("state")
    if state == "output-available":
        return ToolResponse(id_, name, part.get("output"))
    if state == "output-error":
        text = text_of(part.get("errorText"))
        return ToolResponse(id_, name, text, text or "error")
    if state == "output-denied":
        approval = part.get("approval")
        reason = text_of(approval.get("reason")) if isinstance(approval, dict) else ""
        return ToolResponse(id_, name, reason or _DENIED, reason or _DENIED)
    return None


def _invocation(value: Mapping[str, Json]) -> tuple[ToolCall, ToolResponse | None]:
    """Read a tool part of version 4 of the SDK."""
    id_, name = text_of(value.get("toolCallId")), text_of(value.get("toolName"))
    call = ToolCall(
        id_, name, value.get("args", {}), other_fields(value, ("toolCallId", "toolName", "args", "result"))
    )
    return call, ToolResponse(id_, name, value.get("result")) if value.get("state") == "result" else None


def _block(part: Json) -> Block:
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(part, dict):
        return Opaque("unknown", part)
    if kind == "text" and isinstance(part.get("text"), str):
        return Text(part["text"], other_fields(part, ("type", "text")))
    if kind == "reasoning":
        name = "text" if isinstance(part.get("text"), str) else "reasoning"
        if isinstance(part.get(name), str):
            return Thinking(part[name], other_fields(part, ("type", name)))
    url = part.get("url", part.get("data", MISSING))
    if kind == "file" and isinstance(url, str):
        mime = part.get("mediaType", part.get("mimeType"))
        extra = other_fields(part, ("type", "url", "data", "mediaType", "mimeType", "filename"))
        return Media(text_of(mime), url, text_of(part.get("filename")), extra)
    return Opaque(text_of(kind) or "unknown", part)


AI_SDK = Format(
    "ai_sdk",
    "Vercel AI SDK",
    "Messages of parts as apps with the AI SDK store them, a call and its result in one part.",
    score,
    read,
    real_file_seen=False,
)

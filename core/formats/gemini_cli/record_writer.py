"""Builds records of a Gemini CLI session; an answer with its calls and results is one record."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import Json
from core.formats.gemini.parts import part_json, parts_json, response_json
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import fields_without_notes
from core.formats.writing.raw_json import deterministic_uuid, dump_json
from core.transcript.model import Block, Message, Speaker, Thinking, ToolCall, ToolResponse, tool_calls
from core.transcript.tool_outcomes import is_failed_result

NO_TIME = "1970-01-01T00:00:00.000Z"
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "foldline:gemini_cli")
_DISPLAY_FIELD = "resultDisplay"


@dataclass(frozen=True, slots=True)
class GeminiRecordContext:
    """Values for one record. ``same_format``: its message was such a record; ``from_gemini``: its blocks were
    Gemini's."""

    session_id: str
    model: str
    losses: ExportLosses
    time: str = NO_TIME
    index: int = 0
    same_format: bool = False
    from_gemini: bool = False

    def parts(self, blocks: Iterable[Block]) -> list[Json]:
        return parts_json(blocks, same_format=self.from_gemini, losses=self.losses)


@dataclass(frozen=True, slots=True)
class GeminiToolResponse:
    """The response to a call, the blocks after it, and whether it is unchanged."""

    response: ToolResponse
    other_blocks: tuple[Block, ...] = ()
    unchanged: bool = False
    time: str = ""


def new_record_id(namespace: str, index: int, value: Json) -> str:
    digest = hashlib.sha256(dump_json(value)).hexdigest()
    return str(deterministic_uuid(_NAMESPACE, f"{namespace}/{index}/{digest}"))


def model_record(
    message: Message, answers: Mapping[str, GeminiToolResponse], context: GeminiRecordContext
) -> dict[str, Json]:
    """Build the record of an answer."""
    content = context.parts(b for b in message.blocks if not isinstance(b, Thinking | ToolCall))
    fields: dict[str, Json] = {
        "type": "gemini",
        "content": _content(message, content, context.same_format, is_answer=True),
    }
    time = message.timestamp or context.time
    thoughts = [_thought(block, time) for block in message.blocks if isinstance(block, Thinking)]
    calls = [_call(call, answers.get(call.id), time, context) for call in tool_calls(message)]
    fields |= {"thoughts": thoughts} if thoughts else {}
    fields |= {"toolCalls": calls} if calls else {}
    if not context.same_format and context.model:
        fields["model"] = context.model
    return _record(message, fields, context)


def user_record(messages: Sequence[Message], context: GeminiRecordContext) -> dict[str, Json] | None:
    """Return the record of the user's words and of results without a call; None if nothing is left."""
    parts = [part for message in messages for part in context.parts(message.blocks)]
    if not parts and not context.same_format:
        context.losses.count_left_out("message without content")
        return None
    first = messages[0]
    if first.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
        context.losses.count_changed(f"{first.speaker.value} message as user")
    content = _content(first, parts, context.same_format, is_answer=False)
    return _record(first, {"type": "user", "content": content}, context)


def _record(message: Message, fields: dict[str, Json], context: GeminiRecordContext) -> dict[str, Json]:
    time = message.timestamp or context.time
    if not context.same_format:
        return {"id": new_record_id(context.session_id, context.index, fields), "timestamp": time, **fields}
    if message.extra.get("$content") == "absent" and not fields["content"]:
        del fields["content"]
    named = {key: value for key, value in (("id", message.id), ("timestamp", time)) if value}
    return {**named, **fields, **fields_without_notes(message.extra)}


def _content(message: Message, parts: list[Json], same_format: bool, *, is_answer: bool) -> Json:
    """Return parts, or a text if the source had one; new answers are text, as the agent writes them."""
    content_form = message.extra.get("$content") if same_format else "string" if is_answer else None
    if content_form == "null" and not parts:
        return None
    texts = [text for text in map(_plain_text, parts) if text is not None]
    if content_form is not None and (same_format or len(parts) < 2) and len(texts) == len(parts):
        return "".join(texts)
    return parts


def _plain_text(part: Json) -> str | None:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) and len(part) == 1 else None
    return text if isinstance(text, str) else None


def _thought(block: Thinking, time: str) -> Json:
    original = block.extra.get("$thought")
    return original if original is not None else {"subject": "", "description": block.text, "timestamp": time}


def _call(call: ToolCall, answer: GeminiToolResponse | None, time: str, context: GeminiRecordContext) -> Json:
    value: dict[str, Json] = {"id": call.id, "name": call.name, "args": call.arguments}
    if not context.same_format:
        part = part_json(call, same_format=context.from_gemini, losses=context.losses)[0]
        value["args"] = part["functionCall"]["args"]
        has_failed = answer is not None and is_failed_result(answer.response)
        state = {
            "status": "error" if has_failed else "success" if answer else "cancelled",
            "timestamp": (answer.time if answer else "") or time,
        }
        return {**value, **({"result": _result(answer, context)} if answer else {}), **state}
    if call.extra.get("$made_id"):
        del value["id"]
    source_fields = fields_without_notes(call.extra)
    if answer is not None:
        value["result"] = _result(answer, context)
    if answer is None or not answer.unchanged:
        source_fields.pop(_DISPLAY_FIELD, None)  # it shows what was removed
    return {**value, **source_fields}


def _result(answer: GeminiToolResponse, context: GeminiRecordContext) -> Json:
    response, other_parts = answer.response, context.parts(answer.other_blocks)
    if not context.same_format:
        return [*context.parts([response]), *other_parts]
    result_form = response.extra.get("$result")
    if result_form is not None and isinstance(response.result, str):
        is_string = result_form == "string" and not other_parts
        return response.result if is_string else [{"text": response.result}, *other_parts]
    return [{"functionResponse": response_json(response, same_format=True)}, *other_parts]


def responses_by_call(message: Message, unchanged: Sequence[Block]) -> dict[str, GeminiToolResponse]:
    """Return the responses of a tool message by call, each with the media and text after it.

    ``unchanged`` are blocks that equal those of the source.
    """
    answers: dict[str, GeminiToolResponse] = {}
    last_call_id = ""
    for block in message.blocks:
        if isinstance(block, ToolResponse):
            last_call_id = block.call_id
            is_unchanged = any(block is earlier or block == earlier for earlier in unchanged)
            answers.setdefault(last_call_id, GeminiToolResponse(block, (), is_unchanged, message.timestamp))
        elif last_call_id:
            earlier = answers[last_call_id]
            answers[last_call_id] = replace(earlier, other_blocks=(*earlier.other_blocks, block))
    return answers

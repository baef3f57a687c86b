"""Builds records of a Gemini CLI session; an answer with its calls and results is one record."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import Json
from core.formats.gemini.part_writer import part_json, parts_json, response_json
from core.formats.writing.base import ExportLosses
from core.formats.writing.made_ids import made_uuid
from core.formats.writing.plain_text import own_fields
from core.formats.writing.raw_json import dump_json
from core.transcript.model import Block, Message, Speaker, Thinking, ToolCall, ToolResponse
from core.transcript.tool_outcomes import is_failed_result

NO_TIME = "1970-01-01T00:00:00.000Z"
_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "foldline:gemini_cli")
_DISPLAY = "resultDisplay"


@dataclass(frozen=True, slots=True)
class GeminiRecordContext:
    session_id: str
    model: str
    time: str = NO_TIME


@dataclass(frozen=True, slots=True)
class GeminiToolResponse:
    """The response to a call, the blocks after it, and whether it is unchanged."""

    response: ToolResponse
    other_blocks: tuple[Block, ...] = ()
    unchanged: bool = False
    time: str = ""


def fresh_id(space: str, place: int, value: Json) -> str:
    digest = hashlib.sha256(dump_json(value)).hexdigest()
    return str(made_uuid(_SPACE, f"{space}/{place}/{digest}"))


def model_record(
    message: Message,
    answers: Mapping[str, GeminiToolResponse],
    context: GeminiRecordContext,
    place: int,
    *,
    same: bool,
    shaped: bool,
    losses: ExportLosses,
) -> dict[str, Json]:
    """Build the record of an answer. ``same``: it was such a record; ``shaped``: its blocks were Gemini's."""
    spoken = [block for block in message.blocks if not isinstance(block, Thinking | ToolCall)]
    content = parts_json(spoken, same=shaped, losses=losses)
    own: dict[str, Json] = {"type": "gemini", "content": _content(message, content, same, ai=True)}
    time = message.timestamp or context.time
    thoughts = [_thought(block, time) for block in message.blocks if isinstance(block, Thinking)]
    calls = [block for block in message.blocks if isinstance(block, ToolCall)]
    if thoughts:
        own["thoughts"] = thoughts
    if calls:
        own["toolCalls"] = [
            _call(call, answers.get(call.id), time, same=same, shaped=shaped, losses=losses) for call in calls
        ]
    if not same and context.model:
        own["model"] = context.model
    return _record(message, own, context, place, same)


def user_record(
    messages: Sequence[Message],
    context: GeminiRecordContext,
    place: int,
    *,
    same: bool,
    shaped: bool,
    losses: ExportLosses,
) -> dict[str, Json] | None:
    """Return the record of the user's words and of results without a call; None if nothing is left."""
    parts = [part for m in messages for part in parts_json(m.blocks, same=shaped, losses=losses)]
    if not parts and not same:
        losses.leave_out("message without content")
        return None
    head = messages[0]
    if head.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
        losses.change(f"{head.speaker.value} message as user")
    own: dict[str, Json] = {"type": "user", "content": _content(head, parts, same, ai=False)}
    return _record(head, own, context, place, same)


def _record(
    message: Message, own: dict[str, Json], context: GeminiRecordContext, place: int, same: bool
) -> dict[str, Json]:
    time = message.timestamp or context.time
    if not same:
        return {"id": fresh_id(context.session_id, place, own), "timestamp": time, **own}
    if message.extra.get("$content") == "absent" and not own["content"]:
        del own["content"]
    head = {"id": message.id, "timestamp": time}
    return {key: value for key, value in head.items() if value} | own | own_fields(message.extra)


def _content(message: Message, parts: list[Json], same: bool, *, ai: bool) -> Json:
    """Return parts, or a text if the source had one; new answers are text, as the agent writes them."""
    note = message.extra.get("$content") if same else "string" if ai else None
    if note == "null" and not parts:
        return None
    texts = [_plain(part) for part in parts]
    if note is not None and (same or len(parts) < 2) and all(text is not None for text in texts):
        return "".join(text for text in texts if text is not None)
    return parts


def _plain(part: Json) -> str | None:
    if isinstance(part, str):
        return part
    only = part.get("text") if isinstance(part, dict) and len(part) == 1 else None
    return only if isinstance(only, str) else None


def _thought(block: Thinking, time: str) -> Json:
    known = block.extra.get("$thought")
    return known if known is not None else {"subject": "", "description": block.text, "timestamp": time}


def _call(
    call: ToolCall,
    answer: GeminiToolResponse | None,
    time: str,
    *,
    same: bool,
    shaped: bool,
    losses: ExportLosses,
) -> Json:
    value: dict[str, Json] = {"id": call.id, "name": call.name, "args": call.arguments}
    if not same:
        part = part_json(call, same=shaped, losses=losses)[0]
        value["args"] = part["functionCall"]["args"]
    if same and call.extra.get("$made_id"):
        del value["id"]
    if answer is not None:
        value["result"] = _result(answer, same=same, shaped=shaped, losses=losses)
    if same:
        source_fields = own_fields(call.extra)
        if answer is None or not answer.unchanged:
            source_fields.pop(_DISPLAY, None)  # it shows what was removed
        return {**value, **source_fields}
    has_failed = answer is not None and is_failed_result(answer.response)
    status = "error" if has_failed else "success" if answer else "cancelled"
    return {**value, "status": status, "timestamp": (answer.time if answer else "") or time}


def _result(answer: GeminiToolResponse, *, same: bool, shaped: bool, losses: ExportLosses) -> Json:
    beside = parts_json(answer.other_blocks, same=shaped, losses=losses)
    result_form = answer.response.extra.get("$result") if same else None
    if result_form is not None and isinstance(answer.response.result, str):
        text = answer.response.result
        return text if result_form == "string" and not beside else [{"text": text}, *beside]
    if same:
        return [{"functionResponse": response_json(answer.response, same=True)}, *beside]
    return [*part_json(answer.response, same=shaped, losses=losses), *beside]


def answers_of(message: Message, unchanged: Sequence[Block]) -> dict[str, GeminiToolResponse]:
    """Return the responses of a tool message by call, each with the media and text after it.

    ``unchanged`` are blocks that equal those of the source.
    """
    answers: dict[str, GeminiToolResponse] = {}
    last = ""
    for block in message.blocks:
        if isinstance(block, ToolResponse):
            last = block.call_id
            same = any(block is one or block == one for one in unchanged)
            answers.setdefault(last, GeminiToolResponse(block, (), same, message.timestamp))
        elif last:
            one = answers[last]
            answers[last] = replace(one, other_blocks=(*one.other_blocks, block))
    return answers

"""Records of a Gemini CLI session as text: an answer with its calls and their results is one record."""

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
    """What new records take over: the session's id, a model, and the time of the record before."""

    session_id: str
    model: str
    time: str = NO_TIME


@dataclass(frozen=True, slots=True)
class GeminiToolResponse:
    """The response to a call, what came beside it, and whether it is as it was."""

    response: ToolResponse
    beside: tuple[Block, ...] = ()
    unchanged: bool = False
    time: str = ""


def fresh_id(space: str, place: int, value: Json) -> str:
    """A uuid that is the same each time: made from a session, a place and a content."""
    digest = hashlib.sha256(dump_json(value)).hexdigest()
    return str(made_uuid(_SPACE, f"{space}/{place}/{digest}"))


def model_record(
    message: Message,
    answers: Mapping[str, GeminiToolResponse],
    around: GeminiRecordContext,
    place: int,
    *,
    same: bool,
    shaped: bool,
    losses: ExportLosses,
) -> dict[str, Json]:
    """The record of an answer. ``same``: it was such a record; ``shaped``: its blocks were Gemini's."""
    spoken = [block for block in message.blocks if not isinstance(block, Thinking | ToolCall)]
    content = parts_json(spoken, same=shaped, losses=losses)
    own: dict[str, Json] = {"type": "gemini", "content": _content(message, content, same, ai=True)}
    time = message.timestamp or around.time
    thoughts = [_thought(block, time) for block in message.blocks if isinstance(block, Thinking)]
    calls = [block for block in message.blocks if isinstance(block, ToolCall)]
    if thoughts:
        own["thoughts"] = thoughts
    if calls:
        own["toolCalls"] = [
            _call(call, answers.get(call.id), time, same=same, shaped=shaped, losses=losses) for call in calls
        ]
    if not same and around.model:
        own["model"] = around.model
    return _record(message, own, around, place, same)


def user_record(
    messages: Sequence[Message],
    around: GeminiRecordContext,
    place: int,
    *,
    same: bool,
    shaped: bool,
    losses: ExportLosses,
) -> dict[str, Json] | None:
    """The record of what the person said, and of results without a call; None where nothing is left."""
    parts = [part for m in messages for part in parts_json(m.blocks, same=shaped, losses=losses)]
    if not parts and not same:
        losses.leave_out("message without content")
        return None
    head = messages[0]
    if head.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
        losses.change(f"{head.speaker.value} message as user")
    own: dict[str, Json] = {"type": "user", "content": _content(head, parts, same, ai=False)}
    return _record(head, own, around, place, same)


def _record(
    message: Message, own: dict[str, Json], around: GeminiRecordContext, place: int, same: bool
) -> dict[str, Json]:
    time = message.timestamp or around.time
    if not same:
        return {"id": fresh_id(around.session_id, place, own), "timestamp": time, **own}
    if message.extra.get("$content") == "absent" and not own["content"]:
        del own["content"]
    head = {"id": message.id, "timestamp": time}
    return {key: value for key, value in head.items() if value} | own | own_fields(message.extra)


def _content(message: Message, parts: list[Json], same: bool, *, ai: bool) -> Json:
    """Parts, or a text where the source had one; new answers are text as the agent writes them."""
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
        kept = own_fields(call.extra)
        if answer is None or not answer.unchanged:
            kept.pop(_DISPLAY, None)  # it shows what was taken out
        return {**value, **kept}
    wrong = answer is not None and is_failed_result(answer.response)
    status = "error" if wrong else "success" if answer else "cancelled"
    return {**value, "status": status, "timestamp": (answer.time if answer else "") or time}


def _result(answer: GeminiToolResponse, *, same: bool, shaped: bool, losses: ExportLosses) -> Json:
    beside = parts_json(answer.beside, same=shaped, losses=losses)
    held = answer.response.extra.get("$result") if same else None
    if held is not None and isinstance(answer.response.result, str):
        text = answer.response.result
        return text if held == "string" and not beside else [{"text": text}, *beside]
    if same:
        return [{"functionResponse": response_json(answer.response, same=True)}, *beside]
    return [*part_json(answer.response, same=shaped, losses=losses), *beside]


def answers_of(message: Message, unchanged: Sequence[Block]) -> dict[str, GeminiToolResponse]:
    """The responses of a tool message by call, each with the media and text behind it.

    ``unchanged`` are blocks that are as they were in the source.
    """
    found: dict[str, GeminiToolResponse] = {}
    last = ""
    for block in message.blocks:
        if isinstance(block, ToolResponse):
            last = block.call_id
            same = any(block is one or block == one for one in unchanged)
            found.setdefault(last, GeminiToolResponse(block, (), same, message.timestamp))
        elif last:
            one = found[last]
            found[last] = replace(one, beside=(*one.beside, block))
    return found

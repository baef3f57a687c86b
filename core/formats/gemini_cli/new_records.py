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
class GeminiToolResponse:
    """The response to a call, the blocks after it, and whether it is unchanged."""

    response: ToolResponse
    other_blocks: tuple[Block, ...] = ()
    unchanged: bool = False
    time: str = ""


def new_record_id(namespace: str, index: int, value: Json) -> str:
    digest = hashlib.sha256(dump_json(value)).hexdigest()
    return str(deterministic_uuid(_NAMESPACE, f"{namespace}/{index}/{digest}"))


@dataclass(frozen=True, slots=True)
class GeminiRecordBuilder:
    """Builds one record. ``same_format``: its message was such a record; ``from_gemini``: its blocks were
    Gemini's."""

    session_id: str
    model: str
    losses: ExportLosses
    time: str = NO_TIME
    index: int = 0
    same_format: bool = False
    from_gemini: bool = False

    def answer(self, message: Message, responses: Mapping[str, GeminiToolResponse]) -> dict[str, Json]:
        content = self._parts(b for b in message.blocks if not isinstance(b, Thinking | ToolCall))
        fields: dict[str, Json] = {"type": "gemini", "content": self._content(message, content, "string")}
        time = message.timestamp or self.time
        thoughts = [
            block.extra.get("$thought", {"subject": "", "description": block.text, "timestamp": time})
            for block in message.blocks
            if isinstance(block, Thinking)
        ]
        calls = [self._call(call, responses.get(call.id), time) for call in tool_calls(message)]
        fields |= {"thoughts": thoughts} if thoughts else {}
        fields |= {"toolCalls": calls} if calls else {}
        if not self.same_format and self.model:
            fields["model"] = self.model
        return self._record(message, fields)

    def user(self, messages: Sequence[Message]) -> dict[str, Json] | None:
        """Return the record of the user's words and of results without a call; None if nothing is left."""
        parts = [part for message in messages for part in self._parts(message.blocks)]
        if not parts and not self.same_format:
            self.losses.count_left_out("message without content")
            return None
        first = messages[0]
        if first.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
            self.losses.count_changed(f"{first.speaker.value} message as user")
        return self._record(first, {"type": "user", "content": self._content(first, parts, None)})

    def _parts(self, blocks: Iterable[Block]) -> list[Json]:
        return parts_json(blocks, same_format=self.from_gemini, losses=self.losses)

    def _record(self, message: Message, fields: dict[str, Json]) -> dict[str, Json]:
        time = message.timestamp or self.time
        if not self.same_format:
            return {"id": new_record_id(self.session_id, self.index, fields), "timestamp": time, **fields}
        if message.extra.get("$content") == "absent" and not fields["content"]:
            del fields["content"]
        named = {key: value for key, value in (("id", message.id), ("timestamp", time)) if value}
        return {**named, **fields, **fields_without_notes(message.extra)}

    def _content(self, message: Message, parts: list[Json], new_form: str | None) -> Json:
        """Return parts, or a text if the source had one; new answers are text, as the agent writes them."""
        form = message.extra.get("$content") if self.same_format else new_form
        if form == "null" and not parts:
            return None
        texts = [text for text in map(_plain_text, parts) if text is not None]
        is_text = len(texts) == len(parts) and (self.same_format or len(parts) < 2)
        return "".join(texts) if form is not None and is_text else parts

    def _call(self, call: ToolCall, answer: GeminiToolResponse | None, time: str) -> Json:
        value: dict[str, Json] = {"id": call.id, "name": call.name, "args": call.arguments}
        result = {"result": self._result(answer)} if answer else {}
        if not self.same_format:
            part = part_json(call, same_format=self.from_gemini, losses=self.losses)[0]
            value["args"] = part["functionCall"]["args"]
            has_failed = answer is not None and is_failed_result(answer.response)
            status = "error" if has_failed else "success" if answer else "cancelled"
            return {**value, **result, "status": status, "timestamp": (answer.time if answer else "") or time}
        if call.extra.get("$made_id"):
            del value["id"]
        source_fields = fields_without_notes(call.extra)
        if answer is None or not answer.unchanged:
            source_fields.pop(_DISPLAY_FIELD, None)  # it shows what was removed
        return {**value, **result, **source_fields}

    def _result(self, answer: GeminiToolResponse) -> Json:
        response, others = answer.response, self._parts(answer.other_blocks)
        form = response.extra.get("$result")
        if not self.same_format:
            return [*self._parts([response]), *others]
        if form is None or not isinstance(response.result, str):
            return [{"functionResponse": response_json(response, same_format=True)}, *others]
        return response.result if form == "string" and not others else [{"text": response.result}, *others]


def _plain_text(part: Json) -> str | None:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) and len(part) == 1 else None
    return text if isinstance(text, str) else None


def responses_by_call(message: Message, unchanged: Sequence[Block]) -> dict[str, GeminiToolResponse]:
    """Return the responses of a tool message by call, each with the media and text after it.

    ``unchanged`` are blocks that equal those of the source.
    """
    responses: dict[str, GeminiToolResponse] = {}
    last_id = ""
    for block in message.blocks:
        if isinstance(block, ToolResponse):
            last_id = block.call_id
            responses.setdefault(
                last_id, GeminiToolResponse(block, (), block in unchanged, message.timestamp)
            )
        elif last_id:
            earlier = responses[last_id]
            responses[last_id] = replace(earlier, other_blocks=(*earlier.other_blocks, block))
    return responses

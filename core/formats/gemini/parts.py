"""Converts parts of Gemini contents to blocks, for all readers whose records hold such parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields
from core.formats.common.import_notes import ImportNotes
from core.transcript.model import Block, Code, Media, Message, Opaque, Text, Thinking, ToolCall, ToolResponse

_CAMEL_NAMES: Mapping[str, str] = {
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "inline_data": "inlineData",
    "file_data": "fileData",
    "executable_code": "executableCode",
    "code_execution_result": "codeExecutionResult",
    "mime_type": "mimeType",
    "file_uri": "fileUri",
    "display_name": "displayName",
    "thought_signature": "thoughtSignature",
}
"""Names of Python's client, with those of the API and Gemini CLI."""


def read_parts(content: Json, notes: ImportNotes, line: int) -> tuple[Block, ...]:
    """Return the blocks of a text, a part or a list of parts; none for "", null and a missing value."""
    if content is None or content is MISSING or content == "":
        return ()
    if isinstance(content, list):
        return tuple(read_part(part, notes, line) for part in content)
    if isinstance(content, str):
        return (Text(content),)
    return (read_part(content, notes, line),)


def read_part(part: Json, notes: ImportNotes, line: int) -> Block:
    """Convert one part; an unknown one stays whole as Opaque."""
    if isinstance(part, str):
        return Text(part, {"$string": True})
    if not isinstance(part, dict):
        notes.warn(line, "a part is not an object; kept as it is")
        return Opaque("unknown", part)
    if isinstance(part.get("text"), str):
        kind = Thinking if part.get("thought") is True else Text
        return kind(part["text"], other_fields(_camel_case_keys(part), ("text",)))
    camel_fields = _camel_case_keys(part)
    for key, reader in _READERS.items():
        inner = camel_fields.get(key)
        if isinstance(inner, dict):
            block = reader(_camel_case_keys(inner), other_fields(camel_fields, (key,)))
            if block is not None:
                return block
    return Opaque(next((key for key in camel_fields if key != "thoughtSignature"), "unknown"), part)


def read_response(inner: Mapping[str, Json], extra: Mapping[str, Json]) -> ToolResponse:
    """Read a ``functionResponse``; ``$response`` notes the one field of its response with the answer."""
    response = inner.get("response")
    field_name = next(iter(response), "") if isinstance(response, dict) and len(response) == 1 else ""
    source_extra: dict[str, Json] = {}
    result, error = response, MISSING
    if isinstance(response, dict) and field_name in ("output", "error", "result"):
        source_extra["$response"] = field_name
        result = response[field_name]
        error = result if field_name == "error" else MISSING
    source_extra |= _function_extra(inner, ("id", "name", "response"))
    id_, name = coerce_text(inner.get("id")), coerce_text(inner.get("name"))
    return ToolResponse(id_, name, result, error, {**extra, **source_extra})


def link_responses_by_name(messages: Sequence[Message]) -> list[Message]:
    """Give responses without an id that of the first unanswered call of their name."""
    all_blocks = (block for message in messages for block in message.blocks)
    answered_ids = {block.call_id for block in all_blocks if isinstance(block, ToolResponse)} - {""}
    open_call_ids: dict[str, list[str]] = defaultdict(list)
    linked: list[Message] = []
    for message in messages:
        blocks = tuple(_link_response(block, open_call_ids, answered_ids) for block in message.blocks)
        linked.append(message if blocks == message.blocks else replace(message, blocks=blocks))
    return linked


def _link_response(block: Block, open_call_ids: Mapping[str, list[str]], answered_ids: Set[str]) -> Block:
    if isinstance(block, ToolCall) and block.id not in answered_ids:
        open_call_ids[block.name].append(block.id)
    elif isinstance(block, ToolResponse) and not block.call_id and open_call_ids[block.name]:
        id_ = open_call_ids[block.name].pop(0)
        return replace(block, call_id=id_, extra={**block.extra, "$made_id": True}) if id_ else block
    return block


def _camel_case_keys(value: Mapping[str, Json]) -> Mapping[str, Json]:
    if not any(key in _CAMEL_NAMES for key in value):
        return value
    return {_CAMEL_NAMES.get(key, key): item for key, item in value.items()}


def _function_extra(inner: Mapping[str, Json], known: Sequence[str]) -> dict[str, Json]:
    others = other_fields(inner, known)
    return {"$function": dict(others)} if others else {}


def _call(inner: Mapping[str, Json], extra: Mapping[str, Json]) -> Block:
    function_extra = _function_extra(inner, ("id", "name", "args"))
    arguments = inner.get("args", {})
    return ToolCall(
        coerce_text(inner.get("id")), coerce_text(inner.get("name")), arguments, {**extra, **function_extra}
    )


def _media(field: str, source: str) -> Callable[[Mapping[str, Json], Mapping[str, Json]], Block | None]:
    def read(inner: Mapping[str, Json], extra: Mapping[str, Json]) -> Block | None:
        data = inner.get(field)
        if not isinstance(data, str):
            return None
        mime, caption = inner.get("mimeType"), inner.get("displayName")
        source_extra = _source_extra(source, inner, (field, "mimeType", "displayName"))
        return Media(coerce_text(mime), data, coerce_text(caption), {**extra, **source_extra})

    return read


def _code(inner: Mapping[str, Json], extra: Mapping[str, Json]) -> Block | None:
    if not isinstance(inner.get("code"), str):
        return None
    source_extra = _source_extra("executableCode", inner, ("code", "language"))
    return Code(inner["code"], coerce_text(inner.get("language")), {**extra, **source_extra})


def _code_output(inner: Mapping[str, Json], extra: Mapping[str, Json]) -> Block | None:
    if not isinstance(inner.get("output"), str):
        return None
    return Text(inner["output"], {**extra, **_source_extra("codeExecutionResult", inner, ("output",))})


def _source_extra(name: str, inner: Mapping[str, Json], known: Sequence[str]) -> dict[str, Json]:
    others = other_fields(inner, known)
    return {"$source": name, **({"$source_extra": dict(others)} if others else {})}


_READERS: Mapping[str, Callable[[Mapping[str, Json], Mapping[str, Json]], Block | None]] = {
    "functionCall": _call,
    "functionResponse": read_response,
    "inlineData": _media("data", "inlineData"),
    "fileData": _media("fileUri", "fileData"),
    "executableCode": _code,
    "codeExecutionResult": _code_output,
}

"""Reads and writes parts of Gemini contents, for all formats whose records hold such parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.common.json_parsing import coerce_text, other_fields
from core.formats.common.messages import ImportNotes, bare_part
from core.formats.writing.exporter import ExportLosses
from core.formats.writing.plain_text import (
    code_text,
    count_error_losses,
    fields_without_notes,
    object_arguments,
    result_as_text,
    result_media,
    split_data_url,
)
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import answer_text

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
    """Return the blocks of a text, a part or a list of parts; none for "", null and a missing
    value."""
    # Probably an answer with calls alone is stored in any of these ways.
    if content is None or content is MISSING or content == "":
        return ()
    if isinstance(content, list):
        return tuple(read_part(part, notes, line) for part in content)
    if isinstance(content, str):
        return (Text(content),)
    return (read_part(content, notes, line),)


def read_part(part: Json, notes: ImportNotes, line: int) -> Block:
    """Convert one part; an unknown one stays whole as Opaque."""
    if not isinstance(part, dict):
        return bare_part(part, notes, line, "part")
    # A thought is a text part with a mark, so text is looked for before all other kinds.
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
    # A signature stands beside the part; it does not name its kind.
    return Opaque(
        next((key for key in camel_fields if key != "thoughtSignature"), "unknown"),
        part,
    )


def read_response(inner: Mapping[str, Json], extra: Mapping[str, Json]) -> ToolResponse:
    """Read a ``functionResponse``; ``$response`` notes the one field of its response with the
    answer."""
    response = inner.get("response")
    if isinstance(response, dict) and len(response) == 1:
        field_name = next(iter(response), "")
    else:
        field_name = ""
    source_extra: dict[str, Json] = {}
    result, error = response, MISSING
    # The API gives output and error a meaning; clients wrap a plain text as result.
    if isinstance(response, dict) and field_name in ("output", "error", "result"):
        source_extra["$response"] = field_name
        result = response[field_name]
        error = result if field_name == "error" else MISSING
    source_extra |= _function_extra(inner, ("id", "name", "response"))
    id_ = coerce_text(inner.get("id"))
    name = coerce_text(inner.get("name"))
    return ToolResponse(id_, name, result, error, {**extra, **source_extra})


def link_responses_by_name(messages: Sequence[Message]) -> list[Message]:
    """Give responses without an id that of the first unanswered call of their name."""
    all_blocks = (block for message in messages for block in message.blocks)
    answered_ids = {
        block.call_id for block in all_blocks if isinstance(block, ToolResponse)
    } - {""}
    # Calls have no id in older versions of the API, so only names link them.
    open_call_ids: dict[str, list[str]] = defaultdict(list)
    linked: list[Message] = []
    for message in messages:
        blocks = tuple(
            _link_response(block, open_call_ids, answered_ids)
            for block in message.blocks
        )
        linked.append(
            message if blocks == message.blocks else replace(message, blocks=blocks)
        )
    return linked


def _link_response(
    block: Block, open_call_ids: Mapping[str, list[str]], answered_ids: Set[str]
) -> Block:
    if isinstance(block, ToolCall) and block.id not in answered_ids:
        open_call_ids[block.name].append(block.id)
    elif (
        isinstance(block, ToolResponse)
        and not block.call_id
        and open_call_ids[block.name]
    ):
        id_ = open_call_ids[block.name].pop(0)
        if id_:
            return replace(block, call_id=id_, extra={**block.extra, "$made_id": True})
        return block
    return block


def camel_case(content: Json) -> Json:
    """Return a content with the names of the API in its parts; the API takes those of Python's
    client as well."""
    if not isinstance(content, dict) or not isinstance(content.get("parts"), list):
        return content
    return {**content, "parts": [_camel_case_part(part) for part in content["parts"]]}


def _camel_case_part(part: Json) -> Json:
    if not isinstance(part, dict):
        return part
    return {
        key: _camel_case_keys(item)
        if isinstance(item, dict) and key in _READERS
        else item
        for key, item in _camel_case_keys(part).items()
    }


def _camel_case_keys(value: Mapping[str, Json]) -> Mapping[str, Json]:
    if not any(key in _CAMEL_NAMES for key in value):
        return value
    return {_CAMEL_NAMES.get(key, key): item for key, item in value.items()}


def _function_extra(inner: Mapping[str, Json], known: Sequence[str]) -> dict[str, Json]:
    others = other_fields(inner, known)
    if others:
        return {"$function": dict(others)}
    return {}


def _call(inner: Mapping[str, Json], extra: Mapping[str, Json]) -> Block:
    function_extra = _function_extra(inner, ("id", "name", "args"))
    arguments = inner.get("args", {})
    return ToolCall(
        coerce_text(inner.get("id")),
        coerce_text(inner.get("name")),
        arguments,
        {**extra, **function_extra},
    )


def _media(
    field: str, source: str
) -> Callable[[Mapping[str, Json], Mapping[str, Json]], Block | None]:
    def read(inner: Mapping[str, Json], extra: Mapping[str, Json]) -> Block | None:
        data = inner.get(field)
        if not isinstance(data, str):
            return None
        mime = inner.get("mimeType")
        caption = inner.get("displayName")
        source_extra = _source_extra(source, inner, (field, "mimeType", "displayName"))
        return Media(
            coerce_text(mime), data, coerce_text(caption), {**extra, **source_extra}
        )

    return read


def _code(inner: Mapping[str, Json], extra: Mapping[str, Json]) -> Block | None:
    if not isinstance(inner.get("code"), str):
        return None
    source_extra = _source_extra("executableCode", inner, ("code", "language"))
    return Code(
        inner["code"], coerce_text(inner.get("language")), {**extra, **source_extra}
    )


def _code_output(inner: Mapping[str, Json], extra: Mapping[str, Json]) -> Block | None:
    if not isinstance(inner.get("output"), str):
        return None
    return Text(
        inner["output"],
        {**extra, **_source_extra("codeExecutionResult", inner, ("output",))},
    )


def _source_extra(
    name: str, inner: Mapping[str, Json], known: Sequence[str]
) -> dict[str, Json]:
    others = other_fields(inner, known)
    return {"$source": name, **({"$source_extra": dict(others)} if others else {})}


_READERS: Mapping[
    str, Callable[[Mapping[str, Json], Mapping[str, Json]], Block | None]
] = {
    "functionCall": _call,
    "functionResponse": read_response,
    "inlineData": _media("data", "inlineData"),
    "fileData": _media("fileUri", "fileData"),
    "executableCode": _code,
    "codeExecutionResult": _code_output,
}


_SIGNATURE = "thoughtSignature"
_NON_PART_KINDS = ("message", "thought", "toolCall")
"""Kinds of opaque blocks that are not parts: records, thoughts and calls that are not objects."""


def parts_json(
    blocks: Iterable[Block], *, same_format: bool, losses: ExportLosses
) -> list[Json]:
    """Return the parts of a content; ``same_format``: the blocks came from such parts."""
    return [
        part
        for block in blocks
        for part in part_json(block, same_format=same_format, losses=losses)
    ]


def part_json(block: Block, *, same_format: bool, losses: ExportLosses) -> list[Json]:
    """Return the part of one block, for a response with images followed by their parts."""
    match block:
        case Text():
            return _text(block, same_format)
        case Thinking():
            return _thinking(block, same_format, losses)
        case ToolCall():
            return [_call_part(block, same_format, losses)]
        case ToolResponse():
            return _response_parts(block, same_format, losses)
        case Media():
            return [_media_part(block, same_format)]
        case Code():
            return [_code_part(block, same_format, losses)]
        case Opaque():
            return _opaque_parts(block, same_format, losses)


def _opaque_parts(block: Opaque, same_format: bool, losses: ExportLosses) -> list[Json]:
    """Return a part of the source that is not known as it was; it is left out elsewhere."""
    if same_format and (
        isinstance(block.raw, dict) or block.kind not in _NON_PART_KINDS
    ):
        return [block.raw]
    losses.count_left_out(block.kind or "unknown block")
    return []


def _response_parts(
    block: ToolResponse, same_format: bool, losses: ExportLosses
) -> list[Json]:
    part = {"functionResponse": response_json(block, same_format=same_format)}
    if same_format:
        return [part]
    # The field `error` says that a call failed, so no mark is lost.
    count_error_losses(block, losses, counts_mark=False)
    # A response holds JSON, so its images go into parts behind it.
    images = [_data_part(media.mime, media.data) for media in result_media(block)]
    if images:
        losses.count_changed("media of a tool result as parts beside it")
    return [part, *images]


def response_json(block: ToolResponse, *, same_format: bool) -> dict[str, Json]:
    """Return a ``functionResponse``; its response is an object, so text goes under output or
    error."""
    value: dict[str, Json] = {
        "id": block.call_id,
        "name": block.name,
        "response": _response_value(block, same_format),
    }
    if block.extra.get("$made_id"):
        del value["id"]
    if same_format:
        return {**value, **block.extra.get("$function", {})}
    return value


def _response_value(block: ToolResponse, same_format: bool) -> Json:
    result = block.result
    if same_format and "$response" in block.extra:
        return {block.extra["$response"]: result}
    if block.error is not MISSING and not same_format:
        return {"error": result_as_text(block)}
    # The API takes nothing but an object.
    if isinstance(result, dict):
        return result
    if isinstance(result, list) and not same_format:
        return {"output": answer_text(block)}
    if result in (None, MISSING):
        return {"output": ""}
    return {"output": result}


def _with_extra(
    value: dict[str, Json], block: Text | Thinking | Media | Code
) -> dict[str, Json]:
    return {**value, **fields_without_notes(block.extra)}


def _text(block: Text, same_format: bool) -> list[Json]:
    if not same_format:
        # The API refuses a text part without words.
        if block.text.strip():
            return [{"text": block.text}]
        return []
    if block.extra.get("$string"):
        return [block.text]
    kind = block.extra.get("$source")
    if kind:
        inner = {"output": block.text, **block.extra.get("$source_extra", {})}
        return [_with_extra({kind: inner}, block)]
    return [_with_extra({"text": block.text}, block)]


def _thinking(block: Thinking, same_format: bool, losses: ExportLosses) -> list[Json]:
    """Return a thought; with the signature only if Gemini gave it."""
    if same_format and "thought" in block.extra:
        return [_with_extra({"text": block.text}, block)]
    signature = block.extra.get(_SIGNATURE)
    if not block.text and not signature:
        losses.count_left_out("thinking without words")
        return []
    return [
        {
            "text": block.text,
            "thought": True,
            **({_SIGNATURE: signature} if signature else {}),
        }
    ]


def _call_part(block: ToolCall, same_format: bool, losses: ExportLosses) -> Json:
    arguments = {} if block.arguments is MISSING else block.arguments
    if not same_format and block.arguments is not MISSING:
        arguments = object_arguments(block, losses)
    inner: dict[str, Json] = {"id": block.id, "name": block.name, "args": arguments}
    if block.extra.get("$made_id"):
        del inner["id"]
    value: dict[str, Json] = {
        "functionCall": {**inner, **block.extra.get("$function", {})}
        if same_format
        else inner
    }
    if same_format:
        return {**value, **fields_without_notes(block.extra)}
    # Newer Gemini models refuse a call that comes back without its signature.
    if _SIGNATURE in block.extra:
        return {**value, _SIGNATURE: block.extra[_SIGNATURE]}
    return value


def _media_part(block: Media, same_format: bool) -> Json:
    kind = block.extra.get("$source")
    if same_format and kind in ("inlineData", "fileData"):
        name = "data" if kind == "inlineData" else "fileUri"
        inner: dict[str, Json] = {"mimeType": block.mime} if block.mime else {}
        inner |= {
            name: block.data,
            **({"displayName": block.caption} if block.caption else {}),
        }
        return _with_extra(
            {kind: {**inner, **block.extra.get("$source_extra", {})}}, block
        )
    return _data_part(block.mime, block.data)


def _data_part(mime: str, data: str) -> Json:
    mime, data = split_data_url(mime, data)
    if data.startswith(("http://", "https://", "gs://")):
        return {"fileData": {**({"mimeType": mime} if mime else {}), "fileUri": data}}
    return {"inlineData": {"mimeType": mime or "image/png", "data": data}}


def _code_part(block: Code, same_format: bool, losses: ExportLosses) -> Json:
    if same_format and block.extra.get("$source"):
        inner = {
            "code": block.code,
            **({"language": block.language} if block.language else {}),
        }
        value = {"executableCode": {**inner, **block.extra.get("$source_extra", {})}}
        return _with_extra(value, block)
    losses.count_changed("code block as text")
    return {"text": code_text(block)}

"""Conversions that several exporters need: results and code as text, data URLs, extra fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import orjson

from core.common.json_value import MISSING, Json
from core.formats.common.json_parsing import fields_of, list_of, string_of
from core.formats.writing.exporter import (
    ANTHROPIC_FAMILY,
    ExportInput,
    ExportLosses,
)
from core.transcript.images import image_detail, is_plain_text
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    Text,
    ToolCall,
    ToolResponse,
    with_blocks,
)
from core.transcript.tool_pairs import answer_parts, answer_text

_BACKTICKS = re.compile("`+")


def fields_without_notes(extra: Mapping[str, Json]) -> dict[str, Json]:
    """Return the extra fields of a record or block, without Foldline's notes (which start with
    $)."""
    return {key: value for key, value in extra.items() if not key.startswith("$")}


def opaque_json(block: Opaque, same_format: bool, losses: ExportLosses) -> Json | None:
    """Return an unknown block of the target's own format; one of another format is left out."""
    if same_format:
        return block.raw
    losses.count_left_out(block.kind or "unknown block")
    return None


def result_as_text(block: ToolResponse) -> str:
    """Return a tool's answer as text: its texts, or its error if it has nothing else; a word per
    image."""
    parts = answer_parts(block)
    return "\n".join(
        part.text if isinstance(part, Text) else f"[{part.mime or 'image'}]"
        for part in parts
    )


def as_text(value: Json) -> str:
    """Return text as it is, the text parts of a list of blocks, anything else as compact JSON."""
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    # One part that is no text would be lost, so then the whole list is written as JSON.
    if isinstance(value, list) and value and all(map(_is_text_part, value)):
        texts = (part if isinstance(part, str) else part["text"] for part in value)
        return "\n".join(texts)
    return dump_json(value).decode()


def single_text(parts: Sequence[Json]) -> str | None:
    """Return the text of a content that is exactly one text part; None for any other."""
    if len(parts) == 1:
        part = parts[0]
    else:
        part = None
    if (
        not isinstance(part, dict)
        or part.keys() != {"type", "text"}
        or not _is_text_part(part)
    ):
        return None
    text: str = part["text"]
    return text


def _is_text_part(part: Json) -> bool:
    if isinstance(part, str):
        return True
    return (
        isinstance(part, dict)
        and part.get("type") == "text"
        and isinstance(part.get("text"), str)
    )


def code_fence(text: str, language: str = "") -> str:
    """Put text between code fences that are longer than any inside it."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def code_text(block: Code) -> str:
    return code_fence(block.code, block.language)


def code_as_text(blocks: Iterable[Block], losses: ExportLosses) -> Iterator[Block]:
    """Yield blocks for a target without code blocks; each of them is a text, counted as changed."""
    for block in blocks:
        if isinstance(block, Code):
            losses.count_changed("code block as text")
            block = Text(code_text(block))
        yield block


def split_data_url(mime: str, data: str) -> tuple[str, str]:
    """Return type and base64 of a data URL; anything else unchanged."""
    prefix, comma, rest = data[:200].partition(";base64,")
    if data.startswith("data:") and comma:
        return prefix.removeprefix("data:") or mime, data[
            len(prefix) + len(comma) :
        ] if rest or data else ""
    return mime, data


def provider_of_model(model: str) -> str:
    """Return the provider that serves a model of that name; "openai" for an unknown one."""
    starts = {"claude": "anthropic", "gemini": "google"}
    return next(
        (starts[start] for start in starts if model.lower().startswith(start)), "openai"
    )


def image_detail_field(block: Media) -> dict[str, Json]:
    """Return the level of detail of an image as a field of OpenAI's APIs."""
    detail = image_detail(block)
    if isinstance(detail, str):
        return {"detail": detail}
    return {}


def data_url(mime: str, data: str) -> str:
    """Return media as a URL: its own, else a data URL."""
    if data.startswith(("http://", "https://", "data:")):
        return data
    return f"data:{mime or 'application/octet-stream'};base64,{data}"


def count_error_losses(
    block: ToolResponse, losses: ExportLosses, *, counts_mark: bool
) -> None:
    """Count what an error loses: its words if the result differs; with ``counts_mark`` also the
    error mark."""
    error = block.error
    if error is MISSING or error is None or error is False:
        return
    if counts_mark:
        losses.count_left_out("error mark of a tool result")
    if isinstance(error, str) and error.strip() not in result_as_text(block):
        losses.count_left_out("words of an error beside its result")


def object_arguments(call: ToolCall, losses: ExportLosses) -> dict[str, Json]:
    """Return the arguments of a call for a target that takes only objects."""
    arguments = call.arguments
    if isinstance(arguments, dict):
        return arguments
    losses.count_changed("call arguments that are not an object")
    if arguments in (None, "", MISSING):
        return {}
    return {"arguments": arguments}


def texts_of_result(block: ToolResponse) -> str:
    """Return the texts of the result, or one word per image."""
    return answer_text(block) or result_as_text(block)


def result_media(block: ToolResponse) -> tuple[Media, ...]:
    return tuple(part for part in answer_parts(block) if isinstance(part, Media))


def documents_as_texts(
    export_input: ExportInput, target_format: str
) -> tuple[ExportInput, int]:
    """Return the input with its documents as texts if the format ``target_format`` needs that, and
    their count."""
    if (
        export_input.conversation.format not in ANTHROPIC_FAMILY
        or target_format in ANTHROPIC_FAMILY
    ):
        return export_input, 0
    count = sum(
        _document_text(block) is not None
        for message in export_input.messages
        for block in message.blocks
    )
    return export_input.map_messages(_with_texts), count


def _with_texts(message: Message) -> Message:
    texts = [_document_text(block) for block in message.blocks]
    if all(text is None for text in texts):
        return message
    blocks = zip(texts, message.blocks, strict=True)
    return with_blocks(
        message, tuple(block if text is None else Text(text) for text, block in blocks)
    )


def _document_text(block: Block) -> str | None:
    """Return the text of a document or search result, under its title; None for any other block."""
    if isinstance(block, Media) and is_plain_text(block):
        return _with_title(block.caption, block.data)
    if isinstance(block, Opaque):
        raw = fields_of(block.raw)
    else:
        raw = {}
    if raw.get("type") == "search_result":
        return _text_of_parts(raw.get("title"), raw.get("content"))
    source = fields_of(raw.get("source"))
    is_document = raw.get("type") == "document" and source.get("type") == "content"
    if is_document:
        return _text_of_parts(raw.get("title"), source.get("content"))
    return None


def _text_of_parts(title: Json, content: Json) -> str | None:
    if isinstance(content, str):
        return _with_title(string_of(title), content)
    texts = [fields_of(part).get("text") for part in list_of(content)]
    known_texts = [text for text in texts if isinstance(text, str)]
    if known_texts and len(known_texts) == len(texts):
        return _with_title(string_of(title), "\n\n".join(known_texts))
    return None


def _with_title(title: str, text: str) -> str:
    if title:
        return f"{title}\n\n{text}"
    return text


def dump_json(value: Json, *, pretty: bool = False) -> bytes:
    """Return JSON as UTF-8 bytes, compact or indented by two; handles any number and any text."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 if pretty else None)
    except (TypeError, ValueError, RecursionError):
        # Integers above 64 bits and lone surrogates, which orjson refuses.
        if pretty:
            separators = None
        else:
            separators = (",", ":")
        return json.dumps(
            value, indent=2 if pretty else None, separators=separators
        ).encode()


def dump_lines(values: Iterable[Json]) -> bytes:
    return b"".join(dump_json(value) + b"\n" for value in values)

"""Reads parts of OpenAI chat messages as blocks: text, images, sound, files, and calls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import orjson

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_parsing import parse_clean_json, parse_text
from core.transcript.model import NO_EXTRA, Block, Media, Opaque, Text, Thinking, ToolCall

CALL_PART = "tool_call"
"""The type of a content part that holds a call, as LLaMA-Factory writes it."""


def read_parts(content: Iterable[Json], notes: ImportNotes, line: int) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for part in content:
        is_call = isinstance(part, dict) and part.get("type") == CALL_PART
        blocks += _part_calls(part, notes, line) if is_call else (read_part(part, notes, line),)
    return tuple(blocks)


def read_part(part: Json, notes: ImportNotes, line: int) -> Block:
    """Read one part of a content list; an unknown one becomes Opaque."""
    if isinstance(part, str):
        return Text(part, {"$string": True})
    if not isinstance(part, dict):
        notes.warn(line, "a content part is not an object; kept as it is")
        return Opaque("unknown", part)
    kind = part.get("type")
    if kind == "text" and isinstance(part.get("text"), str):
        return Text(part["text"], other_fields(part, ("type", "text")))
    for name in ("value", "refusal"):
        if kind in ("text", name) and isinstance(part.get(name), str):
            return Text(part[name], {**other_fields(part, ("type", name)), "$field": name})
    if kind == "reasoning" and isinstance(part.get("value"), str):
        return Thinking(part["value"], {**other_fields(part, ("type", "value")), "$field": "value"})
    inner = part.get(kind) if isinstance(kind, str) else None
    if isinstance(inner, dict) and kind in ("image_url", "input_audio", "file"):
        return _media(part, kind, inner)
    return Opaque(kind if isinstance(kind, str) and kind else "unknown", part)


def _part_calls(part: Mapping[str, Json], notes: ImportNotes, line: int) -> tuple[Block, ...]:
    """Read the calls in the value of a part: an object or a list, or the JSON text of one."""
    value = part.get("value")
    if isinstance(value, str):
        try:
            value = parse_text(value)
        except ValueError:
            value = None
    values = value if isinstance(value, list) else [value]
    calls = [call for call in values if isinstance(call, dict) and isinstance(call.get("name"), str)]
    if not calls or len(calls) < len(values):
        notes.warn(line, "the call in a content part is not JSON with a name; kept as it is")
        return (Opaque(CALL_PART, part),)
    return tuple(function_call(call, coerce_text(call.get("id")), {"$field": "value"}) for call in calls)


def _media(part: Mapping[str, Json], kind: str, inner: Mapping[str, Json]) -> Block:
    name = {"image_url": "url", "input_audio": "data", "file": "file_data"}[kind]
    data = inner.get(name)
    if not isinstance(data, str):
        return Opaque(kind, part)
    audio_format = inner.get("format")
    mime = f"audio/{audio_format}" if isinstance(audio_format, str) else _data_url_mime(data)
    caption = inner.get("filename")
    extra: dict[str, Json] = {**other_fields(part, ("type", kind)), "$source": kind}
    if others := other_fields(inner, (name,)):
        extra["$source_extra"] = dict(others)
    return Media(mime, data, caption if isinstance(caption, str) else "", extra)


def _data_url_mime(data: str) -> str:
    return data[5:].split(";", 1)[0].split(",", 1)[0] if data.startswith("data:") else ""


def read_call(call: Json, notes: ImportNotes, line: int) -> Block:
    if not isinstance(call, dict):
        notes.warn(line, "a tool call is not an object; kept as it is")
        return Opaque("tool_call", call)
    function = call.get("function")
    if not isinstance(function, dict):
        custom = call.get("custom")
        name = custom.get("name") if isinstance(custom, dict) else call.get("name")
        custom_input = custom.get("input") if isinstance(custom, dict) else None
        return ToolCall(
            coerce_text(call.get("id")), coerce_text(name), custom_input, other_fields(call, ("id",))
        )
    known = {"function"} | ({"id"} if isinstance(call.get("id"), str) else set())
    if call.get("type") == "function":
        known.add("type")
    return function_call(function, coerce_text(call.get("id")), other_fields(call, known))


def function_call(function: Mapping[str, Json], id_: str, extra: Mapping[str, Json]) -> ToolCall:
    """Return a call from its ``function`` object; arguments that are not JSON stay text."""
    name = function.get("name")
    arguments, arguments_extra = read_arguments(function.get("arguments"))
    known = {"arguments"} | ({"name"} if isinstance(name, str) else set())
    merged: dict[str, Json] = {**extra, **arguments_extra}
    if others := other_fields(function, known):
        merged["$function"] = dict(others)
    return ToolCall(id_, coerce_text(name), arguments, merged or NO_EXTRA)


def read_arguments(raw: Json) -> tuple[Json, Mapping[str, Json]]:
    """Return the arguments as a value, and notes to restore the original text (see base.py)."""
    if not isinstance(raw, str):
        return raw, {"$object": True}
    value = parse_clean_json(raw)
    if value is not MISSING and _is_reproduced(value, raw):
        return value, NO_EXTRA
    try:
        value = parse_text(raw)
    except ValueError:
        return raw, {"$arguments": raw}
    if json.dumps(value, ensure_ascii=False, separators=(",", ":")) == raw:
        return value, NO_EXTRA
    return value, {"$arguments": raw}


def _is_reproduced(value: Json, raw: str) -> bool:
    """Return whether orjson and json both reproduce a text; floats and big integers may differ."""
    try:
        return orjson.dumps(value).decode() == raw and not _has_floats((value,))
    except TypeError:
        return False


def _has_floats(values: Iterable[Json]) -> bool:
    for value in values:
        kind = type(value)
        if kind is float or (kind is dict and _has_floats(value.values())):
            return True
        if kind is list and _has_floats(value):
            return True
    return False

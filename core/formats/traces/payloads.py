"""The messages in the request or answer of a traced call, as providers, frameworks and tools write
it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, nested
from core.formats.common.json_parsing import json_or_text

_LISTS = ("messages", "contents", "choices", "generations", "candidates", "output", "input")
"""Fields with messages: of requests, then of answers."""
_SYSTEM = ("system", "system_instruction", "systemInstruction", "instructions")


def payload_messages(value: Json, role: str = "user") -> list[Json]:
    """Return the messages of a request or, with another ``role``, of an answer."""
    value = json_or_text(value)
    if isinstance(value, list):
        return [
            {"role": role, "content": item} if isinstance(item, str) else _message(item, role)
            for item in value
        ]
    fields = fields_of(value)
    for name in _LISTS:
        if isinstance(fields.get(name), list):
            return [*_system(fields), *(_message(item, role) for item in _flat(fields[name]))]
        if (
            name in ("contents", "output", "input")
            and isinstance(fields.get(name), str)
            and fields[name]
        ):
            return [*_system(fields), {"role": role, "content": fields[name]}]
    if isinstance(fields.get("message"), dict):
        return [fields["message"]]
    if isinstance(fields.get("content"), dict):  # of Gemini and ADK
        return [_message(fields, role)]
    if "role" in fields or "lc" in fields or fields.get("type") in ("ai", "human"):
        return [fields]
    if "parts" in fields:
        return [{"role": role, **fields}]
    return [{"role": role, "content": value}] if isinstance(value, str) and value else []


def _system(fields: Mapping[str, Json]) -> list[Json]:
    """Return the system prompt beside the messages; ADK and Gemini's client have it in the
    configuration."""
    places = (fields, fields_of(fields.get("config")), fields_of(fields.get("generation_config")))
    found = next((place[name] for place in places for name in _SYSTEM if place.get(name)), None)
    if found is None:
        return []
    inner = fields_of(found)
    key = "parts" if "parts" in inner else "content"
    return [{"role": "system", key: inner.get("parts", found)}]


def _flat(value: Json) -> Iterator[Json]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, list):
            yield from _flat(item)
        else:
            yield item


def _message(value: Json, role: str) -> Json:
    for name in ("message", "content"):
        inner = nested(value, name)
        if isinstance(inner, dict) and (name == "message" or "parts" in inner):
            return {"role": role, **inner} if "lc" not in inner and "type" not in inner else inner
    if isinstance(value, str):
        return {"role": role, "content": value}
    return value

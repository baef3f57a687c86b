"""Edits JSON text where it is changed; every other character stays as it was."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from core.common.json_value import Json

_BLANKS = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_SCALAR = re.compile(r"[^\s,\]}]+")
_UNIT = re.compile(r"\n([ \t]+)\S")


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A member of an object, which begins with its key, or an item of a list (key "")."""

    key: str
    start: int
    node: JsonNode


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value at characters [start, end) of a text."""

    start: int
    end: int
    parts: tuple[JsonPart, ...] = ()

    def member(self, key: str) -> int:
        """Return the index of a member, of several the last, as a reader takes it; -1 without
        one."""
        return max(
            (index for index, part in enumerate(self.parts) if part.key == key),
            default=-1,
        )


def parse_json_text(text: str) -> JsonNode:
    """Return where the values of a valid JSON text are. Raises RecursionError for deep nesting."""
    return _node(text, 0)


def _node(text: str, at: int) -> JsonNode:
    start = _skip(text, at)
    sign = text[start]
    if sign not in "{[":
        return JsonNode(start, _end(_STRING if sign == '"' else _SCALAR, text, start))
    parts: list[JsonPart] = []
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        key, begin = "", at
        if sign == "{":
            end = _end(_STRING, text, at)
            key, at = json.loads(text[at:end]), _skip(text, end) + 1
        node = _node(text, at)
        parts.append(JsonPart(key, begin, node))
        at = _skip(text, node.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return JsonNode(start, at + 1, tuple(parts))


def _skip(text: str, at: int) -> int:
    return _end(_BLANKS, text, at)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    if match:
        return match.end()
    return at


def with_part(text: str, container: JsonNode, value: Json, key: str = "") -> str:
    """Return the text with one more part at the end of an object or a list, laid out as its others
    are."""
    line_break = "\r\n" if "\r\n" in text else "\n"
    found = _UNIT.search(text)
    if found:
        unit = found[1]
    else:
        unit = "  "
    if not container.parts:
        outer = _indent(text, container.start)
        inner = (
            line_break
            + outer
            + unit
            + _dumped(value, key, outer + unit, unit, line_break)
            + line_break
            + outer
        )
        return text[: container.start + 1] + inner + text[container.end - 1 :]
    last = container.parts[-1]
    if "\n" in text[container.start : last.start]:
        indent = _indent(text, last.start)
        added = f",{line_break}{indent}{_dumped(value, key, indent, unit, line_break)}"
    else:
        added = f", {_dumped(value, key)}"
    return text[: last.node.end] + added + text[last.node.end :]


def without_part(text: str, container: JsonNode, index: int) -> str:
    """Return the text without one part of an object or a list, and without what separated it."""
    parts = container.parts
    if index + 1 < len(parts):
        return text[: parts[index].start] + text[parts[index + 1].start :]
    if index:
        start = parts[index - 1].node.end
        end = parts[index].node.end
    else:
        start = container.start + 1
        end = container.end - 1
    return text[:start] + text[end:]


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _dumped(
    value: Json, key: str, indent: str = "", unit: str = "", line_break: str = "\n"
) -> str:
    dumped = json.dumps(value, indent=unit or None, ensure_ascii=False).replace(
        "\n", line_break + indent
    )
    if key:
        return f"{json.dumps(key)}: {dumped}"
    return dumped

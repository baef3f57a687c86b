"""Transcripts of Cursor as text: a line with a role begins a message, markers begin its other parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument
from core.formats.common.json_parsing import JsonRecord, json_or_text
from core.formats.common.open_document import read_all
from core.transcript.model import Block, Speaker, Text, Thinking, ToolCall, ToolResponse

_ROLES = {"user:": Speaker.HUMAN, "assistant:": Speaker.AI}
_MARKER = re.compile(r"\[(Thinking|Tool call|Tool result)\] ?(.*)")
_PAIR = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s?(.*)", re.DOTALL)


def is_transcript(opened: OpenedDocument) -> bool:
    """Return whether a text begins with a role and has an answer."""
    if opened.first_line.strip() not in _ROLES:
        return False
    return any(line.strip() == b"assistant:" for line in read_all(opened.document).split(b"\n"))


def parts(opened: OpenedDocument) -> Iterator[tuple[JsonRecord, Speaker, bool, Block]]:
    """Yield the blocks with their lines, their speaker, and whether they begin a message."""
    speaker, kind, title = Speaker.UNKNOWN, "", ""
    lines: list[tuple[int, int, int, str]] = []
    at, is_first = 0, False

    def block() -> Iterator[tuple[JsonRecord, Speaker, bool, Block]]:
        text = "\n".join(line for *_, line in lines)
        made = _block(kind, title, text)
        if made is not None and lines:
            place = JsonRecord(lines[0][0], lines[0][1], lines[-1][2], None)
            yield place, Speaker.TOOL if kind == "Tool result" else speaker, is_first, made

    for number, data in enumerate(read_all(opened.document).split(b"\n"), 1):
        line = data.decode("utf-8", "replace").rstrip("\r")
        marker = _MARKER.match(line)
        ends_body = kind and lines and line.strip() and not line[0].isspace()
        if line in _ROLES or marker or ends_body:
            yield from block()
            is_first = line in _ROLES or (is_first and not lines)
            kind, title = (marker[1], marker[2].strip()) if marker else ("", "")
            speaker = _ROLES.get(line, speaker)
            lines = []
        if line not in _ROLES:
            lines.append((number, at, at + len(data), "" if marker else line))
        at += len(data) + 1
    yield from block()


def _block(kind: str, title: str, text: str) -> Block | None:
    """Return the block of a part, None for an empty text."""
    body = dedent(text).strip()
    if kind == "Tool call":
        return ToolCall("", title, _arguments(body))
    if kind == "Tool result":
        return ToolResponse("", "", "\n".join(filter(None, (title, body))))
    if kind == "Thinking":
        return Thinking("\n".join(filter(None, (title, body))))
    return Text(body) if body else None


def _arguments(body: str) -> Json:
    """Return JSON, else names with values, else the whole text, such as a patch, as ``input``."""
    if body.startswith("{") and isinstance(value := json_or_text(body), dict):
        return value
    arguments: dict[str, Json] = {}
    name = ""
    for line in body.splitlines():
        if pair := _PAIR.fullmatch(line):
            name = pair[1]
            arguments[name] = pair[2]
        elif name:
            arguments[name] = f"{arguments[name]}\n{line}"
        else:
            return {"input": body}
    return {key: value.rstrip() if isinstance(value, str) else value for key, value in arguments.items()}

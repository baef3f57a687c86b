"""Reader for Cursor: agent transcripts (JSONL or text), and the databases of window and CLI.

A transcript has no ids, times or usage, and mostly no results of tools. In one as text a line with
a role begins a message, markers begin its other parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from textwrap import dedent

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import plain_text, read_block
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import Format, FormatScore, ReaderEvidence, ReadOnly, ReadRequest
from core.formats.common.json_access import coerce_text, content_parts, nested, string_of
from core.formats.common.json_parsing import JsonRecord, json_or_text
from core.formats.common.message_lists import check_number
from core.formats.common.open_document import read_all
from core.formats.common.session_log import SessionLog, log_records, shape_score, without_element
from core.formats.common.stored_sessions import read_stored, store_score
from core.formats.cursor.databases import STORES, read_session
from core.transcript.model import (
    Block,
    Conversation,
    MessageFlag,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI}
_TEXT_ROLES = {"user:": Speaker.HUMAN, "assistant:": Speaker.AI}
_MARKER = re.compile(r"\[(Thinking|Tool call|Tool result)\] ?(.*)")
_PAIR = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s?(.*)", re.DOTALL)


def score(file: OpenedDocument) -> FormatScore:
    """Judge by messages with a role but no type; a database by its tables."""
    if file.container is DocumentContainer.DATABASE:
        return store_score(file, *STORES)
    if file.container is DocumentContainer.TEXT:
        return (0.9, "lines with a role") if _is_text_transcript(file) else (0.0, "")
    return shape_score(file, "cursor", "role and message.content")


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    if file.container is DocumentContainer.DATABASE:
        return read_stored(file, request, STORES, read_session)
    if file.container is DocumentContainer.TEXT:
        return _read_text(file, request)
    log = SessionLog()
    for record in log_records(file, request, log):
        speaker = _SPEAKERS.get(string_of(record.value.get("role")))
        if speaker is None:
            log.notes.skip(
                coerce_text(record.value.get("type")) or "without a role", line=record.line
            )
            continue
        content = nested(record.value, "message", "content")
        time = record.value.get("timestamp")
        texts = [string_of(nested(part, "text")) for part in content_parts(content)]
        if contexts := [
            Text(around) for text in texts if (around := without_element(_QUERY, text)[1])
        ]:
            log.add(record, Speaker.HUMAN, contexts, time=time, flags=MessageFlag.META)
        blocks = [_block(part, log, record.line) for part in content_parts(content)]
        log.add(record, speaker, blocks, time=time)
    return log.conversation("cursor", file)


def _read_text(file: OpenedDocument, request: ReadRequest) -> Conversation:
    check_number(file.document.name, request.conversation, 1)
    log = SessionLog()
    for record, speaker, begins, block in _text_parts(file):
        log.notes.records += 1
        own = (
            _block({"type": "text", "text": block.text}, log, record.line)
            if type(block) is Text
            else block
        )
        (log.add if begins else log.extend)(record, speaker, [own])
    return log.conversation("cursor", file)


def _block(part: Json, log: SessionLog, line: int) -> Block:
    fields: Mapping[str, Json] = part if isinstance(part, dict) else {"type": "text", "text": part}
    kind = string_of(fields.get("type")).replace("-", "_")
    if kind == "text" and isinstance(fields.get("text"), str):
        if fields["text"].strip() == "[REDACTED]":
            return Thinking("", {"redacted": True})
        return Text(without_element(_QUERY, fields["text"])[0])
    if kind in ("tool_use", "tool_call"):
        arguments = fields.get("input", fields.get("args", {}))
        return ToolCall(coerce_text(fields.get("id")), coerce_text(fields.get("name")), arguments)
    if kind == "tool_result":
        result, name = fields.get("content", ""), coerce_text(fields.get("name"))
        error = plain_text(result) if fields.get("is_error") is True else MISSING
        return ToolResponse(
            coerce_text(fields.get("tool_use_id", fields.get("id"))), name, result, error
        )
    return read_block(fields, log.notes, line)


def _is_text_transcript(file: OpenedDocument) -> bool:
    """Return whether a text begins with a role and has an answer."""
    if file.first_line.strip() not in _TEXT_ROLES:
        return False
    return any(line.strip() == b"assistant:" for line in read_all(file.document).split(b"\n"))


def _text_parts(file: OpenedDocument) -> Iterator[tuple[JsonRecord, Speaker, bool, Block]]:
    """Yield the blocks with their lines, their speaker, and whether they begin a message."""
    speaker, kind, title = Speaker.UNKNOWN, "", ""
    lines: list[tuple[int, int, int, str]] = []
    at, is_first = 0, False

    def block() -> Iterator[tuple[JsonRecord, Speaker, bool, Block]]:
        text = "\n".join(line for *_, line in lines)
        block = _text_block(kind, title, text)
        if block is not None and lines:
            place = JsonRecord(lines[0][0], lines[0][1], lines[-1][2], None)
            yield place, Speaker.TOOL if kind == "Tool result" else speaker, is_first, block

    for number, data in enumerate(read_all(file.document).split(b"\n"), 1):
        line = data.decode("utf-8", "replace").rstrip("\r")
        marker = _MARKER.match(line)
        ends_body = kind and lines and line.strip() and not line[0].isspace()
        if line in _TEXT_ROLES or marker or ends_body:
            yield from block()
            is_first = line in _TEXT_ROLES or (is_first and not lines)
            kind, title = (marker[1], marker[2].strip()) if marker else ("", "")
            speaker = _TEXT_ROLES.get(line, speaker)
            lines = []
        if line not in _TEXT_ROLES:
            lines.append((number, at, at + len(data), "" if marker else line))
        at += len(data) + 1
    yield from block()


def _text_block(kind: str, title: str, text: str) -> Block | None:
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
    return {
        key: value.rstrip() if isinstance(value, str) else value for key, value in arguments.items()
    }


CURSOR = Format(
    name="cursor",
    label="Cursor",
    about="Sessions of Cursor: agent transcripts (JSONL or text), the databases of its window "
    "(state.vscdb) and "
    "CLI (store.db); for the databases only a description was seen.",
    score=score,
    read=read,
    evidence=ReaderEvidence.FIXTURE,
    read_only=ReadOnly.DATABASE,
)

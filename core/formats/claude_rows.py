"""What one line of a Claude Code session says, before lines become messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from core.conversation import Block, Flag, Json, Opaque, Source, Text, ToolResponse
from core.formats.anthropic_blocks import read_content, text_of
from core.formats.notes import Notes
from core.formats.whole import Record

_COMMANDS = (
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<user-memory-input>",
)
_MARKS = {"isMeta", "isApiErrorMessage", "isCompactSummary"}
_NO_FLAGS = Flag.NONE
_NOT_A_PROMPT = Flag.META | Flag.COMMAND | Flag.API_ERROR | Flag.RECORDED_SUMMARY
_NOT_TYPED = ("[Request interrupted", "<task-notification>", "<system-reminder>")


class Row(NamedTuple):  # quicker to make than a dataclass, and there is one for each line
    """One user or assistant line. ``api_id`` joins the lines of one assistant message."""

    user: bool
    uuid: str
    parent: str
    blocks: tuple[Block, ...]
    source: Source
    flags: Flag
    timestamp: str
    api_id: str
    extra: Mapping[str, Json]


def read_row(record: Record, notes: Notes) -> Row:
    """The row of a line whose type is user or assistant; nothing of it is fatal."""
    line = record.value
    message = line.get("message")
    flags = _line_flags(line) if _MARKS & line.keys() else _NO_FLAGS
    if isinstance(message, dict):
        blocks, extra = read_content(message, notes, record.line)
    else:
        notes.warn(record.line, "the message is not an object; kept as it is")
        blocks, extra = (Opaque("message", message),), {}
    if Opaque in map(type, blocks):
        flags |= Flag.OPAQUE
    user = line.get("type") == "user"
    if user and is_command(blocks):
        flags |= Flag.COMMAND
    return Row(
        user,
        text_of(line.get("uuid")),
        text_of(line.get("parentUuid")),
        blocks,
        Source(record.line, record.start, record.end),
        flags,
        text_of(line.get("timestamp")),
        text_of(message.get("id")) if isinstance(message, dict) and not user else "",
        extra,
    )


def is_command(blocks: tuple[Block, ...]) -> bool:
    """True where the first text is a slash command, a shell command of the person, or its output."""
    return first_text(blocks).startswith(_COMMANDS)


def is_prompt(row: Row) -> bool:
    """True for what a person typed: no tool result, harness row, command or interruption."""
    if not row.user or row.flags & _NOT_A_PROMPT:
        return False
    if any(isinstance(block, ToolResponse) for block in row.blocks):
        return False
    return bool(row.blocks) and not first_text(row.blocks).startswith(_NOT_TYPED)


def first_text(blocks: tuple[Block, ...]) -> str:
    """The first text of some blocks, without the blanks in front of it."""
    return next((block.text.lstrip() for block in blocks if isinstance(block, Text)), "")


def _line_flags(line: Mapping[str, Json]) -> Flag:
    flags = Flag.NONE
    if line.get("isMeta") is True:
        flags |= Flag.META
    if line.get("isApiErrorMessage") is True:
        flags |= Flag.API_ERROR
    if line.get("isCompactSummary") is True:
        flags |= Flag.RECORDED_SUMMARY
    return flags

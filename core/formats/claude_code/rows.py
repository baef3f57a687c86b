"""Parses single lines of a Claude Code session, before they become messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from core.common.json_value import Json
from core.formats.anthropic.blocks import read_content
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text
from core.formats.common.json_ranges import JsonRecord
from core.transcript.model import Block, MessageFlag, Opaque, Source, Text, ToolResponse

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
_NO_FLAGS = MessageFlag.NONE
_NOT_A_PROMPT = MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR | MessageFlag.RECORDED_SUMMARY
_GENERATED_STARTS = ("[Request interrupted", "<task-notification>", "<system-reminder>")


class ClaudeRow(NamedTuple):  # faster than a dataclass; there is one per line
    """One user or assistant line. ``api_id`` joins the lines of one assistant message."""

    is_user: bool
    uuid: str
    parent: str
    blocks: tuple[Block, ...]
    source: Source
    flags: MessageFlag
    timestamp: str
    api_id: str
    extra: Mapping[str, Json]


def read_row(record: JsonRecord, notes: ImportNotes) -> ClaudeRow:
    """Read a user or assistant line; never fails."""
    number, start, end, line = record
    uuid, parent, timestamp = line.get("uuid"), line.get("parentUuid"), line.get("timestamp")
    message = line.get("message")
    user = line.get("type") == "user"
    id_: Json = None
    if isinstance(message, dict):
        blocks, extra = read_content(message, notes, number)
        id_ = None if user else message.get("id")
    else:
        notes.warn(number, "the message is not an object; kept as it is")
        blocks, extra = (Opaque("message", message),), {}
    fields = (
        user,
        uuid if isinstance(uuid, str) else coerce_text(uuid),
        parent if isinstance(parent, str) else coerce_text(parent),
        blocks,
        Source(number, start, end),
        _flags(line, user, blocks),
        timestamp if isinstance(timestamp, str) else coerce_text(timestamp),
        id_ if isinstance(id_, str) else coerce_text(id_),
        extra,
    )
    return tuple.__new__(ClaudeRow, fields)  # at half the cost of ClaudeRow(…)


def is_command(blocks: tuple[Block, ...]) -> bool:
    """Return whether the first text is a slash command, a shell command of the user, or its output."""
    command_text = first_text(blocks)
    return command_text.startswith("<") and command_text.startswith(_COMMANDS)


def is_prompt(row: ClaudeRow) -> bool:
    """Return whether the user typed it: no tool result, generated row, command or interruption."""
    if not row.is_user:
        return False
    for block in row.blocks:
        if isinstance(block, ToolResponse):
            return False
    if row.flags is not _NO_FLAGS and row.flags & _NOT_A_PROMPT:
        return False
    return bool(row.blocks) and not first_text(row.blocks).startswith(_GENERATED_STARTS)


def first_text(blocks: tuple[Block, ...]) -> str:
    """Return the first text of some blocks, without leading blanks."""
    for block in blocks:
        if isinstance(block, Text):
            return block.text.lstrip()
    return ""


def _flags(line: Mapping[str, Json], user: bool, blocks: tuple[Block, ...]) -> MessageFlag:
    flags = _NO_FLAGS
    if "isMeta" in line or "isApiErrorMessage" in line or "isCompactSummary" in line:
        flags = _field_flags(line)
    for block in blocks:
        if type(block) is Opaque:
            flags |= MessageFlag.OPAQUE
            break
    if user and is_command(blocks):
        flags |= MessageFlag.COMMAND
    return flags


def _field_flags(line: Mapping[str, Json]) -> MessageFlag:
    flags = _NO_FLAGS
    if line.get("isMeta") is True:
        flags |= MessageFlag.META
    if line.get("isApiErrorMessage") is True:
        flags |= MessageFlag.API_ERROR
    if line.get("isCompactSummary") is True:
        flags |= MessageFlag.RECORDED_SUMMARY
    return flags

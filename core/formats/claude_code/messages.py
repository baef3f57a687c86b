"""Lines of a Claude Code session as rows, and the messages made of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from core.common.json_value import Json
from core.formats.anthropic.blocks import read_content
from core.formats.claude_code.attachments import read_attachment
from core.formats.common.json_access import coerce_text, nested, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import first_words
from core.formats.common.messages import (
    ImportNotes,
    joined_flags,
    opaque_flag,
    record_messages,
    split_by_speaker,
    with_call,
)
from core.transcript.model import (
    Block,
    Message,
    MessageFlag,
    Opaque,
    Source,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    tool_calls,
)

_SLASH_COMMANDS = ("<command-name>", "<command-message>", "<command-args>")
_COMMANDS = (
    *_SLASH_COMMANDS,
    *("<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>"),
    *("<bash-input>", "<bash-stdout>", "<bash-stderr>", "<user-memory-input>"),
)
_FLAG_FIELDS = (
    ("isMeta", MessageFlag.META),
    ("isApiErrorMessage", MessageFlag.API_ERROR),
    ("isCompactSummary", MessageFlag.RECORDED_SUMMARY),
)
_NOT_A_PROMPT = (
    MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR | MessageFlag.RECORDED_SUMMARY
)
_COMMAND_PARTS = re.compile(r"<command-(?:name|args)>(.*?)</", re.DOTALL)
_NOTIFICATION = "<task-notification>"
_HARNESS_STARTS = (
    _NOTIFICATION,
    '{"task_id":',
    "<teammate-message ",
    "<cross-session-message ",
)
_GENERATED_STARTS = ("[Request interrupted", _NOTIFICATION, "<system-reminder>")
_REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.DOTALL)


class ClaudeRow(NamedTuple):  # faster than a dataclass; there is one per line
    """One line that the model saw. ``api_id`` joins the lines of one assistant message."""

    is_user: bool
    uuid: str
    parent: str
    blocks: tuple[Block, ...]
    source: Source
    flags: MessageFlag
    timestamp: str
    api_id: str
    extra: Mapping[str, Json]
    is_attachment: bool = False  # or another record that is no line of user or assistant
    end: Source | None = None  # of a queued prompt: the record that says that it was taken in


def read_row(record: JsonRecord, notes: ImportNotes) -> ClaudeRow:
    """Read a user or assistant line; never fails."""
    line = record.value
    message, is_user = line.get("message"), line.get("type") == "user"
    if isinstance(message, dict):
        blocks, extra = read_content(message, notes, record.line)
    else:
        notes.warn(record.line, "the message is not an object; kept as it is")
        blocks, extra = (Opaque("message", message),), {}
    flags = opaque_flag(blocks)
    for name, flag in _FLAG_FIELDS:
        if line.get(name) is True:
            flags |= flag
    if is_user and is_command(blocks):
        flags |= MessageFlag.COMMAND
    if is_user and (_is_reminder(blocks) or _is_notification(line, blocks)):
        flags |= MessageFlag.META | MessageFlag.CONTEXT
    uuid, parent = coerce_text(line.get("uuid")), coerce_text(line.get("parentUuid"))
    api_id = "" if is_user else coerce_text(nested(message, "id"))
    time = coerce_text(line.get("timestamp"))
    return ClaudeRow(
        is_user=is_user,
        uuid=uuid,
        parent=parent,
        blocks=blocks,
        source=record.source(),
        flags=flags,
        timestamp=time,
        api_id=api_id,
        extra=extra,
    )


def read_attachment_row(record: JsonRecord, notes: ImportNotes) -> ClaudeRow | None:
    """Read an attachment line; None if it told the model nothing."""
    line = record.value
    words = read_attachment(line, notes, record.line)
    if words is None:
        return None
    uuid, parent, time = (
        coerce_text(line.get(name)) for name in ("uuid", "parentUuid", "timestamp")
    )
    flags = words.flags | opaque_flag(words.blocks)
    row = ClaudeRow(
        is_user=True,
        uuid=uuid,
        parent=parent,
        blocks=words.blocks,
        source=record.source(),
        flags=flags,
        timestamp=time,
        api_id="",
        extra=words.extra,
    )
    return row._replace(is_attachment=True)


def _is_notification(line: Mapping[str, Json], blocks: tuple[Block, ...]) -> bool:
    """Return whether the harness tells of a background task: by the line's own mark, else by how
    its first text begins."""
    kind = string_of(nested(line, "origin", "kind"))
    return kind == "task-notification" or is_harness_text(first_text(blocks))


def is_harness_text(text: str) -> bool:
    """Return whether the harness gave a text: a notification, the record of a task, or the words of
    another agent or session."""
    return text.startswith(_HARNESS_STARTS)


def _is_reminder(blocks: tuple[Block, ...]) -> bool:
    """Return whether reminders of the harness are all that a line says."""
    texts = [block.text for block in blocks if isinstance(block, Text)]
    is_text = bool(texts) and len(texts) == len(blocks) and bool(_REMINDER.match(texts[0]))
    return is_text and not any(map(without_reminders, texts))


def without_reminders(text: str) -> str:
    """Return a text without the reminders of the harness that it begins with."""
    while match := _REMINDER.match(text):
        text = text[match.end() :]
    return text


def is_command(blocks: tuple[Block, ...]) -> bool:
    """Return whether the first text is a slash command, a shell command of the user, or its
    output."""
    return first_text(blocks).startswith(_COMMANDS)


def is_slash_command(row: ClaudeRow) -> bool:
    return row.is_user and first_text(row.blocks).startswith(_SLASH_COMMANDS)


def prompt_title(row: ClaudeRow) -> str:
    """Return the first words of a prompt; of a slash command its name and arguments."""
    command = " ".join(_COMMAND_PARTS.findall(first_text(row.blocks)))
    return first_words(command or typed_text(row.blocks))


def is_prompt(row: ClaudeRow) -> bool:
    """Return whether the user typed it: no tool result, generated row, command or interruption."""
    if not row.is_user or row.flags & _NOT_A_PROMPT:
        return False
    if any(isinstance(block, ToolResponse) for block in row.blocks):
        return False
    return bool(row.blocks) and not typed_text(row.blocks).startswith(_GENERATED_STARTS)


def first_text(blocks: tuple[Block, ...]) -> str:
    """Return the first text of some blocks, without leading blanks."""
    return next((block.text.lstrip() for block in blocks if isinstance(block, Text)), "")


def typed_text(blocks: tuple[Block, ...]) -> str:
    """Return the first text of some blocks that has more than reminders, without those in front."""
    texts = (without_reminders(block.text).lstrip() for block in blocks if isinstance(block, Text))
    return next(filter(None, texts), "")


class ClaudeMessages:
    """Builds messages row by row: the lines of one answer become one message, at its first line.
    Results get the names of earlier calls at once, so that messages that were counted are not
    rebuilt for that."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._calls: dict[str, ToolCall] = {}  # the latest by id
        self._answer_indices: dict[str, int] = {}
        self.open_answer = -1  # index of the answer that the last row belongs to

    def add(self, row: ClaudeRow) -> Message:
        """Add a row; return the message that it begins or continues."""
        index, blocks = len(self.messages), tuple([self._named(block) for block in row.blocks])
        self.open_answer = -1
        if row.api_id:
            index = self.open_answer = self._answer_indices.setdefault(row.api_id, index)
        if index < len(self.messages):
            self.messages[index] = _continued(self.messages[index], row, blocks)
        elif row.is_user and (at := self._index_of_result(blocks)) < index:
            index = at
            self.messages[at:at] = _row_messages(row, blocks)
        else:
            self.messages += _row_messages(row, blocks)
        return self.messages[index]

    def _index_of_result(self, blocks: tuple[Block, ...]) -> int:
        """Return where a row of only results goes: in front of what the person and the harness said
        since the answer with its calls, because the agent sends results first."""
        messages, end = self.messages, len(self.messages)
        start = end
        while start and messages[start - 1].speaker is Speaker.HUMAN:
            start -= 1
        if (
            start == end
            or not start
            or not all(isinstance(block, ToolResponse) for block in blocks)
        ):
            return end
        answer = start - 1
        while answer > 0 and messages[answer].speaker is Speaker.TOOL:
            answer -= 1
        called = {call.id for call in tool_calls(messages[answer])}
        answered = {block.call_id for block in blocks if isinstance(block, ToolResponse)}
        return start if answered and answered <= called else end

    def _named(self, block: Block) -> Block:
        """Return a result with the name of its call, any other block as it is; note a call."""
        if isinstance(block, ToolCall):
            self._calls[block.id] = block
        elif isinstance(block, ToolResponse) and block.call_id and not block.name:
            call = self._calls.get(block.call_id)
            return with_call(block, call) if call is not None and call.name else block
        return block


def _continued(start: Message, row: ClaudeRow, blocks: tuple[Block, ...]) -> Message:
    """Return the message with another line of it; faster than ``replace``."""
    m, sources = start, (*start.sources, row.source)
    flags = joined_flags(m.flags, row.flags)
    return Message(
        speaker=m.speaker,
        blocks=m.blocks + blocks,
        sources=sources,
        flags=flags,
        id=m.id,
        timestamp=m.timestamp,
        extra=m.extra,
    )


def _row_messages(row: ClaudeRow, blocks: tuple[Block, ...]) -> list[Message]:
    """Return the messages of one line: two for a user line that holds tool results and more.
    ``blocks`` are its own, with tool names where known."""
    parts = split_by_speaker(blocks) if row.is_user else ((Speaker.AI, blocks),)
    messages = record_messages(
        row.source, parts, row.flags, row.api_id or row.uuid, row.timestamp, row.extra
    )
    if row.end is not None:
        messages = [replace(one, sources=(row.source, row.end)) for one in messages]
    return messages

"""Lines of a Claude Code session as rows, and the messages made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from core.common.json_value import Json
from core.formats.anthropic_blocks import read_content
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    nested,
    string_of,
)
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
    NOT_TYPED,
    Block,
    Media,
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

ATTACHMENT = "attachment"
_QUEUED = "queued_command"
_BOOKKEEPING = (
    *(
        "deferred_tools_delta",
        "agent_listing_delta",
        "skill_listing",
        "command_permissions",
    ),
    *(
        "hook_system_message",
        "hook_non_blocking_error",
        "hook_cancelled",
        "hook_permission_decision",
    ),
    *(
        "structured_output",
        "already_read_file",
        "compact_file_reference",
        "opened_file_in_ide",
    ),
)
"""Kinds that are for the person or the harness, or that name something without its words."""
_WORD_FIELDS = (
    *(
        "prompt",
        "content",
        "text",
        "snippet",
        "addedBlocks",
        "planContent",
        "skills",
        "memories",
    ),
    *(
        "message",
        "messages",
        "contents",
        "file",
        "files",
        "diagnostics",
        "subject",
        "description",
        "banner",
    ),
    *(
        "blockingError",
        "response",
        "hookSpecificOutput",
        "additionalContext",
        "systemMessage",
    ),
)
_PATH_FIELDS = ("path", "filename", "planFilePath")
# An attachment nests what tools returned; a hostile one must not exhaust the stack.
_MAX_LEVELS = 6


class AttachmentWords(NamedTuple):
    blocks: tuple[Block, ...]
    flags: MessageFlag
    extra: Mapping[str, Json] = {}


def attachment_kind(line: Mapping[str, Json]) -> str:
    """Return the kind of an attachment row as the import report names it."""
    kind = string_of(nested(line, ATTACHMENT, "type"))
    if kind:
        return f"{ATTACHMENT}: {kind}"
    return ATTACHMENT


def read_attachment(
    line: Mapping[str, Json], notes: ImportNotes, number: int
) -> AttachmentWords | None:
    """Return what an attachment row told the model; None for bookkeeping."""
    attachment = fields_of(line.get(ATTACHMENT))
    kind = string_of(attachment.get("type"))
    if kind in _BOOKKEEPING:
        return None
    # A prompt typed while the agent works is stored as an attachment, not as a line of the user.
    if kind == _QUEUED:
        blocks, extra = read_content(
            {"content": attachment.get("prompt")}, notes, number
        )
        if _is_typed(attachment):
            flags = MessageFlag.NONE
        else:
            flags = MessageFlag.META | MessageFlag.CONTEXT
        if blocks:
            return AttachmentWords(blocks, flags, extra)
        return None
    words = "\n\n".join(_words(attachment, 0)).strip()
    found = [
        *([Text(_with_path(attachment, words))] if words else ()),
        *_media(attachment),
    ]
    if found:
        return AttachmentWords(tuple(found), MessageFlag.META | MessageFlag.CONTEXT)
    return None


def _is_typed(attachment: Mapping[str, Json]) -> bool:
    mode = string_of(attachment.get("commandMode"))
    origin = string_of(nested(attachment, "origin", "kind"))
    return (
        attachment.get("isMeta") is not True
        and mode in ("", "prompt")
        and origin in ("", "human")
    )


def _words(value: Json, level: int) -> Iterator[str]:
    """Yield the texts of an attachment in the order of its fields; of a task with its status in
    front."""
    if isinstance(value, str):
        if value.strip():
            yield value
        return
    # What is nested more deeply is data, no words; and a walk without an end would overflow.
    if level >= _MAX_LEVELS:
        return
    if isinstance(value, list):
        for item in value:
            yield from _words(item, level + 1)
    elif isinstance(value, dict):
        mark = ""
        if status := string_of(value.get("status")):
            mark = f"[{status}] "
        for name in _WORD_FIELDS:
            for text in _words(value.get(name), level + 1):
                yield f"{mark}{text}"
                # The status stands in front of the first text alone.
                mark = ""


def _with_path(attachment: Mapping[str, Json], words: str) -> str:
    paths = (coerce_text(attachment.get(name)) for name in _PATH_FIELDS)
    path = next(filter(None, paths), "")
    if path:
        return f"Contents of {path}:\n\n{words}"
    return words


def _media(attachment: Mapping[str, Json]) -> Iterator[Media]:
    """Yield the image or document of a file."""
    file = fields_of(nested(attachment, "content", "file"))
    if data := string_of(file.get("base64")):
        is_pdf = nested(attachment, "content", "type") == "pdf"
        yield Media(
            "application/pdf" if is_pdf else string_of(file.get("type")) or "image/png",
            data,
        )


_SLASH_COMMANDS = ("<command-name>", "<command-message>", "<command-args>")
# Commands typed behind a slash or an exclamation mark are stored as lines of the user.
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
_COMMAND_PARTS = re.compile(r"<command-(?:name|args)>(.*?)</", re.DOTALL)
_NOTIFICATION = "<task-notification>"
# Probably older versions report a background task as bare JSON, without a tag.
_HARNESS_STARTS = (
    _NOTIFICATION,
    '{"task_id":',
    "<teammate-message ",
    "<cross-session-message ",
)
# Claude Code writes the interruption itself when the person presses Esc.
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
    is_attachment: bool = (
        False  # or another record that is no line of user or assistant
    )
    end: Source | None = (
        None  # of a queued prompt: the record that says that it was taken in
    )


def read_row(record: JsonRecord, notes: ImportNotes) -> ClaudeRow:
    """Read a user or assistant line; never fails."""
    line = record.value
    message = line.get("message")
    is_user = line.get("type") == "user"
    if isinstance(message, dict):
        blocks, extra = read_content(message, notes, record.line)
    else:
        notes.warn(record.line, "the message is not an object; kept as it is")
        blocks = (Opaque("message", message),)
        extra = {}
    flags = opaque_flag(blocks)
    for name, flag in _FLAG_FIELDS:
        if line.get(name) is True:
            flags |= flag
    if is_user and is_command(blocks):
        flags |= MessageFlag.COMMAND
    if is_user and (_is_reminder(blocks) or _is_notification(line, blocks)):
        flags |= MessageFlag.META | MessageFlag.CONTEXT
    uuid = coerce_text(line.get("uuid"))
    parent = coerce_text(line.get("parentUuid"))
    if is_user:
        api_id = ""
    else:
        api_id = coerce_text(nested(message, "id"))
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
    is_text = (
        bool(texts) and len(texts) == len(blocks) and bool(_REMINDER.match(texts[0]))
    )
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
    if not row.is_user or row.flags & NOT_TYPED:
        return False
    if any(isinstance(block, ToolResponse) for block in row.blocks):
        return False
    return bool(row.blocks) and not typed_text(row.blocks).startswith(_GENERATED_STARTS)


def first_text(blocks: tuple[Block, ...]) -> str:
    """Return the first text of some blocks, without leading blanks."""
    return next(
        (block.text.lstrip() for block in blocks if isinstance(block, Text)), ""
    )


def typed_text(blocks: tuple[Block, ...]) -> str:
    """Return the first text of some blocks that has more than reminders, without those in front."""
    texts = (
        without_reminders(block.text).lstrip()
        for block in blocks
        if isinstance(block, Text)
    )
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
        index = len(self.messages)
        blocks = tuple([self._named(block) for block in row.blocks])
        self.open_answer = -1
        if row.api_id:
            index = self.open_answer = self._answer_indices.setdefault(
                row.api_id, index
            )
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
        messages = self.messages
        end = len(self.messages)
        responses = [block for block in blocks if isinstance(block, ToolResponse)]
        if len(responses) < len(blocks):
            return end
        start = end
        while start and messages[start - 1].speaker is Speaker.HUMAN:
            start -= 1
        if start in (0, end):
            return end
        called = self._called_before(start)
        answered = {response.call_id for response in responses}
        if answered and answered <= called:
            return start
        return end

    def _called_before(self, start: int) -> set[str]:
        """Return the ids of the calls of the answer before an index; results may be between."""
        answer = start - 1
        while answer > 0 and self.messages[answer].speaker is Speaker.TOOL:
            answer -= 1
        return {call.id for call in tool_calls(self.messages[answer])}

    def _named(self, block: Block) -> Block:
        """Return a result with the name of its call, any other block as it is; note a call."""
        if isinstance(block, ToolCall):
            self._calls[block.id] = block
        elif isinstance(block, ToolResponse) and block.call_id and not block.name:
            call = self._calls.get(block.call_id)
            if call is not None and call.name:
                return with_call(block, call)
            return block
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
    if row.is_user:
        parts = split_by_speaker(blocks)
    else:
        parts = ((Speaker.AI, blocks),)
    messages = record_messages(
        row.source, parts, row.flags, row.api_id or row.uuid, row.timestamp, row.extra
    )
    if row.end is not None:
        messages = [replace(one, sources=(row.source, row.end)) for one in messages]
    return messages


QUEUE = "queue-operation"
_TAKEN_IN = "absorbed"
_UNSENT = "queued prompt that was not sent"


@dataclass(slots=True)
class QueuedPrompts:
    """The queue at one place of the file: who waits in it, and who was ``taken`` in and is not in
    the history yet."""

    _waiting: list[ClaudeRow] = field(default_factory=list)
    _taken: list[ClaudeRow] = field(default_factory=list)

    def add_operation(
        self, record: JsonRecord, parent: str, notes: ImportNotes
    ) -> None:
        """Note a record of the queue; ``parent`` is the uuid of the row before it."""
        operation = record.value.get("operation")
        text = string_of(record.value.get("content")).strip()
        if operation == "enqueue" and text:
            self._waiting.append(_row(record, text))
            return
        if operation in ("remove", "dequeue"):
            first = self._first(text)
        else:
            first = None
        # From 2.1.39 to 2.1.87 a prompt that was taken in stands nowhere else in the file.
        if first and operation == "remove" and _is_taken_in(record):
            self._taken.append(first._replace(parent=parent, end=record.source()))
            return
        notes.skip(QUEUE, line=record.line)
        # The queue goes back to the input field, where the person may change it before it is
        # sent.
        if operation == "popAll":
            self._leave_out(self._waiting, notes)
            self._waiting.clear()
        elif first:
            self._leave_out([first], notes)

    def _first(self, text: str) -> ClaudeRow | None:
        """Take out of the queue what a record names by its ``text``, as newer versions do, else the
        oldest prompt of the person, else the oldest of the harness."""
        if not self._waiting:
            return None
        named = [
            row for row in self._waiting if text and first_text(row.blocks) == text
        ]
        prompts = [row for row in self._waiting if row.flags is MessageFlag.NONE]
        first = (named or prompts or self._waiting)[0]
        self._waiting.remove(first)
        return first

    def _leave_out(self, rows: Iterable[ClaudeRow], notes: ImportNotes) -> None:
        """Count the records of rows that are no messages."""
        for row in rows:
            for source in filter(None, (row.source, row.end)):
                notes.skip(QUEUE, line=source.line)

    def add_row(self, row: ClaudeRow, notes: ImportNotes) -> list[ClaudeRow]:
        """Note a row, which may have the words of the queue; return the prompts that come before
        it: those that were taken in, once the model answers."""
        if not (self._waiting or self._taken):
            return []
        if not row.is_user:
            return self.rest()
        if not (text := first_text(row.blocks).strip()):  # results, nearly always
            return []
        lines = f"\n{text}\n"  # prompts that waited together are one row
        for queue in (self._taken, self._waiting):
            found = [one for one in queue if f"\n{first_text(one.blocks)}\n" in lines]
            self._leave_out(found, notes)
            queue[:] = [one for one in queue if one not in found]
        return []

    def rest(self) -> list[ClaudeRow]:
        """Return the prompts that were taken in and are not in the history yet."""
        taken, self._taken = self._taken, []
        return taken

    def note_unsent(self, notes: ImportNotes) -> None:
        """Count what stayed in the queue."""
        prompts = [row for row in self._waiting if row.flags is MessageFlag.NONE]
        for row in prompts:
            notes.skip(_UNSENT, line=row.source.line)
        self._leave_out((row for row in self._waiting if row not in prompts), notes)


def _is_taken_in(record: JsonRecord) -> bool:
    """Return whether words left the queue for the model; newer versions give the reason."""
    reason = string_of(record.value.get("reason"))
    return not reason or reason.startswith(_TAKEN_IN)


def _row(record: JsonRecord, text: str) -> ClaudeRow:
    by_harness = is_harness_text(text)
    return ClaudeRow(
        is_user=True,
        uuid="",
        parent="",
        blocks=(Text(text),),
        source=record.source(),
        flags=MessageFlag.META | MessageFlag.CONTEXT
        if by_harness
        else MessageFlag.NONE,
        timestamp=coerce_text(record.value.get("timestamp")),
        api_id="",
        extra={},
        is_attachment=True,
    )

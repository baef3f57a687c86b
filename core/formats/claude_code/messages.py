"""Lines of a Claude Code session as rows, the messages made of them, and recorded compactions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from core.common.json_value import Json
from core.formats.anthropic.blocks import read_content
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, number_of
from core.formats.common.json_parsing import JsonRecord
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
    RecordedCompaction,
    Source,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)

BOUNDARY = "compact_boundary"
MICRO_BOUNDARY = "microcompact_boundary"
_METADATA_FIELDS = {  # in the file, and in a live stream
    BOUNDARY: ("compactMetadata", "compact_metadata"),
    MICRO_BOUNDARY: ("microcompactMetadata", "microcompact_metadata"),
}
_COMMANDS = (
    *("<command-name>", "<command-message>", "<command-args>"),
    *("<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>"),
    *("<bash-input>", "<bash-stdout>", "<bash-stderr>", "<user-memory-input>"),
)
_FLAG_FIELDS = (
    ("isMeta", MessageFlag.META),
    ("isApiErrorMessage", MessageFlag.API_ERROR),
    ("isCompactSummary", MessageFlag.RECORDED_SUMMARY),
)
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
    uuid, parent = coerce_text(line.get("uuid")), coerce_text(line.get("parentUuid"))
    api_id = "" if is_user else coerce_text(nested(message, "id"))
    time = coerce_text(line.get("timestamp"))
    return ClaudeRow(is_user, uuid, parent, blocks, record.source(), flags, time, api_id, extra)


def is_command(blocks: tuple[Block, ...]) -> bool:
    """Return whether the first text is a slash command, a shell command of the user, or its output."""
    return first_text(blocks).startswith(_COMMANDS)


def is_prompt(row: ClaudeRow) -> bool:
    """Return whether the user typed it: no tool result, generated row, command or interruption."""
    if not row.is_user or row.flags & _NOT_A_PROMPT:
        return False
    if any(isinstance(block, ToolResponse) for block in row.blocks):
        return False
    return bool(row.blocks) and not first_text(row.blocks).startswith(_GENERATED_STARTS)


def first_text(blocks: tuple[Block, ...]) -> str:
    """Return the first text of some blocks, without leading blanks."""
    return next((block.text.lstrip() for block in blocks if isinstance(block, Text)), "")


class ClaudeMessages:
    """Builds messages row by row: the lines of one answer become one message, at its first line. Results get
    the names of earlier calls at once, so that messages that were counted are not rebuilt for that."""

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
        if index == len(self.messages):
            self.messages += _row_messages(row, blocks)
        else:
            self.messages[index] = _continued(self.messages[index], row, blocks)
        return self.messages[index]

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
    return Message(m.speaker, m.blocks + blocks, sources, flags, m.id, m.timestamp, m.extra)


def _row_messages(row: ClaudeRow, blocks: tuple[Block, ...]) -> list[Message]:
    """Return the messages of one line: two for a user line that holds tool results and more. ``blocks`` are
    its own, with tool names where known."""
    parts = split_by_speaker(blocks) if row.is_user else ((Speaker.AI, blocks),)
    return record_messages(row.source, parts, row.flags, row.api_id or row.uuid, row.timestamp, row.extra)


@dataclass(slots=True)
class ClaudeCompaction:
    """A boundary, with its summary; ``source`` is None for a summary without one. ``row_count`` counts the
    rows before it."""

    row_count: int
    kind: str
    uuid: str = ""
    parent: str = ""
    metadata: Mapping[str, Json] = field(default_factory=dict)
    summary: list[ClaudeRow] = field(default_factory=list)
    source: Source | None = None

    @property
    def place(self) -> tuple[str, Source]:
        """Uuid and place of the boundary, or of a summary that has none."""
        return (self.uuid, self.source) if self.source else (self.summary[0].uuid, self.summary[0].source)


def add_boundary(compactions: list[ClaudeCompaction], record: JsonRecord, row_count: int) -> None:
    """Note a boundary line; a summary written just before it belongs to it."""
    line, subtype = record.value, record.value["subtype"]
    metadata = next((line[name] for name in _METADATA_FIELDS[subtype] if name in line), None)
    entry = ClaudeCompaction(
        row_count,
        "microcompact" if subtype == MICRO_BOUNDARY else "summary",
        coerce_text(line.get("uuid")),
        coerce_text(line.get("parentUuid")),
        fields_of(metadata),
        source=record.source(),
    )
    last = compactions[-1] if compactions else None
    is_adjacent = last is not None and last.source is None and last.row_count == row_count
    if last and is_adjacent and subtype == BOUNDARY and entry.uuid in ("", last.parent):
        entry.summary = compactions.pop().summary
    compactions.append(entry)


def add_summary(compactions: list[ClaudeCompaction], row: ClaudeRow, row_count: int) -> None:
    """Note a summary line: it belongs to its parent boundary, else to the one just before it."""
    for entry in reversed(compactions):
        is_near = entry.uuid == row.parent != "" or entry.row_count == row_count
        if is_near and entry.kind == "summary" and entry.source:
            entry.summary.append(row)
            return
    compactions.append(ClaudeCompaction(row_count, "summary", parent=row.parent, summary=[row]))


def recorded_compaction(
    entry: ClaudeCompaction, position: int, places: Mapping[str, range]
) -> RecordedCompaction:
    """Return the compaction; ``places`` maps the uuids of lines to message indices. Kept messages that Claude
    Code writes again right behind the boundary count as before it."""
    before, after, tokens_saved = (
        number_of(entry.metadata.get(name)) for name in ("preTokens", "postTokens", "tokensSaved")
    )
    if after is None and before is not None and tokens_saved is not None:
        after = max(0, before - tokens_saved)
    kept_messages = _kept_messages(entry.metadata, places)
    while position in kept_messages:
        position += 1
    kept = tuple(sorted(index for index in kept_messages if index < position))
    summary = tuple(
        Message(Speaker.HUMAN, row.blocks, (row.source,), row.flags, row.uuid, row.timestamp, row.extra)
        for row in entry.summary
    )
    return RecordedCompaction(
        kind=entry.kind,
        position=position,
        trigger=coerce_text(entry.metadata.get("trigger")),
        tokens_before=before,
        tokens_after=after,
        summary=summary,
        kept=kept,
        source=entry.place[1],
        context_after=(*kept, *summary) if kept and _keeps_before_summary(entry) else (),
        cleared=tuple(dict.fromkeys(map(coerce_text, list_of(entry.metadata.get("compactedToolIds"))))),
    )


def _keeps_before_summary(entry: ClaudeCompaction) -> bool:
    """Return whether kept messages follow the boundary itself, with the summary after them; else the agent
    resumes with the summary, then the kept messages."""
    names = ("preservedMessages", "preservedSegment")
    return bool(entry.uuid) and any(
        coerce_text(nested(entry.metadata, name, "anchorUuid")) == entry.uuid for name in names
    )


def _kept_messages(metadata: Mapping[str, Json], places: Mapping[str, range]) -> set[int]:
    """Return the messages that stayed: those named one by one, else the segment from head to tail."""
    messages = fields_of(metadata.get("preservedMessages"))
    segment = fields_of(metadata.get("preservedSegment"))
    uuids = messages.get("uuids") or messages.get("allUuids")
    kept_indices = {index for uuid in list_of(uuids) for index in places.get(coerce_text(uuid), ())}
    head, tail = (places.get(coerce_text(segment.get(name))) for name in ("headUuid", "tailUuid"))
    if not kept_indices and head is not None and tail is not None:
        return set(range(head.start, tail.stop))
    return kept_indices

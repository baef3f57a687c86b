"""Reads the lines of a Claude Code session again for an export, and relates them to messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.json_ranges import parse_json_document
from core.formats.common.open_document import document_lines
from core.formats.common.source_bytes import read_document
from core.formats.writing.raw_json import dump_json
from core.transcript.model import Conversation, Message

SESSION_TYPES = (
    "summary",
    "custom-title",
    "ai-title",
    "agent-name",
    "agent-setting",
    "mode",
    "permission-mode",
    "pr-link",
    "last-prompt",
)
"""Records about the session as a whole, which stay whatever happens to the messages."""


@dataclass(frozen=True, slots=True)
class ClaudeLine:
    """One line that is an object: the byte it starts at, its bytes, its value."""

    start: int
    data: bytes
    value: dict[str, Json]

    @property
    def uuid(self) -> str:
        return text_field(self.value, "uuid")

    @property
    def is_side_chain(self) -> bool:
        return self.value.get("isSidechain") is True


def text_field(value: Mapping[str, Json], name: str) -> str:
    """Return a text field, "" if it is absent or no text."""
    text = value.get(name)
    return text if isinstance(text, str) else ""


def read_entries(conversation: Conversation) -> tuple[ClaudeLine, ...]:
    """Return all lines that are objects, in file order. Raises InputError if the file changed."""
    data = read_document(conversation.document)
    if conversation.layout.get("container") == "array":
        records = parse_json_document(data).records or ()
        return tuple(
            ClaudeLine(record.start, dump_json(record.value), record.value)
            for record in records
            if isinstance(record.value, dict)
        )
    entries: list[ClaudeLine] = []
    for line in document_lines(conversation.document):
        value = parse_bytes(line.data).value
        if isinstance(value, dict):
            entries.append(ClaudeLine(line.start, line.data, value))
    return tuple(entries)


def record_starts(message: Message) -> tuple[int, ...]:
    return tuple(source.start for source in message.sources)


def message_starts(conversation: Conversation) -> frozenset[int]:
    """Return where the lines of all messages begin, recorded summaries included."""
    summaries = [message for compaction in conversation.recorded for message in compaction.summary]
    return frozenset(
        source.start for message in (*conversation.messages, *summaries) for source in message.sources
    )


def insertion_anchors(
    entries: Sequence[ClaudeLine], message_line_starts: frozenset[int]
) -> dict[int, int | None]:
    """Map each line that is no message to the message line before it in the file, None if there is none."""
    anchors: dict[int, int | None] = {}
    last: int | None = None
    for entry in entries:
        if entry.start in message_line_starts:
            last = entry.start
        elif _stays_with_message(entry):
            anchors[entry.start] = last
    return anchors


def _stays_with_message(entry: ClaudeLine) -> bool:
    """Return whether a line stays with a message: not other branches and recorded compactions."""
    kind, subtype = entry.value.get("type"), entry.value.get("subtype")
    if kind in ("user", "assistant"):
        return entry.is_side_chain
    return subtype != "compact_boundary"

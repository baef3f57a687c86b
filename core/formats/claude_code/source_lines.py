"""Relates the lines of a Claude Code session to its messages, for an export."""

from __future__ import annotations

from collections.abc import Sequence

from core.formats.writing.raw_json import SourceLine
from core.transcript.model import Conversation

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


def is_side_chain(line: SourceLine) -> bool:
    return line.value.get("isSidechain") is True


def message_starts(conversation: Conversation) -> frozenset[int]:
    """Return where the lines of all messages begin, recorded summaries included."""
    summaries = [message for compaction in conversation.recorded for message in compaction.summary]
    return frozenset(
        source.start for message in (*conversation.messages, *summaries) for source in message.sources
    )


def insertion_anchors(
    entries: Sequence[SourceLine], message_line_starts: frozenset[int]
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


def _stays_with_message(entry: SourceLine) -> bool:
    """Return whether a line stays with a message: not other branches and recorded compactions."""
    kind, subtype = entry.value.get("type"), entry.value.get("subtype")
    if kind in ("user", "assistant"):
        return is_side_chain(entry)
    return subtype != "compact_boundary"

"""Events and flags for the message lists."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from typing import TypeAlias

from core.presentation.filter.query import PinsChangedEvent


class RowFlag(IntFlag):
    """The user's marks on a source message, as the row's gutter shows them."""

    NONE = 0
    MARK = 1
    KEEP = 2  # pinned to be kept
    DROP = 4  # pinned to go first
    NOTE = 8  # a note with words


@dataclass(frozen=True, slots=True)
class RowsFilteredEvent:
    """The matches of a query: one byte per message and side, 1 for shown. ``error`` explains an invalid
    query; the masks are empty then. ``tools`` are the called tools by frequency."""

    text: str
    before: bytes = b""
    after: bytes = b""
    tools: tuple[str, ...] = ()
    error: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class MarksChangedEvent:
    """Indices of marked source messages, ascending."""

    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MessageCopiedEvent:
    """A message as text for the clipboard, and its description."""

    text: str
    description: str


RowsEvent: TypeAlias = RowsFilteredEvent | MarksChangedEvent | PinsChangedEvent | MessageCopiedEvent

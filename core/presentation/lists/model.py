"""What the worker answers to the lists, and what their rows may be flagged with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from typing import TypeAlias

from core.presentation.filter.query import PinsChangedEvent


class RowFlag(IntFlag):
    """What a person noted about a message of the source, as the gutter of its row shows it."""

    NONE = 0
    MARK = 1
    KEEP = 2  # pinned to be kept
    DROP = 4  # pinned to go first
    NOTE = 8  # a note with words


@dataclass(frozen=True, slots=True)
class RowsFilteredEvent:
    """What a query lets through: one byte per message of each side, 1 where it is shown.

    ``error`` is a sentence on what is wrong with the text; the masks are empty then. ``tools`` are the
    names of tools that were called, the most frequent first.
    """

    text: str
    before: bytes = b""
    after: bytes = b""
    tools: tuple[str, ...] = ()
    error: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class MarksChangedEvent:
    """The messages of the source that carry a mark, ascending."""

    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MessageCopiedEvent:
    """A message as text, for the clipboard; ``said`` tells what it is."""

    text: str
    said: str


RowsEvent: TypeAlias = RowsFilteredEvent | MarksChangedEvent | PinsChangedEvent | MessageCopiedEvent

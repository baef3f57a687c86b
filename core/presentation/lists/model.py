"""Values of the message lists: the user's marks, matches of a filter, a copied message."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag


class RowFlag(IntFlag):
    """The user's marks on a source message, as the row's gutter shows them."""

    NONE = 0
    MARK = 1
    KEEP = 2  # pinned to be kept
    DROP = 4  # pinned to go first
    NOTE = 8  # a note with words


@dataclass(frozen=True, slots=True)
class UserMarks:
    """Indices of the source messages that are marked or pinned, ascending, and of those with a note."""

    marked: tuple[int, ...] = ()
    keep: tuple[int, ...] = ()
    drop: tuple[int, ...] = ()
    notes: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FilterMatches:
    """The matches of a query: one byte per message and side, 1 for shown; the called tools by frequency."""

    before: bytes
    after: bytes
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MessageCopy:
    """A message as text for the clipboard, and a sentence that says so."""

    text: str
    description: str

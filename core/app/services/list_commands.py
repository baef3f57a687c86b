"""Commands of the lists: filter, marks, pins, copies, runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class FilterRowsCommand:
    """Filter the messages of both sides by a query; the answer is a RowsFilteredEvent."""

    text: str


@dataclass(frozen=True, slots=True)
class ToggleMarkCommand:
    """Mark a message ("before" or "after", from 0), or remove its mark; the answer is a MarksChangedEvent."""

    side: str
    index: int


@dataclass(frozen=True, slots=True)
class SetPinCommand:
    """Pin a message ("keep" or "drop"; again: unpin), or give it a "note"; the answer is a
    PinsChangedEvent."""

    side: str
    index: int
    kind: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class PinConstraintsCommand:
    """Pin every message with a constraint; the answers are a PinsChangedEvent and a notice."""


@dataclass(frozen=True, slots=True)
class CopyMessageCommand:
    """Request a message as text: ``form`` is JSON or MARKDOWN; the answer is a MessageCopiedEvent."""

    side: str
    index: int
    form: str


JSON, MARKDOWN = "json", "markdown"


@dataclass(frozen=True, slots=True)
class NameRunCommand:
    number: str
    name: str


@dataclass(frozen=True, slots=True)
class CompareRunsCommand:
    a: str
    b: str


RowsCommand: TypeAlias = FilterRowsCommand | ToggleMarkCommand | CopyMessageCommand
PinCommand: TypeAlias = SetPinCommand | PinConstraintsCommand
ListCommand: TypeAlias = RowsCommand | PinCommand | NameRunCommand | CompareRunsCommand
LISTS = (
    FilterRowsCommand,
    ToggleMarkCommand,
    SetPinCommand,
    PinConstraintsCommand,
    CopyMessageCommand,
    NameRunCommand,
    CompareRunsCommand,
)
"""The same, for ``isinstance``."""

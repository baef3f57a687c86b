"""Commands of the lists: filter, marks, copies, kept runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class FilterRowsCommand:
    """Ask which messages of both sides a query lets through; the answer is Filtered."""

    text: str


@dataclass(frozen=True, slots=True)
class ToggleMarkCommand:
    """Mark a message ("before" or "after", from 0), or take its mark away; the answer is Marked."""

    side: str
    index: int


@dataclass(frozen=True, slots=True)
class SetPinCommand:
    """Pin a message ("keep" or "drop"; again: take the pin off), or give it a "note" of these words; the
    answer is Pinned."""

    side: str
    index: int
    kind: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class PinConstraintsCommand:
    """Pin every message in which the person gave a rule to be kept; the answers are Pinned and a notice."""


@dataclass(frozen=True, slots=True)
class CopyMessageCommand:
    """Ask for a message as text: ``form`` is JSON or MARKDOWN; the answer is Copied."""

    side: str
    index: int
    form: str


JSON, MARKDOWN = "json", "markdown"


@dataclass(frozen=True, slots=True)
class NameRunCommand:
    """Keep a run under a name."""

    number: str
    name: str


@dataclass(frozen=True, slots=True)
class CompareRunsCommand:
    """Show two runs as before and after of each other."""

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

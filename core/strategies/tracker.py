"""The record of files and tasks of a conversation, which hybrid uses (LH). Derived from calls and their
results, never from a disk or a clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileSection:
    """A titled range of a file's lines, from 1, both ends included."""

    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The newest read of a file.

    ``hash`` is a 64-bit digest of its text, ``lines`` its line count and ``ranges`` the line ranges read
    (empty: the whole file). ``summary`` is the curator's text about the file, "" where there is none.
    ``message`` is the index of the result in the history, ``timestamp`` in ms since 1970, None where unknown.
    ``conversation_hash`` is a digest of the messages that the summary was written for, None where unknown.
    """

    path: str
    hash: int
    lines: int
    ranges: tuple[tuple[int, int], ...] = ()
    summary: str = ""
    sections: tuple[FileSection, ...] = ()
    message: int = -1
    timestamp: int | None = None
    conversation_hash: int | None = None


@dataclass(frozen=True, slots=True)
class FileModification:
    """A change of a file: ``kind`` is created, modified or deleted, ``lines`` the touched range, None where
    unknown. ``todo`` is the text (or id) of the task that was active then, "" for none."""

    path: str
    kind: str
    timestamp: int | None = None
    lines: tuple[int, int] | None = None
    todo: str = ""
    summary: str = ""
    message: int = -1


@dataclass(frozen=True, slots=True)
class FileTracker:
    """Files read by path, modifications oldest first, the active task and the files touched for it.
    ``newest_time`` is the newest timestamp of the conversation in ms, the base of ages; None: unknown."""

    read_files: Mapping[str, ReadFile]
    modifications: tuple[FileModification, ...] = ()
    active_todo: str = ""
    files_touched: tuple[str, ...] = ()
    newest_time: int | None = None

"""What a conversation says of files and tasks: the tracker that hybrid compresses by (LH).

Derived from the calls and their results, never from a disk or a clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileSection:
    """A named stretch of a file's lines, from 1, both ends included."""

    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read, as its newest read shows it.

    ``hash`` is a 64-bit digest of the text as it was read; ``lines`` how many lines that were and
    ``ranges`` the line ranges read (empty: the whole file). ``summary`` is what the curator says of it,
    empty where there is none; ``sections`` its key sections. ``message`` is the place of that read's
    result in the history, ``timestamp`` in ms since 1970, None where not known. ``conversation_hash``
    is a digest of the messages that the summary was written for, None where not known.
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
    """A change of a file: ``kind`` created, modified or deleted; ``lines`` the range that it touched, None
    where not known; ``todo`` the text (or id) of the task that was active then, empty for none."""

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

    ``now`` is the newest timestamp of the conversation in ms, from which ages are counted; None: unknown.
    """

    read_files: Mapping[str, ReadFile]
    modifications: tuple[FileModification, ...] = ()
    active_todo: str = ""
    files_touched: tuple[str, ...] = ()
    now: int | None = None

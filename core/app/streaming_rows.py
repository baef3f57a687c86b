"""Streams rows to the window while a file loads."""

from __future__ import annotations

import re
import time
from array import array
from collections.abc import Callable, Sequence
from operator import is_

import orjson

from core.presentation.lists import row_texts as rows
from core.presentation.model import NO_ROWS, MessageRows
from core.transcript.model import Message

PART = 5_000
"""Rows per batch: at most 2 MB, so that receiving it never stalls the window."""

_HEAD = 1 << 16  # bytes
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')
_EVERY = 0.1  # seconds between two batches of rows


class StreamingRows:
    """Messages of a file as far as it is read. Their rows are sent to ``show`` with the number of the first.

    ``cwd`` is a guess of the session's working folder, by which paths in rows are shortened.
    """

    def __init__(self, show: Callable[[int, MessageRows], None], cwd: str = "") -> None:
        self._show, self._cwd = show, cwd
        self._messages: list[Message] = []
        self._rows = NO_ROWS  # of the first messages
        self._next = 0.0

    def add(self, messages: Sequence[Message]) -> None:
        """Add the messages read since the last call; show them unless rows were shown just now."""
        self._messages.extend(messages)
        if time.monotonic() < self._next:
            return
        for first in range(len(self._rows), len(self._messages), PART):
            part = rows.message_rows(self._messages[first : first + PART], None, self._cwd)
            self._rows = MessageRows.joined((self._rows, part))
            self._show(first, part)
        self._next = time.monotonic() + _EVERY

    def counted_rows(
        self, messages: Sequence[Message], first: int, counts: array[int], cwd: str
    ) -> MessageRows:
        """Return rows of messages of the conversation, from number ``first``; shown texts are reused."""
        end = first + len(messages)
        if cwd == self._cwd and end <= len(self._rows) and all(map(is_, messages, self._messages[first:end])):
            return rows.with_counts(self._rows.part(first, end), messages, counts)
        return rows.message_rows(messages, counts, cwd)


def guess_cwd(path: str) -> str:
    """Return the working folder that a file's beginning names first; empty where it names none."""
    try:
        with open(path, "rb") as file:
            found = _CWD.search(file.read(_HEAD))
        return str(orjson.loads(found[1])) if found else ""
    except (OSError, ValueError):
        return ""

"""A strategy that runs on nearly every turn of one history: what it would change now, by what it remembers.

For those that put other messages in the place of some, or take them out, and leave the rest as it is. An
agent asks on every turn, and only a few messages are new each time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from core.transcript.compaction import NoOp
from core.transcript.model import Message


@dataclass(frozen=True, slots=True)
class HistoryEdits:
    """The messages that come in the place of others, by place in the history; None for one that goes, behind
    which the others move up. Never empty."""

    messages: Mapping[int, Message | None]


class IncrementalCompressor(Protocol):
    """Says of a history what ``compress`` makes of it, without looking at all of it again.

    It was told of every message of the history, and of every edit that was made of it.
    """

    def add(self, place: int, message: Message) -> None:
        """A message came, at this place; places ascend, and those that are left out say nothing."""

    def look(self, tokens: int, limit: int | None) -> HistoryEdits | NoOp | None:
        """What ``compress`` would change now, or its reason to change nothing; None where this one does not
        know, and ``compress`` has to be asked and a new follower made. ``tokens`` are those of the whole
        context, ``limit`` those of the window."""

    def took(self, edits: HistoryEdits) -> None:
        """The edits of the last look stand in the history now."""


CompressorFactory = Callable[[Callable[[Message], int]], IncrementalCompressor]
"""Makes a follower for a history that begins; it is given what counts the tokens of a message."""

"""The protocol of incremental compressors, for strategies that run on nearly every turn of one history. They
replace or remove single messages; only a few messages are new on each turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from core.transcript.compaction import NoOp
from core.transcript.model import Message


@dataclass(frozen=True, slots=True)
class HistoryEdits:
    """Replacement messages by index in the history; None removes a message. Never empty."""

    messages: Mapping[int, Message | None]


class IncrementalCompressor(Protocol):
    """Computes the result of ``compress`` without rereading the whole history. Its caller reports every
    message of the history and every edit made to it."""

    def add(self, place: int, message: Message) -> None:
        """Add the message at an index; indices ascend, and skipped ones need no compression."""

    def edits(self, tokens: int, limit: int | None) -> HistoryEdits | NoOp | None:
        """Return the edits ``compress`` would make now, or its no-op. None: not known; the caller runs
        ``compress`` and makes a new incremental compressor. ``tokens`` is the size of the whole context,
        ``limit`` the window, both in tokens."""

    def apply(self, edits: HistoryEdits) -> None:
        """Note that the edits of the last look were applied."""


CompressorFactory = Callable[[Callable[[Message], int]], IncrementalCompressor]
"""Makes a compressor for an empty history from a function that counts the tokens of a message."""

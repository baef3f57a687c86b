"""Batches of messages whose texts are counted together in the counting process."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from typing import TypeAlias

from core.tokens.counted_texts import BLANK_RUN, text_pieces
from core.tokens.counting_process import CountBatch, CountingProcess
from core.transcript.model import Message

TextKey: TypeAlias = str | int
"""Cache key of a text."""

TOGETHER = 500_000
"""Characters sent to the process at once; a longer text is split into several requests."""


class CountingBatch:
    """Messages in order, with their known tokens and the texts to count."""

    def __init__(self, process: CountingProcess, encoding: str) -> None:
        self._process, self._encoding = process, encoding
        self.messages: list[Message] = []
        self._sums: list[tuple[int, Sequence[TextKey]]] = []
        self._pieces: dict[TextKey, int] = {}  # how many pieces each text was counted in
        self._texts: list[str] = []
        self._size = 0  # characters
        self._batches: list[CountBatch] = []

    @property
    def is_full(self) -> bool:
        """Return True once a part of it was sent."""
        return bool(self._batches)

    @property
    def is_answered(self) -> bool:
        """Return True if ``counts`` would not wait."""
        return all(batch.counts is not None for batch in self._batches)

    def add(self, message: Message, count: int, keys: Sequence[TextKey]) -> None:
        """Add a message: its tokens without those of the texts with these keys."""
        self.messages.append(message)
        self._sums.append((count, keys))

    def want(self, key: TextKey, text: str, pause: Callable[[], None] | None) -> None:
        """Add a text to count, once. ``pause`` as in ``CountingProcess.ask``."""
        if key in self._pieces:
            return
        if len(text) < BLANK_RUN:
            self._pieces[key] = 1
            self._put(text, pause)
            return
        self._pieces[key] = 0
        for piece in text_pieces(text):
            self._pieces[key] += 1
            self._put(piece, pause)

    def _put(self, piece: str, pause: Callable[[], None] | None) -> None:
        self._texts.append(piece)
        self._size += len(piece)
        if self._size >= TOGETHER:
            self.ask(pause)

    def ask(self, pause: Callable[[], None] | None) -> None:
        """Send the texts so far; they are not held here any longer."""
        if self._texts:
            self._batches.append(self._process.ask(self._encoding, self._texts, pause))
            self._texts, self._size = [], 0

    def counts(self, known: MutableMapping[TextKey, int], pause: Callable[[], None]) -> list[int]:
        """Wait for the counts, store them in ``known``, and return the tokens of each message."""
        answers = (count for batch in self._batches for count in self._process.wait(batch, pause))
        for key, count in self._pieces.items():
            known[key] = next(answers) if count == 1 else sum(next(answers) for _ in range(count))
        return [count + sum([known[key] for key in keys]) for count, keys in self._sums]

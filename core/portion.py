"""Messages whose texts are counted together by a tally, portion by portion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import TypeAlias

from core.conversation import Message
from core.tally import Batch, Tally

Key: TypeAlias = str | int
"""What a text is remembered by."""

TOGETHER = 500_000
"""Characters that a tally is asked for at once; a longer text is asked for in several questions."""


class Portion:
    """Some messages in order: what is known of their tokens, and the texts that are asked for."""

    def __init__(self, tally: Tally, encoding: str) -> None:
        self._tally, self._encoding = tally, encoding
        self._messages: list[tuple[Message, int, list[Key]]] = []
        self._pieces: dict[Key, int] = {}  # how many pieces each text was counted in
        self._texts: list[str] = []
        self._size = 0  # characters
        self._batches: list[Batch] = []

    @property
    def is_full(self) -> bool:
        """True once the tally was asked for some of it."""
        return bool(self._batches)

    def add(self, message: Message, count: int, keys: list[Key]) -> None:
        """Take a message in: its tokens without those of the texts with these keys."""
        self._messages.append((message, count, keys))

    def want(self, key: Key, pieces: Iterator[str], pause: Callable[[], None]) -> None:
        """Have a text counted, in these pieces; once, however often it comes."""
        if key in self._pieces:
            return
        self._pieces[key] = 0
        for piece in pieces:
            self._pieces[key] += 1
            self._texts.append(piece)
            self._size += len(piece)
            if self._size >= TOGETHER:
                self.ask(pause)

    def ask(self, pause: Callable[[], None]) -> None:
        """Have the texts so far counted; they are not held here any longer."""
        if self._texts:
            self._batches.append(self._tally.ask(self._encoding, self._texts, pause))
            self._texts, self._size = [], 0

    def settle(
        self, known: MutableMapping[Key, int], pause: Callable[[], None]
    ) -> Iterator[tuple[Message, int]]:
        """Wait for the answers, note them in ``known``, and give each message with its tokens."""
        counts = (count for batch in self._batches for count in self._tally.wait(batch, pause))
        for key, pieces in self._pieces.items():
            known[key] = sum(next(counts) for _ in range(pieces))
        for message, count, keys in self._messages:
            yield message, count + sum([known[key] for key in keys])

"""Counts the messages of a file while it is still being read, in the counting process."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice

from core.tokens.counter import TokenCounter
from core.tokens.counting_batches import CountingBatch
from core.tokens.counting_process import CountingProcess
from core.transcript.model import Message

_TOGETHER = 64
"""Messages per question: a few hundred kilobytes."""


class BackgroundCounts:
    """The tokens of messages in the order in which they were read.

    Nothing waits for the counting process before a count is needed; messages that were not sent to it yet are
    held, not their texts.
    """

    def __init__(self, counter: TokenCounter, process: CountingProcess) -> None:
        self._counter, self._process = counter, process
        self._waiting: deque[Message] = deque()
        self._pending: deque[CountingBatch] = deque()
        self._counts = array("q")

    @property
    def encoding(self) -> str:
        return self._counter.method.encoding

    def take(self, messages: Sequence[Message]) -> None:
        self._waiting.extend(messages)
        self._move()

    def count(self, place: int, pause: Callable[[], None]) -> int:
        """Return the tokens of a message by its place among those taken. ``pause`` is called while that
        takes long; an exception from it ends the wait."""
        self._counter.pause = pause
        while place >= len(self._counts):
            self._move()
            self._settle()
        return self._counts[place]

    def _move(self) -> None:
        """Send as many questions as can be answered soon, and take in answers."""
        self._process.move()
        while self._pending and self._pending[0].is_answered:
            self._settle()
        while self._waiting and self._process.has_room:
            batch = list(islice(self._waiting, _TOGETHER))
            self._pending.append(self._counter.begin(batch))
            for _ in batch:
                self._waiting.popleft()

    def _settle(self) -> None:
        if self._pending:
            self._counts.extend(self._counter.finish(self._pending[0]))
            self._pending.popleft()

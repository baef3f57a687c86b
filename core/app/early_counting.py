"""Counting that begins while a file is read: the process that counts is asked for what is read so far."""

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
"""Messages of one question: some hundred kilobytes."""


class BackgroundCounts:
    """The tokens of messages in the order in which they were handed on. Nothing waits for the tally before
    a count is asked for; messages whose texts are not on their way yet are held, not their texts."""

    def __init__(self, counter: TokenCounter, tally: CountingProcess) -> None:
        self._counter, self._tally = counter, tally
        self._waiting: deque[Message] = deque()
        self._asked: deque[CountingBatch] = deque()
        self._counts = array("q")

    @property
    def encoding(self) -> str:
        """What is counted by."""
        return self._counter.method.encoding

    def take(self, messages: Sequence[Message]) -> None:
        """Count these, too."""
        self._waiting.extend(messages)
        self._move()

    def count(self, place: int, pause: Callable[[], None]) -> int:
        """Tokens of a message by its place among those taken. ``pause`` is called while that takes long;
        what it raises ends the wait."""
        self._counter.pause = pause
        while place >= len(self._counts):
            self._move()
            self._settle()
        return self._counts[place]

    def _move(self) -> None:
        """Ask as much as can be sent soon, and note what is answered."""
        self._tally.move()
        while self._asked and self._asked[0].is_answered:
            self._settle()
        while self._waiting and self._tally.has_room:
            some = list(islice(self._waiting, _TOGETHER))
            self._asked.append(self._counter.begin(some))
            for _ in some:
                self._waiting.popleft()

    def _settle(self) -> None:
        if self._asked:
            self._counts.extend(self._counter.finish(self._asked[0]))
            self._asked.popleft()

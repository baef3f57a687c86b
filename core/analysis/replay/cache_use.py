"""What a provider's prompt cache makes of one request after another: read, written, written again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import is_not

from core.llm.prices import TokenRates
from core.transcript.model import Message


@dataclass(frozen=True, slots=True)
class SentRequest:
    """One request in tokens: its size, the unchanged prefix, and what behind that was sent before."""

    size: int
    prefix: int
    rewritten: int

    def cost(self, rates: TokenRates) -> float:
        """US dollars for the request: its prefix read from a warm cache, the rest written to it.

        A prefix below the smallest that is cached is written, too.
        """
        prefix = self.prefix if self.prefix >= rates.least else 0
        at = rates.at(self.size)
        return at.read * prefix + at.write * (self.size - prefix)


class ReplayedCache:
    """Follows the history of one track. ``base`` are the tokens before it (system prompt and tools).

    A request costs a look at the whole history only after all of that was replaced; while it only grows, all
    of the last request is the prefix of the next, and of one with edits what stands before the first.
    """

    def __init__(self, base: int, count: Callable[[Message], int]) -> None:
        self._base = base
        self._count = count
        self._held: list[Message] = []
        self._sums = [0]  # tokens up to each message, as far as somebody asked
        self._edited: set[int] = set()  # places, since the last request
        self._sent = 0  # messages of the last request
        self._first = sys.maxsize  # from which place on others may stand there since
        self._size = 0  # its tokens

    def rescaled(self, base: int) -> None:
        """Messages count otherwise from here on, and other tokens stand before them."""
        self._base, self._sums = base, [0]
        self._size = base + sum(map(self._count, self._held[: self._sent])) if self._size else 0

    def add(self, message: Message) -> None:
        """A message was added at the end of the history."""
        self._held.append(message)

    def edit(self, messages: Mapping[int, Message]) -> None:
        """Other messages stand at these places now, and all the others where they were."""
        for place, message in messages.items():
            self._held[place] = message
        self._edited |= messages.keys()

    def replaced(self, first: int) -> None:
        """From this place on others may stand there; the next request is one that ``changed``."""
        self._first = min(self._first, first)

    def grown(self, size: int) -> SentRequest:
        """The next request, where the history only grew or was edited."""
        if not self._edited:
            made = SentRequest(size, self._size, 0)
        else:
            same = min(self._sent, *self._edited)
            fresh = (at for at in range(self._sent, len(self._held)) if at not in self._edited)
            made = self._from(size, same, sum(self._count(self._held[at]) for at in fresh))
        self._sent, self._size, self._edited = len(self._held), size, set()
        return made

    def changed(self, size: int, history: Sequence[Message]) -> SentRequest:
        """The next request, where the history became another one."""
        same = self._unchanged(history)
        fresh_places = (at for at in range(self._sent, len(self._held)) if at not in self._edited)
        new = {id(self._held[at]) for at in fresh_places}
        fresh = sum(self._count(message) for message in history[same:] if id(message) in new)
        made = self._from(size, same, fresh)
        self._held, self._sent, self._size, self._edited = list(history), len(history), size, set()
        self._first = sys.maxsize
        return made

    def _from(self, size: int, same: int, fresh: int) -> SentRequest:
        """The request behind an unchanged prefix of so many messages; ``fresh``: tokens never sent."""
        known = self._upto(same)
        prefix = self._base + known if self._size else 0
        return SentRequest(size, prefix, max(0, size - prefix - fresh))

    def _upto(self, same: int) -> int:
        """Tokens of the messages before a place from which on others may stand there now."""
        del self._sums[same + 1 :]
        for message in self._held[len(self._sums) - 1 : same]:
            self._sums.append(self._sums[-1] + self._count(message))
        return self._sums[same]

    def _unchanged(self, history: Sequence[Message]) -> int:
        """How many messages from the first on are those of the last request."""
        most = min(self._sent, len(history), *self._edited)
        start = min(self._first, most)
        # messages are seldom new objects
        others = compress(range(start, most), map(is_not, self._held[start:most], history[start:most]))
        return next((place for place in others if self._held[place] != history[place]), most)

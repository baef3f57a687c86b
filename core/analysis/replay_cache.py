"""What a provider's prompt cache makes of one request after another: read, written, written again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.analysis.cost_values import Rates
from core.conversation import Message


@dataclass(frozen=True, slots=True)
class Sent:
    """One request in tokens: its size, the unchanged prefix, and what behind that was sent before."""

    size: int
    prefix: int
    rewritten: int

    def cost(self, rates: Rates) -> float:
        """US dollars for the request: its prefix read from a warm cache, the rest written to it.

        A prefix below the smallest that is cached is written, too.
        """
        prefix = self.prefix if self.prefix >= rates.least else 0
        return rates.read * prefix + rates.write * (self.size - prefix)


class PromptCache:
    """Follows the history of one track. ``base`` are the tokens before it (system prompt and tools).

    A request costs a look at the whole history only after something in it was replaced; while it only
    grows, all of the last request is the prefix of the next.
    """

    def __init__(self, base: int, count: Callable[[Message], int]) -> None:
        self._base = base
        self._count = count
        self._held: list[Message] = []
        self._sent = 0  # messages of the last request
        self._size = 0  # its tokens

    def add(self, message: Message) -> None:
        """A message was added at the end of the history."""
        self._held.append(message)

    def grown(self, size: int) -> Sent:
        """The next request, where the history only grew."""
        made = Sent(size, self._size, 0)
        self._sent, self._size = len(self._held), size
        return made

    def changed(self, size: int, history: Sequence[Message]) -> Sent:
        """The next request, where the history became another one."""
        same = self._unchanged(history)
        prefix = self._base + sum(map(self._count, history[:same])) if self._size else 0
        new = {id(message) for message in self._held[self._sent :]}
        fresh = sum(self._count(message) for message in history[same:] if id(message) in new)
        made = Sent(size, prefix, max(0, size - prefix - fresh))
        self._held, self._sent, self._size = list(history), len(history), size
        return made

    def _unchanged(self, history: Sequence[Message]) -> int:
        """How many messages from the first on are those of the last request."""
        most = min(self._sent, len(history))
        for place in range(most):
            old, new = self._held[place], history[place]
            if old is not new and old != new:
                return place
        return most

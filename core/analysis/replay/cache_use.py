"""Tracks how a provider's prompt cache serves successive requests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import is_not

from core.llm.prompt_cache import TokenRates
from core.transcript.model import Message


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request in tokens: its size, its unchanged prefix, and the later part that was sent before."""

    size: int
    prefix: int
    rewritten: int

    def cost(self, rates: TokenRates) -> float:
        """Return US dollars: the prefix read from a warm cache, the rest written. A prefix below the smallest
        cacheable size is written, too."""
        prefix = self.prefix if self.prefix >= rates.least else 0
        size_rates = rates.at(self.size)
        return size_rates.read * prefix + size_rates.write * (self.size - prefix)


class ReplayedCache:
    """Follows the history of one track; ``base`` tokens (system prompt and tools) precede it. The whole
    history is compared only after it was replaced. While it grows, the last request is the prefix of the
    next; edits end the prefix at the first edit."""

    def __init__(self, base: int, count: Callable[[Message], int]) -> None:
        self._base = base
        self._count = count
        self._messages: list[Message] = []
        self._prefix_sums = [0]  # tokens up to each message, computed on demand
        self._edited: set[int] = set()  # indices, since the last request
        self._sent_count = 0  # messages of the last request
        self._first_changed = sys.maxsize  # first index that may have changed since
        self._sent_size = 0  # tokens of the last request

    def rescale(self, base: int) -> None:
        """Change the count of messages and of the tokens before them."""
        self._base, self._prefix_sums = base, [0]
        if self._sent_size:
            self._sent_size = base + sum(map(self._count, self._messages[: self._sent_count]))

    def add(self, message: Message) -> None:
        """Append a message."""
        self._messages.append(message)

    def edit(self, messages: Mapping[int, Message]) -> None:
        """Replace the messages at these indices."""
        for index, message in messages.items():
            self._messages[index] = message
        self._edited |= messages.keys()

    def mark_replaced(self, first: int) -> None:
        """Note that messages from this index on may differ; the next request is ``changed``."""
        self._first_changed = min(self._first_changed, first)

    def request_after_growth(self, size: int) -> SentRequest:
        """Return the next request of a history that only grew or was edited."""
        if not self._edited:
            request = SentRequest(size, self._sent_size, 0)
        else:
            unchanged = min(self._sent_count, *self._edited)
            new_tokens = sum(self._count(self._messages[index]) for index in self._unsent_indices())
            request = self._request(size, unchanged, new_tokens)
        self._sent_count, self._sent_size, self._edited = len(self._messages), size, set()
        return request

    def request_after_replacement(self, size: int, history: Sequence[Message]) -> SentRequest:
        """Return the next request of a replaced history."""
        unchanged = self._unchanged_count(history)
        new_ids = {id(self._messages[index]) for index in self._unsent_indices()}
        new_tokens = sum(self._count(message) for message in history[unchanged:] if id(message) in new_ids)
        request = self._request(size, unchanged, new_tokens)
        self._messages, self._edited = list(history), set()
        self._sent_count, self._sent_size = len(history), size
        self._first_changed = sys.maxsize
        return request

    def _unsent_indices(self) -> Iterator[int]:
        return (index for index in range(self._sent_count, len(self._messages)) if index not in self._edited)

    def _request(self, size: int, unchanged_count: int, new_tokens: int) -> SentRequest:
        """Build a request with ``unchanged_count`` leading messages; ``new_tokens``: tokens never sent."""
        prefix_tokens = self._tokens_before(unchanged_count)
        prefix = self._base + prefix_tokens if self._sent_size else 0
        return SentRequest(size, prefix, max(0, size - prefix - new_tokens))

    def _tokens_before(self, count: int) -> int:
        """Count the tokens of the first messages; later sums are invalid from here on."""
        del self._prefix_sums[count + 1 :]
        for message in self._messages[len(self._prefix_sums) - 1 : count]:
            self._prefix_sums.append(self._prefix_sums[-1] + self._count(message))
        return self._prefix_sums[count]

    def _unchanged_count(self, history: Sequence[Message]) -> int:
        """Count the leading messages shared with the last request."""
        limit = min(self._sent_count, len(history), *self._edited)
        start = min(self._first_changed, limit)
        # identity first: messages are rarely new objects
        sent = self._messages
        differing = compress(range(start, limit), map(is_not, sent[start:limit], history[start:limit]))
        return next((index for index in differing if sent[index] != history[index]), limit)

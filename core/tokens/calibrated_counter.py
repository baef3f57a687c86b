"""A token counter that scales another counter's counts to a provider's figures."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

from core.tokens.counter import CountMethod, TokenCounter, no_pause
from core.transcript.model import Block, Message, Opaque, SystemPart


def calibrated_count(count: int, factor: float) -> int:
    """Return count times factor, rounded once."""
    return int(factor * count + 0.5)


def reported_part(message: Message) -> int:
    """Return the reported tokens of a message's opaque content, which is never scaled."""
    return sum(block.tokens or 0 for block in message.blocks if isinstance(block, Opaque))


def message_size(message: Message, count: int, factor: float) -> int:
    reported = reported_part(message)
    return calibrated_count(count - reported, factor) + reported


class CalibratedTokenCounter(TokenCounter):
    """Scales each count of ``raw`` by ``factor`` and rounds it once; sums add scaled counts.

    Reported tokens are not scaled. It learns and remembers unscaled counts.
    """

    def __init__(self, raw: TokenCounter, factor: float, method: CountMethod) -> None:
        super().__init__(method)
        self.raw, self.factor = raw, factor

    def size(self, count: int) -> int:
        return calibrated_count(count, self.factor)

    def text(self, text: str) -> int:
        return self.size(self.raw.text(text))

    def block(self, block: Block) -> int:
        """Return the tokens of a block; reported ones of opaque content are not scaled."""
        count = self.raw.block(block)
        return count if isinstance(block, Opaque) else self.size(count)

    def message(self, message: Message) -> int:
        return message_size(message, self.raw.message(message), self.factor)

    def count_each(
        self, messages: Iterable[Message], pause: Callable[[], None] = no_pause, *, use_cache: bool = True
    ) -> Iterator[int]:
        message_list = list(messages)
        counts = self.raw.count_each(message_list, pause, use_cache=use_cache)
        for message, count in zip(message_list, counts, strict=True):
            yield message_size(message, count, self.factor)

    def system(self, system: SystemPart) -> int:
        return self.size(self.raw.system(system))

    def cached_counts(self, messages: Sequence[Message]) -> array[int] | None:
        """Return the scaled counts of messages that were all counted before."""
        counts = self.raw.cached_counts(messages)
        return None if counts is None else array("q", map(self.message, messages))

    def cache_count(self, message: Message, count: int) -> None:
        """Remember an unscaled count."""
        self.raw.cache_count(message, count)

"""A counter whose figures agree with a provider: another one's counts, times a factor."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

from core.tokens.counter import CountMethod, TokenCounter
from core.tokens.counting_batches import CountingBatch
from core.transcript.model import Block, Message, Opaque, SystemPart


def calibrated_count(count: int, factor: float) -> int:
    """The figure of a count, rounded once."""
    return int(factor * count + 0.5)


def reported_part(message: Message) -> int:
    """Tokens of a message that its provider reported: those of opaque content. No factor is theirs."""
    return sum(block.tokens or 0 for block in message.blocks if isinstance(block, Opaque))


def message_size(message: Message, count: int, factor: float) -> int:
    """The figure of a message that was counted."""
    known = reported_part(message)
    return calibrated_count(count - known, factor) + known


class CalibratedTokenCounter(TokenCounter):
    """Every figure is a count of ``raw`` times ``factor``, rounded once; sums add such figures. What was
    reported stays. What it learns and remembers are counts."""

    def __init__(self, raw: TokenCounter, factor: float, method: CountMethod) -> None:
        super().__init__(method)
        self.raw, self.factor = raw, factor

    @property
    def pause(self) -> Callable[[], None]:
        """That of the counter below."""
        return self.raw.pause

    @pause.setter
    def pause(self, pause: Callable[[], None]) -> None:
        if hasattr(self, "raw"):
            self.raw.pause = pause

    def size(self, count: int) -> int:
        """The figure of a count."""
        return calibrated_count(count, self.factor)

    def text(self, text: str) -> int:
        """Tokens of a text."""
        return self.size(self.raw.text(text))

    def block(self, block: Block) -> int:
        """Tokens of one block."""
        count = self.raw.block(block)
        return count if isinstance(block, Opaque) else self.size(count)

    def message(self, message: Message) -> int:
        """Tokens of a message."""
        return message_size(message, self.raw.message(message), self.factor)

    def each(self, messages: Iterable[Message], *, keeps: bool = True) -> Iterator[int]:
        """Tokens of each message, in order."""
        some = list(messages)
        for message, count in zip(some, self.raw.each(some, keeps=keeps), strict=True):
            yield message_size(message, count, self.factor)

    def begin(self, messages: Iterable[Message]) -> CountingBatch:
        """Ask the tally for counts."""
        return self.raw.begin(messages)

    def finish(self, portion: CountingBatch) -> list[int]:
        """Tokens of each message of a portion."""
        counts = self.raw.finish(portion)
        return [message_size(*pair, self.factor) for pair in zip(portion.messages, counts, strict=True)]

    def system(self, system: SystemPart) -> int:
        """Tokens of system prompt and tool definitions."""
        return self.size(self.raw.system(system))

    def known(self, messages: Sequence[Message]) -> array[int] | None:
        """The figures of messages that were all counted before."""
        found = self.raw.known(messages)
        return None if found is None else array("q", map(self.message, messages))

    def learn(self, message: Message, count: int) -> None:
        """Take over a count, not a figure."""
        self.raw.learn(message, count)

"""A counter whose figures agree with a provider: another one's counts, times a factor."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

from core.conversation import Block, Message, SystemPart
from core.portion import Portion
from core.tokens import Counter, CountMethod


def sized(count: int, factor: float) -> int:
    """The figure of a count, rounded once."""
    return int(factor * count + 0.5)


class CalibratedCounter(Counter):
    """Every figure is a count of ``raw`` times ``factor``, rounded once; sums add such figures. What it
    learns and remembers are counts."""

    def __init__(self, raw: Counter, factor: float, method: CountMethod) -> None:
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
        return sized(count, self.factor)

    def sizes(self, counts: Iterable[int]) -> array[int]:
        """The figures of counts."""
        return array("q", map(self.size, counts))

    def text(self, text: str) -> int:
        """Tokens of a text."""
        return self.size(self.raw.text(text))

    def block(self, block: Block) -> int:
        """Tokens of one block."""
        return self.size(self.raw.block(block))

    def message(self, message: Message) -> int:
        """Tokens of a message."""
        return self.size(self.raw.message(message))

    def each(self, messages: Iterable[Message], *, keeps: bool = True) -> Iterator[int]:
        """Tokens of each message, in order."""
        return map(self.size, self.raw.each(messages, keeps=keeps))

    def begin(self, messages: Iterable[Message]) -> Portion:
        """Ask the tally for counts."""
        return self.raw.begin(messages)

    def finish(self, portion: Portion) -> list[int]:
        """Tokens of each message of a portion."""
        return list(self.sizes(self.raw.finish(portion)))

    def system(self, system: SystemPart) -> int:
        """Tokens of system prompt and tool definitions."""
        return self.size(self.raw.system(system))

    def known(self, messages: Sequence[Message]) -> array[int] | None:
        """The figures of messages that were all counted before."""
        found = self.raw.known(messages)
        return None if found is None else self.sizes(found)

    def learn(self, message: Message, count: int) -> None:
        """Take over a count, not a figure."""
        self.raw.learn(message, count)

"""Texts that stand several times in a context: a memory file, a packet of the harness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.common.excerpts import one_line_text
from core.common.number_format import count, message_number, plural
from core.transcript.model import Message, Speaker, Text

_LEAST_LENGTH = 200  # characters of a text whose copies cost something
_MOST_TEXTS = 5
_MOST_NAMES = 6  # messages that are named
_MOST_WORDS = 60  # characters of the text that are shown


@dataclass(frozen=True, slots=True)
class ContextCopies:
    """A ``text`` and the ``indices`` of the messages that have it, each as often as it does."""

    text: str
    indices: tuple[int, ...]

    def words(self, tokens: Callable[[str], int]) -> str:
        """Return what is said of the copies; ``tokens`` counts a text."""
        names = ", ".join(map(message_number, self.indices[:_MOST_NAMES]))
        names += " …" if len(self.indices) > _MOST_NAMES else ""
        copies = len(self.indices) - 1
        return (
            f"The same text stands {len(self.indices):,} times in the context ({names}): "
            f"{plural(copies, 'copy', 'copies')}, about {count(copies * tokens(self.text))} tokens. "
            f"It begins: {one_line_text(self.text.strip(), _MOST_WORDS)}"
        )


def find_copies(messages: Sequence[Message], indices: Sequence[int]) -> tuple[ContextCopies, ...]:
    """Return the texts of the person and the harness that stand more than once, the largest first;
    ``indices`` name the messages."""
    places: dict[str, list[int]] = {}
    for message, index in zip(messages, indices, strict=True):
        if message.speaker not in (Speaker.HUMAN, Speaker.SYSTEM):
            continue
        for block in message.blocks:
            if isinstance(block, Text) and len(block.text) >= _LEAST_LENGTH:
                places.setdefault(block.text, []).append(index)
    found = [ContextCopies(text, (*own,)) for text, own in places.items() if len(own) > 1]
    found.sort(key=lambda one: len(one.text) * (len(one.indices) - 1), reverse=True)
    return tuple(found[:_MOST_TEXTS])

"""Compactions of an agent that follow each other and free next to nothing."""

from __future__ import annotations

from dataclasses import dataclass

from core.common.number_format import abbreviated
from core.transcript.model import Conversation

_LEAST_FREED = 0.10  # share of the context
_LEAST_COUNT = 3


@dataclass(frozen=True, slots=True)
class Thrash:
    """The newest compactions in a row that freed next to nothing, by the sizes that the file
    reports; no compaction removes the ``hidden`` tokens, which are in requests but in no message
    (REPAIR-9)."""

    count: int
    messages: int
    hidden: int

    @property
    def text(self) -> str:
        """ "The last 9 compactions, in 120 messages, freed under 10 % each; 31k hidden tokens
        …"."""
        freed = f"freed under {_LEAST_FREED * 100:.0f} % each"
        return (
            f"The last {self.count:,} compactions, in {self.messages:,} messages, "
            f"{freed}{self._rest}"
        )

    @property
    def _rest(self) -> str:
        help_text = "a larger window or fewer tools would help."
        if not self.hidden:
            return f": what stays fills the window; {help_text}"
        return f"; {self.hidden_text} cannot be removed: {help_text}"

    @property
    def hidden_text(self) -> str:
        """ "31k hidden tokens"; "" where none are known."""
        if not self.hidden:
            return ""
        return f"{abbreviated(self.hidden)} hidden {'token' if self.hidden == 1 else 'tokens'}"

    @property
    def label(self) -> str:
        """ "thrashes, 31k hidden tokens"."""
        return ", ".join(filter(None, ("thrashes", self.hidden_text)))


def find_thrash(conversation: Conversation, hidden: int = 0) -> Thrash | None:
    """Return the newest three compactions or more in a row that freed next to nothing; None
    without."""
    start, count = 0, 0
    for recorded in reversed(conversation.recorded):
        before, after = recorded.tokens_before, recorded.tokens_after
        if not before or after is None or before - after >= _LEAST_FREED * before:
            break
        start, count = recorded.boundary, count + 1
    if count < _LEAST_COUNT:
        return None
    return Thrash(count, conversation.recorded[-1].boundary - start, hidden)

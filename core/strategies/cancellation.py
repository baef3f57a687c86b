"""Lets a strategy be cancelled, which knows of no progress: when it estimates, or facts are read for it."""

from __future__ import annotations

from collections.abc import Sequence

from core.tokens.counter import TokenCounter
from core.transcript.model import Message, Progress

_DOING = "Compacting"


class StrategyProgress:
    """The progress of one run of a strategy, and the estimate that the strategy is given."""

    def __init__(self, progress: Progress, counter: TokenCounter) -> None:
        self._progress = progress
        self._counter = counter
        self._reached = 0.0

    def tell(self, fraction: float, text: str) -> None:
        """Progress of a part; the whole never goes back. What the progress raises ends the run."""
        self._reached = max(self._reached, fraction)
        self._progress(self._reached, _DOING)

    def estimate(self, messages: Sequence[Message]) -> int:
        """Tokens of messages."""
        self._progress(self._reached, _DOING)
        return self._counter.messages(messages)

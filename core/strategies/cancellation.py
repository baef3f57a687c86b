"""Progress and cancellation for strategies, checked whenever a strategy estimates tokens."""

from __future__ import annotations

from collections.abc import Sequence

from core.tokens.counter import TokenCounter
from core.transcript.model import Message, Progress

_ACTIVITY = "Compacting"


class StrategyProgress:
    """Reports progress of one run and counts tokens for it; a callback that raises ends the run."""

    def __init__(self, progress: Progress, counter: TokenCounter) -> None:
        self._progress = progress
        self._counter = counter
        self._reached = 0.0

    def report(self, fraction: float, text: str) -> None:
        """Report the progress of a part; the overall fraction never decreases."""
        self._reached = max(self._reached, fraction)
        self._progress(self._reached, _ACTIVITY)

    def estimate(self, messages: Sequence[Message]) -> int:
        self._progress(self._reached, _ACTIVITY)
        return self._counter.messages(messages)

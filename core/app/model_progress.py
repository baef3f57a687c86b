"""Progress of a model's run for the after pane: text, rounds, calls of tools, cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from core.common import number_format
from core.common.number_format import dollar_text
from core.llm.protocol import (
    CallFinished,
    CallRetrying,
    CallStarted,
    ModelEvent,
    RequestLightened,
    TextReceived,
    ToolUsed,
)
from core.presentation.settings.model import SummaryProgress
from core.settings.profile import Profile

_SHOWN = 4000
"""Characters of a growing text that are sent to the window: its end."""

_EVERY = 0.1
"""Seconds between two updates of a growing text."""


@dataclass(slots=True)
class ModelRunProgress:
    """Progress of a run, kept up to date by its events.

    ``budget`` are the tokens that all its answers together may have, ``calls`` how many answers are expected;
    ``rounds`` says that they are the rounds of an agent.
    """

    profile: Profile
    budget: int
    emit: Callable[[SummaryProgress], None]
    calls: int = 1
    rounds: bool = False
    started: float = field(default_factory=time.monotonic)
    _call: int = 0
    _sent: int = 0
    _before: int = 0  # tokens received in the calls before this one
    _received: int = 0
    _text: str = ""
    _log: list[str] = field(default_factory=list)
    _news: str = ""
    _paid: float | None = 0.0
    _last: float = 0.0

    def handle(self, event: ModelEvent) -> None:
        """Take in an event. At most ten updates a second are sent for text, other events at once."""
        match event:
            case CallStarted():
                self._start(event)
            case TextReceived():
                self._text, self._received = event.text, event.tokens
            case CallRetrying():
                self._news = f"Try {event.attempt}: the one before ended with {event.cause}"
            case RequestLightened():
                self._news = event.text
            case CallFinished():
                self._finish(event)
            case ToolUsed():
                self._log.append(f"Round {event.step.round} · {event.step.tool}: {event.step.effect}")
        if not isinstance(event, TextReceived) or time.monotonic() - self._last >= _EVERY:
            self.show()

    def _start(self, event: CallStarted) -> None:
        self._sent += event.tokens
        if event.attempt == 1 or not self._call:
            self._call += 1
            self._before, self._received = self._before + self._received, 0
            self._text = "" if self._call > 1 else self._text

    def _finish(self, event: CallFinished) -> None:
        is_known = self._paid is not None and event.cost is not None
        self._paid = (self._paid or 0.0) + (event.cost or 0.0) if is_known else None
        until = "so far" if self._call < self.calls else "in all"
        self._news = "" if self._paid is None else f"{dollar_text(self._paid)} {until}"
        if self.rounds and self._text:
            self._log.append(self._text)
            self._text = ""

    def tick(self) -> None:
        """Send an update where there was none for a second, so that the elapsed time moves."""
        if time.monotonic() - self._last >= 1:
            self.show()

    def show(self, *, over: bool = False) -> None:
        self._last = time.monotonic()
        seconds = f"{self._last - self.started:.0f} s"
        received = self._before + self._received
        tokens = (
            f"≈{number_format.count(self._sent)} tokens sent · "
            f"≈{number_format.count(received)} of at most {number_format.count(self.budget)} received"
        )
        facts = (tokens, self._news) if self._news else (tokens,)
        text = "\n".join((*self._log, *filter(None, (self._text,))))[-_SHOWN:]
        self.emit(SummaryProgress(self._title(), seconds, facts, text, self._fraction(received), over))

    def _title(self) -> str:
        name, number = self.profile.name, max(1, self._call)
        if self.rounds:
            return f"{name} works with tools, round {number} of at most {self.calls}"
        if self.calls > 1:
            return f"{name} writes summary {number} of {max(number, self.calls)}"
        return f"{name} writes the summary"

    def _fraction(self, received: int) -> float:
        """Return the share of tokens for one answer, of finished answers for several."""
        if self.calls > 1:
            return min(1.0, max(0, self._call - 1) / self.calls)
        return min(1.0, received / max(1, self.budget))

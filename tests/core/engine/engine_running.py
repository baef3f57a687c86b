"""A session over made-up surroundings, and what it was heard to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from core.engine.events import EngineEvent
from core.engine.session import AgentSession
from core.engine.setup import SessionEnvironment
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings.schema import Mode, SettingValue
from core.strategies.base import DensityConfig, DensityResult, Strategy
from core.strategies.registry import find_strategy
from core.transcript.model import Message
from tests.core.strategies.strategy_running import tokens, values

LIMIT = 1000


class Pen:
    """A summariser that writes ``text``, after ``meanwhile`` was done."""

    profile, model = "pen", "ink"

    def __init__(self, text: str = "S", meanwhile: Callable[[], None] | None = None) -> None:
        self.text = text
        self.meanwhile = meanwhile
        self.asked: list[SummaryRequest] = []

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        self.asked.append(request)
        if self.meanwhile is not None:
            self.meanwhile()
        return SummaryResponse(self.text, input_tokens=7, output_tokens=3)


def count(message: Message) -> int:
    """The cheap count of the other tests, for one message."""
    return tokens((message,))


class Loop:
    """A session, its summariser, and the events that it told."""

    def __init__(
        self,
        messages: Sequence[Message] = (),
        mode: Mode = Mode.SAFE,
        *,
        limit: int | None = LIMIT,
        around: Callable[[SessionEnvironment], SessionEnvironment] | None = None,
        **settings: SettingValue,
    ) -> None:
        self.pen = Pen()
        self.events: list[EngineEvent] = []
        base = SessionEnvironment(count, lambda profile: self.pen, limit, prompt=lambda name: "prompt")
        effective = values(compression__mode=mode.value, **settings)
        self.session = AgentSession(effective, around(base) if around else base, self.events.append)
        for message in messages:
            self.session.add(message)

    @property
    def raw(self) -> tuple[Message, ...]:
        return self.session.store.raw

    def set(self, **settings: SettingValue) -> None:
        """Other settings from now on; the mode stays."""
        self.session.values = values(compression__mode=self.session.mode.value, **settings)

    def heard(self, kind: type[Any]) -> list[Any]:
        """The events of one kind, so far."""
        return [event for event in self.events if isinstance(event, kind)]


def with_strategy(name: str, **changes: Any) -> Callable[[SessionEnvironment], SessionEnvironment]:
    """Surroundings whose strategy of that name is changed."""

    def find(wanted: str) -> Strategy:
        found = find_strategy(wanted)
        whole = {"remembering": None} | changes if "compress" in changes else changes
        return replace(found, **whole) if wanted == name else found

    return lambda base: replace(base, find=find)


def failing(history: Sequence[Message], config: DensityConfig) -> DensityResult:
    """A density step that raises."""
    raise ValueError("no density today")

"""An AgentSession with a fake summariser that records its events."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from core.engine.history_store import EngineEvent
from core.engine.passes import SessionEnvironment
from core.engine.session import AgentSession
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings.schema import Mode, SettingValue
from core.strategies.base import DensityResult, DensitySettings, Strategy
from core.strategies.registry import find_strategy
from core.transcript.model import Message
from tests.core.strategies.strategy_running import tokens, values

LIMIT = 1000


class RecordingSummariser:
    """A summariser that calls ``during_request``, then returns ``text``."""

    profile, model = "pen", "ink"

    def __init__(
        self, text: str = "S", during_request: Callable[[], None] | None = None
    ) -> None:
        self.text = text
        self.during_request = during_request
        self.requests: list[SummaryRequest] = []

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        self.requests.append(request)
        if self.during_request is not None:
            self.during_request()
        return SummaryResponse(
            text=self.text, input_tokens=7, output_tokens=3, unjudged=True
        )


def count(message: Message) -> int:
    return tokens((message,))


class SessionRecorder:
    def __init__(
        self,
        messages: Sequence[Message] = (),
        mode: Mode = Mode.SAFE,
        *,
        limit: int | None = LIMIT,
        wrap_environment: Callable[[SessionEnvironment], SessionEnvironment]
        | None = None,
        **settings: SettingValue,
    ) -> None:
        self.summariser = RecordingSummariser()
        self.events: list[EngineEvent] = []
        base = SessionEnvironment(
            count=count,
            summariser=lambda profile: self.summariser,
            limit=limit,
            prompt=lambda name: "prompt",
        )
        effective = values(compression__mode=mode.value, **settings)
        self.session = AgentSession(
            effective,
            wrap_environment(base) if wrap_environment else base,
            self.events.append,
        )
        for message in messages:
            self.session.add(message)

    @property
    def raw(self) -> tuple[Message, ...]:
        return self.session.store.raw

    def set(self, **settings: SettingValue) -> None:
        self.session.values = values(
            compression__mode=self.session.mode.value, **settings
        )

    def events_of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def with_strategy(
    name: str, **changes: Any
) -> Callable[[SessionEnvironment], SessionEnvironment]:

    def find(wanted: str) -> Strategy:
        found = find_strategy(wanted)
        return replace(found, **changes) if wanted == name else found

    return lambda base: replace(base, strategy_lookup=find)


def failing_density(
    history: Sequence[Message], config: DensitySettings
) -> DensityResult:
    raise ValueError("no density today")

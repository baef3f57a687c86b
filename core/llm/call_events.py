"""What a call of a model tells those who watch it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from core.transcript.compaction import AgentStep


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens as the provider reported them; None where it did not.

    ``input_tokens`` holds those read from and written to the prompt cache, too.
    ``cache_write_hour`` are those of ``cache_write`` that go to a cache that lives an hour.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read: int = 0
    cache_write: int = 0
    cache_write_hour: int = 0


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A request goes out: the first, a repeated or a lightened one. ``tokens`` is an estimate."""

    attempt: int
    tokens: int


@dataclass(frozen=True, slots=True)
class TextReceived:
    """The text that has come so far, and its tokens (an estimate)."""

    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class CallRetrying:
    """A request failed and goes out again after ``wait`` seconds; ``attempt`` is the one to come."""

    attempt: int
    cause: str
    wait: float


@dataclass(frozen=True, slots=True)
class RequestLightened:
    """The request did not fit the model's window: what was taken out of it, in one sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class CallFinished:
    """The answer is whole. ``cost`` in US dollars, None where the price is not known."""

    usage: TokenUsage
    cost: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """A call of a tool that the model asked for was carried out or refused."""

    step: AgentStep


ModelEvent: TypeAlias = CallStarted | TextReceived | CallRetrying | RequestLightened | CallFinished | ToolUsed

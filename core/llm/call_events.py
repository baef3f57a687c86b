"""What a call of a model reports while it runs, and the tokens that its provider counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from core.transcript.compaction import AgentStep


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Token counts reported by the provider; None where it reported none. ``input_tokens`` includes
    tokens read from and written to the prompt cache. ``cache_write_hour`` is the part of
    ``cache_write`` with a lifetime of one hour."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read: int = 0
    cache_write: int = 0
    cache_write_hour: int = 0


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A request is sent: the first, a retry or a lighter one. ``tokens`` is an estimate."""

    attempt: int
    tokens: int


@dataclass(frozen=True, slots=True)
class TextReceived:
    """The text received so far, and its tokens (an estimate)."""

    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class CallRetrying:
    """A request failed and is sent again after ``wait`` seconds as number ``attempt``."""

    attempt: int
    cause: str
    wait: float


@dataclass(frozen=True, slots=True)
class RequestLightened:
    """The request did not fit the model's window; ``text`` is a sentence on what was removed."""

    text: str


@dataclass(frozen=True, slots=True)
class CallFinished:
    """The answer is complete. ``cost`` is in US dollars, None where the price is unknown."""

    usage: TokenUsage
    cost: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """A requested tool call was executed or refused."""

    step: AgentStep


ModelEvent: TypeAlias = (
    CallStarted
    | TextReceived
    | CallRetrying
    | RequestLightened
    | CallFinished
    | ToolUsed
)

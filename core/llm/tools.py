"""Models that call tools: their turns and requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.common.json_value import Json
from core.transcript.compaction import AgentStep
from core.transcript.model import Message


@dataclass(frozen=True, slots=True)
class ToolCallRequest:
    """A tool call requested by a model; ``arguments`` is its JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTurn:
    """A model's turn with tools: its text, and the calls that it requests (none: it is done)."""

    text: str
    calls: tuple[ToolCallRequest, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    retries: int = 0
    steps: tuple[str, ...] = ()
    cost: float | None = None
    seconds: float = 0.0


class ToolModel(Protocol):
    """A model that calls tools. Raises on failure, as a Summariser does."""

    @property
    def profile(self) -> str:
        """The name of the profile that makes the calls."""

    @property
    def model(self) -> str:
        """The name of the model."""

    def converse(
        self, system: str, messages: Sequence[Message], tools: Sequence[Json]
    ) -> ToolTurn:
        """Return the next turn; ``tools`` are definitions {name, description, parameters (JSON
        schema)}."""

    def report_step(self, step: AgentStep) -> None:
        """Report to observers that a call of the last turn was executed or refused."""

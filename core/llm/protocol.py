"""What a summary and a model with tools are asked, and what they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.common.json_value import Json
from core.transcript.compaction import AgentStep
from core.transcript.model import Message


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """What a summariser is asked: structured messages, never one big string.

    ``indices[i]`` is the place of ``messages[i]`` in the history that the strategy was given.
    ``max_tokens`` is the budget of the summary. Empty strings: not present (llxprt.md section 5.3).
    ``temperature`` and ``most_output`` (tokens of the answer) are the request's own, None: the profile's.
    ``purpose`` says what is summarised where a run makes several requests ("#12").
    """

    prompt: str
    messages: tuple[Message, ...]
    indices: tuple[int, ...]
    trigger: str
    max_tokens: int
    todos: str = ""
    transcript: str = ""
    focus: str = ""
    temperature: float | None = None
    most_output: int | None = None
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class SummaryResponse:
    """What a summariser wrote. ``finish_reason`` is "stop", "length" or "refusal".

    ``steps`` are the sentences of what happened on the way (retries, a lighter request), ``ladder``
    those of the lighter requests, and what a person must see again stands in ``warnings``. ``cost`` in
    US dollars, None where not known; ``seconds`` of the whole call. ``unwritten``: the text only stands
    for one that will be written later, so that nothing may be asked of it.
    """

    text: str
    finish_reason: str = "stop"
    sections: tuple[str, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    retries: int = 0
    steps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    cost: float | None = None
    seconds: float = 0.0
    ladder: tuple[str, ...] = ()
    unwritten: bool = False


@dataclass(frozen=True, slots=True)
class ToolCallRequest:
    """A call of a tool that a model wants made; ``arguments`` is the JSON text as it wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolTurn:
    """A model's turn with tools: what it said, and the calls it wants made (none: it is done)."""

    text: str
    asks: tuple[ToolCallRequest, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    retries: int = 0
    steps: tuple[str, ...] = ()
    cost: float | None = None
    seconds: float = 0.0


class ToolModel(Protocol):
    """A model that works with tools. Raises on failure, as a Summariser does."""

    @property
    def profile(self) -> str:
        """Name of the profile that makes the calls."""

    @property
    def model(self) -> str:
        """Name of the model."""

    def converse(self, system: str, messages: Sequence[Message], tools: Sequence[Json]) -> ToolTurn:
        """The next turn: ``tools`` are definitions {name, description, parameters (JSON schema)}."""

    def note(self, step: AgentStep) -> None:
        """A call of the last turn was carried out or refused: for those who watch."""


class Summariser(Protocol):
    """Writes summaries. Raises on failure; never returns half an answer as a whole one."""

    @property
    def profile(self) -> str:
        """Name of the profile that makes the call."""

    @property
    def model(self) -> str:
        """Name of the model, or of the offline summariser."""

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        """Write the summary for a request."""

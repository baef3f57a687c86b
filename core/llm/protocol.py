"""Requests, responses and protocols of summarisers and of models that call tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.common.json_value import Json
from core.transcript.compaction import AgentStep
from core.transcript.model import Message


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """A request for a summary, as structured messages rather than one string.

    ``indices[i]`` is the index of ``messages[i]`` in the strategy's history. ``max_tokens`` is the budget of
    the summary. Empty strings: not present (llxprt.md section 5.3). ``temperature`` and ``max_output_tokens``
    (tokens) override those of the profile; None: the profile's. ``purpose`` names what is summarised where a
    run makes several requests ("#12").
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
    max_output_tokens: int | None = None
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class SummaryResponse:
    """The response of a summariser. ``finish_reason`` is "stop", "length" or "refusal".

    ``steps`` are sentences about the call (retries, lighter requests), ``reductions`` those about lighter
    requests, ``warnings`` sentences for the user. ``cost`` is in US dollars, None where unknown; ``seconds``
    is the duration of the whole call. ``unwritten``: the text is a placeholder for a later summary and must
    not be checked.
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
    reductions: tuple[str, ...] = ()
    unwritten: bool = False


@dataclass(frozen=True, slots=True)
class ToolCallRequest:
    """A tool call requested by a model; ``arguments`` is its JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
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

    def converse(self, system: str, messages: Sequence[Message], tools: Sequence[Json]) -> ToolTurn:
        """Return the next turn; ``tools`` are definitions {name, description, parameters (JSON schema)}."""

    def report_step(self, step: AgentStep) -> None:
        """Report to observers that a call of the last turn was executed or refused."""


class Summariser(Protocol):
    """Writes summaries. Raises on failure; never returns a partial answer as a whole one."""

    @property
    def profile(self) -> str:
        """The name of the profile that makes the call."""

    @property
    def model(self) -> str:
        """The name of the model, or of the offline summariser."""

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        """Return the summary for a request."""

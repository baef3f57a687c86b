"""Requests and responses of summarisers, and their protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

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

"""Requests and responses of summarisers, and their protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from core.common.json_value import Json
from core.transcript.compaction import AgentStep
from core.transcript.model import Message

STOP, TOOL_CALLS, REFUSAL = "stop", "tool_calls", "refusal"
"""What ``answer_ending`` makes of a provider's finish reason; every other one is a cut-off
answer."""
_ENDINGS: Mapping[str, str] = {
    **dict.fromkeys(
        # OpenAI, Gemini, Ollama; Anthropic, Bedrock; Cohere, OpenAI Responses; Hugging Face,
        # Together
        (
            "stop",
            "end_turn",
            "stop_sequence",
            "complete",
            "completed",
            "eos",
            "eos_token",
        ),
        STOP,
    ),
    **dict.fromkeys(
        ("tool_calls", "tool_call", "tool_use", "function_call"), TOOL_CALLS
    ),
    **dict.fromkeys(
        (
            *(
                "refusal",
                "content_filter",
                "content_filtered",
                "guardrail_intervened",
                "sensitive",
            ),
            *(
                "safety",
                "recitation",
                "blocklist",
                "prohibited_content",
                "spii",
                "error_toxic",
            ),
        ),
        REFUSAL,
    ),
}


def answer_ending(reason: str | None) -> str:
    """Return how an answer ended: ``STOP``, ``TOOL_CALLS`` or ``REFUSAL`` for the finish reasons of
    providers that are known to mean so; any other one, "none" without one, means that the answer
    was cut off."""
    word = (reason or "").strip()
    return _ENDINGS.get(word.lower(), word or "none")


def ending_fault(finish_reason: str, task: str, *, takes_calls: bool = False) -> str:
    """Return why an answer did not end as a whole one, as the end of a sentence; "" where it did.
    ``takes_calls``: it may end with calls of tools."""
    ending = answer_ending(finish_reason)
    if ending == STOP or (ending == TOOL_CALLS and takes_calls):
        return ""
    if ending == REFUSAL:
        return f"refused to {task}"
    if ending == TOOL_CALLS:
        return "called a tool, where only a text was asked for"
    return f"was cut off (finish reason: {ending})"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """A request for a summary, as structured messages rather than one string.

    ``indices[i]`` is the index of ``messages[i]`` in the strategy's history. ``max_tokens`` is the
    budget of the summary. Empty strings: not present. ``temperature`` and ``max_output_tokens``
    (tokens) override those of the profile; None: the profile's. ``purpose`` names what is
    summarised where a run makes several requests ("#12"). ``is_addition``: the answer is added to a
    summary that is whole without it, and may be short. ``prompt_name`` is the name of the prompt
    that it is made with. ``awaited_tokens``: the tokens at most of an earlier answer that it will
    hold in place of a placeholder.
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
    is_addition: bool = False
    prompt_name: str = ""
    awaited_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryResponse:
    """The response of a summariser. ``finish_reason`` is the provider's word or that of
    ``answer_ending``.

    ``steps`` are sentences about the call (retries, lighter requests), ``reductions`` those about
    lighter requests, ``warnings`` sentences for the user. ``cost`` is in US dollars, None where
    unknown; ``seconds`` is the duration of the whole call. ``unwritten``: the text is a placeholder
    for a later summary and is not checked; ``unjudged``: only whether the text is whole is checked,
    not what it says.
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
    unjudged: bool = False


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


# What a call of a model reports while it runs, and the tokens that its provider counted.


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


# Models that call tools: their turns and requests.


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

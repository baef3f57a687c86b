"""Requests and responses of summarisers, and their protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

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

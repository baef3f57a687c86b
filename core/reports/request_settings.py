"""Settings of a request that a file of another format cannot hold."""

from __future__ import annotations

from core.formats.writing.unsupported_content import first_names
from core.transcript.model import Conversation

_REQUEST_FORMATS = frozenset({"openai_chat", "openai_responses", "anthropic_messages", "gemini"})
_SAMPLING = (
    *("temperature", "top_p", "top_k", "stop", "stop_sequences", "seed", "n", "stream", "thinking"),
    *("max_tokens", "max_completion_tokens", "max_output_tokens", "presence_penalty", "frequency_penalty"),
    *("logit_bias", "logprobs", "reasoning", "reasoning_effort", "verbosity", "truncation", "text"),
)
_ANSWER_SHAPE = ("response_format", "modalities", "tool_choice", "parallel_tool_calls", "toolConfig")
_SERVICE = (
    *("previous_response_id", "store", "metadata", "context_management", "service_tier"),
    *("generationConfig", "safetySettings", "cachedContent"),
)
_SETTINGS = (*_SAMPLING, *_ANSWER_SHAPE, *_SERVICE)
"""Fields that configure the answer."""


def lost_settings_warning(conversation: Conversation) -> tuple[str, ...]:
    """Return a sentence about request settings lost in another format."""
    if conversation.format not in _REQUEST_FORMATS:
        return ()
    request_fields = conversation.layout.get("beside", ())
    names = [name for name in _SETTINGS if name in request_fields]
    return (f"The settings of the request ({first_names(names)}) are not carried over.",) if names else ()

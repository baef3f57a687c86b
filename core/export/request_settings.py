"""What a request says beside the conversation in it: how long, how random, which format of the answer."""

from __future__ import annotations

from core.conversation import Conversation
from core.export.beside import some
from core.export.rawjson import value_of
from core.formats.raw import read_document

_SETTINGS = (
    *("temperature", "top_p", "top_k", "stop", "stop_sequences", "seed", "n", "stream", "thinking"),
    *("max_tokens", "max_completion_tokens", "max_output_tokens", "presence_penalty", "frequency_penalty"),
    *(
        "logit_bias",
        "logprobs",
        "tool_choice",
        "parallel_tool_calls",
        "response_format",
        "text",
        "modalities",
    ),
    *(
        "reasoning",
        "reasoning_effort",
        "verbosity",
        "truncation",
        "previous_response_id",
        "store",
        "metadata",
    ),
    *("context_management", "service_tier", "generationConfig", "safetySettings", "toolConfig"),
    "cachedContent",
)
"""Fields of requests that say how to answer, not what was said."""


def not_carried(conversation: Conversation) -> tuple[str, ...]:
    """The sentence about the settings of the request that a file of another format does not have."""
    path, line = conversation.layout.get("path"), conversation.layout.get("line")
    document = conversation.document
    if not path or (document.path is None and document.data is None):
        return ()
    data = read_document(document)
    holder = value_of(data.split(b"\n")[line - 1] if line else data)
    for key in path[:-1]:
        holder = holder[key]
    names = [name for name in _SETTINGS if name in holder] if isinstance(holder, dict) else []
    return (f"The settings of the request ({some(names)}) are not carried over.",) if names else ()

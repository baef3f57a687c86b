"""The offline summariser, which calls no model, as a provider of litellm named
``embedded/snapshot``."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

from core.common.json_value import Json
from core.llm.protocol import SummaryRequest
from core.summarize.offline_summariser import OfflineSummariser
from core.summarize.summary_request import MAX_SUMMARY_TOKENS
from core.tokens.counter import TokenCounter, counter_for
from core.transcript.model import Message, Speaker, Text

PROVIDER, MODEL = "embedded", "snapshot"

_REQUEST_TAGS = re.compile(
    r"</?(?:transcript|tool_call|tool_result|system_note)_[0-9a-f]{6,64}[^>\n]*>"
)
"""Tags of a flattened request, which the offline summariser would mistake for sections."""
_SPEAKERS = {"assistant": Speaker.AI, "tool": Speaker.TOOL}


def register_provider(litellm: Json) -> None:
    """Register the provider with the loaded litellm module, once."""
    if any(row["provider"] == PROVIDER for row in litellm.custom_provider_map):
        return
    counter = counter_for("")

    def answer(**call: Json) -> Json:
        return _response(litellm, counter, call)

    async def answer_async(**call: Json) -> Json:
        return answer(**call)

    def stream(**call: Json) -> Iterator[Json]:
        yield _chunk(answer(**call))

    async def stream_async(**call: Json) -> AsyncIterator[Json]:
        yield _chunk(answer(**call))

    methods = {
        "completion": answer,
        "acompletion": answer_async,
        "streaming": stream,
        "astreaming": stream_async,
    }
    handler = type(
        "Embedded",
        (litellm.CustomLLM,),
        {name: staticmethod(method) for name, method in methods.items()},
    )
    litellm.custom_provider_map.append(
        {"provider": PROVIDER, "custom_handler": handler()}
    )
    litellm.utils.custom_llm_setup()


def parse_request(
    messages: Sequence[Mapping[str, Json]], max_tokens: int
) -> SummaryRequest:
    """Return the request in chat messages: system texts are the prompt, the others the history."""
    prompt = "\n\n".join(
        _content(chat_message)
        for chat_message in messages
        if chat_message["role"] == "system"
    )
    history = tuple(
        Message(
            speaker=_SPEAKERS.get(chat_message["role"], Speaker.HUMAN),
            blocks=(Text(_content(chat_message)),),
        )
        for chat_message in messages
        if chat_message["role"] != "system"
    )
    return SummaryRequest(
        prompt=prompt,
        messages=history,
        indices=tuple(range(len(history))),
        trigger="",
        max_tokens=max_tokens,
    )


def _content(message: Mapping[str, Json]) -> str:
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "\n".join(
            part.get("text", "") for part in content if isinstance(part, Mapping)
        )
    return _REQUEST_TAGS.sub("", content)


def _response(litellm: Json, counter: TokenCounter, call: Mapping[str, Json]) -> Json:
    budget = (call.get("optional_params") or {}).get("max_tokens") or MAX_SUMMARY_TOKENS
    request = parse_request(call["messages"], min(int(budget), MAX_SUMMARY_TOKENS))
    summary = OfflineSummariser(counter.text).summarise(request)
    input_tokens = counter.text(request.prompt) + counter.messages(request.messages)
    output_tokens = summary.output_tokens or 0
    message = {"role": "assistant", "content": summary.text}
    return litellm.ModelResponse(
        model=call["model"],
        choices=[
            {"index": 0, "finish_reason": summary.finish_reason, "message": message}
        ],
        usage=litellm.Usage(
            prompt_tokens=input_tokens,
            completion_tokens=output_tokens,
            total_tokens=input_tokens + output_tokens,
        ),
    )


def _chunk(response: Json) -> Json:
    """Return a whole answer as the single chunk of a stream."""
    choice, usage = response.choices[0], response.usage
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    return {
        "text": choice.message.content,
        "index": 0,
        "finish_reason": choice.finish_reason,
        "is_finished": True,
        "tool_use": None,
        "usage": {name: getattr(usage, name) for name in names},
    }

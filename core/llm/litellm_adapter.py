"""One request through litellm: loaded late and kept quiet, its answers and their ends read strictly."""

from __future__ import annotations

import importlib
import logging
import os
import time
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from core.common.json_value import Json
from core.llm.call_errors import FailureCause, InvalidAnswerError, NetworkActivity
from core.llm.call_events import TokenUsage
from core.llm.pricing import max_output, model_name
from core.llm.protocol import ToolCallRequest
from core.llm.tool_call_stream import ToolCallCollector
from core.transcript.model import Block, Text, Thinking, ToolCall

if TYPE_CHECKING:
    from core.settings.profile import Profile

_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else it asks the network for prices while it loads
    "LITELLM_MODE": "PRODUCTION",  # else it reads a .env file of the folder we were started in
    "HF_HUB_OFFLINE": "1",
}
_FINISH = {"length": "length", "max_tokens": "length", "content_filter": "refusal", "refusal": "refusal"}
_NOISE = (
    (r"Items? '.*' on TypedDict class", r"pydantic\."),
    (r"Accessing the 'model_(computed_)?fields' attribute", r"litellm\."),
    ("Pydantic serializer warnings", r"pydantic\."),
)
"""Warnings that libraries give about each other on every call: message and module."""
_SETS_TEMPERATURE = frozenset({"temperature", "thinking", "reasoning_effort"})
"""Parameters of a profile beside which a request's temperature is left out; models that think take none."""
_NO_KEY = "none"  # local servers want some key; a key of the environment is not for a URL of one's own


@dataclass(slots=True)
class PartialResponse:
    """What has come of an answer. Filled on the loop's thread, read on the caller's."""

    chunks: list[tuple[Block, ...]] = field(default_factory=list)
    heard: NetworkActivity = field(default_factory=NetworkActivity)
    asks: ToolCallCollector = field(default_factory=ToolCallCollector)

    def take(self, chunk: tuple[Block, ...]) -> None:
        """Add the blocks of a chunk, if it has any."""
        if chunk:
            self.chunks.append(chunk)

    @property
    def text(self) -> str:
        """The text so far (llxprt.md section 5.2)."""
        return join_chunks(tuple(self.chunks))


@dataclass(frozen=True, slots=True)
class LLMResponse:
    """A whole answer; ``finish`` is "stop", "length" or "refusal", ``asks`` the calls that it wants made,
    ``thoughts`` what has to go back with their results."""

    text: str
    finish: str
    usage: TokenUsage
    asks: tuple[ToolCallRequest, ...] = ()
    thoughts: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """What a request wants beside its messages; None: as the profile says.

    ``most_output`` is an upper bound beside the profile's, in tokens. ``tools`` are definitions {name,
    description, parameters}.
    """

    temperature: float | None = None
    most_output: int | None = None
    tools: tuple[Json, ...] = ()


AS_THE_PROFILE = RequestOptions()


class _LoopTurn:
    """Gives the loop one turn."""

    def __await__(self) -> Generator[None, None, None]:
        yield


@cache
def load_litellm() -> Json:
    """litellm itself, 2.5 s at the first call; never in the window's process, never asking the network."""
    os.environ.update(_ENVIRONMENT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecations between the libraries it brings along
        litellm: Json = importlib.import_module("litellm")  # by name: mypy would read it for minutes
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.disable_hf_tokenizer_download = True
    litellm.disable_aiohttp_transport = True  # httpx closes the connection of a cancelled call
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # it logs requests and their errors
    handler: Json = importlib.import_module("litellm.llms.custom_httpx.http_handler")
    handler.AsyncHTTPHandler.single_connection_post_request = _no_second_request
    from core.llm.connection import install_client_rules

    install_client_rules()
    return litellm


async def _no_second_request(*_: object, **__: object) -> None:
    """In place of what litellm does where a connection broke: it would send, and pay for, all of it again."""
    raise  # the error that is being handled where this is called


def call_arguments(
    profile: Profile,
    key: str,
    messages: Sequence[Mapping[str, Json]],
    wanted: RequestOptions = AS_THE_PROFILE,
) -> dict[str, Json]:
    """What litellm is called with. The profile's parameters cannot displace what we rely on; they win
    over a request's temperature."""
    made: dict[str, Json] = {
        **profile.parameters,
        "model": model_name(profile),
        "messages": [dict(message) for message in messages],
        "timeout": profile.timeout,
        "max_retries": 0,
        "num_retries": 0,
        "drop_params": True,
        "stream": profile.stream,
    }
    limit = "max_completion_tokens" if "max_completion_tokens" in made else "max_tokens"
    made[limit] = max_output(profile, wanted.most_output)
    if profile.stream:
        made["stream_options"] = {"include_usage": True}
    if profile.base_url:
        made["base_url"] = _base(profile)
    if key or profile.base_url:
        made["api_key"] = key or _NO_KEY
    return made | _wanted(profile, wanted)


def _wanted(profile: Profile, wanted: RequestOptions) -> dict[str, Json]:
    made: dict[str, Json] = {}
    if wanted.temperature is not None and not _SETS_TEMPERATURE & profile.parameters.keys():
        made["temperature"] = wanted.temperature
    if wanted.tools:
        made["tools"] = [{"type": "function", "function": tool} for tool in wanted.tools]
    return made


def _base(profile: Profile) -> str:
    """The base URL as litellm wants it: for Anthropic without the version, which it adds itself."""
    base = profile.base_url.rstrip("/")
    return base.removesuffix("/v1") if profile.provider == "anthropic" else base


async def complete_request(
    profile: Profile,
    key: str,
    messages: Sequence[Mapping[str, Json]],
    wanted: RequestOptions,
    seen: PartialResponse,
) -> LLMResponse:
    """The answer of a model. Raises what litellm raises, and InvalidAnswerError for answers that are none."""
    litellm = load_litellm()
    await _LoopTurn()  # a cancel that came while it loaded takes effect here, before anything is sent
    for message, module in _NOISE:
        warnings.filterwarnings("ignore", message, module=module)
    from core.llm.connection import watched_connection  # late: the libraries below it take their time to load

    seen.heard.at = time.monotonic()
    with watched_connection(seen.heard, profile.base_url):
        answer = await litellm.acompletion(**call_arguments(profile, key, messages, wanted))
        if profile.stream:
            return await _streamed(answer, seen)
    if not answer.choices:
        raise InvalidAnswerError(FailureCause.NO_CHOICE)
    choice = answer.choices[0]
    seen.take(tuple(_blocks(choice.message)))
    seen.asks.take(choice.message)
    finish = "refusal" if _refusal(choice.message) else _finish(choice.finish_reason)
    return _whole(seen, finish, _usage(answer))


async def _streamed(answer: Json, seen: PartialResponse) -> LLMResponse:
    """Read a stream to its end. litellm says "stop" even where the stream just ended."""
    finish, usage, refused, chunks = "", TokenUsage(), False, 0
    async for chunk in answer:
        chunks += 1
        usage = _usage(chunk) if getattr(chunk, "usage", None) else usage
        for choice in chunk.choices[:1]:
            seen.take(tuple(_blocks(choice.delta)))
            seen.asks.take(choice.delta)
            refused = refused or _refusal(choice.delta)
            finish = choice.finish_reason or finish
    reasons = ("received_finish_reason", "intermittent_finish_reason")
    if not any(getattr(answer, name, None) for name in reasons):
        raise InvalidAnswerError(FailureCause.CUT if seen.chunks else FailureCause.GARBAGE)
    refused = refused or (seen.heard.refused and not seen.text)  # litellm drops those without a text
    return _whole(seen, "refusal" if refused else _finish(finish), usage)


def _whole(seen: PartialResponse, finish: str, usage: TokenUsage) -> LLMResponse:
    return LLMResponse(seen.text, finish, usage, seen.asks.whole, tuple(seen.asks.thoughts))


def _finish(reason: str | None) -> str:
    return _FINISH.get(reason or "", "stop")


def _refusal(message: Json) -> bool:
    """True where OpenAI's field for refusals is filled; litellm puts it in one of two places."""
    fields = getattr(message, "provider_specific_fields", None) or {}
    return bool(getattr(message, "refusal", None) or fields.get("refusal"))


def _blocks(message: Json) -> Iterator[Block]:
    """The blocks of a message or of a stream's delta; what is no text only marks its place."""
    if getattr(message, "reasoning_content", None):
        yield Thinking(message.reasoning_content)
    if message.content:
        yield Text(message.content)
    for call in getattr(message, "tool_calls", None) or ():
        yield ToolCall(str(call.id), "", None)


def _usage(answer: Json) -> TokenUsage:
    usage = getattr(answer, "usage", None)
    if usage is None:
        return TokenUsage()
    details = getattr(usage, "prompt_tokens_details", None)
    written = getattr(details, "cache_creation_token_details", None)
    return TokenUsage(
        usage.prompt_tokens,
        usage.completion_tokens,
        getattr(details, "cached_tokens", None) or 0,
        getattr(usage, "cache_creation_input_tokens", None) or 0,
        getattr(written, "ephemeral_1h_input_tokens", None) or 0,
    )


def join_chunks(chunks: Iterable[Sequence[Block]]) -> str:
    """The text of a streamed answer: texts joined, one space where something else came between.

    Thinking is never part of it (llxprt.md section 5.2).
    """
    text, gap = "", False
    for chunk in chunks:
        for block in chunk:
            if not isinstance(block, Text):
                gap = True
            else:
                text += (" " if gap and text else "") + block.text
                gap = False
    return text

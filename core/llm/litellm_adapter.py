"""Sends one request through litellm, which is loaded late and kept quiet, and reads its response
strictly."""

from __future__ import annotations

import importlib
import logging
import os
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from core.common.errors import missing_package
from core.common.json_value import Json
from core.llm.call_errors import FailureCause, InvalidAnswerError, NetworkActivity
from core.llm.destination import Destination
from core.llm.pricing import max_output, model_name
from core.llm.protocol import (
    REFUSAL,
    STOP,
    TOOL_CALLS,
    TokenUsage,
    ToolCallRequest,
    answer_ending,
)
from core.transcript.model import Block, Text, Thinking, ToolCall

if TYPE_CHECKING:
    from core.settings.profile import Profile


_ENVIRONMENT = {
    # else it fetches prices from the network while it loads
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_MODE": "PRODUCTION",  # else it reads a .env file of the working folder
    "HF_HUB_OFFLINE": "1",
    "USE_LITELLM_PROXY": "False",  # else it sends every request to a gateway that a variable names
}
# The warnings come with every call and would end in the reader's log.
_IGNORED_WARNINGS = (
    (r"Items? '.*' on TypedDict class", r"pydantic\."),
    (r"Accessing the 'model_(computed_)?fields' attribute", r"litellm\."),
    ("Pydantic serializer warnings", r"pydantic\."),
)
"""Warnings of libraries about each other on every call: message and module."""
_SETS_TEMPERATURE = frozenset({"temperature", "thinking", "reasoning_effort"})
"""Profile parameters that exclude a request's temperature; reasoning models accept none."""
_DUMMY_KEY = "none"  # local servers require a key; one from the environment must not reach a custom URL


@dataclass(slots=True)
class _PartialToolCall:
    id: str
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class ToolCallCollector:
    """Collects calls from litellm's whole messages or stream deltas. ``thinking`` are signed blocks
    that the provider wants back with the results of the calls."""

    thinking: list[dict[str, Json]] = field(default_factory=list)
    _calls: list[_PartialToolCall] = field(default_factory=list)
    _indices: dict[int, int] = field(default_factory=dict)

    def add(self, message: Json) -> None:
        """Add the calls of a message or delta. Pieces of one call share its index; some servers
        give every call index 0, and then a new id begins a new call."""
        for number, call in enumerate(getattr(message, "tool_calls", None) or ()):
            # Probably some servers leave the index out, so the place in the list counts.
            index = getattr(call, "index", None)
            pieces = self._call_at(number if index is None else index, call.id or "")
            pieces.name = pieces.name or call.function.name or ""
            pieces.arguments += call.function.arguments or ""
        for block in getattr(message, "thinking_blocks", None) or ():
            if block.get("type") == "thinking":
                self._add_thinking(block)
            else:
                self.thinking.append(dict(block))

    def _add_thinking(self, block: Json) -> None:
        """Add a piece of a thought; a signature ended the one before."""
        # A stream sends a thought in pieces, and its signature with the last one.
        if not self.thinking or self.thinking[-1].get("signature", "whole"):
            self.thinking.append({"type": "thinking", "thinking": "", "signature": ""})
        self.thinking[-1]["thinking"] += block.get("thinking") or ""
        self.thinking[-1]["signature"] = block.get("signature") or ""

    def _call_at(self, index: int, id: str) -> _PartialToolCall:
        if index in self._indices:
            known = self._calls[self._indices[index]]
        else:
            known = None
        # Some servers give all calls the index 0; a new id tells them apart.
        if known is not None and (not id or id == known.id):
            return known
        self._indices[index] = len(self._calls)
        self._calls.append(_PartialToolCall(id))
        return self._calls[-1]

    @property
    def calls(self) -> tuple[ToolCallRequest, ...]:
        """All calls in order; one without an id gets its number."""
        return tuple(
            # The provider wants the id back with the result, so there has to be one.
            ToolCallRequest(call.id or f"call_{number}", call.name, call.arguments)
            for number, call in enumerate(self._calls, 1)
        )


@dataclass(slots=True)
class PartialResponse:
    """The received part of an answer; filled on the loop's thread, read on the caller's."""

    chunks: list[tuple[Block, ...]] = field(default_factory=list)
    activity: NetworkActivity = field(default_factory=NetworkActivity)
    tool_calls: ToolCallCollector = field(default_factory=ToolCallCollector)

    def add(self, message: Json) -> None:
        self.tool_calls.add(message)
        if chunk := tuple(_blocks(message)):
            self.chunks.append(chunk)

    @property
    def text(self) -> str:
        return join_chunks(tuple(self.chunks))


@dataclass(frozen=True, slots=True)
class LLMResponse:
    """A whole answer; ``finish_reason`` is that of ``answer_ending``. ``tool_calls`` are the tool
    calls that it requests, ``thinking`` the signed blocks to send back with their results."""

    text: str
    finish_reason: str
    usage: TokenUsage
    tool_calls: tuple[ToolCallRequest, ...] = ()
    thinking: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """Options of a request beside its messages; None: as in the profile. ``max_output_tokens`` is
    an upper bound in addition to the profile's, in tokens. ``tools`` are definitions {name,
    description, parameters}. ``schema`` is the JSON schema of the answer, sent where the model
    takes one."""

    temperature: float | None = None
    max_output_tokens: int | None = None
    tools: tuple[Json, ...] = ()
    schema: Json = None


PROFILE_OPTIONS = RequestOptions()
NO_DESTINATION = Destination()


async def loaded_litellm() -> None:
    """Load litellm on the loop's thread; a wait for it can be cancelled."""
    load_litellm()


@cache
def load_litellm() -> Json:
    """Return litellm; loading takes 2.5 s, never happens in the window's process, and uses no
    network. Raises InputError where it is not installed."""
    os.environ.update(_ENVIRONMENT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecations between its dependencies
        try:
            litellm: Json = importlib.import_module(
                "litellm"
            )  # by name: mypy would read it for minutes
        except ModuleNotFoundError as error:
            if error.name != "litellm":
                raise
            raise missing_package("A call of a model", "litellm", "models") from None
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.disable_hf_tokenizer_download = True
    litellm.disable_aiohttp_transport = (
        True  # httpx closes the connection of a cancelled call
    )
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(
            logging.CRITICAL + 1
        )  # it logs requests and their errors
    handler: Json = importlib.import_module("litellm.llms.custom_httpx.http_handler")
    handler.AsyncHTTPHandler.single_connection_post_request = _no_second_request
    _connection().install_client_rules()
    return litellm


def _connection() -> Any:
    """Return the rules of the network, whose libraries take long to load."""
    from core.llm import connection

    return connection


async def _no_second_request(*_: object, **__: object) -> None:
    """Replace litellm's handling of broken connections, which would send, and pay for, all of it
    again."""
    raise  # the error that is being handled where this is called


def call_arguments(
    profile: Profile,
    key: str,
    messages: Sequence[Mapping[str, Json]],
    options: RequestOptions = PROFILE_OPTIONS,
    destination: Destination = NO_DESTINATION,
) -> dict[str, Json]:
    """Return the arguments for litellm. The profile's parameters cannot override those that we rely
    on; they override a request's temperature. With a ``destination``, no variable of the
    environment decides where they go."""
    arguments: dict[str, Json] = {
        **profile.parameters,
        "model": model_name(profile),
        "messages": list(map(dict, messages)),
        "timeout": profile.timeout,
        # Retries are counted and told by the caller; litellm's own would be invisible.
        "max_retries": 0,
        "num_retries": 0,
        # Models differ in what they take; a refused parameter is no reason to fail.
        "drop_params": True,
        "stream": profile.stream,
    }
    # Newer models of OpenAI refuse the old name.
    limit = (
        "max_completion_tokens"
        if "max_completion_tokens" in arguments
        else "max_tokens"
    )
    arguments[limit] = max_output(profile, options.max_output_tokens)
    if profile.stream:
        # OpenAI reports the tokens of a stream only where this is asked for.
        arguments["stream_options"] = {"include_usage": True}
    if destination.base:
        arguments["base_url"] = destination.base
    if _is_key_needed(profile, key, destination):
        arguments["api_key"] = key or _DUMMY_KEY
    # Reasoning models refuse a temperature, and such a profile is for one.
    has_temperature = bool(_SETS_TEMPERATURE & profile.parameters.keys())
    if options.temperature is not None and not has_temperature:
        arguments["temperature"] = options.temperature
    if options.tools:
        arguments["tools"] = _as_functions(options.tools)
    return arguments


def _is_key_needed(profile: Profile, key: str, destination: Destination) -> bool:
    """Return whether to pass a key: servers of one's own take any, but litellm wants one."""
    is_local = bool(destination.base) and destination.is_loopback
    return bool(key or profile.base_url) or is_local


def _as_functions(tools: Iterable[Json]) -> list[Json]:
    return [{"type": "function", "function": tool} for tool in tools]


async def complete_request(
    profile: Profile,
    key: str,
    messages: Sequence[Mapping[str, Json]],
    options: RequestOptions,
    partial: PartialResponse,
    destination: Destination,
) -> LLMResponse:
    """Return the model's answer; raises litellm's errors, and InvalidAnswerError for invalid
    answers."""
    litellm = load_litellm()
    # Set at each call, as other code resets the filters.
    for message, module in _IGNORED_WARNINGS:
        warnings.filterwarnings("ignore", message, module=module)
    # The wait for the first byte counts as well.
    partial.activity.last_activity_at = time.monotonic()
    async with _connection().watched_connection(partial.activity, destination):
        arguments = call_arguments(profile, key, messages, options, destination)
        # A schema is a help: where a model takes none, the answer is parsed all the same.
        if options.schema is not None and litellm.supports_response_schema(
            model=arguments["model"]
        ):
            form = {"name": "answer", "schema": options.schema, "strict": True}
            arguments["response_format"] = {"type": "json_schema", "json_schema": form}
        answer = await litellm.acompletion(**arguments)
        if profile.stream:
            return await _streamed(answer, partial)
    # Some servers answer an error with an empty list.
    if not answer.choices:
        raise InvalidAnswerError(FailureCause.NO_CHOICE)
    choice = answer.choices[0]
    partial.add(choice.message)
    return _llm_response(
        partial, choice.finish_reason, _usage(answer), refused=_refusal(choice.message)
    )


async def _streamed(answer: Json, partial: PartialResponse) -> LLMResponse:
    """Read a stream to its end; litellm reports "stop" even where the stream just ended."""
    finish = ""
    usage = TokenUsage()
    refused = False
    chunks = 0
    async for chunk in answer:
        chunks += 1
        if getattr(chunk, "usage", None):
            usage = _usage(chunk)
        # One answer was asked for; further ones would be mixed into its text.
        for choice in chunk.choices[:1]:
            partial.add(choice.delta)
            refused = refused or _refusal(choice.delta)
            finish = choice.finish_reason or finish
    reasons = ("received_finish_reason", "intermittent_finish_reason")
    if not any(getattr(answer, name, None) for name in reasons):
        raise InvalidAnswerError(
            FailureCause.INCOMPLETE if partial.chunks else FailureCause.UNREADABLE
        )
    refused = refused or (
        partial.activity.refused and not partial.text
    )  # litellm drops refusals without text
    return _llm_response(partial, finish, usage, refused=refused)


def _llm_response(
    partial: PartialResponse, mapped_reason: str, usage: TokenUsage, *, refused: bool
) -> LLMResponse:
    """Return the answer with the ending that the provider named: litellm maps every unknown one to
    "stop"."""
    own_reason, calls = partial.activity.ending, partial.tool_calls.calls
    ending = answer_ending(mapped_reason if own_reason is None else own_reason)
    if refused:
        ending = REFUSAL
    # Some servers end a call of a tool with an ordinary stop.
    elif calls and ending == STOP:
        ending = TOOL_CALLS
    return LLMResponse(
        partial.text, ending, usage, calls, tuple(partial.tool_calls.thinking)
    )


def _refusal(message: Json) -> bool:
    """Return whether OpenAI's refusal field is filled; litellm puts it in one of two places."""
    fields = getattr(message, "provider_specific_fields", None) or {}
    return bool(getattr(message, "refusal", None) or fields.get("refusal"))


def _blocks(message: Json) -> Iterator[Block]:
    """Yield the blocks of a message or of a stream's delta; a non-text block only marks its
    place."""
    # Thinking is never part of the text, but marks that something came between.
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
    # Anthropic bills a cache of an hour higher, and reports it apart.
    cache_writes = getattr(details, "cache_creation_token_details", None)
    return TokenUsage(
        usage.prompt_tokens,
        usage.completion_tokens,
        getattr(details, "cached_tokens", None) or 0,
        getattr(usage, "cache_creation_input_tokens", None) or 0,
        getattr(cache_writes, "ephemeral_1h_input_tokens", None) or 0,
    )


def join_chunks(chunks: Iterable[Sequence[Block]]) -> str:
    """Join the texts of a streamed answer, with one space where other blocks came between. Thinking
    is never part of it."""
    text, gap = "", False
    for chunk in chunks:
        for block in chunk:
            if not isinstance(block, Text):
                gap = True
            # Words before and behind another block would run into each other.
            else:
                text += (" " if gap and text else "") + block.text
                gap = False
    return text

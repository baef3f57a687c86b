"""The public functions for scripts and agents, installed as ``foldline.api``."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import isawaitable
from pathlib import Path
from typing import Any, Generic, Required, TypedDict, TypeVar, Unpack, overload

from core.analysis.losses.losses_of import losses_of
from core.analysis.losses.model import Losses
from core.analysis.needed_later import continuation_cut, find_needs, needed_later
from core.app.services.repair import plan_repair
from core.common.errors import CompactionFailed, FoldlineError, InputError, StrategyError
from core.common.json_value import Json
from core.configuration.layers import SettingLayers
from core.configuration.store import SavedSettings
from core.engine.session import AgentSession as Session
from core.export.message_dicts import MessageObject, read_dicts, with_request
from core.facts.extract import extract_facts
from core.facts.model import Facts
from core.formats.registry import load_conversation as load
from core.lint.common_rules import LintFinding
from core.lint.lint import default_provider, lint_messages
from core.lint.provider_limits import request_model
from core.lint.repair.mending import RepairChange
from core.llm.catalog import context_window
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.llm.request_size import next_request_tokens, request_sizing
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview as preview
from core.settings.keys import LIMIT, STRATEGY
from core.settings.schema import SettingValue
from core.strategies.helpers import is_trigger_reached, trigger_tokens
from core.strategies.registry import find_strategy
from core.strategies.stubs import expand_result, stored_results
from core.tokens.counter import counter_for
from core.transcript.compaction import Fate
from core.transcript.model import Conversation, Message
from core.transcript.pins import MessagePin, PinKind
from core.transcript.scopes import ALL, history_of_scope

__all__ = [
    "VERSION",
    "AsyncSummarizer",
    "Checked",
    "Compacted",
    "CompactionFailed",
    "Conversation",
    "FoldlineError",
    "InputError",
    "Message",
    "MessageObject",
    "PreviewOptions",
    "Session",
    "SettingLayers",
    "StrategyError",
    "Summarizer",
    "SummaryRequest",
    "acompact",
    "check",
    "compact",
    "expand",
    "facts",
    "is_due",
    "lint",
    "load",
    "preview",
    "repair",
    "size",
    "trigger_size",
]

VERSION = 2
"""Grows whenever a function of this module changes what it takes or returns."""

Summarizer = Callable[[SummaryRequest], str]
AsyncSummarizer = Callable[[SummaryRequest], Awaitable[str]]
Settings = Mapping[str, SettingValue] | Path | str
"""Values by setting key, or the path of a TOML file as the window saves it."""
Pins = Mapping[int, PinKind | str]
Messages = Conversation | Sequence[Mapping[str, Any] | MessageObject]
"""A conversation, or messages of OpenAI's chat API, of Anthropic's messages API, or items of OpenAI's
Responses: dicts, or what the packages of these APIs return."""

M_co = TypeVar("M_co", covariant=True)
D = TypeVar("D", bound=Mapping[str, Any])


class Options(TypedDict, total=False):
    """What ``compact`` takes by name, except the summariser."""

    strategy: Required[str]
    settings: Settings | None
    limit: int | None
    model: str | None
    focus: str
    pins: Pins | None
    system: str
    tools: Sequence[object]
    reported: int | None


@dataclass(frozen=True, slots=True)
class Compacted(Generic[M_co]):
    """The result of a compaction; sizes in tokens.

    ``messages`` has the shape that was given: Messages for a Conversation, else dicts of the same API, equal
    to those given where no rule changed them. ``fates[i]`` says what happened to given message i and why;
    None for a system prompt, which is no part of the history. ``losses`` say what the result holds of the
    facts of the source. ``no_op`` is the reason why nothing changed, or ""."""

    messages: M_co
    tokens_before: int
    tokens_after: int
    fates: tuple[Fate | None, ...]
    losses: Losses
    no_op: str
    warnings: tuple[str, ...]
    preview: Preview = field(repr=False)


@overload
def compact(
    messages: Conversation,
    *,
    summarizer: Summarizer | None = ...,
    **options: Unpack[Options],
) -> Compacted[tuple[Message, ...]]: ...


@overload
def compact(  # type: ignore[overload-overlap]
    messages: Sequence[D],
    *,
    summarizer: Summarizer | None = ...,
    **options: Unpack[Options],
) -> Compacted[list[D]]: ...


@overload
def compact(
    messages: Sequence[Mapping[str, Any] | MessageObject],
    *,
    summarizer: Summarizer | None = ...,
    **options: Unpack[Options],
) -> Compacted[list[dict[str, Any]]]: ...


def compact(
    messages: Messages,
    *,
    strategy: str,
    settings: Settings | None = None,
    limit: int | None = None,
    model: str | None = None,
    summarizer: Summarizer | None = None,
    focus: str = "",
    pins: Pins | None = None,
    system: str = "",
    tools: Sequence[object] = (),
    reported: int | None = None,
) -> Compacted[Any]:
    """Compact a conversation now, whatever its trigger says; nothing that is given is changed.

    ``limit`` is the window in tokens; ``model`` decides tokenizer and, without ``limit``, the window.
    ``summarizer`` writes each summary; without one, summaries are offline. ``pins`` maps positions (from 0)
    to "keep" or "drop". For ``system``, ``tools`` and ``reported`` see ``size``. Raises InputError for what
    cannot be read or is unknown, StrategyError if the strategy cannot run; errors of ``summarizer`` pass
    through.
    """
    if summarizer is not None and not callable(summarizer):
        raise InputError(f"summarizer is of type {type(summarizer).__name__}, no function.", _SUMMARIZER_HINT)
    if isinstance(messages, Conversation):
        given, conversation = None, messages
        places: list[tuple[int, ...]] = [(index,) for index in range(len(messages.messages))]
    else:
        given = read_dicts(messages)
        conversation, places = given.conversation, given.places()
    values = _layers(settings, strategy, limit).resolve()
    stages, message_pins = StageCache(), _message_pins(pins or {}, places)
    counted = with_request(conversation, system, tools, reported)
    result = preview(counted, values, _options(model, summarizer, focus, message_pins), stages)
    compaction = result.compaction
    return Compacted(
        result.written_messages if given is None else given.result(result),
        result.before_tokens,
        result.after_tokens,
        tuple(compaction.fates[place[0]] if place else None for place in places),
        losses_of(result, stages),
        compaction.no_op.reason if compaction.no_op else "",
        result.warnings,
        result,
    )


@overload
async def acompact(
    messages: Conversation,
    *,
    summarizer: Summarizer | AsyncSummarizer | None = ...,
    **options: Unpack[Options],
) -> Compacted[tuple[Message, ...]]: ...


@overload
async def acompact(  # type: ignore[overload-overlap]
    messages: Sequence[D],
    *,
    summarizer: Summarizer | AsyncSummarizer | None = ...,
    **options: Unpack[Options],
) -> Compacted[list[D]]: ...


@overload
async def acompact(
    messages: Sequence[Mapping[str, Any] | MessageObject],
    *,
    summarizer: Summarizer | AsyncSummarizer | None = ...,
    **options: Unpack[Options],
) -> Compacted[list[dict[str, Any]]]: ...


async def acompact(
    messages: Messages, *, summarizer: Summarizer | AsyncSummarizer | None = None, **options: Unpack[Options]
) -> Compacted[Any]:
    """Do what ``compact`` does in another thread. ``summarizer`` may be asynchronous: it runs in the caller's
    event loop, and is cancelled with the call."""
    if summarizer is None or not callable(summarizer):
        return await asyncio.to_thread(partial(compact, messages, summarizer=summarizer, **options))
    loop, waiting = asyncio.get_running_loop(), list[Any]()

    async def awaited(text: Awaitable[str]) -> str:
        return await text

    def write(request: SummaryRequest) -> str:
        text = summarizer(request)
        if not isawaitable(text):
            return text
        waiting.append(asyncio.run_coroutine_threadsafe(awaited(text), loop))
        written: str = waiting[-1].result()
        return written

    try:
        return await asyncio.to_thread(partial(compact, messages, summarizer=write, **options))
    finally:
        for future in waiting:
            future.cancel()


@dataclass(frozen=True, slots=True)
class Checked:
    """A compaction after 70 % of a session, judged by the rest of it. ``needed`` are the names that the rest
    used and nobody repeated, ``missing`` those that the result lacks, most used first."""

    compacted: Compacted[tuple[Message, ...]]
    needed: int
    missing: tuple[str, ...]

    @property
    def kept_share(self) -> float | None:
        """The share of what was needed that the result has; None if nothing was needed."""
        return 1 - len(self.missing) / self.needed if self.needed else None


def check(
    messages: Messages,
    *,
    strategy: str,
    settings: Settings | None = None,
    limit: int | None = None,
    model: str | None = None,
) -> Checked:
    """Compact the first 70 % of a session (in tokens), and look for what the rest used of it in the result.

    Parameters and errors are those of ``compact``; summaries are offline.
    """
    conversation = _conversation(messages)
    counter, history = counter_for(model or conversation.model), conversation.messages
    cut = continuation_cut(history, [counter.message(message) for message in history])
    before = replace(
        conversation,
        messages=history[:cut],
        recorded=tuple(one for one in conversation.recorded if one.position <= cut),
        usage=tuple(one for one in conversation.usage if one.message_index < cut),
        reported_context=None,
    )
    compacted = compact(before, strategy=strategy, settings=settings, limit=limit, model=model)
    needs = find_needs(before.messages, history[cut:])
    if needs is None:
        return Checked(compacted, 0, ())
    found = needed_later(needs, compacted.preview.written_messages)
    return Checked(compacted, found.used, tuple(name.text for name in found.gone))


def facts(messages: Messages) -> Facts:
    """Return what strings can hold against a result: messages, instructions, files, errors, names …"""
    return extract_facts(_conversation(messages).messages)


def expand(messages: Messages, handle: str) -> str:
    """Return the tool result that a stub stands for, from the original messages."""
    return expand_result(stored_results(_conversation(messages).messages), handle)


def lint(messages: Messages, provider: str = "") -> tuple[LintFinding, ...]:
    """Return what an API would refuse; ``provider`` is its name, by default that of the messages' format."""
    conversation = _conversation(messages)
    provider = provider or default_provider(conversation.format, conversation.model)
    return lint_messages(conversation.messages, provider, model=request_model(conversation))


@dataclass(frozen=True, slots=True)
class Repaired:
    """The mended messages in the shape that was given, equal to those given where nothing was changed; the
    changes, by the position of the given message (-1: added); and what is left that the API refuses."""

    messages: tuple[Message, ...] | list[dict[str, Json]]
    changes: tuple[RepairChange, ...]
    left: tuple[LintFinding, ...]


def repair(messages: Messages, provider: str = "") -> Repaired:
    """Return the messages as an API takes them; ``provider`` is its name, by default that of the messages'
    format. Messages in order come back as they are. The sentences of changes number the messages as ``lint``
    does: results and text of one message are two."""
    if isinstance(messages, Conversation):
        plan = plan_repair(messages, history_of_scope(messages, ALL), messages.format, provider)
        return Repaired(plan.repair.compaction.messages, plan.changes, plan.left)
    given = read_dicts(messages)
    conversation = given.conversation
    plan = plan_repair(conversation, history_of_scope(conversation, ALL), conversation.format, provider)
    positions = {index: at for at, indices in enumerate(given.places()) for index in indices}
    changes = tuple(replace(change, index=positions.get(change.index, -1)) for change in plan.changes)
    return Repaired(given.written(plan.content) if changes else given.dicts, changes, plan.left)


def size(
    messages: Messages,
    *,
    model: str = "",
    system: str = "",
    tools: Sequence[object] = (),
    reported: int | None = None,
) -> int:
    """Return the tokens of the next request, calibrated by the sizes that a transcript reports.

    ``system`` and ``tools`` are the system prompt and the definitions of tools that are sent beside the
    messages. ``reported`` are the input tokens, cached or not, that the provider reported for the last
    request: the one that the last answer among the messages belongs to, or all of them if there is none.
    """
    conversation = with_request(_conversation(messages), system, tools, reported)
    name = model or conversation.model
    counter = counter_for(name)
    return next_request_tokens(conversation, counter, request_sizing(conversation, counter, ALL, name))


def trigger_size(*, strategy: str, settings: Settings | None = None, limit: int | None = None) -> int | None:
    """Return the size in tokens at which a strategy runs by itself; None if no size triggers it."""
    values = _layers(settings, strategy, limit).resolve()
    return trigger_tokens(find_strategy(strategy), values, values.limit)


def is_due(
    messages: Messages,
    *,
    strategy: str,
    settings: Settings | None = None,
    limit: int | None = None,
    model: str | None = None,
    system: str = "",
    tools: Sequence[object] = (),
    reported: int | None = None,
) -> bool:
    """Return whether the next request reaches the trigger of a strategy; never without a known window.

    For ``system``, ``tools`` and ``reported`` see ``size``.
    """
    conversation, values = _conversation(messages), _layers(settings, strategy, limit).resolve()
    name = model or conversation.model
    window = context_window(conversation, name, values.limit).limit
    tokens = size(conversation, model=name, system=system, tools=tools, reported=reported)
    return is_trigger_reached(find_strategy(strategy), values, tokens, len(conversation.messages), window)


_SUMMARIZER_HINT = "Give a function that takes a SummaryRequest and returns the text of the summary."


@dataclass(frozen=True, slots=True)
class _CallableSummarizer:
    """A function of the caller as the summariser of a strategy."""

    write: Summarizer
    profile: str = "summarizer"
    model: str = "the caller's"

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        text: object = self.write(request)
        if isinstance(text, str):
            return SummaryResponse(text)
        if isawaitable(text):
            getattr(text, "close", lambda: None)()  # a coroutine that nobody awaits would warn
            raise InputError("The summarizer is asynchronous.", "Call acompact, which awaits it.")
        raise InputError(f"The summarizer returned {type(text).__name__}, no text.", _SUMMARIZER_HINT)


def _options(
    model: str | None,
    summarizer: Summarizer | None,
    focus: str,
    pins: Mapping[int, MessagePin],
) -> PreviewOptions:
    options = PreviewOptions(model=model or "", focus=focus, pins=pins)
    if summarizer is None:
        return options
    writer = _CallableSummarizer(summarizer)
    return replace(options, summariser_factory=lambda _: writer)


def _message_pins(pins: Pins, places: Sequence[Sequence[int]]) -> dict[int, MessagePin]:
    for given, kind in pins.items():
        if not 0 <= given < len(places):
            raise InputError(f"There is no message {given} to pin.", f"The last one is {len(places) - 1}.")
        if kind not in tuple(PinKind):
            raise InputError(f"A pin cannot be {kind!r}.", f"It is one of {', '.join(PinKind)}.")
    return {place: MessagePin(PinKind(kind)) for given, kind in pins.items() for place in places[given]}


def _layers(settings: Settings | None, strategy: str, limit: int | None) -> SettingLayers:
    layers = SettingLayers()
    if isinstance(settings, str | Path):
        path = Path(settings)
        if not path.is_file():
            raise InputError(f"{path}: there is no such file.", "Give a TOML file of settings, or a mapping.")
        loaded = SavedSettings(path).load()
        if loaded.problems:
            raise InputError(loaded.problems[0])
        layers = layers.with_saved(loaded.values)
    for key, value in settings.items() if isinstance(settings, Mapping) else ():
        layers = layers.with_session(key, value)
    layers = layers.with_session(STRATEGY, strategy)
    return layers if limit is None else layers.with_session(LIMIT, limit)


def _conversation(messages: Messages) -> Conversation:
    return messages if isinstance(messages, Conversation) else read_dicts(messages).conversation

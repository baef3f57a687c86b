"""The public functions for scripts and agents, installed as ``foldline.api``."""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path

from core.analysis.losses.losses_of import losses_of
from core.analysis.losses.model import Losses
from core.analysis.needed_later import continuation_cut, find_needs, needed_later
from core.common.errors import CompactionFailed, FoldlineError, InputError, StrategyError
from core.common.json_value import Json
from core.configuration.layers import SettingLayers
from core.configuration.store import SavedSettings
from core.engine.session import AgentSession as Session
from core.export.export import export_history
from core.facts.extract import extract_facts
from core.facts.model import Facts
from core.formats.anthropic import reader as anthropic
from core.formats.common.document import OpenedDocument, open_text
from core.formats.common.format import ReadRequest
from core.formats.openai_chat import reader as openai_chat
from core.formats.openai_responses import reader as openai_responses
from core.formats.registry import load_conversation as load
from core.formats.registry import read_opened
from core.formats.writing.export_messages import ExportInput
from core.lint.common_rules import LintFinding
from core.lint.lint import default_provider, lint_messages
from core.lint.provider_limits import request_model
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
from core.transcript.model import Conversation, Message, SourceDocument
from core.transcript.pins import MessagePin, PinKind
from core.transcript.scopes import ALL

__all__ = [
    "VERSION",
    "Checked",
    "Compacted",
    "CompactionFailed",
    "Conversation",
    "FoldlineError",
    "InputError",
    "Message",
    "PreviewOptions",
    "Session",
    "SettingLayers",
    "StrategyError",
    "SummaryRequest",
    "check",
    "compact",
    "expand",
    "facts",
    "is_due",
    "lint",
    "load",
    "preview",
    "size",
    "trigger_size",
]

VERSION = 2
"""Grows whenever a function of this module changes what it takes or returns."""

Summarizer = Callable[[SummaryRequest], str]
MessageDict = Mapping[str, Json]
"""A message as a dict of OpenAI's chat API, of Anthropic's messages API, or an item of OpenAI's Responses."""
Settings = Mapping[str, SettingValue] | Path | str
"""Values by setting key, or the path of a TOML file as the window saves it."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """The result of a compaction; sizes in tokens.

    ``messages`` has the shape that was given: Messages for a Conversation, else dicts of the same API, equal
    to those given where no rule changed them. ``fates[i]`` says what happened to given message i and why;
    None for a system prompt, which is no part of the history. ``losses`` say what the result holds of the
    facts of the source. ``no_op`` is the reason why nothing changed, or ""."""

    messages: tuple[Message, ...] | list[dict[str, Json]]
    tokens_before: int
    tokens_after: int
    fates: tuple[Fate | None, ...]
    losses: Losses
    no_op: str
    warnings: tuple[str, ...]
    preview: Preview = field(repr=False)


def compact(
    messages: Conversation | Sequence[MessageDict],
    *,
    strategy: str,
    settings: Settings | None = None,
    limit: int | None = None,
    model: str | None = None,
    summarizer: Summarizer | None = None,
    focus: str = "",
    pins: Mapping[int, PinKind | str] | None = None,
) -> Compacted:
    """Compact a conversation now, whatever its trigger says; nothing that is given is changed.

    ``limit`` is the window in tokens; ``model`` decides tokenizer and, without ``limit``, the window.
    ``summarizer`` writes each summary; without one, summaries are offline. ``pins`` maps positions (from 0)
    to "keep" or "drop". Raises InputError for what cannot be read or is unknown, StrategyError if the
    strategy cannot run; errors of ``summarizer`` pass through.
    """
    conversation = _conversation(messages)
    places = _places(conversation, messages)
    values = _layers(settings, strategy, limit).resolve()
    stages, message_pins = StageCache(), _message_pins(pins or {}, places)
    result = preview(conversation, values, _options(model, summarizer, focus, message_pins), stages)
    compaction = result.compaction
    return Compacted(
        result.written_messages if conversation is messages else _dicts(result, messages),
        result.before_tokens,
        result.after_tokens,
        tuple(compaction.fates[place[0]] if place else None for place in places),
        losses_of(result, stages),
        compaction.no_op.reason if compaction.no_op else "",
        result.warnings,
        result,
    )


@dataclass(frozen=True, slots=True)
class Checked:
    """A compaction after 70 % of a session, judged by the rest of it. ``needed`` are the names that the rest
    used and nobody repeated, ``missing`` those that the result lacks, most used first."""

    compacted: Compacted
    needed: int
    missing: tuple[str, ...]

    @property
    def kept_share(self) -> float | None:
        """The share of what was needed that the result has; None if nothing was needed."""
        return 1 - len(self.missing) / self.needed if self.needed else None


def check(
    messages: Conversation | Sequence[MessageDict],
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


def facts(messages: Conversation | Sequence[MessageDict]) -> Facts:
    """Return what strings can hold against a result: messages, instructions, files, errors, names …"""
    return extract_facts(_conversation(messages).messages)


def expand(messages: Conversation | Sequence[MessageDict], handle: str) -> str:
    """Return the tool result that a stub stands for, from the original messages."""
    return expand_result(stored_results(_conversation(messages).messages), handle)


def lint(messages: Conversation | Sequence[MessageDict], provider: str = "") -> tuple[LintFinding, ...]:
    """Return what an API would refuse; ``provider`` is its name, by default that of the messages' format."""
    conversation = _conversation(messages)
    provider = provider or default_provider(conversation.format, conversation.model)
    return lint_messages(conversation.messages, provider, model=request_model(conversation))


def size(messages: Conversation | Sequence[MessageDict], *, model: str = "") -> int:
    """Return the tokens of the next request, calibrated by the sizes that a transcript reports."""
    conversation = _conversation(messages)
    name = model or conversation.model
    counter = counter_for(name)
    return next_request_tokens(conversation, counter, request_sizing(conversation, counter, ALL, name))


def trigger_size(*, strategy: str, settings: Settings | None = None, limit: int | None = None) -> int | None:
    """Return the size in tokens at which a strategy runs by itself; None if no size triggers it."""
    values = _layers(settings, strategy, limit).resolve()
    return trigger_tokens(find_strategy(strategy), values, values.limit)


def is_due(
    messages: Conversation | Sequence[MessageDict],
    *,
    strategy: str,
    settings: Settings | None = None,
    limit: int | None = None,
    model: str | None = None,
) -> bool:
    """Return whether the next request reaches the trigger of a strategy; never without a known window."""
    conversation, values = _conversation(messages), _layers(settings, strategy, limit).resolve()
    name = model or conversation.model
    window = context_window(conversation, name, values.limit).limit
    tokens, count = size(conversation, model=name), len(conversation.messages)
    return is_trigger_reached(find_strategy(strategy), values, tokens, count, window)


@dataclass(frozen=True, slots=True)
class _CallableSummarizer:
    """A function of the caller as the summariser of a strategy."""

    write: Summarizer
    profile: str = "summarizer"
    model: str = "the caller's"

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        return SummaryResponse(self.write(request))


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


def _message_pins(
    pins: Mapping[int, PinKind | str], places: Sequence[Sequence[int]]
) -> dict[int, MessagePin]:
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


def _conversation(messages: Conversation | Sequence[MessageDict]) -> Conversation:
    """Return dicts as a conversation; its document keeps their bytes for what is written again."""
    if isinstance(messages, Conversation):
        return messages
    data = b"[" + b",".join(_records(messages)) + b"]"
    opened = open_text(SourceDocument("messages", data=data, size=len(data)))
    return read_opened(opened, ReadRequest(), format=_format(opened))[0]


def _records(messages: Sequence[MessageDict]) -> list[bytes]:
    try:
        return [json.dumps(message).encode() for message in messages]
    except (TypeError, ValueError) as error:
        raise InputError(f"The messages are no JSON: {error}.", "Give dicts of strings and lists.") from error


def _places(
    conversation: Conversation, messages: Conversation | Sequence[MessageDict]
) -> list[tuple[int, ...]]:
    """Return the positions in the history of each message that was given."""
    if isinstance(messages, Conversation):
        return [(index,) for index in range(len(conversation.messages))]
    starts = list(accumulate((len(record) + 1 for record in _records(messages)), initial=1))
    places: list[list[int]] = [[] for _ in messages]
    for index, message in enumerate(conversation.messages):
        places[bisect(starts, message.sources[0].start) - 1].append(index)
    return [tuple(indices) for indices in places]


def _format(opened: OpenedDocument) -> str:
    """Return which API dicts are of; plain texts fit several and count as those of OpenAI's chat API."""
    readers = (openai_chat, anthropic, openai_responses)
    names = ("openai_chat", "anthropic_messages", "openai_responses")
    scores = [reader.score(opened)[0] for reader in readers]
    return names[scores.index(max(scores))]


def _dicts(result: Preview, messages: Conversation | Sequence[MessageDict]) -> list[dict[str, Json]]:
    conversation, compaction = result.conversation, result.compaction
    if compaction.no_op is not None and not isinstance(messages, Conversation):
        return [dict(message) for message in messages]
    written = export_history(
        ExportInput(conversation, result.history, compaction), conversation.format, redact=False
    )
    value = json.loads(written.data)
    records: list[dict[str, Json]] = value["messages"] if isinstance(value, dict) else value
    return records

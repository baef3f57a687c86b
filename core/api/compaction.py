"""Compact a conversation, in the caller's thread or beside its event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import isawaitable
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Required,
    TypedDict,
    TypeVar,
    Unpack,
    overload,
)

from core.api import late
from core.api.arguments import (
    AsyncSummarizer,
    Messages,
    Pins,
    Settings,
    Summarizer,
    layers_of,
    message_pins,
    named_arguments,
)
from core.common.errors import InputError
from core.common.json_value import MessageObject
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.transcript.compaction import Fate
from core.transcript.model import Conversation, Message
from core.transcript.pins import MessagePin

if TYPE_CHECKING:
    from core.losses.evidence import Losses
    from core.losses.must_keep import MustEvidence
    from core.preview.options import Preview, PreviewOptions

_SUMMARIZER_HINT = (
    "Give a function that takes a SummaryRequest and returns the text of the summary."
)
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
    must: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted(Generic[M_co]):
    """The result of a compaction; sizes in tokens of whole requests, as ``size`` returns them.

    ``messages`` has the shape that was given: Messages for a Conversation, else dicts of the same
    API, equal to those given where no rule changed them. ``fates[i]`` says what happened to given
    message i and why; None for a system prompt, which is no part of the history, and for what an
    earlier compaction took out. ``losses`` say
    what the result holds of the facts of the source, ``must`` what it holds of the texts that must
    survive, worst first. ``no_op`` is the reason why nothing changed,
    or ""."""

    messages: M_co
    tokens_before: int
    tokens_after: int
    fates: tuple[Fate | None, ...]
    losses: Losses
    must: tuple[MustEvidence, ...]
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
    must: Sequence[str] = (),
) -> Compacted[Any]:
    """Compact a conversation now, whatever its trigger says; nothing that is given is changed. Of
    one that its agent compacted, this is the current context, as in ``size``.

    ``limit`` is the window in tokens; ``model`` decides tokenizer and, without ``limit``, the
    window. ``summarizer`` writes each summary; without one, summaries are offline. ``pins`` maps
    indices to "keep" or "drop". ``must`` are texts that must survive; they only judge the result.
    For ``system``, ``tools`` and ``reported`` see ``size``. Raises
    InputError for what cannot be read or is unknown, StrategyError if the strategy cannot run;
    errors of ``summarizer`` pass through.
    """
    if summarizer is not None and not callable(summarizer):
        raise InputError(
            f"summarizer is of type {type(summarizer).__name__}, not a function.",
            _SUMMARIZER_HINT,
        )

    if isinstance(messages, Conversation):
        dicts, conversation = None, messages
        unread: tuple[str, ...] = ()
        message_indices: list[tuple[int, ...]] = [
            (index,) for index in range(len(messages.messages))
        ]
    else:
        dicts = late.read_dicts(messages)
        conversation = dicts.conversation
        message_indices = dicts.message_indices()
        unread = dicts.warnings()
    values = layers_of(settings, strategy, limit).resolve()
    message_indices = _sent_indices(conversation, message_indices, pins or {})
    stages = late.StageCache()
    pinned = message_pins(pins or {}, message_indices)
    counted = late.with_request(conversation, system, tools, reported)
    options = _options(model, summarizer, focus, pinned)
    options = replace(options, scope=late.opening_scope(conversation))
    with named_arguments():
        result = late.compute_preview(counted, values, options, stages)
    compaction = result.result.compaction
    return Compacted(
        messages=result.result.written_messages
        if dicts is None
        else dicts.result(result),
        tokens_before=result.sizes.before_tokens,
        tokens_after=result.sizes.after_tokens,
        fates=tuple(
            compaction.fates[own[0]] if own else None for own in message_indices
        ),
        losses=late.losses_of(result, stages),
        must=late.must_evidence(
            result, (must,) if isinstance(must, str) else must, stages
        ),
        no_op=compaction.no_op.reason if compaction.no_op else "",
        warnings=(*unread, *late.preview_warnings(result)),
        preview=result,
    )


def _sent_indices(
    conversation: Conversation, message_indices: Sequence[tuple[int, ...]], pins: Pins
) -> list[tuple[int, ...]]:
    """Return the indices of given messages in what is sent: in the current context of a session
    that its agent compacted. Raises InputError for a pin on a message that is sent no more."""
    history = late.history_of_scope(conversation, late.opening_scope(conversation))
    positions = {index: position for position, index in enumerate(history.indices)}
    sent = [
        tuple(positions[index] for index in indices if index in positions)
        for indices in message_indices
    ]
    for number in pins:
        if 0 <= number < len(sent) and message_indices[number] and not sent[number]:
            raise InputError(
                f"Message {number} cannot be pinned: an earlier compaction took it out.",
                "Pin messages of the current context.",
            )
    return sent


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
    messages: Messages,
    *,
    summarizer: Summarizer | AsyncSummarizer | None = None,
    **options: Unpack[Options],
) -> Compacted[Any]:
    """Do what ``compact`` does in another thread. ``summarizer`` may be asynchronous: it runs in
    the caller's event loop, and is cancelled with the call."""
    if summarizer is None or not callable(summarizer):
        return await asyncio.to_thread(
            partial(compact, messages, summarizer=summarizer, **options)
        )
    loop = asyncio.get_running_loop()
    waiting = list[Any]()

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
        return await asyncio.to_thread(
            partial(compact, messages, summarizer=write, **options)
        )
    finally:
        for future in waiting:
            future.cancel()


@dataclass(frozen=True, slots=True)
class _CallableSummarizer:
    """A function of the caller as the summariser of a strategy."""

    write: Summarizer
    profile: str = "summarizer"
    model: str = "the caller's"

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        text: object = self.write(request)
        if isinstance(text, str):
            return SummaryResponse(text=text)
        if isawaitable(text):
            getattr(
                text, "close", lambda: None
            )()  # a coroutine that nobody awaits would warn
            raise InputError(
                "The summarizer is asynchronous.", "Call acompact, which awaits it."
            )
        raise InputError(
            f"The summarizer returned {type(text).__name__}, not a text.",
            _SUMMARIZER_HINT,
        )


def _options(
    model: str | None,
    summarizer: Summarizer | None,
    focus: str,
    pins: Mapping[int, MessagePin],
) -> PreviewOptions:

    options = late.PreviewOptions(model=model or "", focus=focus, pins=pins)
    if summarizer is None:
        return options
    writer = _CallableSummarizer(summarizer)
    return replace(options, summary=replace(options.summary, factory=lambda _: writer))

"""Compaction inside a loop that is the caller's own: only when it is due, told before and after."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack, overload

from core.api.arguments import AsyncSummarizer, Messages, Summarizer
from core.api.compaction import Compacted, D, Options, acompact, compact
from core.api.inspection import is_due, size
from core.common.json_value import MessageObject
from core.transcript.model import Conversation, Message

Before = Callable[[int], bool | None]
"""Is given the tokens of the request, before it is compacted; False leaves it as it is."""
After = Callable[[Compacted[Any]], None]
"""Is given the result that replaces the messages."""

_SIZE_OPTIONS = ("system", "tools", "reported")
_TRIGGER_OPTIONS = ("strategy", "settings", "limit", "model", *_SIZE_OPTIONS)


@overload
def compact_if_due(
    messages: Conversation,
    *,
    before: Before | None = ...,
    after: After | None = ...,
    summarizer: Summarizer | None = ...,
    **options: Unpack[Options],
) -> Compacted[tuple[Message, ...]] | None: ...


@overload
def compact_if_due(  # type: ignore[overload-overlap]
    messages: Sequence[D],
    *,
    before: Before | None = ...,
    after: After | None = ...,
    summarizer: Summarizer | None = ...,
    **options: Unpack[Options],
) -> Compacted[list[D]] | None: ...


@overload
def compact_if_due(
    messages: Sequence[Mapping[str, Any] | MessageObject],
    *,
    before: Before | None = ...,
    after: After | None = ...,
    summarizer: Summarizer | None = ...,
    **options: Unpack[Options],
) -> Compacted[list[dict[str, Any]]] | None: ...


def compact_if_due(
    messages: Messages,
    *,
    before: Before | None = None,
    after: After | None = None,
    summarizer: Summarizer | None = None,
    **options: Unpack[Options],
) -> Compacted[Any] | None:
    """Compact the messages of the next request if it reaches the trigger of the strategy; None if
    it does not, or if ``before`` returns False. ``after`` is not called for a result with a
    ``no_op``. Options and errors are those of ``compact`` and ``is_due``."""
    if not _is_wanted(messages, before, options):
        return None
    made: Compacted[Any] = compact(messages, summarizer=summarizer, **options)
    if after is not None and not made.no_op:
        after(made)
    return made


def _is_wanted(messages: Messages, before: Before | None, options: Options) -> bool:
    """Return whether the request is due, and ``before`` agrees."""
    given: dict[str, Any] = {**options}
    if not is_due(
        messages, **{key: given[key] for key in _TRIGGER_OPTIONS if key in given}
    ):
        return False
    if before is None:
        return True
    sized = {key: given[key] for key in _SIZE_OPTIONS if key in given}
    return (
        before(size(messages, model=options.get("model") or "", **sized)) is not False
    )


async def acompact_if_due(
    messages: Messages,
    *,
    before: Before | None = None,
    after: After | None = None,
    summarizer: Summarizer | AsyncSummarizer | None = None,
    **options: Unpack[Options],
) -> Compacted[Any] | None:
    """Do what ``compact_if_due`` does in another thread, the two callbacks too; ``summarizer`` may
    be asynchronous, as in ``acompact``."""
    if not await asyncio.to_thread(_is_wanted, messages, before, options):
        return None
    made: Compacted[Any] = await acompact(messages, summarizer=summarizer, **options)
    if after is not None and not made.no_op:
        await asyncio.to_thread(after, made)
    return made

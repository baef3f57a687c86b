"""Compaction inside a loop that is the caller's own: only when it is due, told before and after."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Unpack, overload

from core.api.arguments import Messages, Summarizer
from core.api.compaction import Compacted, D, Options, compact
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
    given: dict[str, Any] = {**options}
    if not is_due(
        messages, **{key: given[key] for key in _TRIGGER_OPTIONS if key in given}
    ):
        return None
    if before is not None:
        sized = {key: given[key] for key in _SIZE_OPTIONS if key in given}
        tokens = size(messages, model=options.get("model") or "", **sized)
        if before(tokens) is False:
            return None
    made: Compacted[Any] = compact(messages, summarizer=summarizer, **given)
    if after is not None and not made.no_op:
        after(made)
    return made


async def acompact_if_due(
    messages: Messages,
    *,
    before: Before | None = None,
    after: After | None = None,
    summarizer: Summarizer | None = None,
    **options: Unpack[Options],
) -> Compacted[Any] | None:
    """Do what ``compact_if_due`` does in another thread, the two callbacks too."""
    given: dict[str, Any] = {
        "before": before,
        "after": after,
        "summarizer": summarizer,
        **options,
    }
    return await asyncio.to_thread(partial(compact_if_due, messages, **given))

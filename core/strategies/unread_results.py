"""A group of results that the model has not read and that fits no request: each keeps its beginning
and end, in every strategy of our own in safe mode. They are not removed where shortening them frees
enough tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from operator import is_

from core.common.number_format import share_of
from core.settings.schema import Mode
from core.strategies.base import (
    HistoryEdits,
    IncrementalCompactor,
    Strategy,
    StrategyContext,
)
from core.transcript.compaction import Compaction, Fate, FateKind, FateStep
from core.transcript.images import images_of
from core.transcript.model import Message, Speaker, ToolResponse

RULE = "unread results"
_ROOM = 0.5  # share of the limit that the group may take where the run has no target
_MIN_CLIP = 150  # tokens; a shorter clip is useless
_FULL = 0.9  # share of the limit from which on a history that a strategy leaves as it is gets no answer


def with_unread_pass(strategy: Strategy) -> Strategy:
    """Return the strategy with the pass behind ``compress``; it changes nothing where the group
    fits."""

    def compress(context: StrategyContext) -> Compaction:
        run = strategy.compress(context)
        if context.mode is not Mode.SAFE or context.limit is None:
            return run
        return _with_unread_results(context, context.limit, run)

    incremental = strategy.incremental
    return replace(
        strategy,
        compress=compress,
        incremental=incremental and (lambda count: _Incremental(incremental(count))),
    )


@dataclass(slots=True)
class _Incremental:
    """Hands over to ``compress`` where a result would change that the model has not read."""

    compactor: IncrementalCompactor
    _unread: list[int] = field(default_factory=list)

    def add(self, index: int, message: Message) -> None:
        if message.speaker is Speaker.TOOL:
            self._unread.append(index)
        else:
            self._unread.clear()
        self.compactor.add(index, message)

    def edits(self, context: StrategyContext) -> HistoryEdits | None:
        edits = self.compactor.edits(context)
        is_unread_changed = edits is not None and any(
            index in edits.messages for index in self._unread
        )
        return None if is_unread_changed else edits

    def apply(self, edits: HistoryEdits) -> None:
        self.compactor.apply(edits)


def _others(run: Compaction, own: Set[int]) -> list[Message]:
    return [one for at, one in enumerate(run.messages) if at not in own]


def _with_unread_results(
    context: StrategyContext, limit: int, run: Compaction
) -> Compaction:
    history = context.history
    start = _first_unread(history)
    if start == len(history):
        return run
    room = run.target if run.target is not None else share_of(limit, _ROOM)
    group = context.estimate_tokens(history[start:]) + context.hidden
    if group <= room:
        return run
    if run.no_op is not None and not _must_act(context, limit):
        return run
    places = _places_from(run, start)
    if len(places) < len(history) - start:
        return run  # messages went, and their results with them

    room -= context.estimate_tokens(_others(run, {*places.values()})) + context.hidden
    trimmed = trimmed_results(history[start:], room, context.estimate_tokens)
    if run.no_op is not None and all(map(is_, trimmed, history[start:])):
        return run  # images, or many small results: with its own reason

    messages, fates = list(run.messages), list(run.fates)
    for index, message in enumerate(trimmed, start):
        messages[places[index]] = message
        fates[index] = _unread_fate(room, is_whole=message is history[index])
    return replace(run, messages=tuple(messages), fates=tuple(fates), no_op=None)


def _first_unread(history: Sequence[Message]) -> int:
    """Return where the results begin that end a history: the model has not seen these."""
    start = len(history)
    while start and history[start - 1].speaker is Speaker.TOOL:
        start -= 1
    return start


def _places_from(run: Compaction, start: int) -> dict[int, int]:
    """Return where messages of the source from ``start`` on are in the result, each alone."""
    places = {}
    for at, sources in enumerate(run.origins):
        if len(sources) == 1 and sources[0] >= start:
            places[sources[0]] = at
    return places


def _unread_fate(room: int, *, is_whole: bool) -> Fate:
    if is_whole:
        stays = "it stays whole"
    else:
        stays = "its beginning and end stay"
    left = f"{max(0, room):,} tokens are left for all of them"
    reason = f"The model has not read it: {stays}, as {left}."
    kind = FateKind.KEPT if is_whole else FateKind.EDITED
    return Fate((FateStep(RULE, kind, reason),))


def _must_act(context: StrategyContext, limit: int) -> bool:
    """Return whether a history that the strategy leaves as it is gets no answer."""
    size = context.estimate_tokens(context.history) + context.hidden
    return size > share_of(limit, _FULL)


def trimmed_results(
    messages: Sequence[Message],
    room: int,
    estimate_tokens: Callable[[Sequence[Message]], int],
) -> list[Message]:
    """Return messages of results that together fit ``room`` tokens: the smaller ones whole, the
    larger ones with an equal share each, of at least ``_MIN_CLIP`` tokens."""
    from core.strategies.presets.tool_results import (
        result_text_at,
        with_text,
    )  # late: few need it
    from core.strategies.stubs import clip_text

    sizes = {
        (at, block): estimate_tokens(
            (replace(message, blocks=(message.blocks[block],)),)
        )
        for at, message in enumerate(messages)
        for block, one in enumerate(message.blocks)
        if isinstance(one, ToolResponse)
    }
    share, left, count = room, room, len(sizes)
    for size in sorted(sizes.values()):
        share = left // max(1, count)
        if size > share:
            break
        left, count = left - size, count - 1
    share = max(share, _MIN_CLIP)
    trimmed = list(messages)
    for (at, block), size in sizes.items():
        if size > share and not any(images_of(messages[at])):
            text = clip_text(result_text_at(messages[at], block), size, share)
            trimmed[at] = with_text(trimmed[at], block, text)
    return trimmed

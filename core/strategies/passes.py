"""Passes that run with strategies: of our own those for older images, which ``compression.images``
leaves out, and for results that the model has not read; with all the one for running tool calls
whose thinking went."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from operator import is_

from core.common import number_format
from core.common.number_format import share_of
from core.llm.protocol import human_text
from core.settings.schema import IMAGES, Mode
from core.strategies.base import (
    HistoryEdits,
    IncrementalCompactor,
    Strategy,
    StrategyContext,
)
from core.transcript.compaction import Compaction, Fate, FateKind, FateStep, NoOp
from core.transcript.images import images_of, media_tokens, older_images, without_images
from core.transcript.model import Message, Opaque, Speaker, Text, Thinking

# The pass of all strategies of our own that leaves out older images: ``compression.images``.


IMAGES_RULE = "older images"
SUGGESTED = 20
"""Images that the way out of a no-op keeps; up to so many each may be large for Anthropic."""


def with_images_pass(strategy: Strategy) -> Strategy:
    """Return the strategy with the pass in front of ``compress``; without the setting nothing is
    changed."""

    def compress(context: StrategyContext) -> Compaction:
        return _without_older_images(context, strategy.compress)

    incremental = strategy.incremental
    return replace(
        strategy,
        compress=compress,
        options=(*strategy.options, IMAGES),
        incremental=incremental
        and (lambda count: _IncrementalImages(incremental(count))),
    )


@dataclass(slots=True)
class _IncrementalImages:
    """Hands over to ``compress`` where the pass is on."""

    compactor: IncrementalCompactor

    def add(self, index: int, message: Message) -> None:
        self.compactor.add(index, message)

    def edits(self, context: StrategyContext) -> HistoryEdits | None:
        if _kept_images(context) is not None:
            return None
        return self.compactor.edits(context)

    def apply(self, edits: HistoryEdits) -> None:
        self.compactor.apply(edits)


def _kept_images(context: StrategyContext) -> int | None:
    kept = context.values.get(IMAGES)
    return kept if isinstance(kept, int) and context.mode is Mode.SAFE else None


def _without_older_images(
    context: StrategyContext, compress: Callable[[StrategyContext], Compaction]
) -> Compaction:
    kept = _kept_images(context)
    if kept is None:
        run = compress(context)
        if run.no_op is None or context.mode is not Mode.SAFE:
            return run
        return replace(
            run,
            no_op=with_images_hint(run.no_op, context.history, context.estimate_tokens),
        )
    history = list(context.history)
    older = older_images(history, kept)
    for index, numbers in older.items():
        history[index] = without_images(history[index], numbers)
    changed = [history[index] for index in older]
    before = [context.history[index] for index in older]
    freed = context.estimate_tokens(before) - context.estimate_tokens(changed)
    tokens = context.current_token_count - freed
    run = compress(replace(context, history=tuple(history), current_token_count=tokens))
    if older:
        return _with_fates(
            run, {index: len(numbers) for index, numbers in older.items()}, kept
        )
    return run


def _with_fates(run: Compaction, left_out: dict[int, int], kept: int) -> Compaction:
    fates = list(run.fates)
    for index, count in left_out.items():
        if count == 1:
            images = "An older image"
        else:
            images = f"{count} older images"
        step = FateStep(
            IMAGES_RULE,
            FateKind.EDITED,
            f"{images} became a line; the newest {kept} stay.",
        )
        later = fates[index]
        fates[index] = Fate(
            (step,) if later.kind is FateKind.KEPT else (step, *later.steps)
        )
    if run.no_op is None:
        return replace(run, fates=tuple(fates))
    warning = f"Only older images were left out. {run.no_op.reason}"
    return replace(
        run, fates=tuple(fates), no_op=None, warnings=(*run.warnings, warning)
    )


def leaves_out_images(run: Compaction) -> bool:
    """Return whether the pass changed a message: such a result may have more tokens, its purpose is
    bytes."""
    return any(step.rule == IMAGES_RULE for fate in run.fates for step in fate.steps)


def with_images_hint(
    no_op: NoOp,
    history: Sequence[Message],
    estimate_tokens: Callable[[Sequence[Message]], int],
) -> NoOp:
    """Return the no-op; where half of the tokens are those of images it says so and how they are
    left out."""
    images = [data for message in history for data in images_of(message)]
    if len(images) < 2 or 2 * sum(map(media_tokens, images)) < estimate_tokens(history):
        return no_op
    count = number_format.count(len(images))
    detail = f"{no_op.detail} The size is in {count} images: set compression.images."
    return replace(
        no_op, detail=detail, suggestion=f"{IMAGES}={min(SUGGESTED, len(images) // 2)}"
    )


# A group of results that the model has not read and that fits no request: each keeps its
# beginning and end, in every strategy of our own in safe mode. They are not removed where
# shortening them frees enough tokens.


UNREAD_RULE = "unread results"
_ROOM = 0.5  # share of the limit that the group may take where the run has no target
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
        incremental=incremental
        and (lambda count: _IncrementalUnread(incremental(count))),
    )


@dataclass(slots=True)
class _IncrementalUnread:
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
    from core.strategies.stubs import trimmed_results  # few histories need it

    trimmed = trimmed_results(history[start:], room, context.estimate_tokens)
    if run.no_op is not None and all(map(is_, trimmed, history[start:])):
        return run  # images, or many small results: with its own reason

    messages = list(run.messages)
    fates = list(run.fates)
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
    return Fate((FateStep(UNREAD_RULE, kind, reason),))


def _must_act(context: StrategyContext, limit: int) -> bool:
    """Return whether a history that the strategy leaves as it is gets no answer."""
    size = context.estimate_tokens(context.history) + context.hidden
    return size > share_of(limit, _FULL)


# Running tool calls that began with signed thinking and lost it. With a thinking budget Anthropic
# refuses them: "a final assistant message must start with a thinking block (preceding the lastmost
# set of tool_use and tool_result blocks)". Nobody but the provider can sign thinking, so that a
# short answer ends these calls and the next one may begin anew, as opencode-antigravity-auth does
# (its thinking-recovery.ts).


LOOP_FIX = "TH-01"


def loop_closing() -> tuple[Message, Message]:
    """Return what an answer and the person say behind results, so that a new turn begins."""
    answer = Message(speaker=Speaker.AI, blocks=(Text("(The tools have answered.)"),))
    return answer, human_text("(Please go on.)")


def with_loop_pass(strategy: Strategy) -> Strategy:
    """Return the strategy with the pass behind ``compress``; it changes nothing where the thinking
    is there, or never was."""

    def compress(context: StrategyContext) -> Compaction:
        run = strategy.compress(context)
        if not _is_loop_broken(context, run.messages) or run.no_op is not None:
            return run
        return _with_closed_loop(run)

    incremental = strategy.incremental
    return replace(
        strategy,
        compress=compress,
        incremental=incremental
        and (lambda count: _IncrementalLoop(incremental(count))),
    )


@dataclass(slots=True)
class _IncrementalLoop:
    """Hands over to ``compress`` where a message goes with which running calls began."""

    compactor: IncrementalCompactor

    def add(self, index: int, message: Message) -> None:
        self.compactor.add(index, message)

    def edits(self, context: StrategyContext) -> HistoryEdits | None:
        edits = self.compactor.edits(context)
        if edits is None or None not in edits.messages.values():
            return edits
        edited = [
            edits.messages.get(index, message)
            for index, message in enumerate(context.history)
        ]
        left = [message for message in edited if message is not None]
        return None if _is_loop_broken(context, left) else edits

    def apply(self, edits: HistoryEdits) -> None:
        self.compactor.apply(edits)


def _is_loop_broken(context: StrategyContext, result: Sequence[Message]) -> bool:
    if context.mode is not Mode.SAFE:
        return False
    before, after = _loop_begin(context.history), _loop_begin(result)
    if before is None or after is None:
        return False
    return _begins_signed(before) and not _begins_signed(after)


def _loop_begin(messages: Sequence[Message]) -> Message | None:
    """Return the first answer after the person's last words, where results end the messages."""
    if not messages or messages[-1].speaker is not Speaker.TOOL:
        return None
    start = len(messages)
    while start and messages[start - 1].speaker in (Speaker.AI, Speaker.TOOL):
        start -= 1
    return next((one for one in messages[start:] if one.speaker is Speaker.AI), None)


def _begins_signed(message: Message) -> bool:
    for block in message.blocks:
        if isinstance(block, Thinking):
            return bool(block.extra.get("signature"))
        if isinstance(block, Opaque):
            return block.kind == "redacted_thinking"
        if not isinstance(block, Text) or block.text.strip():
            return False
    return False


def _with_closed_loop(run: Compaction) -> Compaction:
    count = len(run.messages)
    return replace(
        run,
        messages=(*run.messages, *loop_closing()),
        origins=(*run.origins, (), ()),
        inserted=run.inserted | {count, count + 1},
        metadata=replace(run.metadata, compressed_message_count=count + 2),
        fixes=(*run.fixes, LOOP_FIX),
    )

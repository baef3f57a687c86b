"""The pass of all strategies of our own that leaves out older images: ``compression.images``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.common import number_format
from core.settings.keys import IMAGES
from core.settings.schema import Mode
from core.strategies.base import (
    HistoryEdits,
    IncrementalCompactor,
    Strategy,
    StrategyContext,
)
from core.transcript.compaction import Compaction, Fate, FateKind, FateStep, NoOp
from core.transcript.image_tokens import media_tokens
from core.transcript.images import images_of, older_images, without_images
from core.transcript.model import Message

RULE = "older images"
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
        incremental=incremental and (lambda count: _Incremental(incremental(count))),
    )


@dataclass(slots=True)
class _Incremental:
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
    changed, before = (
        [history[index] for index in older],
        [context.history[index] for index in older],
    )
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
            RULE, FateKind.EDITED, f"{images} became a line; the newest {kept} stay."
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
    return any(step.rule == RULE for fate in run.fates for step in fate.steps)


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

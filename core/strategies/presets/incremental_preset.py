"""Incremental compressors for presets that only clear results or drop older work."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from core.strategies.incremental import CompressorFactory, HistoryEdits
from core.strategies.presets.clear_tool_results import ClearToolResults
from core.strategies.presets.cleared_results import ClearableResults
from core.strategies.presets.keep_typed import DropOldestWork, is_droppable
from core.strategies.presets.preset import Preset
from core.strategies.result_faults import result_fault
from core.transcript.compaction import NoOp, NoOpCode
from core.transcript.model import Message


def incremental_factory(preset: Preset) -> CompressorFactory | None:
    """Return the factory of incremental compressors; None for a preset that does anything else."""
    if preset.split is not None or len(preset.passes) != 1:
        return None
    [rule] = preset.passes
    if isinstance(rule, DropOldestWork):
        return lambda count: _IncrementalDropping(rule, count)
    if preset.needs_limit or not isinstance(rule, ClearToolResults) or rule.clear_inputs:
        return None
    return lambda count: _IncrementalClearing(rule.new_clearable_results(count))


class _IncrementalClearing:
    """Applies a clearing rule; a ``core.strategies.incremental.IncrementalCompressor``."""

    def __init__(self, clearing: ClearableResults) -> None:
        self._clearing = clearing
        self._has_messages = False

    def add(self, place: int, message: Message) -> None:
        self._clearing.add(place, message)
        self._has_messages = True

    def edits(self, tokens: int, limit: int | None) -> HistoryEdits | NoOp | None:
        """Return the result of ``compress``, which does not depend on the sizes."""
        clearing = self._clearing
        if clearing.needs_restart or not self._has_messages:
            return None
        decision = clearing.decide()
        if not decision.placeholders:
            return NoOp(NoOpCode.NOTHING_TO_PRUNE, decision.note)
        new = clearing.with_placeholders(decision.placeholders)
        return HistoryEdits(new) if clearing.token_change(new) < 0 else None

    def apply(self, edits: HistoryEdits) -> None:
        self._clearing.accept(
            {place: message for place, message in edits.messages.items() if message is not None}
        )


class _IncrementalDropping:
    """Drops the oldest work; a ``core.strategies.incremental.IncrementalCompressor``. It holds only the
    messages that may go, which are few once older ones are dropped."""

    def __init__(self, rule: DropOldestWork, count: Callable[[Message], int]) -> None:
        self._rule, self._count = rule, count
        self._places: list[int] = []
        self._droppable: list[Message] = []

    def add(self, place: int, message: Message) -> None:
        if is_droppable(message):
            self._places.append(place)
            self._droppable.append(message)

    def edits(self, tokens: int, limit: int | None) -> HistoryEdits | NoOp | None:
        """Return the result of ``compress``."""
        if limit is None or not self._droppable:
            return None
        plan = self._rule.plan(self._estimate, self._droppable, self._places, tokens, limit)
        if isinstance(plan, NoOp):
            return plan
        edits = plan.edits(plan.group_count(self._estimate))
        messages = [edits.get(index, message) for index, message in enumerate(self._droppable)]
        after = [message for message in messages if message is not None]
        if self._estimate(after) >= self._estimate(self._droppable) or result_fault(self._droppable, after):
            return None
        return HistoryEdits({self._places[index]: message for index, message in edits.items()})

    def apply(self, edits: HistoryEdits) -> None:
        removed = sorted(place for place, message in edits.messages.items() if message is None)
        entries = zip(self._places, self._droppable, strict=True)
        self._places, self._droppable = [], []
        for place, old in entries:
            message = edits.messages.get(place, old)
            if message is not None:
                self.add(place - bisect_left(removed, place), message)

    def _estimate(self, messages: Sequence[Message]) -> int:
        return sum(map(self._count, messages))

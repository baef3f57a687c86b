"""A preset that does nothing but clear results, or drop older work, followed from turn to turn."""

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


def follow_of(preset: Preset) -> CompressorFactory | None:
    """What makes followers of a preset; None for one that does anything else."""
    if preset.split is not None or len(preset.passes) != 1:
        return None
    [rule] = preset.passes
    if isinstance(rule, DropOldestWork):
        return lambda count: _IncrementalDropping(rule, count)
    if preset.needs_limit or not isinstance(rule, ClearToolResults) or rule.clear_inputs:
        return None
    return lambda count: _IncrementalClearing(rule.follower(count))


class _IncrementalClearing:
    """Says what the rule does now; a ``core.strategies.incremental.IncrementalCompressor``."""

    def __init__(self, clearing: ClearableResults) -> None:
        self._clearing = clearing
        self._has_messages = False

    def add(self, place: int, message: Message) -> None:
        """As the protocol says."""
        self._clearing.add(place, message)
        self._has_messages = True

    def look(self, tokens: int, limit: int | None) -> HistoryEdits | NoOp | None:
        """The same as the preset's ``compress`` over the whole history; sizes say nothing to it."""
        clearing = self._clearing
        if clearing.is_lost or not self._has_messages:
            return None
        verdict = clearing.verdict()
        if not verdict.texts:
            return NoOp(NoOpCode.NOTHING_TO_PRUNE, verdict.note)
        new = clearing.rewritten(verdict.texts)
        return HistoryEdits(new) if clearing.tokens(new) < 0 else None

    def took(self, edits: HistoryEdits) -> None:
        """As the protocol says."""
        self._clearing.took({at: one for at, one in edits.messages.items() if one is not None})


class _IncrementalDropping:
    """Says what the rule drops now; a ``core.strategies.incremental.IncrementalCompressor``.

    It holds the messages that may go, which are few once the older ones are gone.
    """

    def __init__(self, rule: DropOldestWork, count: Callable[[Message], int]) -> None:
        self._rule, self._count = rule, count
        self._places: list[int] = []
        self._held: list[Message] = []

    def add(self, place: int, message: Message) -> None:
        """As the protocol says."""
        if is_droppable(message):
            self._places.append(place)
            self._held.append(message)

    def look(self, tokens: int, limit: int | None) -> HistoryEdits | NoOp | None:
        """The same as the preset's ``compress`` over the whole history."""
        if limit is None or not self._held:
            return None
        plan = self._rule.plan(self._estimate, self._held, self._places, tokens, limit)
        if isinstance(plan, NoOp):
            return plan
        new = plan.edits(plan.enough(self._estimate))
        left = [new.get(at, message) for at, message in enumerate(self._held)]
        after = [message for message in left if message is not None]
        if self._estimate(after) >= self._estimate(self._held) or result_fault(self._held, after):
            return None
        return HistoryEdits({self._places[at]: message for at, message in new.items()})

    def took(self, edits: HistoryEdits) -> None:
        """As the protocol says."""
        gone = sorted(place for place, message in edits.messages.items() if message is None)
        known = zip(self._places, self._held, strict=True)
        self._places, self._held = [], []
        for place, old in known:
            message = edits.messages.get(place, old)
            if message is not None:
                self.add(place - bisect_left(gone, place), message)

    def _estimate(self, messages: Sequence[Message]) -> int:
        return sum(map(self._count, messages))

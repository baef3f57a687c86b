"""A preset that does nothing but clear results, followed from turn to turn."""

from __future__ import annotations

from core.compaction import NoOp, NoOpCode
from core.conversation import Message
from core.strategies.following import Edits, Follow
from core.strategies.preset.clear import ClearResults
from core.strategies.preset.clearing import Clearing
from core.strategies.preset.strategy import Preset


def follow_of(preset: Preset) -> Follow | None:
    """What makes followers of a preset; None for one that does anything but clear results."""
    if preset.split is not None or preset.needs_limit or len(preset.passes) != 1:
        return None
    [rule] = preset.passes
    if not isinstance(rule, ClearResults) or rule.clear_inputs:
        return None
    return lambda count: _Clears(rule.follower(count))


class _Clears:
    """Says what the rule does now; a ``core.strategies.following.Follower``."""

    def __init__(self, clearing: Clearing) -> None:
        self._clearing = clearing
        self._has_messages = False

    def add(self, place: int, message: Message) -> None:
        """As the protocol says."""
        self._clearing.add(place, message)
        self._has_messages = True

    def look(self) -> Edits | NoOp | None:
        """The same as the preset's ``compress`` over the whole history."""
        clearing = self._clearing
        if clearing.is_lost or not self._has_messages:
            return None
        verdict = clearing.verdict()
        if not verdict.texts:
            return NoOp(NoOpCode.NOTHING_TO_PRUNE, verdict.note)
        new = clearing.rewritten(verdict.texts)
        return Edits(new) if clearing.tokens(new) < 0 else None

    def took(self, edits: Edits) -> None:
        """As the protocol says."""
        self._clearing.took(edits.messages)

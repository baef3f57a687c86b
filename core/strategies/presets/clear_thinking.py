"""Clears old thinking in whole blocks, so that no signature is left with another text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.presets.preset import PassResult
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Speaker, Thinking

RULE = "old thinking"


@dataclass(frozen=True, slots=True)
class ClearThinking:
    """Removes thinking from all but the newest ``keep_turns`` model messages that have some."""

    keep_turns: int

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        with_thinking = [
            index
            for index, entry in enumerate(draft.entries)
            if entry.message.speaker is Speaker.AI
            and any(isinstance(b, Thinking) for b in entry.message.blocks)
        ]
        turns = f"the newest {self.keep_turns} turns" if self.keep_turns > 1 else "the newest turn"
        step = FateStep(RULE, FateKind.EDITED, f"Thinking goes beyond {turns} with any.")
        changes = {}
        for index in with_thinking[: max(0, len(with_thinking) - self.keep_turns)]:
            message = draft.entries[index].message
            blocks = tuple(block for block in message.blocks if not isinstance(block, Thinking))
            if blocks:
                changes[index] = replace(message, blocks=blocks), step
        return PassResult(
            with_edited(draft, changes), note="" if changes else f"No thinking lies beyond {turns}."
        )

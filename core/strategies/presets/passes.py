"""The mechanical rules of presets, by their names in TOML files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.presets.clear_tool_results import ClearToolResults
from core.strategies.presets.keep_typed import DropOldestWork
from core.strategies.presets.preset import PassResult, PresetPass
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


PASSES: Mapping[str, type[PresetPass]] = {
    "clear-results": ClearToolResults,
    "clear-thinking": ClearThinking,
    "keep-typed": DropOldestWork,
}
"""By ``kind`` in a table of [[passes]]; the other keys are the fields of the rule."""

"""Clears old tool results: replaces them by a placeholder, which may keep both ends of the text. One rule for
all agents that mask tool output (field.md section 1b, family 1); they differ in what they protect, in the
gain that they require, and in the placeholder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.presets.cleared_results import ClearableResults, ClearingDecision, ClearingRule
from core.strategies.presets.preset import PassResult
from core.strategies.presets.tool_results import without_input
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Message

RULE = "old results"
INPUT_RULE = "old inputs"


@dataclass(frozen=True, slots=True)
class ClearToolResults(ClearingRule):
    """Replaces the tool results that its rule does not protect by a placeholder."""

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        def number(place: int) -> int:
            origins = draft.entries[place].origins
            return context.source_index(origins[0]) + 1 if origins else 0

        clearable = ClearableResults(self, lambda message: context.estimate_tokens((message,)), number)
        for place, entry in enumerate(draft.entries):
            clearable.add(place, entry.message)
        decision = clearable.decide()
        kept_reasons = clearable.kept_reasons()
        if decision.placeholders:
            draft = with_edited(draft, self._changes(draft, clearable, decision))
        else:
            kept_reasons |= dict.fromkeys(clearable.old, decision.note)  # below the minimum
        steps = {reason: FateStep(RULE, FateKind.KEPT, reason) for reason in kept_reasons.values()}
        kept_steps = {
            origin: steps[reason]
            for result, reason in kept_reasons.items()
            for origin in draft.entries[result.message].origins
        }
        return PassResult(draft, kept_steps, decision.note)

    def new_clearable_results(self, count: Callable[[Message], int]) -> ClearableResults:
        """Return the incremental form for one growing history, with message numbers by place."""
        return ClearableResults(self, count, lambda place: place + 1)

    def _changes(
        self, draft: HistoryDraft, clearable: ClearableResults, decision: ClearingDecision
    ) -> dict[int, tuple[Message, FateStep]]:
        """Return the messages with placeholders, without the call arguments if those are cleared too."""
        new = clearable.with_placeholders(decision.placeholders)
        tools: dict[int, list[str]] = defaultdict(list)
        for result in decision.placeholders:
            tools[result.message].append(result.tool)
            if self.clear_inputs and result.call:
                place, block = result.call
                message = new.get(place, draft.entries[place].message)
                shorter = without_input(message, block)
                if shorter is not message:
                    new[place] = shorter
        inputs_step = FateStep(
            INPUT_RULE, FateKind.EDITED, "The arguments of its calls went with their results."
        )
        steps = {index: self._step(names) for index, names in tools.items()}
        return {index: (message, steps.get(index, inputs_step)) for index, message in new.items()}

    def _step(self, tools: Sequence[str]) -> FateStep:
        protected = [f"the {self.keep} newest results"] if self.keep else []
        protected += [f"the newest {self.keep_tokens:,} tokens of tool output"] if self.keep_tokens else []
        scope = f"Beyond {' and '.join(protected)}" if protected else "Old"
        outcome = f"{len(tools)} results became placeholders"
        if len(tools) == 1:
            outcome = (
                f"the result of {tools[0]} became a placeholder" if tools[0] else "it became a placeholder"
            )
        return FateStep(RULE, FateKind.EDITED, f"{scope}: {outcome}.")

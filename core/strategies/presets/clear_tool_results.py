"""Clear old results of tools: what stays is a placeholder, or a placeholder with both ends of the text.

One rule for the agents that mask tool output (field.md section 1b, family 1); they differ in what they
protect, from which gain on they act, and in the placeholder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.presets.cleared_results import ClearableResults, ClearingDecision, ClearingRule
from core.strategies.presets.preset import PassResult
from core.strategies.presets.tool_results import (
    ToolResultPlace,
    has_input,
    without_input,
)
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Message

RULE = "old results"
INPUTS = "old inputs"


@dataclass(frozen=True, slots=True)
class ClearToolResults(ClearingRule):
    """Replaces the results of tools beyond the protected ones by ``placeholder``."""

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        """The draft with old results cleared; every call keeps its answer."""
        clearing = self._clearing(context, draft)
        verdict = clearing.verdict()
        stays = clearing.stays()
        if verdict.texts:
            return PassResult(
                with_edited(draft, self._changes(draft, clearing, verdict)), _kept(draft, stays)
            )
        stays |= dict.fromkeys(clearing.old, verdict.note)  # below the minimum
        return PassResult(draft, _kept(draft, stays), verdict.note)

    def follower(self, count: Callable[[Message], int]) -> ClearableResults:
        """The same for one history that grows, whose messages are known by their places."""
        return ClearableResults(self, count, lambda place: place + 1)

    def _clearing(self, context: StrategyContext, draft: HistoryDraft) -> ClearableResults:
        def number(place: int) -> int:
            origins = draft.entries[place].origins
            return context.source_of(origins[0]) + 1 if origins else 0

        found = ClearableResults(self, lambda message: context.estimate_tokens((message,)), number)
        for place, entry in enumerate(draft.entries):
            found.add(place, entry.message)
        return found

    def _changes(
        self, draft: HistoryDraft, clearing: ClearableResults, verdict: ClearingDecision
    ) -> dict[int, tuple[Message, FateStep]]:
        """The messages with placeholders, and without the arguments of the calls where those go too."""
        new = clearing.rewritten(verdict.texts)
        tools: dict[int, list[str]] = defaultdict(list)
        for one in verdict.texts:
            tools[one.message].append(one.tool)
            if self.clear_inputs and one.call:
                call, block = one.call
                message = new.get(call, draft.entries[call].message)
                if has_input(message, block):
                    new[call] = without_input(message, block)
        gone = FateStep(INPUTS, FateKind.EDITED, "The arguments of its calls went with their results.")
        steps = {index: self._step(names) for index, names in tools.items()}
        return {index: (message, steps.get(index, gone)) for index, message in new.items()}

    def _step(self, tools: Sequence[str]) -> FateStep:
        beyond = [f"the {self.keep} newest results"] if self.keep else []
        beyond += [f"the newest {self.keep_tokens:,} tokens of tool output"] if self.keep_tokens else []
        where = f"Beyond {' and '.join(beyond)}" if beyond else "Old"
        what = f"{len(tools)} results became placeholders"
        if len(tools) == 1:
            what = f"the result of {tools[0]} became a placeholder" if tools[0] else "it became a placeholder"
        return FateStep(RULE, FateKind.EDITED, f"{where}: {what}.")


def _kept(draft: HistoryDraft, stays: Mapping[ToolResultPlace, str]) -> dict[int, FateStep]:
    """Why messages with results stay as they are, by source place."""
    steps = {reason: FateStep(RULE, FateKind.KEPT, reason) for reason in stays.values()}
    return {
        origin: steps[reason]
        for one, reason in stays.items()
        for origin in draft.entries[one.message].origins
    }

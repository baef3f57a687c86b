"""Offloads old tool results: stubs take their place, oldest first, until the target is met."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from core.common.number_format import share_of
from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.helpers import require_limit
from core.strategies.presets.preset import PassResult, under_target_note
from core.strategies.presets.tool_results import (
    ToolResultPlace,
    find_results,
    result_text_at,
)
from core.strategies.stubs import STUB_START, with_stubs
from core.transcript.compaction import FateKind, FateStep, NoOpCode
from core.transcript.model import Message, Speaker, ToolResponse
from core.transcript.tool_pairs import is_marked_failed

RULE = "results stay"
_NOTHING = "No result may go: the last ones stay, as do small ones, errors and stubs."


@dataclass(frozen=True, slots=True)
class OffloadResults:
    """Puts a stub with the first ``head`` characters in place of each result of more than
    ``larger_than`` tokens, oldest first, until the context has ``target`` (a share of the limit).
    Results of the newest ``keep_steps`` steps (a message of the model and the results after it) and
    of failed calls stay."""

    target: float
    larger_than: int
    keep_steps: int
    head: int

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        target = share_of(
            require_limit(context, "A target that is a share of the limit"), self.target
        )
        messages, estimate = draft.messages, context.estimate_tokens
        total = context.outside_tokens + estimate(messages)
        if total <= target:
            note = under_target_note(total, target)
            return PassResult(
                draft, note=note, code=NoOpCode.UNDER_TARGET, target=target
            )
        results = find_results(context, messages)
        reasons = self._kept_reasons(messages, results)
        large = [place for place in results if place not in reasons]
        changes = with_stubs(context, messages, large, total - target, self.head)
        result = with_edited(draft, changes)
        newer = f"Newer than what had to go for the target of {target:,} tokens."
        steps = {
            reason: FateStep(RULE, FateKind.KEPT, reason)
            for reason in (newer, *reasons.values())
        }
        kept_steps = {
            origin: steps[reasons.get(place, newer)]
            for place in results
            for origin in draft.entries[place.message].origins
        }
        return PassResult(
            result, kept_steps, "" if changes else _NOTHING, target=target
        )

    def _kept_reasons(
        self, messages: Sequence[Message], results: Sequence[ToolResultPlace]
    ) -> dict[ToolResultPlace, str]:
        """Return why results stay whatever the target is."""
        ai = [
            at for at, message in enumerate(messages) if message.speaker is Speaker.AI
        ]
        step_of = {place: bisect_left(ai, place.message) for place in results}
        newest = sorted(set(step_of.values()))[-self.keep_steps :]
        reasons: dict[ToolResultPlace, str] = {}
        for place in results:
            block = messages[place.message].blocks[place.block]
            if step_of[place] in newest:
                reasons[place] = "In the last step with results."
            elif isinstance(block, ToolResponse) and is_marked_failed(block):
                reasons[place] = "Its call failed, and errors stay."
            elif place.tokens <= self.larger_than:
                reasons[place] = f"It has no more than {self.larger_than:,} tokens."
            elif result_text_at(messages[place.message], place.block).startswith(
                STUB_START
            ):
                reasons[place] = "A stub already."
        return reasons

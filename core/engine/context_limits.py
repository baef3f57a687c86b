"""Thresholds and budgets of a context window, in tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.common.errors import StrategyError
from core.engine.history_store import HistoryStore
from core.settings.keys import LIMIT, OPTIMIZE_THRESHOLD, THRESHOLD, WARNING
from core.settings.schema import EffectiveValue, Mode, SettingLayer, Values
from core.strategies.base import CheckPoint, Strategy
from core.strategies.helpers import is_trigger_reached, usable_limit, waiting_warnings
from core.transcript.model import Message

OVERFLOW = "CONTEXT_OVERFLOW"  # code of the error of the emergency path
_REFERENCE_THRESHOLDS = {"cs": 0.8, "hd": 0.8, "todo": 0.5}
"""Defaults of the reference's accessor; it never reads the thresholds of its strategies."""

_LATER_THRESHOLD = 0.85
_OUTPUT_BUDGET = 65_536
_MARGIN = 1000
_MARGIN_DIVISOR = 20  # the margin is at most this part of the window
_OUTPUT_DIVISOR = 2  # the default budget is at most this part of the window


def with_reference_threshold(values: Values, variant: str) -> Values:
    if values.get(THRESHOLD) is not None:
        return values
    default = EffectiveValue(
        _REFERENCE_THRESHOLDS.get(variant, _LATER_THRESHOLD), SettingLayer.DEFAULT
    )
    return replace(values, by_key={**values.by_key, THRESHOLD: default})


def is_reference_strategy(strategy: Strategy) -> bool:
    """Return whether the reference's loop, which has one check and one rule for all, runs the
    strategy."""
    return strategy.trigger.check is CheckPoint.BEFORE_SEND and not strategy.trigger.is_fixed


def is_reference_threshold_reached(
    values: Values, variant: str, tokens: int, limit: int | None
) -> bool:
    return (
        limit is not None
        and tokens >= with_reference_threshold(values, variant).number(THRESHOLD) * limit
    )


def is_due(
    strategy: Strategy, values: Values, tokens: int, messages: Sequence[Message], limit: int | None
) -> bool:
    """Return whether the size of the history, or a pause between its messages, triggers the
    strategy."""
    if strategy.trigger.idle_minutes:
        return not waiting_warnings(strategy.trigger, messages)
    return is_trigger_reached(strategy, values, tokens, len(messages), limit)


def is_above_warning(strategy: Strategy | None, values: Values, tokens: int, limit: int) -> bool:
    """Return whether the warning threshold is reached: a share of the trigger's room (ION-50)."""
    size = limit if strategy is None else usable_limit(strategy.trigger, values, limit)
    return tokens >= values.number(WARNING) * size


def is_below_optimize_threshold(values: Values, used: int, limit: int | None) -> bool:
    return limit is not None and used < values.number(OPTIMIZE_THRESHOLD) * limit


@dataclass(frozen=True, slots=True)
class EmergencyBudget:
    """Tokens in the emergency path: ``usable`` of the ``limit``, and ``budget`` of these for the
    answer."""

    limit: int
    usable: int
    budget: int

    def fits(self, used: int, pending: int) -> bool:
        return used + pending + self.budget <= self.usable

    def overflow(self, used: int, pending: int) -> StrategyError:
        total = used + pending + self.budget
        text = (
            f"The next request would take {total:,} tokens ({used:,} history and system prompt, {pending:,} "
            f"pending, {self.budget:,} for the answer); {self.usable:,} of the window of {self.limit:,} can "
            "be used."
        )
        hint = f"Lower the output budget, raise {LIMIT}, or start with a shorter history."
        return StrategyError(text, hint, code=OVERFLOW)


def emergency_budget(limit: int, budget: int | None, mode: Mode) -> EmergencyBudget:
    """Return the budget of the emergency path; a ``budget`` of None or below 1 counts as not set.
    The reference always keeps 1,000 tokens aside and takes 65,536 for an unset budget, so that no
    window up to 66,536 ever has room."""
    is_reference = mode is Mode.REFERENCE
    usable = (
        max(0, limit - _MARGIN) if is_reference else limit - min(_MARGIN, limit // _MARGIN_DIVISOR)
    )
    if budget is None or budget <= 0:
        budget = _OUTPUT_BUDGET if is_reference else min(_OUTPUT_BUDGET, limit // _OUTPUT_DIVISOR)
    return EmergencyBudget(limit, usable, budget)


class ContextSize:
    """Counts the tokens of a store's next request, without pending message and answer."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self._reported: tuple[int, int] | None = (
            None  # prompt tokens, and the store's total at that time
        )

    def report(self, prompt_tokens: int | None) -> None:
        """Record the provider's count of the last request; None or below 1: not reported."""
        reported = prompt_tokens or 0
        self._reported = (reported, self._store.total) if reported > 0 else None

    def used(self) -> int:
        """Return the last reported count if there is one."""
        store = self._store
        if self._reported is None:
            return store.total
        prompt, total = self._reported
        return prompt if store.mode is Mode.REFERENCE else max(0, prompt + store.total - total)

    def needed(self) -> int:
        """Return the tokens for the emergency path; the reference ignores the reported count
        there."""
        return self._store.total if self._store.mode is Mode.REFERENCE else self.used()

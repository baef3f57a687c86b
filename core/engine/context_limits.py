"""How full a window is, when that is too full, and what an answer may take: plain numbers in tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.common.errors import StrategyError
from core.engine.setup import ResentThinking
from core.settings.keys import LIMIT, OPTIMIZE_THRESHOLD, THRESHOLD, WARNING
from core.settings.schema import Mode
from core.settings.values import EffectiveValue, SettingLayer, Values
from core.strategies.base import CheckPoint, Strategy
from core.strategies.presets.waiting_triggers import waiting_warnings
from core.strategies.trigger import is_reached, room_of
from core.transcript.model import Message, Thinking

OVERFLOW = "CONTEXT_OVERFLOW"
"""Code of the error of the emergency path."""

_REFERENCE_THRESHOLDS = {"cs": 0.8, "hd": 0.8, "todo": 0.5}
"""What the reference's accessor says where no setting does; its strategies' own go unread."""

_LATER_THRESHOLD = 0.85
_OUTPUT_BUDGET = 65_536
_MARGIN = 1000
_SMALL_WINDOW = 20  # the margin is at most this part of the window
_MOST_OUTPUT = 2  # the default budget is at most this part of the window


def with_reference_threshold(values: Values, variant: str) -> Values:
    """The settings with a threshold where none is set, as the reference fills it in."""
    if values.get(THRESHOLD) is not None:
        return values
    default = EffectiveValue(_REFERENCE_THRESHOLDS.get(variant, _LATER_THRESHOLD), SettingLayer.DEFAULT)
    return replace(values, by_key={**values.by_key, THRESHOLD: default})


def is_of_the_reference(strategy: Strategy) -> bool:
    """True for strategies that the reference's loop looks at, which has one point and one rule for all."""
    return strategy.trigger.check is CheckPoint.BEFORE_SEND and not strategy.trigger.own


def reference_reaches(values: Values, variant: str, tokens: int, limit: int | None) -> bool:
    """True at the threshold that the reference's loop has for all of its strategies."""
    return limit is not None and tokens >= with_reference_threshold(values, variant).number(THRESHOLD) * limit


def is_due(
    strategy: Strategy, values: Values, tokens: int, messages: Sequence[Message], limit: int | None
) -> bool:
    """True where a history of that size sets the strategy off, or a pause in it, which the times of its
    messages tell."""
    if strategy.trigger.idle_minutes:
        return not waiting_warnings(strategy.trigger, messages)
    return is_reached(strategy, values, tokens, len(messages), limit)


def is_above_warning(strategy: Strategy | None, values: Values, tokens: int, limit: int) -> bool:
    """True from the warning threshold on: a share of the same room as the trigger's (section 3.2)."""
    size = limit if strategy is None else room_of(strategy.trigger, values, limit)
    return tokens >= values.number(WARNING) * size


def is_too_early(values: Values, used: int, limit: int | None) -> bool:
    """True below the share of the window from which an agent's density step is wanted."""
    return limit is not None and used < values.number(OPTIMIZE_THRESHOLD) * limit


def unsent_thinking(
    messages: Sequence[Message], reasoning: ResentThinking, count: Callable[[Message], int]
) -> int:
    """Tokens of thinking that is in the history and not in requests."""
    if reasoning is ResentThinking.SENT:
        return 0
    thoughts = [
        replace(message, blocks=tuple(b for b in message.blocks if isinstance(b, Thinking)))
        for message in messages
    ]
    thinking = [message for message in thoughts if message.blocks]
    kept = 1 if reasoning is ResentThinking.LAST_ONLY else 0
    return sum(map(count, thinking[: len(thinking) - kept]))


@dataclass(frozen=True, slots=True)
class EmergencyBudget:
    """A window in the emergency path: ``usable`` of its ``limit``, ``budget`` of that for the answer."""

    limit: int
    usable: int
    budget: int

    def fits(self, used: int, pending: int) -> bool:
        """True where history, pending message and answer have room together."""
        return used + pending + self.budget <= self.usable

    def overflow(self, used: int, pending: int) -> StrategyError:
        """The error that says which number exceeds which."""
        total = used + pending + self.budget
        text = (
            f"The next request would take {total:,} tokens ({used:,} history and system prompt, {pending:,} "
            f"pending, {self.budget:,} for the answer); {self.usable:,} of the window of {self.limit:,} can "
            "be used."
        )
        hint = f"Lower the output budget, raise {LIMIT}, or start with a shorter history."
        return StrategyError(text, hint, code=OVERFLOW)


def emergency_budget(limit: int, budget: int | None, mode: Mode) -> EmergencyBudget:
    """What the emergency path reckons with. A budget of None or below 1 means that none is set.

    The reference always keeps 1,000 tokens aside and takes 65,536 for an unset budget, so that no
    window up to 66,536 ever has room (llxprt.md section 11.1).
    """
    given = budget if budget is not None and budget > 0 else None
    if mode is Mode.REFERENCE:
        return EmergencyBudget(limit, max(0, limit - _MARGIN), _OUTPUT_BUDGET if given is None else given)
    usable = limit - min(_MARGIN, limit // _SMALL_WINDOW)
    return EmergencyBudget(
        limit, usable, min(_OUTPUT_BUDGET, limit // _MOST_OUTPUT) if given is None else given
    )

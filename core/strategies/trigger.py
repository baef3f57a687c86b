"""At which size a strategy acts, from what it declares and what is set: plain numbers in tokens."""

from __future__ import annotations

from core.common.rounding import share_of
from core.settings.keys import THRESHOLD
from core.settings.values import Values
from core.strategies.base import Strategy, Trigger, TriggerMode
from core.strategies.helpers import percent_text


def trigger_fraction(strategy: Strategy, values: Values) -> float:
    """The fraction of the room at which it acts: the setting, else what it declares (REQ-HD-001.10).

    A preset's own trigger is never replaced.
    """
    value = None if strategy.trigger.own else values.get(THRESHOLD)
    return strategy.trigger.threshold if value is None else float(value)


def room_of(trigger: Trigger, values: Values, limit: int) -> int:
    """Tokens of the window that fractions are taken of: the limit without the declared reserve."""
    return max(0, limit - (values.whole(trigger.reserve) if trigger.reserve else 0))


def trigger_tokens(strategy: Strategy, values: Values, limit: int | None) -> int | None:
    """The size in tokens at which it acts; None where no size sets it off, or where no limit is known
    for a trigger that depends on it."""
    trigger = strategy.trigger
    if trigger.mode in (TriggerMode.ALWAYS, TriggerMode.NEVER) or trigger.messages or trigger.idle_minutes:
        return None
    if trigger.tokens:
        return trigger.tokens
    if limit is None:
        return None
    share = share_of(room_of(trigger, values, limit), trigger_fraction(strategy, values))
    return max(0, share - trigger.margin)


def is_reached(strategy: Strategy, values: Values, tokens: int, messages: int, limit: int | None) -> bool:
    """True where a history of that size sets the strategy off; a pause is for the caller to know."""
    trigger = strategy.trigger
    if trigger.mode is TriggerMode.ALWAYS:
        return True
    if trigger.messages:
        return messages > trigger.messages
    size = trigger_tokens(strategy, values, limit)
    return size is not None and tokens >= size


def target_fraction(strategy: Strategy, values: Values, wanted: float, declared: float) -> tuple[float, str]:
    """The share aimed for, and a sentence where it had to be lowered (product.md section 3.2).

    ``wanted`` is what is set, ``declared`` the target that goes with the declared trigger. A target that
    is not below the trigger is lowered in the declared proportion.
    """
    fraction = trigger_fraction(strategy, values)
    if wanted < fraction:
        return wanted, ""
    lowered = round(fraction * declared / strategy.trigger.threshold, 12)
    return (
        lowered,
        f"The target of {percent_text(wanted)} is not below the trigger of {percent_text(fraction)};"
        f" {percent_text(lowered)} is used.",
    )

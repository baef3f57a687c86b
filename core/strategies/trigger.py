"""The size in tokens at which a strategy runs, and the size it aims for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from core.common.number_format import share_of
from core.settings.keys import THRESHOLD
from core.settings.schema import Values
from core.strategies.base import Strategy, Trigger, TriggerMode
from core.strategies.helpers import percent_text
from core.transcript.model import Message, Speaker


def trigger_fraction(strategy: Strategy, values: Values) -> float:
    """Return the fraction of the usable window; settings never replace a preset's (REQ-HD-001.10)."""
    value = None if strategy.trigger.is_fixed else values.get(THRESHOLD)
    return strategy.trigger.threshold if value is None else float(value)


def usable_window(trigger: Trigger, values: Values, limit: int) -> int:
    """Return the tokens of which fractions are taken: the limit without the declared reserve."""
    return max(0, limit - (values.integer(trigger.reserve) if trigger.reserve else 0))


def trigger_tokens(strategy: Strategy, values: Values, limit: int | None) -> int | None:
    """Return the trigger size in tokens; None if size does not trigger it or its limit is unknown."""
    trigger = strategy.trigger
    if trigger.mode in (TriggerMode.ALWAYS, TriggerMode.NEVER) or trigger.messages or trigger.idle_minutes:
        return None
    if trigger.tokens:
        return trigger.tokens
    if limit is None:
        return None
    share = share_of(usable_window(trigger, values, limit), trigger_fraction(strategy, values))
    return max(0, share - trigger.margin)


def is_trigger_reached(
    strategy: Strategy, values: Values, tokens: int, messages: int, limit: int | None
) -> bool:
    """Return whether a history of that size triggers the strategy; callers check idle pauses themselves."""
    trigger = strategy.trigger
    if trigger.mode is TriggerMode.ALWAYS:
        return True
    if trigger.messages:
        return messages > trigger.messages
    size = trigger_tokens(strategy, values, limit)
    return size is not None and tokens >= size


def target_fraction(
    strategy: Strategy, values: Values, configured: float, declared: float
) -> tuple[float, str]:
    """Return the target as a fraction, and a sentence where it was lowered (product.md section 3.2).
    ``configured`` is the setting, ``declared`` the target that belongs to the declared trigger. A target
    that is not below the trigger is lowered in the declared proportion."""
    fraction = trigger_fraction(strategy, values)
    if configured < fraction:
        return configured, ""
    lowered = round(fraction * declared / strategy.trigger.threshold, 12)
    return (
        lowered,
        f"The target of {percent_text(configured)} is not below the trigger of {percent_text(fraction)};"
        f" {percent_text(lowered)} is used.",
    )


def waiting_warnings(trigger: Trigger, history: Sequence[Message]) -> tuple[str, ...]:
    """Return a warning where the preset would not have run by itself."""
    if trigger.messages and len(history) <= trigger.messages:
        return (f"By itself it acts above {trigger.messages:,} messages; here are {len(history):,}.",)
    if not trigger.idle_minutes:
        return ()
    by_itself = f"By itself it acts after a pause of {trigger.idle_minutes} minutes"
    pause = _pause(history)
    if pause is None:
        return (f"{by_itself}; the times of this conversation do not tell the last pause.",)
    return (f"{by_itself}; the last one here was {pause:,.0f}.",) if pause < trigger.idle_minutes else ()


def _pause(history: Sequence[Message]) -> float | None:
    """Return the minutes between the model's last answer and the next message; None where unknown."""
    count = len(history)
    last = next((i for i in range(count - 2, -1, -1) if history[i].speaker is Speaker.AI), None)
    if last is None or history[last + 1].speaker is Speaker.AI:
        return None
    before, after = _time(history[last]), _time(history[last + 1])
    if before is None or after is None or (before.tzinfo is None) != (after.tzinfo is None):
        return None
    return (after - before).total_seconds() / 60


def _time(message: Message) -> datetime | None:
    try:
        return datetime.fromisoformat(message.timestamp)
    except ValueError:
        return None

"""Wording of a strategy's trigger."""

from __future__ import annotations

from core.common import number_format
from core.strategies.base import CheckPoint, Trigger, TriggerMode


def trigger_words(trigger: Trigger) -> str:
    """Return "85 %", "100,000 tokens", "limit − 33,000", "> 240 messages", "after a pause of 60 min",
    "never"."""
    if trigger.mode in (TriggerMode.ALWAYS, TriggerMode.NEVER):
        return trigger.mode.value
    if trigger.messages:
        return f"> {number_format.count(trigger.messages)} messages"
    if trigger.idle_minutes:
        return f"after a pause of {number_format.count(trigger.idle_minutes)} min"
    if trigger.tokens:
        return f"{number_format.count(trigger.tokens)} tokens"
    share = number_format.setting_percent(trigger.threshold)
    if not trigger.margin:
        return share
    limit = "limit" if trigger.threshold == 1 else f"{share} of limit"
    return f"{limit} − {number_format.count(trigger.margin)}"


def check_point_text(trigger: Trigger) -> str:
    """Return the check point in an agent's loop, empty for the usual one."""
    if trigger.check is CheckPoint.BEFORE_SEND:
        return ""
    return f"An agent looks at its size {trigger.check.value}."

"""Warnings about a preset's own trigger that waits for a pause or for many messages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from core.strategies.base import Trigger
from core.transcript.model import Message, Speaker


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

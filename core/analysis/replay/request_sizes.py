"""How large each request of a replay is: by what was reported of earlier ones alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.analysis.replay.timeline import ReplayTimeline
from core.llm.catalog import choose_model
from core.llm.request_size import requests_of
from core.tokens.calibration import Calibrator
from core.tokens.counter import CountMethod, TokenCounter
from core.tokens.family_factors import family_factor
from core.transcript.model import Conversation
from core.transcript.scopes import history_of_scope


@dataclass(frozen=True, slots=True)
class CountScale:
    """What makes figures of counts at a turn: ``hidden`` tokens are in its request and in no message."""

    factor: float = 1.0
    hidden: int = 0


PLAIN = CountScale()


def scales_of(
    conversation: Conversation, raw: TokenCounter, scope: str, tape: ReplayTimeline, model: str
) -> tuple[CountScale, ...]:
    """The scale of each turn; empty where counts stay as they are."""
    found = tuple(_scales(conversation, raw, scope, tape, model))
    return () if all(one == PLAIN for one in found) else found


def _scales(
    conversation: Conversation, raw: TokenCounter, scope: str, tape: ReplayTimeline, model: str
) -> Iterator[CountScale]:
    own = choose_model(conversation)
    growing, last = Calibrator(family_factor(own)), PLAIN
    positions = history_of_scope(conversation, scope).positions
    reported = list(requests_of(conversation, raw))
    other = family_factor(model) if model != own else None
    taken = 0
    for turn in tape.turns:
        answer = positions[tape.places[turn.first]]
        while taken < len(reported) and reported[taken].number < answer:
            growing.add(reported[taken])
            taken += 1
        fit = growing.current()
        new = CountScale(fit.factor if other is None else other, max(0, fit.hidden or 0))
        last = last if new == last else new
        yield last


def method_of(raw: CountMethod) -> CountMethod:
    """How figures of a replay come about."""
    name = raw.encoding or "4 characters per token"
    return CountMethod("≈", f"{name}, calibrated on what was reported before each request", raw.encoding)

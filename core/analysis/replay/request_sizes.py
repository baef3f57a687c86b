"""Sizes the requests of a replay from what was reported of earlier ones alone."""

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
    """Scales counts at a turn; ``hidden`` tokens are part of its request but of no message."""

    factor: float = 1.0
    hidden: int = 0


PLAIN = CountScale()


def scales_of(
    conversation: Conversation, raw: TokenCounter, scope: str, timeline: ReplayTimeline, model: str
) -> tuple[CountScale, ...]:
    """Return the scale of each turn; empty if counts need no scaling."""
    scales = tuple(_scales(conversation, raw, scope, timeline, model))
    return () if all(scale == PLAIN for scale in scales) else scales


def _scales(
    conversation: Conversation, raw: TokenCounter, scope: str, timeline: ReplayTimeline, model: str
) -> Iterator[CountScale]:
    session_model = choose_model(conversation)
    calibrator, last = Calibrator(family_factor(session_model)), PLAIN
    positions = history_of_scope(conversation, scope).positions
    reported = list(requests_of(conversation, raw))
    model_factor = family_factor(model) if model != session_model else None
    used_count = 0
    for turn in timeline.turns:
        answer = positions[timeline.places[turn.first]]
        while used_count < len(reported) and reported[used_count].number < answer:
            calibrator.add(reported[used_count])
            used_count += 1
        calibration = calibrator.current()
        factor = calibration.factor if model_factor is None else model_factor
        scale = CountScale(factor, max(0, calibration.hidden or 0))
        last = last if scale == last else scale
        yield last


def method_of(raw: CountMethod) -> CountMethod:
    """Return the counting method of a replay."""
    name = raw.encoding or "4 characters per token"
    return CountMethod("≈", f"{name}, calibrated on what was reported before each request", raw.encoding)

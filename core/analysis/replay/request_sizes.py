"""Sizes the requests of a replay from what was reported of earlier ones alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.analysis.replay.timeline import ReplayTimeline
from core.llm.catalog import choose_model
from core.llm.request_size import reported_requests
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


UNSCALED = CountScale()


def turn_scales(
    conversation: Conversation, counter: TokenCounter, scope: str, timeline: ReplayTimeline, model: str
) -> tuple[CountScale, ...]:
    """Return the scale of each turn; empty if counts need no scaling."""
    scales = tuple(_scales(conversation, counter, scope, timeline, model))
    return () if all(scale == UNSCALED for scale in scales) else scales


def _scales(
    conversation: Conversation, counter: TokenCounter, scope: str, timeline: ReplayTimeline, model: str
) -> Iterator[CountScale]:
    session_model = choose_model(conversation)
    calibrator, previous_scale = Calibrator(family_factor(session_model)), UNSCALED
    positions = history_of_scope(conversation, scope).positions
    reported = list(reported_requests(conversation, counter))
    model_factor = family_factor(model) if model != session_model else None
    used_count = 0
    for turn in timeline.turns:
        answer_position = positions[timeline.places[turn.first]]
        while used_count < len(reported) and reported[used_count].number < answer_position:
            calibrator.add(reported[used_count])
            used_count += 1
        calibration = calibrator.current()
        factor = calibration.factor if model_factor is None else model_factor
        scale = CountScale(factor, max(0, calibration.hidden or 0))
        previous_scale = previous_scale if scale == previous_scale else scale
        yield previous_scale


def calibrated_method(method: CountMethod) -> CountMethod:
    """Return the counting method of a replay."""
    name = method.encoding or "4 characters per token"
    return CountMethod("≈", f"{name}, calibrated on what was reported before each request", method.encoding)

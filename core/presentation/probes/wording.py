"""Wording of a model's answers to probe questions."""

from __future__ import annotations

from core.analysis.probes.model import ProbeAnswer, ProbeEstimate
from core.common import number_format

RIGHT, PARTLY = "right", "partly right"
WRONG, FAILED = "wrong", "not answered"


def answer_verdict(answer: ProbeAnswer) -> str:
    """Return an answer's verdict."""
    if answer.score is None:
        return FAILED
    if answer.score == 1:
        return RIGHT
    return PARTLY if answer.score > 0 else WRONG


def interval_text(estimate: ProbeEstimate) -> str:
    """Return the interval as "0.50 to 1.00", or a dash."""
    if estimate.low is None or estimate.high is None:
        return number_format.UNKNOWN
    return f"{_figure(estimate.low)} to {_figure(estimate.high)}"


def signed_score(value: float | None) -> str:
    if value is None:
        return number_format.UNKNOWN
    text = f"{value:+.2f}".replace("-", number_format.MINUS)
    return f"±{text[1:]}" if text[1:] == "0.00" else text


def _figure(value: float) -> str:
    return f"{value:.2f}".replace("-", number_format.MINUS)

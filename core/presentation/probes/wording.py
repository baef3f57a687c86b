"""Words and figures for answers of a model to questions about what was compacted."""

from __future__ import annotations

from core.analysis.probes.model import ProbeAnswer, ProbeEstimate
from core.common import number_format

RIGHT, PARTLY = "right", "partly right"
WRONG, FAILED = "wrong", "not answered"


def answer_verdict(one: ProbeAnswer) -> str:
    """How an answer came out, in a word or two."""
    if one.score is None:
        return FAILED
    if one.score == 1:
        return RIGHT
    return PARTLY if one.score > 0 else WRONG


def interval_text(one: ProbeEstimate) -> str:
    """The ends of the interval: "0.50 to 1.00"; a dash where there is none."""
    if one.low is None or one.high is None:
        return number_format.UNKNOWN
    return f"{_figure(one.low)} to {_figure(one.high)}"


def signed_score(value: float | None) -> str:
    """A difference with its sign."""
    if value is None:
        return number_format.UNKNOWN
    text = f"{value:+.2f}".replace("-", number_format.MINUS)
    return f"±{text[1:]}" if text[1:] == "0.00" else text


def _figure(value: float) -> str:
    return f"{value:.2f}".replace("-", number_format.MINUS)

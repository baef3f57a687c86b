"""Wording of request sizes and silent clearings."""

from __future__ import annotations

from core.common import number_format
from core.llm.request_size import RequestSizing
from core.tokens.calibration import CalibrationSegment


def calibration_text(sizing: RequestSizing) -> str:
    """Return "calibrated on 45 requests: ×1.46, 32,624 hidden; typical error 0.2 %", or nothing."""
    fit = sizing.calibration.fit
    if not sizing.is_reported or fit.error is None:
        return ""
    on = number_format.plural(fit.requests, "request")
    hidden = number_format.count(max(0, sizing.hidden))
    error = number_format.percent(fit.error)
    return f"calibrated on {on}: ×{fit.factor:.2f}, {hidden} hidden; typical error {error}"


def clearing_sentences(sizing: RequestSizing) -> tuple[str, ...]:
    """Return a sentence per silent clearing."""
    return tuple(map(_clearing, sizing.calibration.clearings))


def _clearing(segment: CalibrationSegment) -> str:
    dropped = number_format.count(round(segment.dropped, -3) or segment.dropped)
    location = number_format.message_number(segment.requests[0].number)
    return f"The agent dropped about {dropped} tokens before {location} without saying so."

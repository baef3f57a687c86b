"""The Size popover: requests as reported, counted and calibrated."""

from __future__ import annotations

from dataclasses import dataclass

from core.common import number_format
from core.llm.request_size import RequestSizing
from core.tokens.calibration import CalibrationSegment, ReportedRequest

_MAX_POINTS = 240  # requests in the plot


@dataclass(frozen=True, slots=True)
class SizePoint:
    """A request in tokens; ``is_segment_start`` marks the first of a segment."""

    reported: int
    counted: int
    calibrated: int
    is_segment_start: bool = False


@dataclass(frozen=True, slots=True)
class SizePage:
    """``facts`` are (name, text), ``notes`` are sentences."""

    title: str
    points: tuple[SizePoint, ...]
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def size_page(sizing: RequestSizing, sizes: tuple[tuple[str, str], ...]) -> SizePage:
    """Return the page of these sizes, and of the sizing where requests are reported."""
    calibration = sizing.calibration
    points = [_point(request, segment) for segment in calibration.segments for request in segment.requests]
    if not points:
        return SizePage("Size", (), sizes, ())
    fit = calibration.fit
    error = number_format.UNKNOWN if fit.error is None else number_format.percent(fit.error)
    requests = (
        f"{number_format.plural(fit.requests, 'request')} of {number_format.count(len(points))} reported"
    )
    facts = (
        ("Factor", f"×{fit.factor:.2f}, fitted to {requests}"),
        ("Hidden", f"{number_format.count(max(0, sizing.hidden))} tokens in every request"),
        ("Typical error", error),
    )
    notes = clearing_sentences(sizing) or ("No silent clearing was found.",)
    return SizePage("Size", _sampled(points), (*sizes, *facts), (*_estimated(sizing), *notes))


def _estimated(sizing: RequestSizing) -> tuple[str, ...]:
    """Return why the factor is not fitted, or nothing."""
    if sizing.is_reported:
        return ()
    if sizing.reporting_model:
        return (
            f"The requests were {sizing.reporting_model}'s: the factor is that of the chosen model's family.",
        )
    return ("Too few requests are reported: the factor is that of the model's family.",)


def _point(request: ReportedRequest, part: CalibrationSegment) -> SizePoint:
    calibrated = round(part.fit.factor * request.counted + (part.fit.hidden or 0))
    return SizePoint(request.reported, request.counted, calibrated, request is part.requests[0])


def _sampled(points: list[SizePoint]) -> tuple[SizePoint, ...]:
    step = max(1.0, len(points) / _MAX_POINTS)
    return tuple(points[int(index * step)] for index in range(min(len(points), _MAX_POINTS)))


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
    return tuple(
        f"The agent dropped about {number_format.count(round(one.dropped, -3) or one.dropped)} tokens before "
        f"{number_format.message_number(one.requests[0].number)} without saying so."
        for one in sizing.calibration.clearings
    )

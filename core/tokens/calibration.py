"""Calibration of token counts against reported sizes of requests.

``reported = factor * counted + hidden``, fitted per segment: from one recorded compaction, change of the
model or silent clearing to the next. ``fit_calibration`` works on pairs of (counted, reported).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

LEAST, MOST = 0.5, 3.0
"""Bounds of the factor."""
LEAST_REPORTS = 3
_NEW_REPORTS = 2  # least requests after a recorded compaction for a fit of its own
_APART = 500  # least counted tokens between two points of a slope
_THINNED = 60  # most points of a fit
_FALL = 0.01  # share of the request: a smaller fall is a note or a thought that was left out


@dataclass(frozen=True, slots=True)
class ReportedRequest:
    """One request, in tokens: our count and the reported size.

    ``follows_compaction``: it directly follows a recorded compaction. ``number`` is the index of the message
    that answers it.
    """

    counted: int
    reported: int
    model: str = ""
    follows_compaction: bool = False
    number: int = -1


@dataclass(frozen=True, slots=True)
class CalibrationFit:
    """A fit of ``requests`` requests.

    ``hidden`` tokens are None if unknown. ``error`` is the median relative distance of fitted from reported
    sizes, None if nothing was fitted.
    """

    factor: float
    hidden: int | None = None
    requests: int = 0
    error: float | None = None


@dataclass(frozen=True, slots=True)
class CalibrationSegment:
    """Requests with one fit; ``dropped`` are about the tokens cleared silently right before them, or 0."""

    requests: tuple[ReportedRequest, ...]
    fit: CalibrationFit
    dropped: int = 0

    @property
    def model(self) -> str:
        return self.requests[0].model


@dataclass(frozen=True, slots=True)
class Calibration:
    """The segments of a conversation in order, and the fit for the next request.

    That fit is of the last segment or, right after a recorded compaction, of the one before. ``source`` is
    "reports", or "family" if there are too few.
    """

    fit: CalibrationFit
    segments: tuple[CalibrationSegment, ...] = ()
    source: str = "family"

    @property
    def clearings(self) -> tuple[CalibrationSegment, ...]:
        return tuple(one for one in self.segments if one.dropped)


def calibrate(requests: Iterable[ReportedRequest], family: float = 1.0) -> Calibration:
    """Calibrate requests in file order; ``family`` is the factor used if they are too few."""
    calibrator = Calibrator(family)
    for request in requests:
        calibrator.add(request)
    return calibrator.calibration()


def fit_calibration(points: Sequence[tuple[int, int]]) -> CalibrationFit | None:
    """Fit pairs (counted, reported) of one segment.

    None for fewer than three, if none are far enough apart, or if the fit is no better than the plain count.
    """
    if len(points) < LEAST_REPORTS:
        return None
    factor = _slope(points)
    if factor is None:
        return None
    fit = with_factor(points, factor)
    plain = median(abs(reported - counted) / reported for counted, reported in points)
    return fit if fit.error is not None and fit.error <= plain else None


def with_factor(points: Sequence[tuple[int, int]], factor: float) -> CalibrationFit:
    hidden = round(median(reported - factor * counted for counted, reported in points))
    error = median(abs(factor * counted + hidden - reported) / reported for counted, reported in points)
    return CalibrationFit(factor, hidden, len(points), error)


def _slope(points: Sequence[tuple[int, int]]) -> float | None:
    """Return the Theil-Sen slope: the median of the slopes between points far enough apart."""
    step = max(1.0, (len(points) - 1) / (_THINNED - 1))
    sample = [points[round(at * step)] for at in range(min(len(points), _THINNED))]
    slopes = [
        (late[1] - early[1]) / (late[0] - early[0])
        for place, late in enumerate(sample)
        for early in sample[:place]
        if abs(late[0] - early[0]) >= _APART
    ]
    return min(MOST, max(LEAST, median(slopes))) if slopes else None


@dataclass(slots=True)
class Calibrator:
    family: float = 1.0
    _segments: list[CalibrationSegment] = field(default_factory=list)
    _open: list[ReportedRequest] = field(default_factory=list)
    _dropped: int = 0
    _factors: dict[str, float] = field(default_factory=dict)  # the last fitted one by model
    _latest: tuple[int, CalibrationFit] | None = None  # the requests at the next fit, and the last fit

    def add(self, request: ReportedRequest) -> None:
        last = self._open[-1] if self._open else None
        dropped = 0 if last is None or request.follows_compaction else self._dropped_tokens(last, request)
        if last is not None and (request.follows_compaction or request.model != last.model or dropped):
            self._close()
            self._dropped = dropped if request.model == last.model else 0
        self._open.append(request)

    def current(self) -> CalibrationFit:
        """Return the fit for the next request quickly; it lags behind by at most a quarter of its segment.

        One report is enough for the hidden tokens.
        """
        fit = self._fit_so_far() if len(self._open) >= LEAST_REPORTS else self.calibration().fit
        if fit.hidden is not None or not self._open:
            return fit
        last = self._open[-1]
        return CalibrationFit(fit.factor, round(last.reported - fit.factor * last.counted), fit.requests)

    def calibration(self) -> Calibration:
        segments = list(self._segments)
        if self._open:
            segments.append(self._segment())
        if not segments:
            return Calibration(CalibrationFit(self.family))
        last, before = segments[-1], segments[-2:-1]
        is_new = last.requests[0].follows_compaction and len(last.requests) < _NEW_REPORTS
        held = before[0] if is_new and before and before[0].model == last.model else last
        source = "family" if held.fit.hidden is None else "reports"
        return Calibration(held.fit, tuple(segments), source)

    def _dropped_tokens(self, last: ReportedRequest, request: ReportedRequest) -> int:
        """Estimate the tokens that were silently dropped between two requests, else 0."""
        if request.counted < last.counted:
            return 0
        fit = self._fit_so_far()
        expected = last.reported + fit.factor * (request.counted - last.counted)
        is_fall = last.reported - request.reported > _FALL * last.reported
        is_negative = (fit.hidden or 0) > 0 > request.reported - fit.factor * request.counted
        return max(0, round(expected - request.reported)) if is_fall or is_negative else 0

    def _fit_so_far(self) -> CalibrationFit:
        """Return a fit of the open segment, renewed when the segment has grown by a quarter."""
        if self._latest is None or len(self._open) >= self._latest[0]:
            self._latest = len(self._open) + 1 + len(self._open) // 4, self._segment().fit
        return self._latest[1]

    def _segment(self) -> CalibrationSegment:
        """Return the open segment; with few requests it uses the earlier factor of its model."""
        points = [(one.counted, one.reported) for one in self._open]
        model = self._open[0].model
        fit = fit_calibration(points)
        if fit is None and model in self._factors and (len(points) >= _NEW_REPORTS or self._dropped):
            fit = with_factor(points, self._factors[model])
        return CalibrationSegment(
            tuple(self._open), fit or CalibrationFit(self.family, requests=len(points)), self._dropped
        )

    def _close(self) -> None:
        done = self._segment()
        if done.fit.hidden is not None:
            self._factors[done.model] = done.fit.factor
        self._segments.append(done)
        self._open, self._dropped, self._latest = [], 0, None

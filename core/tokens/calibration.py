"""Counted sizes of requests against reported ones: the factor of a tokenizer, and what no file shows.

``reported = factor * counted + hidden``, fitted per segment: from one recorded compaction, change of the
model or silent clearing to the next. A segment is usable by itself on pairs of (counted, reported).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

LEAST, MOST = 0.5, 3.0
"""Bounds of the factor."""
LEAST_REPORTS = 3
_NEW_REPORTS = 2  # behind a recorded compaction, until its segment speaks for itself
_APART = 500  # counted tokens between two points that give a slope
_THINNED = 60
_FALL = 0.01  # share of the request: a smaller fall is a note or a thought that was left out


@dataclass(frozen=True, slots=True)
class ReportedRequest:
    """One request: our count of what it held, and what was reported, in tokens. ``begins``: right before it
    lies a recorded compaction. ``number`` is the index of the message that answers it."""

    counted: int
    reported: int
    model: str = ""
    begins: bool = False
    number: int = -1


@dataclass(frozen=True, slots=True)
class CalibrationFit:
    """``hidden`` in tokens, None where it is unknown; ``error`` is the median relative distance of fitted
    from reported sizes, None where nothing was fitted. ``requests`` is how many it was fitted to."""

    factor: float
    hidden: int | None = None
    requests: int = 0
    error: float | None = None


@dataclass(frozen=True, slots=True)
class CalibrationSegment:
    """Requests that one fit speaks of. ``dropped`` is about how many tokens the agent took out right before
    it without recording it, 0 where it began otherwise."""

    requests: tuple[ReportedRequest, ...]
    fit: CalibrationFit
    dropped: int = 0

    @property
    def model(self) -> str:
        """The model of its requests."""
        return self.requests[0].model


@dataclass(frozen=True, slots=True)
class Calibration:
    """The segments of a conversation in order, and the fit for what comes next: that of the last segment, or,
    right behind a recorded compaction, that of the one before. ``source`` is "reports", or "family" where
    there are too few of them."""

    fit: CalibrationFit
    segments: tuple[CalibrationSegment, ...] = ()
    source: str = "family"

    @property
    def clearings(self) -> tuple[CalibrationSegment, ...]:
        """The segments that a silent clearing began."""
        return tuple(one for one in self.segments if one.dropped)


def calibrate(requests: Iterable[ReportedRequest], family: float = 1.0) -> Calibration:
    """The calibration of requests in file order; ``family`` is the factor where they are too few."""
    growing = Calibrator(family)
    for request in requests:
        growing.add(request)
    return growing.calibration()


def fit_calibration(points: Sequence[tuple[int, int]]) -> CalibrationFit | None:
    """Factor and hidden tokens of pairs (counted, reported) of one segment; None for fewer than three, where
    none lie far enough apart, or where the fit is no better than the plain count."""
    if len(points) < LEAST_REPORTS:
        return None
    factor = _slope(points)
    if factor is None:
        return None
    found = with_factor(points, factor)
    plain = median(abs(reported - counted) / reported for counted, reported in points)
    return found if found.error is not None and found.error <= plain else None


def with_factor(points: Sequence[tuple[int, int]], factor: float) -> CalibrationFit:
    """The fit of points whose factor is known already."""
    hidden = round(median(reported - factor * counted for counted, reported in points))
    error = median(abs(factor * counted + hidden - reported) / reported for counted, reported in points)
    return CalibrationFit(factor, hidden, len(points), error)


def _slope(points: Sequence[tuple[int, int]]) -> float | None:
    """Theil-Sen: the median of the slopes between points far enough apart."""
    step = max(1.0, (len(points) - 1) / (_THINNED - 1))
    some = [points[round(at * step)] for at in range(min(len(points), _THINNED))]
    slopes = [
        (late[1] - early[1]) / (late[0] - early[0])
        for place, late in enumerate(some)
        for early in some[:place]
        if abs(late[0] - early[0]) >= _APART
    ]
    return min(MOST, max(LEAST, median(slopes))) if slopes else None


@dataclass(slots=True)
class Calibrator:
    """A calibration that grows request by request, as a file does."""

    family: float = 1.0
    _segments: list[CalibrationSegment] = field(default_factory=list)
    _open: list[ReportedRequest] = field(default_factory=list)
    _dropped: int = 0
    _factors: dict[str, float] = field(default_factory=dict)  # the last that was fitted, by model
    _latest: tuple[int, CalibrationFit] | None = None  # a fit of the open segment, and when it is made again

    def add(self, request: ReportedRequest) -> None:
        """Take the next request that was reported."""
        last = self._open[-1] if self._open else None
        fallen = 0 if last is None or request.begins else self._fallen(last, request)
        if last is not None and (request.begins or request.model != last.model or fallen):
            self._close()
            self._dropped = fallen if request.model == last.model else 0
        self._open.append(request)

    def current(self) -> CalibrationFit:
        """The fit for what comes next, in no time: it lags behind by a quarter of its segment at most. One
        report is enough for the hidden tokens."""
        fit = self._fit_so_far() if len(self._open) >= LEAST_REPORTS else self.calibration().fit
        if fit.hidden is not None or not self._open:
            return fit
        last = self._open[-1]
        return CalibrationFit(fit.factor, round(last.reported - fit.factor * last.counted), fit.requests)

    def calibration(self) -> Calibration:
        """What the requests so far tell."""
        segments = list(self._segments)
        if self._open:
            segments.append(self._segment())
        if not segments:
            return Calibration(CalibrationFit(self.family))
        last, before = segments[-1], segments[-2:-1]
        is_new = last.requests[0].begins and len(last.requests) < _NEW_REPORTS
        held = before[0] if is_new and before and before[0].model == last.model else last
        source = "family" if held.fit.hidden is None else "reports"
        return Calibration(held.fit, tuple(segments), source)

    def _fallen(self, last: ReportedRequest, request: ReportedRequest) -> int:
        """About how many tokens were dropped between two requests though nothing was recorded, else 0."""
        if request.counted < last.counted:
            return 0
        fit = self._fit_so_far()
        expected = last.reported + fit.factor * (request.counted - last.counted)
        is_fall = last.reported - request.reported > _FALL * last.reported
        is_negative = (fit.hidden or 0) > 0 > request.reported - fit.factor * request.counted
        return max(0, round(expected - request.reported)) if is_fall or is_negative else 0

    def _fit_so_far(self) -> CalibrationFit:
        """A fit of the open segment, made again only when it has grown by a quarter."""
        if self._latest is None or len(self._open) >= self._latest[0]:
            self._latest = len(self._open) + 1 + len(self._open) // 4, self._segment().fit
        return self._latest[1]

    def _segment(self) -> CalibrationSegment:
        """The open segment. With few requests it takes over the factor that its model had before."""
        points = [(one.counted, one.reported) for one in self._open]
        model = self._open[0].model
        found = fit_calibration(points)
        if found is None and model in self._factors and (len(points) >= _NEW_REPORTS or self._dropped):
            found = with_factor(points, self._factors[model])
        return CalibrationSegment(
            tuple(self._open), found or CalibrationFit(self.family, requests=len(points)), self._dropped
        )

    def _close(self) -> None:
        done = self._segment()
        if done.fit.hidden is not None:
            self._factors[done.model] = done.fit.factor
        self._segments.append(done)
        self._open, self._dropped, self._latest = [], 0, None

"""Calibrates token counts with the sizes of requests that the provider reported.

``reported = factor * counted + hidden``, fitted per segment: from one recorded compaction, change
of the model or silent clearing to the next. ``fit_calibration`` works on pairs of (counted,
reported).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from core.tokens.counter import CountMethod, TokenCounter, no_pause, reported_tokens
from core.transcript.model import Block, Message, Opaque, SystemPart, Thinking

MIN_FACTOR, MAX_FACTOR = 0.5, 3.0
"""Bounds of the factor."""
MIN_REPORTS = 3
_MIN_NEW_REPORTS = 2  # least requests after a recorded compaction for a fit of its own
_MIN_DISTANCE = 500  # least counted tokens between two points of a slope
_MAX_POINTS = 60  # most points of a fit
_MIN_FALL = 0.01  # share of the request: a smaller fall is a note or a thought that was left out


@dataclass(frozen=True, slots=True)
class ReportedRequest:
    """One request, in tokens: our count and the reported size.

    ``unscaled`` are tokens of our count that the provider reported for content that cannot be read.
    ``follows_compaction``: it directly follows a recorded compaction. ``number`` is the index of
    the message that answers it.
    """

    counted: int
    reported: int
    model: str = ""
    follows_compaction: bool = False
    number: int = -1
    unscaled: int = 0

    @property
    def point(self) -> tuple[int, int]:
        """Count and reported size of what can be read."""
        # What the provider reported needs no factor.
        return self.counted - self.unscaled, self.reported - self.unscaled


@dataclass(frozen=True, slots=True)
class CalibrationFit:
    """A fit of ``requests`` requests.

    ``hidden`` tokens are None if unknown. ``error`` is the median relative distance of fitted from
    reported sizes, None if nothing was fitted.
    """

    factor: float
    hidden: int | None = None
    requests: int = 0
    error: float | None = None

    def size(self, request: ReportedRequest) -> int:
        """Return the fitted size of a request."""
        counted, _ = request.point
        return round(self.factor * counted) + request.unscaled + (self.hidden or 0)


@dataclass(frozen=True, slots=True)
class CalibrationSegment:
    """Requests with one fit; ``dropped`` are about the tokens cleared silently right before them,
    or 0."""

    requests: tuple[ReportedRequest, ...]
    fit: CalibrationFit
    dropped: int = 0

    @property
    def model(self) -> str:
        return self.requests[0].model


@dataclass(frozen=True, slots=True)
class Calibration:
    """The segments of a conversation in order, and the fit for the next request.

    That fit is of the last segment or, right after a recorded compaction, of the one before.
    ``source`` is "reports", or "family" if there are too few.
    """

    fit: CalibrationFit
    segments: tuple[CalibrationSegment, ...] = ()
    source: str = "family"

    @property
    def clearings(self) -> tuple[CalibrationSegment, ...]:
        return tuple(segment for segment in self.segments if segment.dropped)


def median(values: Iterable[float]) -> float:
    """Return the middle of the values; the module statistics takes longer to load than to count a
    session."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def calibrate(requests: Iterable[ReportedRequest], family: float = 1.0) -> Calibration:
    """Calibrate requests in file order; ``family`` is the factor used if they are too few."""
    calibrator = Calibrator(family)
    for request in requests:
        calibrator.add(request)
    return calibrator.calibration()


def fit_calibration(
    points: Sequence[tuple[int, int]], *, may_be_negative: bool = False
) -> CalibrationFit | None:
    """Fit pairs (counted, reported) of one segment.

    None for fewer than three, if none are far enough apart, if the factor is at its bound, if
    hidden tokens are negative (``may_be_negative``: the agent dropped some that are counted), or if
    the fit is no better than the plain count.
    """
    if len(points) < MIN_REPORTS:
        return None
    factor = _slope(points)
    # At the bound the reports contradict each other, and no fit explains them.
    if factor is None or not MIN_FACTOR < factor < MAX_FACTOR:
        return None
    fit = with_factor(points, factor)
    # Less than nothing cannot be hidden in a request.
    if not may_be_negative and fit.hidden is not None and fit.hidden < 0:
        return None
    uncalibrated_error = median(
        abs(reported - counted) / reported for counted, reported in points
    )
    return fit if fit.error is not None and fit.error <= uncalibrated_error else None


def with_factor(points: Sequence[tuple[int, int]], factor: float) -> CalibrationFit:
    hidden = round(median(reported - factor * counted for counted, reported in points))
    error = median(
        abs(factor * counted + hidden - reported) / reported
        for counted, reported in points
    )
    return CalibrationFit(factor, hidden, len(points), error)


def _slope(points: Sequence[tuple[int, int]]) -> float | None:
    """Return the Theil-Sen slope: the median of the slopes between points far enough apart."""
    # Slopes between all points grow with the square of their number.
    step = max(1.0, (len(points) - 1) / (_MAX_POINTS - 1))
    sample = [
        points[round(step_index * step)]
        for step_index in range(min(len(points), _MAX_POINTS))
    ]
    slopes = [
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for index, later in enumerate(sample)
        for earlier in sample[:index]
        # Points near each other give slopes made of rounding errors.
        if abs(later[0] - earlier[0]) >= _MIN_DISTANCE
    ]
    if slopes:
        # The median ignores the few requests that held something else.
        return min(MAX_FACTOR, max(MIN_FACTOR, median(slopes)))
    return None


@dataclass(slots=True)
class Calibrator:
    family: float = 1.0
    _segments: list[CalibrationSegment] = field(default_factory=list)
    _open_requests: list[ReportedRequest] = field(default_factory=list)
    _dropped: int = 0
    _factors: dict[str, float] = field(
        default_factory=dict
    )  # the last fitted one by model
    _latest_fit: tuple[int, CalibrationFit] | None = (
        None  # the requests at the next fit, and the last fit
    )

    def add(self, request: ReportedRequest) -> None:
        if self._open_requests:
            last = self._open_requests[-1]
        else:
            last = None
        if last is None or request.follows_compaction:
            dropped = 0
        else:
            dropped = self._dropped_tokens(last, request)
        if last is not None and (
            request.follows_compaction or request.model != last.model or dropped
        ):
            self._close()
            # After a change of the model the sizes differ anyway.
            self._dropped = dropped if request.model == last.model else 0
        self._open_requests.append(request)

    def current(self) -> CalibrationFit:
        """Return the fit for the next request quickly; it lags behind by at most a quarter of its
        segment.

        One report is enough for the hidden tokens.
        """
        if len(self._open_requests) >= MIN_REPORTS:
            fit = self._fit_so_far()
        else:
            fit = self.calibration().fit
        if fit.hidden is not None or not self._open_requests:
            return fit
        last = self._open_requests[-1]
        counted, reported = last.point
        return CalibrationFit(
            fit.factor, round(reported - fit.factor * counted), fit.requests
        )

    def calibration(self) -> Calibration:
        segments = list(self._segments)
        if self._open_requests:
            segments.append(self._segment())
        if not segments:
            return Calibration(CalibrationFit(self.family))
        last, previous_segments = segments[-1], segments[-2:-1]
        # A compaction changes what is sent, not how the model counts.
        is_new = (
            last.requests[0].follows_compaction
            and len(last.requests) < _MIN_NEW_REPORTS
        )
        if is_new and previous_segments and previous_segments[0].model == last.model:
            current = previous_segments[0]
        else:
            current = last
        source = "family" if current.fit.hidden is None else "reports"
        return Calibration(current.fit, tuple(segments), source)

    def _dropped_tokens(self, last: ReportedRequest, request: ReportedRequest) -> int:
        """Estimate the tokens that were silently dropped between two requests, else 0."""
        (counted, reported), (last_counted, last_reported) = request.point, last.point
        # Fewer counted tokens explain fewer reported ones.
        if counted < last_counted:
            return 0
        fit = self._fit_so_far()
        expected = last_reported + fit.factor * (counted - last_counted)
        is_fall = last.reported - request.reported > _MIN_FALL * last.reported
        is_negative = (fit.hidden or 0) > 0 > reported - fit.factor * counted
        # Agents clear old results without a line in the file, which only the fall shows.
        if is_fall or is_negative:
            return max(0, round(expected - reported))
        return 0

    def _fit_so_far(self) -> CalibrationFit:
        """Return a fit of the open segment, renewed when the segment has grown by a quarter."""
        # A fit for each request would make a long session quadratic.
        if self._latest_fit is None or len(self._open_requests) >= self._latest_fit[0]:
            self._latest_fit = (
                len(self._open_requests) + 1 + len(self._open_requests) // 4,
                self._segment().fit,
            )
        return self._latest_fit[1]

    def _segment(self) -> CalibrationSegment:
        """Return the open segment; with few requests it uses the earlier factor of its model."""
        points = [request.point for request in self._open_requests]
        model = self._open_requests[0].model
        fit = fit_calibration(points, may_be_negative=self._dropped > 0)
        if (
            fit is None
            and model in self._factors
            and (len(points) >= _MIN_NEW_REPORTS or self._dropped)
        ):
            # The factor belongs to the model, the hidden tokens to the segment.
            fit = with_factor(points, self._factors[model])
            if not self._dropped and fit.hidden is not None and fit.hidden < 0:
                fit = None  # nothing that the agent dropped explains it
        return CalibrationSegment(
            tuple(self._open_requests),
            fit or CalibrationFit(self.family, requests=len(points)),
            self._dropped,
        )

    def _close(self) -> None:
        segment = self._segment()
        if segment.fit.hidden is not None:
            # Only a proven fit may speak for later segments.
            self._factors[segment.model] = segment.fit.factor
        self._segments.append(segment)
        self._open_requests, self._dropped, self._latest_fit = [], 0, None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFamily:
    """``factor`` is the median over ``files`` with ``requests``, ``low`` and ``high`` are its
    range."""

    name: str
    pattern: str
    factor: float
    files: int
    requests: int
    low: float
    high: float


FAMILIES: tuple[ModelFamily, ...] = (
    ModelFamily(
        name="Claude",
        pattern=r"claude",
        factor=1.35,
        files=9,
        requests=849,
        low=1.15,
        high=2.23,
    ),
)


def model_family(model: str) -> ModelFamily | None:
    """Return the family of a model; None for OpenAI's and unknown ones."""
    return next(
        (
            family
            for family in FAMILIES
            if re.search(family.pattern, model, re.IGNORECASE)
        ),
        None,
    )


def family_factor(model: str) -> float:
    """Return the factor of a model's family; 1.0 for OpenAI's models and unknown ones."""
    family = model_family(model)
    return family.factor if family else 1.0


def calibrated_count(count: int, factor: float) -> int:
    """Return count times factor, rounded once."""
    # Rounded by hand: round() goes to the even number, and sums would differ.
    return int(factor * count + 0.5)


def reported_part(message: Message) -> int:
    """Return the reported tokens of a message's unreadable content, which are never scaled."""
    reported = 0
    for (
        block
    ) in message.blocks:  # a plain loop: this runs for every message of every preview
        if isinstance(block, Opaque | Thinking):
            reported += reported_tokens(block)
    return reported


def message_size(message: Message, count: int, factor: float) -> int:
    reported = reported_part(message)
    return calibrated_count(count - reported, factor) + reported


class CalibratedTokenCounter(TokenCounter):
    """Scales each count of ``raw`` by ``factor`` and rounds it once; sums add scaled counts.

    Reported tokens are not scaled.
    """

    def __init__(self, raw: TokenCounter, factor: float, method: CountMethod) -> None:
        super().__init__(method)
        self.raw, self.factor = raw, factor

    def size(self, count: int) -> int:
        return calibrated_count(count, self.factor)

    def text(self, text: str) -> int:
        return self.size(self.raw.text(text))

    def block(self, block: Block) -> int:
        """Return the tokens of a block; reported ones of unreadable content are not scaled."""
        count = self.raw.block(block)
        if isinstance(block, Opaque):
            return count
        reported = reported_tokens(block)
        return self.size(count - reported) + reported

    def _uncached_count(self, message: Message) -> int:
        return message_size(message, self.raw.message(message), self.factor)

    def count_each(
        self,
        messages: Iterable[Message],
        pause: Callable[[], None] = no_pause,
        *,
        use_cache: bool = True,
    ) -> Iterator[int]:
        message_list = list(messages)
        new = [
            message
            for message in message_list
            if not use_cache or id(message) not in self._counts
        ]
        # Only new messages are counted, but the raw counter has to know all of them.
        counts = self.raw.count_each(new, pause, use_cache=use_cache)
        sizes = [
            message_size(message, count, self.factor)
            for message, count in zip(new, counts, strict=True)
        ]
        yield from self._counts_of(message_list) if use_cache else sizes

    def system(self, system: SystemPart) -> int:
        return self.size(self.raw.system(system))

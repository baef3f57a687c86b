"""Plots, pairs and wording that the window derives from results, without what computes them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.analysis.compare.compare import retained
from core.analysis.fidelity.model import FidelityCategory
from core.analysis.model import (
    BASELINE,
    RECORDED,
    CompareRow,
    FolderMeans,
    LostFact,
    ReplayResult,
    ReplayTrack,
    SweepPoint,
    front_indices,
)
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import UNKNOWN
from core.presentation.compare.model import SweepPage
from core.presentation.inspector_model import WINDOW_NAMES
from core.presentation.model import LabelledFigure
from core.presentation.plots import PlotAxis, percent_labels, plot_axis, short_labels, whole_labels

BEST, OTHER, DIAMOND = "best", "other", "recorded"
"""Shapes of a point: filled, hollow, diamond."""
_MONOSPACE = (
    FidelityCategory.FILE,
    FidelityCategory.ERROR,
    FidelityCategory.PATH,
    FidelityCategory.IDENTIFIER,
    FidelityCategory.COMMAND,
    FidelityCategory.CODE,
)
_MAX_LIMITS = 1.2  # upper end of a replay's plot, in limits
_NEAR_LIMIT = 0.5  # below this share of the limit the plot ends above the lines instead


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """A result in a plot, with its figures in words."""

    name: str
    x: float
    y: float
    shape: str
    text: str


@dataclass(frozen=True, slots=True)
class ScatterPlot:
    """Points over two scales; ``front`` are indices of the best trade-offs, from left to right."""

    title: str
    points: tuple[PlotPoint, ...]
    front: tuple[int, ...]
    x: PlotAxis
    y: PlotAxis


def _scatter(
    title: str, points: Sequence[PlotPoint], is_better_high: bool, x: PlotAxis, y: PlotAxis
) -> ScatterPlot:
    """Mark the best points; recorded ones have other sources and are not compared."""
    compared = [
        None if point.shape == DIAMOND else (point.x, point.y if is_better_high else -point.y)
        for point in points
    ]
    front = front_indices(compared)
    shaped = tuple(
        PlotPoint(point.name, point.x, point.y, BEST, point.text) if index in front else point
        for index, point in enumerate(points)
    )
    return ScatterPlot(title, shaped, tuple(sorted(front, key=lambda index: points[index].x)), x, y)


def compare_plot(rows: Sequence[CompareRow], scope: str, mark: str) -> ScatterPlot:
    """Plot tokens against what later turns needed where the conversation goes on, else facts lost."""
    shown = [row for row in rows if row.scope == scope and row.fidelity is not None and not row.error]
    is_continued = any(row.demand is not None and row.demand.recall is not None for row in shown)
    points = []
    for row in shown:
        share = row.demand.recall if row.demand is not None else None
        if is_continued and share is None:
            continue
        facts = number_format.plural(row.lost or 0, "known fact")
        text = f"{number_format.tokens(mark, row.tokens)} tokens, {facts} lost"
        shape = DIAMOND if row.kind == RECORDED else OTHER
        height = 100 * share if is_continued and share is not None else row.lost or 0
        points.append(PlotPoint(row.name, row.tokens, height, shape, text))
    most = max((row.tokens for row in shown), default=1000)
    x_title = f"{mark} tokens after · further left saves more"
    x = plot_axis(0, most, short_labels, 9, title=x_title, integers_only=True)
    if is_continued:
        y = plot_axis(0, 100, percent_labels, 6, title="needed later and still there · higher up loses less")
        return _scatter("Tokens after against what was needed later", points, True, x, y)
    y = _lost_axis(points, "known facts lost · higher up loses less")
    return _scatter("Tokens after against known facts lost", points, False, x, y)


def folder_plot(means: Sequence[FolderMeans]) -> ScatterPlot:
    points = []
    for row in means:
        if row.saved is not None and row.lost is not None:
            left = round((1 - row.saved) * 100)
            text = f"{left} % of the tokens left, {row.lost:,.1f} known facts lost per file"
            shape = DIAMOND if row.name == RECORDED else OTHER
            points.append(PlotPoint(row.name, left, row.lost, shape, text))
    x = plot_axis(0, 100, percent_labels, 9, title="share of tokens left · further left saves more")
    y = _lost_axis(points, "known facts lost per file · higher up loses less")
    return _scatter("Tokens left against known facts lost", points, False, x, y)


def _lost_axis(points: Sequence[PlotPoint], title: str) -> PlotAxis:
    """Return an axis of facts lost, none of them at its upper end."""
    axis = plot_axis(0, max((point.y for point in points), default=1), whole_labels, 6, integers_only=True)
    return PlotAxis(axis.high, axis.low, axis.ticks, title)


def default_pair(
    rows: Sequence[CompareRow], scope: str, front: Collection[str], strategy: str
) -> tuple[str, str]:
    """Return the first pair A and B, "" for none. A is the recorded row, else the session's strategy, else
    the smallest; B the best row of the ``front``, else the best of all. Rows without effect are left out."""
    comparable = [
        row
        for row in rows
        if row.scope == scope and row.fidelity is not None and not row.error and not row.no_op
    ]
    recorded = [row.name for row in comparable if row.kind == RECORDED]
    others = [row for row in comparable if row.kind != RECORDED and row.name != BASELINE]
    is_continued = any(row.demand is not None and row.demand.recall is not None for row in rows)
    kept = {row.name: retained(row, is_continued=is_continued) or 0.0 for row in others}
    names = [row.name for row in sorted(others, key=lambda row: (row.name not in front, -kept[row.name]))]
    if not names or len(names) + len(recorded) < 2:
        return "", ""
    smallest = [row.name for row in sorted(others, key=lambda row: row.tokens) if row.name != names[0]]
    a = next(iter((*recorded, *([strategy] if strategy in names else []), *smallest)))
    return a, next(name for name in names if name != a)


def lost_fact_cells(lost: LostFact) -> tuple[str, str, str, bool]:
    """Return kind, text and message of a lost fact, and whether its text is code."""
    fact = lost.fact
    more = f"{len(fact.messages) - 1} more" if len(fact.messages) > 1 else ""
    is_open = "open" if fact.kind is FidelityCategory.ERROR and not fact.is_resolved else ""
    location = ", ".join(filter(None, (number_format.message_number(fact.messages[0]), more, is_open)))
    kind = WINDOW_NAMES.get(fact.kind, (fact.kind.value,))[0]
    return kind, one_line_text(fact.text), location, fact.kind in _MONOSPACE


@dataclass(frozen=True, slots=True)
class ReplayScale:
    """The scales of a replay in tokens; ``limit`` and ``trigger`` are None if not drawn."""

    x: PlotAxis
    y: PlotAxis
    limit: int | None
    limit_label: str
    trigger: int | None


def replay_scale(result: ReplayResult) -> ReplayScale:
    """Scale the plot above the limit if a line comes near, else above the lines."""
    limit, turns = result.limit, len(result.turns)
    top_size = max((max(track.sizes, default=0) for track in result.tracks), default=0)
    top = max(top_size * 1.15, 10.0)
    if limit is not None and top_size >= _NEAR_LIMIT * limit:
        top = limit * _MAX_LIMITS
    triggers = [
        track.trigger for track in result.tracks if track.trigger is not None and track.trigger <= top
    ]
    label = f"limit {UNKNOWN}, choose a model or set one"
    if limit is not None:
        label = f"limit {number_format.count(limit)}{'' if limit <= top else ', above this plot'}"
    return ReplayScale(
        plot_axis(
            min(1, turns), max(2, turns), whole_labels, 9, title="request", integers_only=True, is_exact=True
        ),
        plot_axis(0, top, short_labels, 6, integers_only=True, is_exact=True),
        limit if limit is not None and limit <= top else None,
        label,
        max(set(triggers), key=triggers.count) if triggers else None,  # the most common one
    )


def over_limit_request(track: ReplayTrack, limit: int | None) -> int:
    """Return the first request over the limit, 0 for none."""
    return next((turn for turn, size in enumerate(track.sizes, 1) if limit is not None and size > limit), 0)


def size_at(track: ReplayTrack, turn: int) -> str:
    return number_format.count(track.sizes[turn - 1]) if 0 < turn <= len(track.sizes) else UNKNOWN


def request_facts(result: ReplayResult, track: ReplayTrack, turn: int) -> tuple[LabelledFigure, ...]:
    """Return the requests since the last compaction, and the next one."""
    if not 0 < turn <= len(track.sizes):
        return ()
    turns = [compaction.turn for compaction in track.compactions if not compaction.error]
    last = max((other for other in turns if other <= turn), default=0)
    since = number_format.plural(turn - last, "request") if last else "none so far"
    following = [other for other in turns if other > turn]
    next_text = f"request {following[0]}" if following else _next_at_this_pace(result, track, turn, last)
    label = "Next compaction" if following else "Next one, at this pace"
    return LabelledFigure("Since its last compaction", since), LabelledFigure(label, next_text)


def _next_at_this_pace(result: ReplayResult, track: ReplayTrack, turn: int, last: int) -> str:
    """Return the request that reaches the trigger at the pace since the last compaction."""
    start = max(1, last)
    grown = track.sizes[turn - 1] - track.sizes[start - 1]
    if track.trigger is None or turn <= start or grown <= 0:
        return UNKNOWN
    missing = track.trigger - track.sizes[turn - 1]
    reached = turn + max(0, -int(-missing * (turn - start) // grown))
    return f"≈ request {number_format.count(reached)}"


def lower_limit(result: ReplayResult) -> int:
    """Return a limit under which something would be compacted: three quarters of the largest request."""
    most = max((max(track.sizes, default=0) for track in result.tracks), default=0)
    digits = 10 ** max(0, len(str(most)) - 2)
    return int(max(1, round(0.75 * most / digits) * digits))


TOKENS, LOST = "tokens", "facts lost"
"""What the plot of One setting shows."""


def sweep_value(point: SweepPoint, metric: str) -> float | None:
    """Return TOKENS or LOST of a point, None if it has no result."""
    return None if point.error else point.tokens if metric == TOKENS else point.lost


def sweep_axis(page: SweepPage, metric: str) -> PlotAxis:
    values = [value for point in page.points if (value := sweep_value(point, metric)) is not None]
    labels = short_labels if metric == TOKENS else whole_labels
    return plot_axis(0, max(values, default=page.before or 1), labels, 5, integers_only=True)


def sweep_indices(page: SweepPage, point: SweepPoint) -> tuple[int, ...]:
    pairs = zip(page.axes, point.axis_values, strict=True)
    return tuple(axis.settings.index(value) for axis, value in pairs)


def sweep_title(page: SweepPage, point: SweepPoint) -> str:
    """Return "Keep Top 20 % · Keep Bottom 10 %"."""
    pairs = zip(page.axes, sweep_indices(page, point), strict=True)
    return " · ".join(f"{axis.label} {axis.values[index]}" for axis, index in pairs)


def sweep_text(page: SweepPage, point: SweepPoint) -> str:
    if point.error:
        return point.error
    size = f"{number_format.tokens(page.mark, point.tokens)} tokens"
    lost = "" if point.lost is None else f"{number_format.plural(point.lost, 'known fact')} lost"
    return " · ".join(filter(None, (size, lost, point.no_op)))

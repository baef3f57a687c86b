"""Plots, axes and cell texts of Compare, Over time and One setting, made from results. The window
uses it, so it imports nothing that runs a strategy."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import chain

from core.analysis.model import BASELINE, RECORDED, ReplayResult, ReplayTrack
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import UNKNOWN
from core.facts.model import FILE_KINDS, FactKind
from core.losses.evidence import MustStatus, counted_musts
from core.presentation.compare.model import (
    FolderMeans,
    StatusMark,
    SweepAxis,
    SweepPage,
)
from core.presentation.losses_words import KIND_NAMES, MUST_GLYPHS
from core.presentation.model import LabelledFigure
from core.presentation.plots import (
    PlotAxis,
    percent_labels,
    plot_axis,
    short_labels,
    whole_labels,
)
from core.trials.trial import (
    LostFact,
    MustPair,
    TrialResult,
    front_indices,
    kept_shares,
)

BEST, OTHER, DIAMOND = "best", "other", "recorded"
"""Shapes of a point: filled, hollow, diamond."""
_MONOSPACE = (
    *FILE_KINDS,
    FactKind.OPEN_ERROR,
    FactKind.COMMAND,
    FactKind.NAME,
)
_MAX_LIMITS = 1.2  # upper end of a replay's plot, in limits
_NEAR_LIMIT = 0.5  # below this share of the limit the plot ends above the lines instead


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """A result in a plot, with its figures in words. ``worst`` is what it holds of the must that
    fares worst, None without musts; ``is_least``: it is the least of a strategy that cannot reach
    the aim."""

    name: str
    x: float
    y: float
    shape: str
    text: str
    _: KW_ONLY
    worst: StatusMark | None = None
    is_least: bool = False


@dataclass(frozen=True, slots=True)
class ScatterPlot:
    """Points over two scales; ``front`` are indices of the best trade-offs, from left to right.
    ``why_empty`` is a sentence where there is no point; what lies beyond the ``aim`` is too large,
    0 for none."""

    title: str
    points: tuple[PlotPoint, ...]
    front: tuple[int, ...]
    x: PlotAxis
    y: PlotAxis
    _: KW_ONLY
    why_empty: str = ""
    aim: int = 0


_WHY_EMPTY = (
    "No result of this scope can be placed: no turn after it used again what it says, and the "
    "session's past has too little for a backtest."
)


def share_point(
    name: str, left: float | None, kept: float | None, shape: str = OTHER
) -> PlotPoint | None:
    """Return the point of a share of the tokens left and one of what was needed later; None where
    one is not known."""
    if left is None or kept is None:
        return None
    shares = number_format.percent(left, 0), number_format.percent(kept, 0)
    text = "{} of the tokens left, {} of what later turns needed".format(*shares)
    return PlotPoint(name, 100 * left, 100 * kept, shape, text)


def share_scatter(points: Sequence[PlotPoint]) -> ScatterPlot:
    """Return a plot over the share of tokens left. Recorded points have other sources and are not
    compared, nor are those that save nothing."""
    compared = [
        None if point.shape == DIAMOND or round(point.x) >= 100 else (point.x, point.y)
        for point in points
    ]
    x_title = "share of tokens left · further left saves more"
    x = plot_axis(0, 100, percent_labels, 9, title=x_title)
    title = "Tokens left against what was needed later"
    front = front_indices(compared)
    return _scatter(title, points, front, x, needed_axis(points))


def _scatter(
    title: str,
    points: Sequence[PlotPoint],
    front: Collection[int],
    x: PlotAxis,
    y: PlotAxis,
) -> ScatterPlot:
    """Mark the points of the front as the best."""
    shaped = tuple(
        replace(point, shape=BEST) if index in front else point
        for index, point in enumerate(points)
    )
    in_order = tuple(sorted(front, key=lambda index: points[index].x))
    why_empty = "" if points else _WHY_EMPTY
    return ScatterPlot(title, shaped, in_order, x, y, why_empty=why_empty)


def needed_by(*, is_backtest: bool) -> str:
    """Return what the shares of ``kept_shares`` are of."""
    if is_backtest:
        return "what its own past needed"
    return "what later turns needed"


def compare_plot(
    rows: Sequence[TrialResult], scope: str, mark: str, aim: int = 0
) -> ScatterPlot:
    """Plot ranked rows: tokens against what later turns needed, else against the backtest."""
    shares, is_backtest = kept_shares(rows, scope)
    points: list[PlotPoint] = []
    front: list[int] = []
    of_what = needed_by(is_backtest=is_backtest)
    for row, share in zip(rows, shares, strict=True):
        if share is None:
            continue
        kept = number_format.percent(share, 0)
        text = f"{number_format.tokens(mark, row.sizes.tokens)} tokens, {kept} of {of_what}"
        shape = DIAMOND if row.kind == RECORDED else OTHER
        if row.on_front and shape == OTHER:
            front.append(len(points))
        point = PlotPoint(row.name, row.sizes.tokens, 100 * share, shape, text)
        points.append(replace(point, worst=_worst_must(row), is_least=row.misses_aim))
    most = max((aim, *(point.x for point in points))) or 1000
    x_title = f"{mark} tokens after · further left saves more"
    x = plot_axis(0, most, short_labels, 9, title=x_title, integers_only=True)
    y = needed_axis(points, _BACKTEST_TITLE if is_backtest else _NEEDED_TITLE)
    against = "the backtest" if is_backtest else "what was needed later"
    made = _scatter(f"Tokens after against {against}", points, front, x, y)
    return replace(made, aim=aim)


MUST_SHAPES = (
    (StatusMark(MustStatus.WORD_FOR_WORD), "all stand"),
    (StatusMark(MustStatus.NOT_WRITTEN), "not written"),
    (StatusMark(MustStatus.IN_PART), "some in part"),
    (StatusMark(MustStatus.GONE), "one is gone"),
)
"""The meaning of the points where texts must survive."""


def _worst_must(row: TrialResult) -> StatusMark | None:
    found = [one.status for one in counted_musts(row.losses.musts)]
    if not found:
        return None
    return StatusMark(min(found, key=tuple(MustStatus).index))


_NEEDED_TITLE = "needed later and still there · higher up loses less"
_BACKTEST_TITLE = "kept of what was needed after earlier points of this session · higher up loses less"


def needed_axis(points: Sequence[PlotPoint], title: str = _NEEDED_TITLE) -> PlotAxis:
    """Return an axis to 100 % that begins a little below the lowest point, so that the points
    differ."""
    lowest = min((point.y for point in points), default=0.0)
    low = max(0.0, lowest - (100 - lowest) / 8)
    return plot_axis(min(low, 90.0), 100, percent_labels, 6, title=title)


def folder_plot(means: Sequence[FolderMeans]) -> ScatterPlot:
    points = map(_mean_point, means)
    return share_scatter([point for point in points if point is not None])


def _mean_point(row: FolderMeans) -> PlotPoint | None:
    saved, kept = row.figures["saved"], row.figures["needed_share"]
    left = None if saved is None else 1 - saved
    shape = DIAMOND if row.name == RECORDED else OTHER
    return share_point(row.name, left, kept, shape)


def default_pair(
    rows: Sequence[TrialResult], scope: str, front: Collection[str], strategy: str
) -> tuple[str, str]:
    """Return the first pair A and B, "" for none. A is the recorded row, else the session's
    strategy, else the smallest; B the best row of the ``front``, else the best of all. Rows without
    effect are left out."""
    comparable = [row for row in rows if _has_losses(row, scope)]
    recorded = [row.name for row in comparable if row.kind == RECORDED]
    # The baseline is the session as it is, and no result.
    others = [
        row for row in comparable if row.kind != RECORDED and row.name != BASELINE
    ]
    names = _best_first(others, scope, front)
    if not names or len(names) + len(recorded) < 2:
        return "", ""
    if recorded:
        a = recorded[0]
    elif strategy in names:
        a = strategy
    else:
        by_size = sorted(others, key=lambda row: row.sizes.tokens)
        a = next(row.name for row in by_size if row.name != names[0])
    return a, next(name for name in names if name != a)


def _best_first(
    rows: Sequence[TrialResult], scope: str, front: Collection[str]
) -> list[str]:
    """Return the names of the rows: those of the front, then by what is kept, then by size."""
    shares, _ = kept_shares(rows, scope)
    kept = {
        row.name: (-(share or 0.0), row.sizes.tokens)
        for row, share in zip(rows, shares, strict=True)
    }
    return sorted(kept, key=lambda name: (name not in front, kept[name]))


def _has_losses(row: TrialResult, scope: str) -> bool:
    """Return whether a row of this scope did something whose losses are known."""
    if row.error or row.no_op:
        return False
    return row.scope == scope and row.losses.gone is not None


def lost_fact_cells(lost: LostFact) -> tuple[str, str, str, bool]:
    """Return kind, text and message of a lost fact, and whether its text is code."""
    fact = lost.fact
    if fact.count > 1:
        more = f"{fact.count - 1} more"
    else:
        more = ""
    location = ", ".join(filter(None, (number_format.message_number(fact.first), more)))
    return (
        KIND_NAMES[fact.kind][0],
        one_line_text(fact.text),
        location,
        fact.kind in _MONOSPACE,
    )


def must_pair_cells(pair: MustPair) -> tuple[str, str, str, str]:
    """Return the glyphs of A and B, text and message of a must, and how it is spoken."""
    glyphs = f"A {MUST_GLYPHS[pair.in_a.status]}  B {MUST_GLYPHS[pair.in_b.status]}"
    if pair.in_a.message < 0:
        place = ""
    else:
        place = number_format.message_number(pair.in_a.message)
    text = one_line_text(pair.in_a.text)
    spoken = (
        f"must keep: {text}, A {pair.in_a.status.value}, B {pair.in_b.status.value}"
    )
    return glyphs, text, place, spoken


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
    limit = result.limit
    turns = len(result.turns)
    top_size = max((max(track.sizes, default=0) for track in result.tracks), default=0)
    top = max(top_size * 1.15, 10.0)
    if limit is not None and top_size >= _NEAR_LIMIT * limit:
        top = limit * _MAX_LIMITS
    triggers = [
        track.trigger
        for track in result.tracks
        if track.trigger is not None and track.trigger <= top
    ]
    label = f"limit {UNKNOWN}, choose a model or set one"
    if limit is not None:
        label = f"limit {number_format.count(limit)}{'' if limit <= top else ', above this plot'}"
    return ReplayScale(
        plot_axis(
            min(1, turns),
            max(2, turns),
            whole_labels,
            9,
            title="request",
            integers_only=True,
            is_exact=True,
        ),
        plot_axis(0, top, short_labels, 6, integers_only=True, is_exact=True),
        limit if limit is not None and limit <= top else None,
        label,
        max(set(triggers), key=triggers.count)
        if triggers
        else None,  # the most common one
    )


def over_limit_request(track: ReplayTrack, limit: int | None) -> int:
    """Return the first request over the limit, 0 for none."""
    return next(
        (
            turn
            for turn, size in enumerate(track.sizes, 1)
            if limit is not None and size > limit
        ),
        0,
    )


def size_at(track: ReplayTrack, turn: int) -> str:
    if 0 < turn <= len(track.sizes):
        return number_format.count(track.sizes[turn - 1])
    return UNKNOWN


def request_facts(track: ReplayTrack, turn: int) -> tuple[LabelledFigure, ...]:
    """Return the requests since the last compaction, and the next one."""
    if not 0 < turn <= len(track.sizes):
        return ()
    turns = [
        compaction.turn for compaction in track.compactions if not compaction.error
    ]
    last = max((other for other in turns if other <= turn), default=0)
    if last:
        since = number_format.plural(turn - last, "request")
    else:
        since = "none so far"
    following = [other for other in turns if other > turn]
    if following:
        next_text = f"request {following[0]}"
    else:
        next_text = _next_at_this_pace(track, turn, last)
    label = "Next compaction" if following else "Next one, at this pace"
    return LabelledFigure("Since its last compaction", since), LabelledFigure(
        label, next_text
    )


def _next_at_this_pace(track: ReplayTrack, turn: int, last: int) -> str:
    """Return the request that reaches the trigger at the pace since the last compaction."""
    start = max(1, last)
    grown = track.sizes[turn - 1] - track.sizes[start - 1]
    if track.trigger is None or turn <= start or grown <= 0:
        return UNKNOWN
    missing = track.trigger - track.sizes[turn - 1]
    reached = turn + max(0, -int(-missing * (turn - start) // grown))
    return f"≈ request {number_format.count(reached)}"


def lower_limit(result: ReplayResult) -> int:
    """Return a limit under which something would be compacted: three quarters of the largest
    request."""
    most = max((max(track.sizes, default=0) for track in result.tracks), default=0)
    digits = 10 ** max(0, len(str(most)) - 2)
    return int(max(1, round(0.75 * most / digits) * digits))


TOKENS, GONE = "tokens", "gone"
"""What the plot of One setting shows."""


def sweep_value(point: TrialResult, metric: str) -> float | None:
    """Return TOKENS or GONE of a point, None if it has no result."""
    if point.error:
        return None
    if metric == TOKENS:
        return point.sizes.tokens
    return point.losses.gone


def sweep_axis(page: SweepPage, metric: str) -> PlotAxis:
    values = [
        value
        for point in page.points
        if (value := sweep_value(point, metric)) is not None
    ]
    labels = short_labels if metric == TOKENS else whole_labels
    return plot_axis(
        0, max(values, default=page.before or 1), labels, 5, integers_only=True
    )


def sweep_indices(page: SweepPage, point: TrialResult) -> tuple[int, ...]:
    pairs = zip(page.axes, point.trial.setting_values, strict=True)
    return tuple(axis.settings.index(value) for axis, value in pairs)


def sweep_title(page: SweepPage, point: TrialResult) -> str:
    """Return "Keep Top 20 % · Keep Bottom 10 %"."""
    pairs = zip(page.axes, sweep_indices(page, point), strict=True)
    return " · ".join(f"{axis.label} {axis.values[index]}" for axis, index in pairs)


def sweep_text(page: SweepPage, point: TrialResult) -> str:
    if point.error:
        return point.error
    size = f"{number_format.tokens(page.mark, point.sizes.tokens)} tokens"
    if point.messages_word_for_word:
        stand, total = point.messages_word_for_word
        messages = f"{stand:,} of your {total:,} messages word for word"
    else:
        messages = ""
    counted = len(counted_musts(point.losses.musts))
    standing = point.losses.count_musts(MustStatus.WORD_FOR_WORD)
    if counted:
        musts = f"{standing:,} of {number_format.plural(counted, 'must')}"
    else:
        musts = ""
    return " · ".join(filter(None, (size, musts or messages, point.no_op)))


# What the values of one setting keep of the texts that must survive.


MOST_ROWS = 8


@dataclass(frozen=True, slots=True)
class SweptMust:
    """A must with what each point of a sweep holds of it; None where there is no result."""

    text: str
    statuses: tuple[MustStatus | None, ...]


@dataclass(frozen=True, slots=True)
class KeepingValue:
    """Where all musts stand: a sentence, what the value costs, and the index of the point that can
    be used, -1 for none."""

    sentence: str
    cost: str = ""
    point_index: int = -1


def swept_musts(page: SweepPage) -> tuple[SweptMust, ...]:
    """Return the musts that the session says, those that most values lose first."""
    marks = [_marks(point) for point in page.points]
    rows = []
    for text in dict.fromkeys(chain.from_iterable(marks)):
        statuses = tuple(one.get(text) for one in marks)
        rows.append(SweptMust(text, statuses))
    return tuple(sorted(rows, key=_loss, reverse=True))


def _marks(point: TrialResult) -> dict[str, MustStatus]:
    return {one.text: one.status for one in counted_musts(point.losses.musts)}


def _loss(row: SweptMust) -> tuple[int, int]:
    return row.statuses.count(MustStatus.GONE), row.statuses.count(MustStatus.IN_PART)


def keeping_value(page: SweepPage) -> KeepingValue | None:
    """Return what a finished sweep of one setting says of its musts; None where there are none."""
    rows = swept_musts(page)
    if not rows or len(page.axes) != 1 or not page.is_over:
        return None
    total = len(rows)
    keeping = [_keeps_all(rows, place) for place in range(len(page.points))]
    if total == 1:
        subject = "It stands"
    else:
        subject = f"All {total} stand"
    if all(keeping):
        return KeepingValue(f"{subject} at every value")
    if not any(keeping):
        return KeepingValue(
            "No value keeps it" if total == 1 else f"No value keeps all {total}"
        )
    place = _smallest(page.points, keeping)
    where = _where(page.axes[0], keeping)
    return KeepingValue(f"{subject} {where}", _cost(page, place), place)


def _keeps_all(rows: Sequence[SweptMust], point_index: int) -> bool:
    return all(row.statuses[point_index] is MustStatus.WORD_FOR_WORD for row in rows)


def _smallest(points: Sequence[TrialResult], keeping: Sequence[bool]) -> int:
    """Return the place of the smallest result that keeps all."""
    places = [index for index, keeps in enumerate(keeping) if keeps]
    return min(places, key=lambda index: points[index].sizes.tokens)


def _where(axis: SweepAxis, keeping: Sequence[bool]) -> str:
    """Return "from Keep Top 35 %", "up to Keep Bottom 20 %", or the values one by one."""
    first = keeping.index(True)
    count = sum(keeping)
    last = len(keeping) - 1 - keeping[::-1].index(True)
    is_run = axis.is_range and last - first + 1 == count
    if is_run and last == len(keeping) - 1:
        return f"from {axis.label} {axis.values[first]}"
    if is_run and first == 0:
        return f"up to {axis.label} {axis.values[last]}"
    values = [value for value, keeps in zip(axis.values, keeping, strict=True) if keeps]
    return f"at {axis.label} {', '.join(values)}"


def _cost(page: SweepPage, point_index: int) -> str:
    """Return "56,700 tokens, 15,318 more than now"."""
    tokens, current = page.points[point_index].sizes.tokens, page.axes[0].current_index
    text = f"{number_format.tokens(page.mark, tokens)} tokens"
    if current < 0 or page.points[current].error:
        return text
    more = tokens - page.points[current].sizes.tokens
    if not more:
        return f"{text}, as now"
    word = "more" if more > 0 else "fewer"
    return f"{text}, {number_format.count(abs(more))} {word} than now"

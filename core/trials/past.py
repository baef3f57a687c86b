"""Runs a strategy at earlier points of a session, and looks what the next turns needed of what it
left."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from core.analysis.analysis_input import (
    AnalysisInput,
    baseline_preview,
    with_setting,
    with_strategy,
)
from core.analysis.intervals import Interval, share_interval
from core.analysis.needed_later import (
    LaterNeeds,
    NeededLater,
    nearest_boundary,
    needed_later,
    needs_after,
)
from core.analysis.replay.timeline import replay_timeline
from core.common import number_format
from core.common.errors import FoldlineError
from core.preview.options import Preview, StageCache
from core.preview.preview import compute_preview
from core.preview.preview_input import part_stages
from core.settings.keys import LIMIT
from core.strategies.registry import find_strategy
from core.transcript.model import Conversation, Message, Speaker
from core.transcript.scopes import ALL
from core.trials.trial import front_indices

POINTS = 5
MIN_TURNS = 12
_FIRST, _LAST = 0.4, 0.8  # shares of the session's tokens
_FOLLOWING = 0.1  # the share of the tokens after a point that judges it
_MIN_ANSWERS = 5  # that judge it
LEAST_REMOVED = 0.1
"""The share of the tokens that a run removes, or its point says nothing: who removes nothing loses
nothing."""
LEAST_POINTS = 3
LEAST_NAMES = 20
"""Below these a share is chance."""


@dataclass(frozen=True, slots=True)
class BacktestPoint:
    """A run on the first ``cut`` messages, judged by those up to ``end``; sizes in tokens."""

    cut: int
    end: int
    before: int
    after: int
    needed: NeededLater
    no_op: str = ""

    @property
    def is_judged(self) -> bool:
        """Return whether the run removed enough to lose something."""
        return self.after <= (1 - LEAST_REMOVED) * self.before


@dataclass(frozen=True, slots=True)
class Backtest:
    """What a strategy would have kept of what later turns used, at the points so far. Its figures
    are those of the ``judged`` points. ``reason`` says why the session has no points, ``error`` why
    a run failed."""

    name: str
    points: tuple[BacktestPoint, ...] = ()
    planned: int = 0
    reason: str = ""
    error: str = ""

    @property
    def judged(self) -> tuple[BacktestPoint, ...]:
        return tuple(point for point in self.points if point.is_judged)

    @property
    def is_done(self) -> bool:
        return not self.error and len(self.points) == self.planned

    @property
    def needed(self) -> int:
        """Names that the turns after the judged points used."""
        return sum(point.needed.used for point in self.judged)

    @property
    def kept(self) -> int:
        return sum(point.needed.kept for point in self.judged)

    @property
    def too_little(self) -> str:
        """Why the points that have run say too little, or ""."""
        judged, points = len(self.judged), number_format.plural(self.planned, "point")
        if judged < LEAST_POINTS:
            return (
                f"It removed a tenth of the tokens or more at {judged} of {points}; a backtest "
                f"needs {LEAST_POINTS}."
            )
        if self.needed < LEAST_NAMES:
            names = number_format.plural(self.needed, "name")
            return (
                f"The turns after its points used {names} that were said before; a backtest needs "
                f"{LEAST_NAMES}."
            )
        return ""

    @property
    def obstacle(self) -> str:
        """Why there is no share, "" where there is one, or while points are run."""
        if self.reason or self.error:
            return self.reason or self.error
        return self.too_little if self.is_done else ""

    @property
    def share(self) -> float | None:
        """The share of the needed names that is kept; None until all points have run, or where they
        say too little."""
        return self.kept / self.needed if self.is_done and not self.obstacle else None

    @property
    def interval(self) -> Interval | None:
        """The share with its interval, of which the judged points are the sample."""
        if self.share is None:
            return None
        return share_interval([(point.needed.kept, point.needed.used) for point in self.judged])

    @property
    def tokens_left(self) -> float | None:
        """The share of the tokens of all points that the runs left, as a search of settings has
        it."""
        before = sum(one.before for one in self.points)
        return sum(one.after for one in self.points) / before if before else None


def best_first(found: Sequence[Backtest]) -> tuple[tuple[Backtest, bool], ...]:
    """Return backtests with whether each is a best trade-off: no other keeps more in fewer tokens.
    These come first, by tokens, then the others, then those without a figure."""
    front = trade_offs([(one.tokens_left, one.share) for one in found])
    return tuple((found[index], is_best) for index, is_best in front)


def trade_offs(
    figures: Sequence[tuple[float | None, float | None]],
) -> tuple[tuple[int, bool], ...]:
    """Return the indices of (share of the tokens left, share kept) in the same order, with whether
    each is on the front. A share alone would put first who removes least."""
    known = [None if left is None else (left, share) for left, share in figures]
    front = front_indices(known)

    def place(index: int) -> tuple[bool, bool, float, float]:
        left, share = figures[index]
        return share is None, index not in front, left or 0.0, -(share or 0.0)

    return tuple((index, index in front) for index in sorted(range(len(figures)), key=place))


@dataclass(frozen=True, slots=True)
class PlannedPoint:
    """The part before a point as a conversation, with its counts, and what the turns up to ``end``
    needed."""

    conversation: Conversation
    stages: StageCache
    end: int
    before: int
    needs: LaterNeeds


@dataclass(frozen=True, slots=True)
class BacktestPlan:
    """The points of a session, the same for every strategy. ``tokens`` are those of the whole
    request, which the limit belongs to."""

    points: tuple[PlannedPoint, ...] = ()
    tokens: int = 0
    fixed: int = 0  # tokens of the system prompt and of what the agent hides
    limit: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run on a part of a session, and what the rest needed of it."""

    preview: Preview
    stages: StageCache
    needed: NeededLater


def backtest(source: AnalysisInput, name: str, count: int = POINTS) -> Iterator[Backtest]:
    """Yield the backtest of a strategy with the given settings after each point; summaries are
    offline, and the limit shrinks with the session, so that there is as much to save. Sessions
    below ``MIN_TURNS`` turns have none. Raises InputError for an unknown strategy."""
    strategy, source = find_strategy(name), source.offline
    plan = backtest_plan(source, count)
    found = Backtest(strategy.name, planned=len(plan.points), reason=plan.reason)
    yield found
    for index, point in enumerate(plan.points):
        part = source.part(
            index, len(plan.points), f"{name}, point {index + 1} of {len(plan.points)}"
        )
        try:
            judged = run_point(part, point, strategy.name, _scaled_limit(plan, point))
        except FoldlineError as error:
            yield replace(found, error=str(error))
            return
        found = replace(found, points=(*found.points, judged))
        yield found


def backtest_plan(source: AnalysisInput, count: int = POINTS) -> BacktestPlan:
    """Return the points of a session; they are found once for all strategies."""
    key = source.options.scope, source.model, count
    return source.stages.get_or_compute("backtest", key, lambda: _plan(source, count))


def _plan(source: AnalysisInput, count: int) -> BacktestPlan:
    turns = len(replay_timeline(source.conversation, source.options.scope).turns)
    if turns < MIN_TURNS:
        count_text = number_format.plural(turns, "turn")
        return BacktestPlan(reason=f"The session has {count_text}; a backtest needs {MIN_TURNS}.")
    preview = baseline_preview(source, checks=False)
    spans = _spans(preview, count)
    needs = needs_after(preview.messages, spans, source.options.progress)
    points = [
        _planned_point(preview, source, end, needed)
        for (_, end), needed in zip(spans, needs, strict=True)
        if needed is not None and needed.cut
    ]
    fixed = preview.sizes.system_tokens + preview.sizes.sizing.hidden
    reason = (
        "" if points else "The session has no place to cut at which the model said more afterwards."
    )
    return BacktestPlan(
        tuple(points), preview.sizes.before_tokens, fixed, preview.sizes.model_limit.tokens, reason
    )


def _planned_point(
    preview: Preview, source: AnalysisInput, end: int, needs: LaterNeeds
) -> PlannedPoint:
    part = replace(
        preview.source.conversation,
        messages=preview.messages[: needs.cut],
        recorded=(),
        usage=(),
        reported_context=None,
    )
    before = sum(preview.source.counts[: needs.cut])
    return PlannedPoint(part, part_stages(preview, source.stages, needs.cut), end, before, needs)


def run_point(
    source: AnalysisInput, point: PlannedPoint, name: str, limit: int | None
) -> BacktestPoint:
    """Run a strategy on the part before a point, under this limit, and judge what it leaves."""
    return judged_point(point, preview_at(source, point, name, limit)[0])


def judged_point(point: PlannedPoint, preview: Preview) -> BacktestPoint:
    """Judge a run on the part before a point by what the turns behind it needed."""
    no_op = preview.result.compaction.no_op
    return BacktestPoint(
        point.needs.cut,
        point.end,
        preview.sizes.before_tokens,
        preview.sizes.after_tokens,
        needed_later(point.needs, preview.result.compaction.messages),
        "" if no_op is None else no_op.reason,
    )


def preview_at(
    source: AnalysisInput, point: PlannedPoint, name: str, limit: int | None
) -> tuple[Preview, StageCache]:
    """Return the run of a strategy on the part before a point, and what was computed for it. Its
    sizes are those of the whole session's messages."""
    values = with_strategy(source.values, name)
    options = replace(
        source.run_options(find_strategy(name)),
        scope=ALL,
        provisional=False,
        checks=False,
        pins={index: pin for index, pin in source.options.pins.items() if index < point.needs.cut},
    )
    stages = replace(point.stages, results=dict(point.stages.results))  # a run's results go with it
    values = values if limit is None else with_setting(values, LIMIT, limit)
    return compute_preview(point.conversation, values, options, stages), stages


def run_at_share(source: AnalysisInput, name: str, share: float) -> PastRun:
    """Run a strategy on the first ``share`` of a session's tokens, under the limit of the whole."""
    whole = baseline_preview(source, checks=False)
    totals = array("q", accumulate(whole.source.counts, initial=0))
    cut, end = nearest_boundary(whole.source.pairs, totals, share), len(whole.messages)
    (needs,) = needs_after(whole.messages, [(cut, end)], source.options.progress)
    point = _planned_point(whole, source, end, needs or LaterNeeds(cut, {}, (), {}))
    preview, stages = preview_at(source, point, name, whole.sizes.model_limit.tokens)
    needed = needed_later(point.needs, preview.result.compaction.messages)
    return PastRun(preview, stages, needed)


def _scaled_limit(plan: BacktestPlan, point: PlannedPoint) -> int | None:
    """Return a limit that is to the point's part as the session's is to the whole."""
    if plan.limit is None:
        return None
    return max(1, round(plan.limit * (point.before + plan.fixed) / plan.tokens))


def _spans(preview: Preview, count: int) -> list[tuple[int, int]]:
    """Return where each run ends and where the turns end that judge it, as message indices. No turn
    judges two runs, else a name would count twice: a run whose place is among the turns that judge
    the one before it ends behind them."""
    step = (_LAST - _FIRST) / (count - 1) if count > 1 else 0.0
    totals = array("q", accumulate(preview.source.counts, initial=0))
    valid = preview.source.pairs.valid
    spans: list[tuple[int, int]] = []
    end = 0
    for number in range(count):
        cut = nearest_boundary(preview.source.pairs, totals, _FIRST + number * step)
        while cut < end or (spans and not valid[cut]):
            cut += 1
        next_share = _FIRST + (number + 1) * step if step else 1.0
        next_cut = nearest_boundary(preview.source.pairs, totals, next_share)
        end = _judging_end(preview.messages, totals, cut, next_cut)
        if end > cut:
            spans.append((cut, end))
    return spans


def _judging_end(
    messages: Sequence[Message], totals: Sequence[int], cut: int, next_cut: int
) -> int:
    """Return where a tenth of the tokens ends, or the next run does, whichever is first, and at
    least some answers have been given."""
    answers, end = 0, cut
    while end < len(messages):
        is_long = totals[end] - totals[cut] >= _FOLLOWING * totals[-1]
        if answers >= _MIN_ANSWERS and (is_long or end >= next_cut):
            break
        answers += messages[end].speaker is Speaker.AI
        end += 1
    return end

"""Runs a strategy at earlier points of a session, and looks what the next turns needed of what it
left."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from statistics import mean

from core.analysis.analysis_input import (
    AnalysisInput,
    baseline_preview,
    with_setting,
    with_strategy,
)
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

POINTS = 5
MIN_TURNS = 12
_FIRST, _LAST = 0.4, 0.8  # shares of the session's tokens
_FOLLOWING = 0.1  # the share of the tokens after a point that judges it
_MIN_ANSWERS = 5  # that judge it


@dataclass(frozen=True, slots=True)
class BacktestPoint:
    """A run on the first ``cut`` messages, judged by those up to ``end``; sizes in tokens."""

    cut: int
    end: int
    before: int
    after: int
    needed: NeededLater
    no_op: str = ""


@dataclass(frozen=True, slots=True)
class Backtest:
    """What a strategy would have kept of what later turns used, at the points so far. ``reason``
    says why there is no figure, ``error`` why a run failed."""

    name: str
    points: tuple[BacktestPoint, ...] = ()
    planned: int = 0
    reason: str = ""
    error: str = ""

    @property
    def needed(self) -> int:
        """Names that the turns after all points used."""
        return sum(point.needed.used for point in self.points)

    @property
    def kept(self) -> int:
        return sum(point.needed.kept for point in self.points)

    @property
    def share(self) -> float | None:
        """The share of the needed names that is kept; None until all points have run, or without
        any."""
        is_done = not self.error and len(self.points) == self.planned
        return self.kept / self.needed if is_done and self.needed else None

    @property
    def tokens_left(self) -> float | None:
        """The mean share of the tokens that the runs left."""
        return mean(one.after / max(1, one.before) for one in self.points) if self.points else None

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of each point where something was needed, ascending."""
        return tuple(
            sorted(share for point in self.points if (share := point.needed.share) is not None)
        )


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
        tuple(points), preview.request_tokens, fixed, preview.sizes.model_limit.tokens, reason
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
    preview = compute_preview(point.conversation, values, options, stages)
    no_op = preview.result.compaction.no_op
    return BacktestPoint(
        point.needs.cut,
        point.end,
        point.before,
        preview.sizes.after_tokens,
        needed_later(point.needs, preview.result.compaction.messages),
        "" if no_op is None else no_op.reason,
    )


def _scaled_limit(plan: BacktestPlan, point: PlannedPoint) -> int | None:
    """Return a limit that is to the point's part as the session's is to the whole."""
    if plan.limit is None:
        return None
    return max(1, round(plan.limit * (point.before + plan.fixed) / plan.tokens))


def _spans(preview: Preview, count: int) -> list[tuple[int, int]]:
    """Return where each run ends and where the turns end that judge it, as message indices."""
    step = (_LAST - _FIRST) / (count - 1) if count > 1 else 0.0
    totals = array("q", accumulate(preview.source.counts, initial=0))
    spans = dict[int, int]()
    for number in range(count):
        cut = nearest_boundary(preview.source.pairs, totals, _FIRST + number * step)
        spans[cut] = _judging_end(preview.messages, totals, cut)
    return sorted(spans.items())


def _judging_end(messages: Sequence[Message], totals: Sequence[int], cut: int) -> int:
    answers, end = 0, cut
    while end < len(messages) and (
        answers < _MIN_ANSWERS or totals[end] - totals[cut] < _FOLLOWING * totals[-1]
    ):
        answers += messages[end].speaker is Speaker.AI
        end += 1
    return end

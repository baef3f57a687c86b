"""Backtests: runs a strategy at earlier points of a session, and counts which names the next turns
needed and its result still has."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.analysis.replay_run import replay_timeline
from core.common import number_format
from core.losses.needed_later import LaterNeeds, nearest_boundary, needs_after
from core.preview.options import Preview
from core.preview.preview_input import part_stages
from core.settings.schema import LIMIT, MOST_PERCENT, SettingValue, Values
from core.settings_store.layers import find_setting, with_options
from core.strategies.base import Strategy
from core.strategies.names import EXCERPT
from core.strategies.registry import find_strategy
from core.transcript.model import Message, Speaker
from core.trials.run import PartOfSession, run_trial
from core.trials.trial import Backtest, Depth, Point, Trial, front_indices

POINTS = 5
MIN_TURNS = 12
_FIRST, _LAST = 0.4, 0.8  # shares of the session's tokens
_FOLLOWING = 0.1  # the share of the tokens after a point that judges it
_MIN_ANSWERS = 5  # that judge it


def best_first(backtests: Sequence[Backtest]) -> tuple[tuple[Backtest, bool], ...]:
    """Return backtests with whether each is a best trade-off: no other keeps more in fewer tokens.
    These come first, by tokens, then the others, then those without a figure."""
    front = trade_offs([(one.tokens_left, one.share) for one in backtests])
    return tuple((backtests[index], is_best) for index, is_best in front)


def trade_offs(
    figures: Sequence[tuple[float | None, float | None]],
) -> tuple[tuple[int, bool], ...]:
    """Return the indices of (share of the tokens left, share kept) in the same order, with whether
    each is on the front. A share alone would put first who removes least."""
    known = [None if left is None else (left, share) for left, share in figures]
    front = front_indices(known)

    def sort_key(index: int) -> tuple[bool, bool, float, float]:
        left, share = figures[index]
        return share is None, index not in front, left or 0.0, -(share or 0.0)

    return tuple(
        (index, index in front) for index in sorted(range(len(figures)), key=sort_key)
    )


@dataclass(frozen=True, slots=True)
class Past:
    """The points of a session, the same for every strategy. ``tokens`` are those of the whole
    request, which the limit belongs to."""

    parts: tuple[PartOfSession, ...] = ()
    tokens: int = 0
    fixed: int = 0  # tokens of the system prompt and of what the agent hides
    limit: int | None = None
    reason: str = ""


def backtest(
    source: AnalysisInput,
    name: str,
    count: int = POINTS,
    settings: Sequence[tuple[str, SettingValue]] = (),
) -> Iterator[Backtest]:
    """Yield the backtest of a strategy after each point, under ``settings`` that differ from the
    given ones; summaries are offline, and limit and sizes in tokens shrink with the session, so that
    there is as much to save. Sessions below ``MIN_TURNS`` turns have none. Raises InputError for an
    unknown strategy."""
    strategy = find_strategy(name)
    source = replace(source.offline, musts=())
    settings = (*_present_sizes(source.values, strategy, settings), *settings)
    past = past_of(source, count)
    planned = len(past.parts)
    found = Backtest(strategy.name, planned=planned, reason=past.reason)
    yield found
    for index, part in enumerate(past.parts):
        step = source.for_step(
            index, planned, f"{name}, point {index + 1} of {planned}"
        )
        limit = _scaled_limit(past, part)
        scaled = _scaled_settings(past, part, settings)
        trial = past_trial(strategy.name, part, limit, scaled)
        result = run_trial(step, trial, Depth.NEEDED, part)
        if result.error:
            yield replace(found, error=result.error)
            return
        found = replace(found, points=(*found.points, result))
        yield found


def past_of(source: AnalysisInput, count: int = POINTS) -> Past:
    """Return the points of a session; they are found once for all strategies."""
    key = source.options.scope, source.model, count
    return source.stages.get_or_compute("backtest", key, lambda: _past(source, count))


def _past(source: AnalysisInput, count: int) -> Past:
    turns = len(replay_timeline(source.conversation, source.options.scope).turns)
    if turns < MIN_TURNS:
        count_text = number_format.plural(turns, "turn")
        return Past(
            reason=f"The session has {count_text}; a backtest needs {MIN_TURNS}."
        )
    preview = baseline_preview(source, checks=False)
    spans = _spans(preview, count)
    system = preview.source.conversation.system
    needs = needs_after(preview.messages, spans, system, source.options.progress)
    parts = [
        _part(preview, source, end, needed)
        for (_, end), needed in zip(spans, needs, strict=True)
        if needed is not None and needed.cut
    ]
    fixed = preview.sizes.system_tokens + preview.sizes.sizing.hidden
    if parts:
        reason = ""
    else:
        reason = "The session cannot be judged: the model said nothing after any place where it can be cut."
    return Past(
        tuple(parts),
        preview.sizes.before_tokens,
        fixed,
        preview.sizes.model_limit.tokens,
        reason,
    )


def _part(
    preview: Preview, source: AnalysisInput, end: int, needs: LaterNeeds
) -> PartOfSession:
    part = replace(
        preview.source.conversation,
        messages=preview.messages[: needs.cut],
        recorded=(),
        usage=(),
        reported_context=None,
    )
    before = sum(preview.source.counts[: needs.cut])
    return PartOfSession(
        Point(needs.cut, end),
        part,
        part_stages(preview, source.stages, needs.cut),
        before,
        needs,
    )


def part_at_share(
    source: AnalysisInput, name: str, share: float
) -> tuple[Trial, PartOfSession]:
    """Return the trial of a strategy on the first ``share`` of a session's tokens, under the limit
    of the whole."""
    whole = baseline_preview(source, checks=False)
    totals = array("q", accumulate(whole.source.counts, initial=0))
    cut = nearest_boundary(whole.source.pairs, totals, share)
    end = len(whole.messages)
    (needs,) = needs_after(
        whole.messages,
        [(cut, end)],
        whole.source.conversation.system,
        source.options.progress,
    )
    part = _part(
        whole,
        source,
        end,
        needs or LaterNeeds(cut=cut, names={}, mentions=(), names_of_texts={}),
    )
    return past_trial(name, part, whole.sizes.model_limit.tokens), part


def past_trial(
    name: str,
    part: PartOfSession,
    limit: int | None,
    settings: Sequence[tuple[str, SettingValue]] = (),
) -> Trial:
    """Return the trial of a strategy on a part of a session, under this limit."""
    limited = () if limit is None else ((LIMIT, limit),)
    return Trial(name, (*settings, *limited), part.point)


def _scaled_limit(past: Past, part: PartOfSession) -> int | None:
    """Return a limit that is to the part as the session's is to the whole."""
    if past.limit is None:
        return None
    return max(1, round(past.limit * _share_before(past, part)))


def _share_before(past: Past, part: PartOfSession) -> float:
    """Return what part of the session's tokens a request has at the point."""
    return (part.before + past.fixed) / past.tokens


def _present_sizes(
    values: Values, strategy: Strategy, settings: Sequence[tuple[str, SettingValue]]
) -> list[tuple[str, SettingValue]]:
    """Return the sizes in tokens that a strategy has by the values of the session."""
    changed = {key for key, _ in settings}
    present = list[tuple[str, SettingValue]]()
    values = with_options(values, strategy.options)
    for key in strategy.options:
        value = values.get(key)
        if key in changed or value is None or not find_setting(key).bounds.takes_tokens:
            continue
        if float(value) > MOST_PERCENT:
            present.append((key, value))
    return present


def _scaled_settings(
    past: Past, part: PartOfSession, settings: Sequence[tuple[str, SettingValue]]
) -> tuple[tuple[str, SettingValue], ...]:
    """Return the settings with sizes in tokens that are to the part as theirs are to the whole."""
    scaled: list[tuple[str, SettingValue]] = []
    for key, value in settings:
        if find_setting(key).bounds.takes_tokens and float(value) > MOST_PERCENT:
            value = max(
                MOST_PERCENT + 1.0, round(float(value) * _share_before(past, part))
            )
        scaled.append((key, value))
    return tuple(scaled)


def _spans(preview: Preview, count: int) -> list[tuple[int, int]]:
    """Return where each run ends and where the turns end that judge it, as message indices. No turn
    judges two runs, else a name would count twice: a run whose place is among the turns that judge
    the one before it ends behind them."""
    if count > 1:
        step = (_LAST - _FIRST) / (count - 1)
    else:
        step = 0.0
    totals = array("q", accumulate(preview.source.counts, initial=0))
    valid = preview.source.pairs.valid
    spans: list[tuple[int, int]] = []
    end = 0
    for number in range(count):
        cut = nearest_boundary(preview.source.pairs, totals, _FIRST + number * step)
        while cut < end or (spans and not valid[cut]):
            cut += 1
        if step:
            next_share = _FIRST + (number + 1) * step
        else:
            next_share = 1.0
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


# What the recommended strategy would have kept at the points of a backtest, at the same sizes.


MIN_LEAD = 0.10
"""Share of the needed names that the recommended strategy has to keep more to be offered."""


def equal_size(source: AnalysisInput, backtest: Backtest, tokens: int) -> int | None:
    """Return the target in tokens at which another strategy leaves no more than ``backtest``: neither
    of the session, which it left at ``tokens``, nor of its judged points together. None where it
    has no figure, kept nearly all, is the recommended strategy itself, or left next to nothing."""
    if backtest.share is None or backtest.name == EXCERPT:
        return None
    if backtest.share > 1 - MIN_LEAD:
        return None  # nothing can be far ahead, and a search takes a minute for 100 MB
    past = past_of(source, backtest.planned)
    before: dict[Point | None, int] = {}
    for part in past.parts:
        before[part.point] = part.before + past.fixed
    left, whole = 0, 0
    for point in backtest.judged:
        left += point.sizes.tokens
        whole += before[point.trial.point]
    size = min(tokens, past.tokens * left // whole)
    if size <= MOST_PERCENT:
        return None
    return size


def is_far_ahead(better: Backtest, backtest: Backtest) -> bool:
    """Return whether it keeps at least ten points more of the same names, at no larger size."""
    if better.share is None or backtest.share is None:
        return False
    left, most = (_tokens_at_points(one) for one in (better, backtest))
    is_same = [one.trial.point for one in better.judged] == [
        one.trial.point for one in backtest.judged
    ]
    return is_same and left <= most and better.share - backtest.share >= MIN_LEAD


def _tokens_at_points(backtest: Backtest) -> int:
    return sum(point.sizes.tokens for point in backtest.judged)

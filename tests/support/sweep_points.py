"""Results of trials with given figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.analysis.model import CompactionCost
from core.facts.model import FactKind
from core.losses.evidence import KindCount, MustMark
from core.losses.needed_later import NeededLater
from core.settings.schema import SettingValue
from core.transcript.compaction import FateKind
from core.trials.trial import Backtest, Point, Sizes, Trial, TrialLosses, TrialResult


def sweep_point(
    *axis_values: SettingValue,
    tokens: int = 0,
    messages: int = 0,
    needed_share: float | None = None,
    said: tuple[int, int] | None = None,
    gone: int | None = None,
    fates: Mapping[FateKind, int] | None = None,
    musts: Sequence[MustMark] = (),
    no_op: str = "",
    error: str = "",
) -> TrialResult:
    """Return a point of a run that cost nothing; an error has no result."""
    kept = TrialLosses(
        kinds=() if said is None else (_said(*said),),
        needed=None if needed_share is None else _needed(needed_share),
        gone=gone,
        musts=tuple(musts),
    )
    cost = CompactionCost(
        prefix=0, first_changed=None, rewritten=0, rates=None, summary=0.0
    )
    settings = tuple((f"setting {index}", one) for index, one in enumerate(axis_values))
    return TrialResult(
        trial=Trial("middle-out", settings),
        kind="strategy",
        sizes=Sizes(before_tokens=10_000, tokens=tokens, messages=messages),
        losses=kept,
        cost=None if error else cost,
        no_op=no_op,
        error=error,
        fates=tuple((fates or {}).items()),
    )


def point_result(
    tokens: int,
    needed: NeededLater,
    *,
    before: int = 1_000,
    cut: int = 10,
    end: int = 20,
) -> TrialResult:
    """Return the result of a run at a point of a session's past."""
    return TrialResult(
        trial=Trial("pi", point=Point(cut, end)),
        kind="preset",
        sizes=Sizes(before_tokens=before, tokens=tokens, messages=5),
        losses=TrialLosses(needed=needed),
    )


def _needed(share: float) -> NeededLater:
    kept = round(100 * share)
    return NeededLater(100, kept, kept)


def _said(word_for_word: int, total: int) -> KindCount:
    return KindCount(
        FactKind.YOUR_MESSAGE, total, word_for_word, 0, total - word_for_word
    )


def past_keeping(percent: int) -> Backtest:
    """Return a backtest of three points that keeps this share of thirty names."""
    kept = NeededLater(10, percent // 10, percent // 10)
    return Backtest("pi", tuple(point_result(300, kept) for _ in range(3)), 3)

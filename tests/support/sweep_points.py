"""Points of a sweep with given figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.analysis.losses.model import KindCount, MustMark
from core.analysis.model import CompactionCost
from core.analysis.needed_later import NeededLater
from core.facts.model import FactKind
from core.settings.schema import SettingValue
from core.transcript.compaction import FateKind
from core.trials.trial import Kept, Sizes, SweepPoint, TrialResult


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
) -> SweepPoint:
    """Return a point of a run that cost nothing; an error has no result."""
    kept = Kept(
        kinds=() if said is None else (_said(*said),),
        needed=None if needed_share is None else _needed(needed_share),
        gone=gone,
        musts=tuple(musts),
    )
    cost = CompactionCost(prefix=0, first_changed=None, rewritten=0, rates=None, summary=0.0)
    row = TrialResult(
        name="middle-out",
        kind="strategy",
        sizes=Sizes(before_tokens=10_000, tokens=tokens, messages=messages),
        kept=kept,
        cost=None if error else cost,
        no_op=no_op,
        error=error,
    )
    return SweepPoint(axis_values=axis_values, row=row, fates=fates)


def _needed(share: float) -> NeededLater:
    kept = round(100 * share)
    return NeededLater(100, kept, kept)


def _said(word_for_word: int, total: int) -> KindCount:
    return KindCount(FactKind.YOUR_MESSAGE, total, word_for_word, 0, total - word_for_word)

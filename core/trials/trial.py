"""A trial: one run of a strategy, preset or recorded compaction, and what is judged of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.analysis.intervals import Interval
from core.analysis.losses.model import (
    EvidenceStatus,
    KindCount,
    MustMark,
    MustStatus,
    said_of,
)
from core.analysis.model import CompactionCost
from core.analysis.needed_later import NeededLater
from core.facts.model import Fact
from core.settings.schema import SettingValue
from core.transcript.compaction import FateKind

STATUSES = tuple(EvidenceStatus)
"""Indexed by the bytes of ``Kept.statuses``."""


@dataclass(frozen=True, slots=True)
class BacktestShares:
    """The backtest of a strategy: names needed and kept over the judged ``points``, the share with
    its interval. ``reason`` says why there is none."""

    needed: int = 0
    kept: int = 0
    points: int = 0
    interval: Interval | None = None
    reason: str = ""

    @property
    def share(self) -> float | None:
        return self.kept / self.needed if self.needed and not self.reason else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Tokens and messages before and after. ``hidden``: part of the result is encrypted, and
    ``tokens`` counts the rest. Tokens are of whole requests; ``trigger`` is where the strategy
    would run again, which with ``limit`` says whether the result is still too large. ``mark`` is
    that of the counting method."""

    before_tokens: int
    tokens: int
    messages: int
    before_messages: int = 0
    hidden: bool = False
    trigger: int | None = None
    limit: int | None = None
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a result holds of its source. ``kinds`` counts the facts of the source by that,
    ``nowhere`` the names of a summary that stand nowhere in the source, ``unsaid`` what it gives to
    the person who did not say it; ``gone`` counts needed
    names, messages of the person, instructions and open errors that are gone, None where that is
    not known. ``statuses`` has one byte per fact of the source, an index into ``STATUSES``.
    ``musts`` are the texts that must survive, in the order of their list."""

    kinds: tuple[KindCount, ...] = ()
    needed: NeededLater | None = None
    nowhere: int = 0
    unsaid: int = 0
    gone: int | None = None
    statuses: bytes = b""
    backtest: BacktestShares | None = None
    musts: tuple[MustMark, ...] = ()

    def count_musts(self, *statuses: MustStatus) -> int:
        """Return how many musts have one of these statuses."""
        return sum(one.status in statuses for one in self.musts)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """Size, losses, cost and validity of one result.

    ``kind`` is "strategy", "preset" or "recorded"; ``note`` qualifies the name ("tier 2 was
    enough", "reverse engineered"). ``error`` says why there is no result, ``no_op`` why nothing
    changed. ``lint`` counts errors and warnings that the source does not have. ``seconds`` is the
    time of the run. ``scope`` names the history: rows of different scopes have different sources.
    ``file`` is the transcript of a row of a folder."""

    name: str
    kind: str
    sizes: Sizes
    kept: Kept = Kept()
    cost: CompactionCost | None = None
    calls: int = 0
    lint: tuple[int, int] = (0, 0)
    seconds: float = 0.0
    note: str = ""
    no_op: str = ""
    error: str = ""
    on_front: bool = False
    scope: str = ""
    file: str = ""

    @property
    def saved(self) -> float | None:
        """The share of the tokens before that is gone; None without a result that can be counted
        whole."""
        if self.error or self.sizes.hidden or not self.sizes.before_tokens:
            return None
        return 1 - self.sizes.tokens / self.sizes.before_tokens

    @property
    def is_candidate(self) -> bool:
        """Whether it can be a best trade-off: it makes the request smaller, and no must is gone."""
        if self.error or self.no_op or self.kept.count_musts(MustStatus.GONE):
            return False
        return round(self.saved or 0.0, 2) > 0  # what is shown as 0 % saves nothing

    @property
    def must_order(self) -> tuple[int, int, int]:
        """What sorts it by its musts: most that stand, fewest that are gone, tokens."""
        standing = self.kept.count_musts(MustStatus.WORD_FOR_WORD)
        return -standing, self.kept.count_musts(MustStatus.GONE), self.sizes.tokens

    @property
    def said(self) -> tuple[int, int] | None:
        return said_of(self.kept.kinds)

    @property
    def needed_share(self) -> float | None:
        """The share of what later turns needed that is kept; None where that is not known."""
        return None if self.kept.needed is None else self.kept.needed.share

    @property
    def backtest_share(self) -> float | None:
        """The share of what was needed at earlier points of the session that is kept; None where
        that is not known."""
        return None if self.kept.backtest is None else self.kept.backtest.share


def kept_shares(rows: Sequence[TrialResult], scope: str) -> tuple[list[float | None], bool]:
    """Return the share by which rows of ``scope`` are ranked and plotted, None for the others; and
    whether it is that of the backtest. Where it is known of one row what later turns needed, it is
    that of all: the two are never mixed."""
    compared = [row.scope == scope and not row.error for row in rows]
    pairs = list(zip(rows, compared, strict=True))
    is_backtest = not any(
        is_of_scope and row.needed_share is not None for row, is_of_scope in pairs
    )
    shares: list[float | None] = []
    for row, is_of_scope in pairs:
        share = row.backtest_share if is_backtest else row.needed_share
        shares.append(share if is_of_scope else None)
    return shares, is_backtest and any(share is not None for share in shares)


@dataclass(frozen=True, slots=True)
class LostFact:
    """A fact that is gone from one result; ``status`` is its status in the other result."""

    fact: Fact
    status: EvidenceStatus


@dataclass(frozen=True, slots=True)
class MustPair:
    """What two results hold of a must."""

    in_a: MustMark
    in_b: MustMark

    @property
    def differs(self) -> bool:
        return self.in_a.status is not self.in_b.status


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseLosses:
    """Facts that are gone from only one of two results of the same source, and from both;
    ``musts`` are what both hold of each must, those that differ first."""

    a: str
    b: str
    scope: str
    lost_in_a: tuple[LostFact, ...]
    lost_in_b: tuple[LostFact, ...]
    lost_in_both: tuple[LostFact, ...] = ()
    musts: tuple[MustPair, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedComparison:
    """A preset compared with a recorded compaction of its agent. ``number`` of the recorded
    compaction, from 1. ``messages`` are the source messages kept by both, by the agent alone, by
    the preset alone. ``summary_tokens``: the agent's, the preset's; None if unreadable or absent.
    ``said``: messages of the person that stand word for word in the agent's result, in that of the
    preset."""

    number: int
    preset: str
    sentences: tuple[str, ...]
    tokens: tuple[int | None, int | None] = (None, None)
    messages: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] = ((), (), ())
    summary_tokens: tuple[int | None, int | None] = (None, None)
    said: tuple[int | None, int | None] = (None, None)


def front_indices(points: Sequence[tuple[float, float | None] | None]) -> frozenset[int]:
    """Return the indices of the points (tokens, what is kept) that no other beats: as good in both,
    better in one. Points without a result are None."""
    known = [
        (index, tokens, kept)
        for index, (tokens, kept) in enumerate(point or (0.0, None) for point in points)
        if kept is not None
    ]
    return frozenset(
        index
        for index, tokens, kept in known
        if not any(
            other_tokens <= tokens and other >= kept and (other_tokens, other) != (tokens, kept)
            for _, other_tokens, other in known
        )
    )


@dataclass(frozen=True, slots=True)
class SettingAxis:
    """A setting and the values to try, in order."""

    key: str
    values: tuple[SettingValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint:
    """One run at the values ``axis_values``, one per axis: the row that Compare would have of it,
    and its source messages by fate. ``on_front``: no other point is better in tokens or in what is
    kept of what later turns needed, and as good in the other; set once all points are known."""

    axis_values: tuple[SettingValue, ...]
    row: TrialResult
    fates: Mapping[FateKind, int] | None = None
    on_front: bool = False

    @property
    def tokens(self) -> int:
        return self.row.sizes.tokens

    @property
    def messages(self) -> int:
        return self.row.sizes.messages

    @property
    def needed_share(self) -> float | None:
        return self.row.needed_share

    @property
    def gone(self) -> int | None:
        return self.row.kept.gone

    @property
    def said(self) -> tuple[int, int] | None:
        return self.row.said

    @property
    def calls(self) -> int:
        return self.row.calls

    @property
    def cost(self) -> float | None:
        """US dollars of the run; None where they are not known."""
        return None if self.row.cost is None else self.row.cost.summary

    @property
    def no_op(self) -> str:
        return self.row.no_op

    @property
    def error(self) -> str:
        return self.row.error


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """All points, the last axis varying fastest; ``before``: tokens and messages of the source."""

    strategy: str
    axes: tuple[SettingAxis, ...]
    points: tuple[SweepPoint, ...]
    before: tuple[int, int]
    scope: str = "all"
    mark: str = "≈"
    model: str = ""

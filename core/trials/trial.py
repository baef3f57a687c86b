"""A trial: one run of a strategy, preset or recorded compaction, and what is judged of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from core.analysis.intervals import Interval, share_interval
from core.analysis.model import CompactionCost
from core.common import number_format
from core.facts.model import Fact
from core.losses.evidence import (
    EvidenceStatus,
    KindCount,
    MustMark,
    MustStatus,
    count_word_for_word,
)
from core.losses.needed_later import NeededLater
from core.settings.schema import SettingValue
from core.strategies.names import current_name, is_program
from core.transcript.compaction import FateKind

WRITTEN_BY = " · "
"""Stands between a strategy and the profile that writes its summary: "excerpt · haiku"."""
STATUSES = tuple(EvidenceStatus)
"""Indexed by the bytes of ``TrialLosses.statuses``."""


INFERRED = "inferred from its behaviour, not documented: the agent may do otherwise"
"""The note of a preset whose agent does not document what it emulates."""
LEAST_REMOVED = 0.1
"""The share of the tokens that a run at a point of the past removes, or the point says nothing: who
removes nothing loses nothing."""
LEAST_POINTS = 3
LEAST_NAMES = 20
"""Below these a share is chance."""


class Depth(IntEnum):
    """How much of a result is judged; each costs more than the one before it. What later turns
    needed; the losses, too; what an API would refuse, too."""

    NEEDED = 0
    LOSSES = 1
    ALL = 2


@dataclass(frozen=True, slots=True)
class Point:
    """A place in a session, as message indices: a run sees what is before ``cut``, and the messages
    from there up to ``end`` judge it."""

    cut: int
    end: int


@dataclass(frozen=True, slots=True)
class Trial:
    """A run of a ``strategy``, under ``settings`` that differ from those of the session, on the
    part before ``point``; without one on the whole history. The strategy may be a compaction of the
    agent, "recorded 1". ``profile`` writes its summary where several profiles are compared."""

    strategy: str
    settings: tuple[tuple[str, SettingValue], ...] = ()
    point: Point | None = None
    profile: str = ""

    @property
    def name(self) -> str:
        """The name of its row; ``trial_of`` reads it."""
        if self.profile:
            return f"{self.strategy}{WRITTEN_BY}{self.profile}"
        return self.strategy

    @property
    def setting_values(self) -> tuple[SettingValue, ...]:
        return tuple(value for _, value in self.settings)


def trial_of(name: str) -> Trial:
    """Return the trial of the name of a row: of a strategy, or of one and a profile."""
    strategy, _, profile = name.partition(WRITTEN_BY)
    if is_program(name):  # its command may hold anything
        return Trial(name)
    return Trial(current_name(strategy), profile=profile)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Tokens and messages before and after. ``hidden``: part of the result is encrypted, and
    ``tokens`` counts the rest. Tokens are of whole requests; ``trigger`` is where the strategy
    would run again, which with ``limit`` says whether the result is still too large. ``mark`` is
    that of the counting method. ``aim`` is what the settings were chosen to reach, 0 for none.
    ``overhead`` are those of ``tokens`` that are in no message: no strategy changes them."""

    before_tokens: int
    tokens: int
    messages: int
    before_messages: int = 0
    hidden: bool = False
    trigger: int | None = None
    limit: int | None = None
    mark: str = ""
    aim: int = 0
    overhead: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialLosses:
    """What a result has lost of its source, and what it holds. ``kinds`` counts the facts of the
    source by their evidence, ``nowhere`` the names of a summary that stand nowhere in the source,
    and ``unsaid`` what the summary attributes to the person, who did not say it. ``gone`` counts
    needed names, messages of the person, instructions and open errors, None where it is unknown.
    ``statuses`` has one byte per fact of the source, an index into ``STATUSES``.
    ``past`` is the backtest of its strategy. ``musts`` are the texts that must survive, in the
    order of their list."""

    kinds: tuple[KindCount, ...] = ()
    needed: NeededLater | None = None
    nowhere: int = 0
    unsaid: int = 0
    gone: int | None = None
    statuses: bytes = b""
    past: Backtest | None = None
    musts: tuple[MustMark, ...] = ()

    def count_musts(self, *statuses: MustStatus) -> int:
        """Return how many musts have one of these statuses."""
        return sum(one.status in statuses for one in self.musts)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """Size, losses, cost and validity of the result of a trial.

    ``fates`` counts the messages of the source by what happened to them.
    ``kind`` is "strategy", "preset" or "recorded"; ``note`` qualifies the name ("tier 2 was
    enough", INFERRED). ``error`` says why there is no result, ``no_op`` why nothing
    changed. ``lint`` counts errors and warnings that the source does not have. ``seconds`` is the
    time of the run. ``scope`` names the history: rows of different scopes have different sources.
    ``file`` is the transcript of a row of a folder."""

    trial: Trial
    kind: str
    sizes: Sizes
    losses: TrialLosses = TrialLosses()
    fates: tuple[tuple[FateKind, int], ...] = ()
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
    def name(self) -> str:
        return self.trial.name

    @property
    def reduction(self) -> float | None:
        """The share of the tokens before that is gone; None without a result that can be counted
        whole."""
        if self.error or self.sizes.hidden or not self.sizes.before_tokens:
            return None
        return 1 - self.sizes.tokens / self.sizes.before_tokens

    @property
    def is_candidate(self) -> bool:
        """Whether it can be a best trade-off: it makes the request smaller, as small as it was
        aimed for, and no must is gone."""
        if self.error or self.no_op or self.misses_aim:
            return False
        if self.losses.count_musts(MustStatus.GONE):
            return False
        return round(self.reduction or 0.0, 2) > 0  # what is shown as 0 % saves nothing

    @property
    def misses_aim(self) -> bool:
        """Whether its strategy cannot reach the aim."""
        return (
            bool(self.sizes.aim)
            and not self.error
            and self.sizes.tokens > self.sizes.aim
        )

    @property
    def must_order(self) -> tuple[int, int, int]:
        """What sorts it by its musts: most that stand, fewest that are gone, tokens."""
        standing = self.losses.count_musts(MustStatus.WORD_FOR_WORD)
        return -standing, self.losses.count_musts(MustStatus.GONE), self.sizes.tokens

    @property
    def messages_word_for_word(self) -> tuple[int, int] | None:
        return count_word_for_word(self.losses.kinds)

    @property
    def needed_share(self) -> float | None:
        """The share of what later turns needed that is kept; None where that is not known."""
        if self.losses.needed is None:
            return None
        return self.losses.needed.share

    @property
    def backtest_share(self) -> float | None:
        """The share of what was needed at earlier points of the session that is kept; None where
        that is not known."""
        if self.losses.past is None:
            return None
        return self.losses.past.share

    @property
    def summary_cost(self) -> float | None:
        """US dollars of the summaries; None where they are not known."""
        if self.cost is None:
            return None
        return self.cost.summary

    @property
    def is_judged(self) -> bool:
        """Whether it removed enough to lose something."""
        return self.sizes.tokens <= (1 - LEAST_REMOVED) * self.sizes.before_tokens

    def fate_count(self, *kinds: FateKind) -> int:
        return sum(count for kind, count in self.fates if kind in kinds)


NOTHING_NEEDED = NeededLater(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Backtest:
    """What a strategy would have kept of what later turns used, at the points so far. Its figures
    are those of the ``judged`` points. ``reason`` says why the session has no points, ``error`` why
    a run failed."""

    name: str
    points: tuple[TrialResult, ...] = ()
    planned: int = 0
    reason: str = ""
    error: str = ""

    @property
    def judged(self) -> tuple[TrialResult, ...]:
        return tuple(point for point in self.points if point.is_judged)

    @property
    def is_done(self) -> bool:
        return not self.error and len(self.points) == self.planned

    @property
    def _counts(self) -> list[tuple[int, int]]:
        """Names kept and needed, by judged point."""
        found = [point.losses.needed or NOTHING_NEEDED for point in self.judged]
        return [(one.kept, one.used) for one in found]

    @property
    def needed(self) -> int:
        """Names that the turns after the judged points used."""
        return sum(used for _, used in self._counts)

    @property
    def kept(self) -> int:
        return sum(kept for kept, _ in self._counts)

    @property
    def too_little(self) -> str:
        """Why the points that have run say too little, or ""."""
        judged = len(self.judged)
        points = number_format.plural(self.planned, "point")
        if judged < LEAST_POINTS:
            return (
                f"It removed a tenth of the tokens or more at {judged} of {points}; a backtest "
                f"needs {LEAST_POINTS}."
            )
        if self.needed < LEAST_NAMES:
            names = number_format.plural(
                self.needed, "name that was", "names that were"
            )
            return (
                f"The turns after its points used {names} said before; a backtest needs "
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
        if self.is_done and not self.obstacle:
            return self.kept / self.needed
        return None

    @property
    def interval(self) -> Interval | None:
        """The share with its interval, of which the judged points are the sample."""
        if self.share is None:
            return None
        return share_interval(self._counts)

    @property
    def tokens_left(self) -> float | None:
        """The share of the tokens of all points that the runs left, as a search of settings has
        it."""
        before = sum(one.sizes.before_tokens for one in self.points)
        if before:
            return sum(one.sizes.tokens for one in self.points) / before
        return None


def kept_shares(
    rows: Sequence[TrialResult], scope: str
) -> tuple[list[float | None], bool]:
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
    ``messages_word_for_word`` counts the person's messages that stand word for word in the agent's
    result, and in that of the preset."""

    number: int
    preset: str
    sentences: tuple[str, ...]
    tokens: tuple[int | None, int | None] = (None, None)
    messages: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] = ((), (), ())
    summary_tokens: tuple[int | None, int | None] = (None, None)
    messages_word_for_word: tuple[int | None, int | None] = (None, None)


def front_indices(
    points: Sequence[tuple[float, float | None] | None],
) -> frozenset[int]:
    """Return the indices of the points (tokens, what is kept) that no other beats: as good in both,
    better in one. Points without a result are None."""
    known: dict[int, tuple[float, float]] = {}
    for index, point in enumerate(points):
        if point is not None and point[1] is not None:
            known[index] = (point[0], point[1])
    values = frozenset(known.values())
    return frozenset(
        index for index, point in known.items() if not _is_beaten(point, values)
    )


def _is_beaten(
    point: tuple[float, float], others: Iterable[tuple[float, float]]
) -> bool:
    tokens, kept = point
    return any(
        other != point and other[0] <= tokens and other[1] >= kept for other in others
    )


def with_front(
    results: Sequence[TrialResult], shares: Sequence[float | None]
) -> tuple[TrialResult, ...]:
    """Mark the results that no other beats in tokens and in the share of what was needed that is
    kept; equal ones are all marked. A result without a share, one that saves nothing, and one from
    which a must is gone are not compared."""
    points = [
        (one.sizes.tokens, share) if share is not None and one.is_candidate else None
        for one, share in zip(results, shares, strict=True)
    ]
    front = front_indices(points)
    return tuple(
        replace(one, on_front=index in front) for index, one in enumerate(results)
    )

"""What a search of settings is asked, and what it found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import TypeAlias

from core.analysis.intervals import Interval
from core.common.errors import InputError
from core.settings.schema import SettingValue, aim_value, plain_number
from core.trials.trial import Trial

RUNS = 200
"""Settings that are tried for a strategy."""
BUDGET = "30 %"
"""The share of the tokens that may be left, unless another budget is asked for."""


Vector: TypeAlias = tuple[tuple[str, SettingValue], ...]
"""Settings by key, those that differ from the ones given, in the order of their declaration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What a candidate kept in a session: names needed and kept, tokens before and after, summed
    over the points. ``cost`` is that of the whole session in US dollars, None where it is not
    known; it was computed where it ``is_priced``. ``musts`` are the texts that must survive, as
    often as a point has said one, and ``musts_kept`` those that stand word for word; they were
    looked for where it ``is_judged``. ``error`` says why a run failed."""

    needed: int = 0
    kept: int = 0
    before: int = 0
    after: int = 0
    points: int = 0
    cost: float | None = None
    is_priced: bool = False
    musts: int = 0
    musts_kept: int = 0
    is_judged: bool = False
    error: str = ""

    @property
    def share(self) -> float | None:
        if self.needed and not self.error:
            return self.kept / self.needed
        return None

    @property
    def tokens_left(self) -> float:
        if self.before:
            return self.after / self.before
        return 1.0

    @property
    def tokens_after(self) -> float:
        """Tokens after a run, in the mean of the points."""
        if self.points:
            return self.after / self.points
        return 0.0


class BudgetUnit(StrEnum):
    """What a budget limits, in the mean of the sessions: the share of the tokens that is left, the
    tokens that are left, or US dollars a session."""

    SHARE = "share"
    TOKENS = "tokens"
    DOLLARS = "dollars"


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneRequest:
    """``seed`` decides which half of the sessions chooses. ``held`` settings are not varied.
    ``for_session`` is the name of the one session that the settings are for, "" for none: half of
    the choice is by its past."""

    strategies: tuple[str, ...]
    budget: float
    unit: BudgetUnit = BudgetUnit.SHARE
    runs: int = RUNS
    seed: int = 1
    held: Vector = ()
    for_session: str = ""

    @property
    def is_priced(self) -> bool:
        return self.unit is BudgetUnit.DOLLARS

    def size(self, figures: Evaluation | Figures) -> float | None:
        """Return a size in the unit of the budget, None where it is not known."""
        if self.is_priced:
            return figures.cost
        return (
            figures.tokens_left
            if self.unit is BudgetUnit.SHARE
            else figures.tokens_after
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How settings did on sessions, in the mean: the share of the needed names that was kept, its
    interval (None below two sessions), the share of the tokens and the tokens that were left, and
    US dollars a session over the ``priced`` ones, whose cost is known. None where a run failed.
    ``musts`` and ``musts_kept`` are sums over the sessions."""

    share: float | None = None
    interval: Interval | None = None
    tokens_left: float | None = None
    tokens_after: float | None = None
    cost: float | None = None
    priced: int = 0
    musts: int = 0
    musts_kept: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedStrategy:
    """The best settings of a strategy on the choosing sessions, and how they and the defaults did
    on the others. ``gain`` is what they keep more than the defaults do at the same tokens, session
    by session; None without two sessions. ``runs`` are the settings that were tried."""

    best: Trial
    fits: bool
    chosen_share: float
    figures: Figures = Figures()
    default: Figures = Figures()
    gain: Interval | None = None
    runs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneResult:
    """A search so far: the strategies, the best first as the choosing sessions rank them.
    ``left_out`` are sessions without a backtest, with the reason. ``over_preset`` compares the
    first with the best preset that was run. ``rival`` is the strategy whose defaults keep most at
    the size of the first on the choosing sessions, ``over_rival`` what the first keeps more than
    they do at the same tokens on the others. While it runs, ``stage`` says what is done: ``done``
    sessions of ``planned``; ``tried`` settings are known."""

    request: TuneRequest
    strategies: tuple[TunedStrategy, ...] = ()
    choosing: tuple[str, ...] = ()
    reporting: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    preset: str = ""
    over_preset: Interval | None = None
    rival: str = ""
    over_rival: Interval | None = None
    done: int = 0
    planned: int = 0
    tried: int = 0
    stage: str = ""

    @property
    def is_over(self) -> bool:
        return self.stage == ""

    def fits(self, tuned: TunedStrategy) -> bool:
        """Return whether settings keep to the budget on both halves."""
        size = self.request.size(tuned.figures)
        return tuned.fits and size is not None and size <= self.request.budget

    def is_proven_better(self, tuned: TunedStrategy) -> bool:
        """Return whether settings are shown to be better than the defaults: they keep to the budget
        on both halves, and keep more at the same tokens, the first more than the defaults of any
        strategy."""
        gains = [tuned.gain]
        if tuned is self.strategies[0]:
            gains.append(self.over_rival)
        is_better = all(gain is not None and gain.low > 0 for gain in gains)
        return self.is_over and self.fits(tuned) and is_better


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """A search over ``files`` of a folder, before, while and after it runs; its work took
    ``seconds``. ``resumed`` evaluations were known before it began. ``problems`` says what could
    not be read. ``is_outdated``: a setting that it does not search has another value by now."""

    folder: Path
    files: int
    request: TuneRequest
    resumed: int = 0
    problems: tuple[str, ...] = ()
    result: TuneResult | None = None
    seconds: float = 0.0
    is_running: bool = False
    is_outdated: bool = False


_BUDGET_HINT = "Write a share of the tokens (30 % or 0.3), tokens (50k), or dollars a session ($0.50)."


def parse_budget(text: str, *, in_dollars: bool = False) -> tuple[float, BudgetUnit]:
    """Return a budget and its unit: a share up to 1, as percent up to 100, with or without its
    sign, tokens above that, dollars after a dollar sign. Raises InputError."""
    text = text.strip()
    if in_dollars or text.startswith("$"):
        unit = BudgetUnit.DOLLARS
        number = _dollars(text)
    else:
        number = aim_value(text) or 0.0
        unit = BudgetUnit.SHARE if number <= 1 else BudgetUnit.TOKENS
    if not 0 < number < inf:
        raise InputError(f"{text!r} is not a budget.", _BUDGET_HINT)
    return number, unit


def _dollars(text: str) -> float:
    """Return an amount, 0 for what is none."""
    try:
        return float(plain_number(text.removeprefix("$")))
    except ValueError:
        return 0.0

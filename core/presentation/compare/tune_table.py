"""The table and the plot of a search of settings, which the window shows as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.analysis.intervals import Interval
from core.common.number_format import percent, percent_range
from core.presentation.compare.columns import (
    UNKNOWN_CELL,
    count_of,
    make_column,
    unit_cell,
)
from core.presentation.compare.model import (
    Column,
    FolderWorkPage,
    ResultTable,
    TableCell,
    Unit,
)
from core.presentation.compare.results import (
    PlotPoint,
    ScatterPlot,
    share_point,
    share_scatter,
)
from core.presentation.losses_words import MUST_KEEP
from core.settings.schema import SettingChanges
from core.trials.tune_values import Figures, TunedStrategy


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneRow:
    """A strategy with its best settings. ``changes`` are all settings that make it so, ``lines``
    the same in words; ``note`` says where it is above the budget. ``verdict`` compares it with its
    defaults on the ``sessions`` that report, "" before; ``is_proven_better``: it is better."""

    tuned: TunedStrategy
    sessions: int
    changes: SettingChanges
    lines: tuple[str, ...]
    note: str
    verdict: str
    is_proven_better: bool = False

    @property
    def name(self) -> str:
        return self.tuned.best.strategy

    @property
    def has_musts(self) -> bool:
        return self.tuned.figures.musts > 0

    @property
    def keeps_all(self) -> bool:
        """Whether every text that must survive stands word for word after the runs."""
        return (
            self.has_musts and self.tuned.figures.musts_kept == self.tuned.figures.musts
        )

    @property
    def settings(self) -> str:
        """Those that differ from the defaults."""
        return (
            ", ".join(f"{key}={value}" for key, value in self.tuned.best.settings)
            or "the defaults"
        )

    @property
    def short_settings(self) -> str:
        """The same with the last words of the keys."""
        pairs = (
            (key.rpartition(".")[2], value) for key, value in self.tuned.best.settings
        )
        return ", ".join(f"{key}={value}" for key, value in pairs) or "the defaults"


@dataclass(frozen=True, slots=True, kw_only=True)
class TunePage(FolderWorkPage):
    """A search so far. ``budget`` as it is typed; ``sentences`` say how far it is, or what is shown
    of the best strategy against a preset."""

    budget: str
    for_session: str = ""
    rows: tuple[TuneRow, ...] = ()
    sentences: tuple[str, ...] = ()
    resumed: int = 0


def interval_text(interval: Interval) -> str:
    """Return "61 to 78 %", the 95 % interval of a share."""
    return percent_range(interval.low, interval.high)


def _needed(figures: Figures) -> TableCell:
    if figures.share is None:
        return UNKNOWN_CELL
    if figures.interval is not None:
        interval = f" ({interval_text(figures.interval)})"
    else:
        interval = ""
    if interval:
        tip = "In brackets the 95 % interval, from resampling the sessions."
    else:
        tip = ""
    return TableCell(f"{percent(figures.share, 0)}{interval}", figures.share, tip=tip)


_WITHOUT_PRICE = "The model has no price, or a request exceeds its window."


def _cost(figures: Figures, sessions: int) -> TableCell:
    """Return the cost a session, and on how many it is known if not on all."""
    cell = unit_cell(Unit.DOLLARS, figures.cost)
    if figures.cost is None:
        return replace(cell, tip=_WITHOUT_PRICE)
    if figures.priced == sessions:
        return cell
    known = f" ({figures.priced:,} of {sessions:,})"
    return TableCell(
        f"{cell.text}{known}",
        cell.key,
        tip=f"Not known of others: {_WITHOUT_PRICE}",
    )


def _figure_columns(
    prefix: str, labels: Sequence[str], of: Callable[[TuneRow], Figures]
) -> tuple[Column[TuneRow], ...]:
    """Return the columns of the best settings or of the defaults: what is kept, what is left, the
    cost."""
    needed, left, cost = labels
    return (
        make_column(
            f"{prefix}needed",
            lambda row: of(row).share,
            needed,
            Unit.SHARE,
            lambda row: _needed(of(row)),
        ),
        make_column(
            f"{prefix}tokens_left", lambda row: of(row).tokens_left, left, Unit.SHARE
        ),
        make_column(
            f"{prefix}cost",
            lambda row: of(row).cost,
            cost,
            Unit.DOLLARS,
            lambda row: _cost(of(row), row.sessions),
        ),
    )


_MUST_TIP = (
    "Texts that must survive and stand word for word after the runs, of those said by then, on the "
    "sessions that report."
)


def _musts(row: TuneRow) -> TableCell:
    found = row.tuned.figures
    return count_of(found.musts_kept, found.musts, _MUST_TIP)


def _idle_of(rows: Sequence[TuneRow]) -> tuple[str, ...]:
    if any(row.has_musts for row in rows):
        return ()
    return (_MUSTS,)


_MUSTS = "musts"
_NEEDED, *_SIZES = _figure_columns(
    "", ("needed later", "left", "cost"), lambda row: row.tuned.figures
)
_DEFAULT, *_MORE_OF_DEFAULT = _figure_columns(
    "default_",
    ("needed later, defaults", "left, defaults", "cost, defaults"),
    lambda row: row.tuned.default,
)
TUNE: ResultTable[TuneRow] = ResultTable(
    "strategy",
    (
        _NEEDED,
        make_column(
            _MUSTS, lambda row: row.tuned.figures.musts_kept, MUST_KEEP, cell=_musts
        ),
        *_SIZES,
        _DEFAULT,
        *(replace(one, is_optional=True) for one in _MORE_OF_DEFAULT),
        make_column(
            "settings",
            lambda row: row.settings,
            "best settings",
            Unit.TEXT,
            lambda row: TableCell(row.short_settings, tip="\n".join(row.lines)),
        ),
    ),
    lambda row: "",
    lambda row: row.note,
    _idle_of,
)


def tune_plot(rows: Sequence[TuneRow], chosen: str) -> ScatterPlot:
    """Plot the best settings of each strategy, and the defaults of the chosen one."""
    points = [_point(row.name, row.tuned.figures) for row in rows]
    points += [
        _point(f"{row.name}, defaults", row.tuned.default)
        for row in rows
        if row.name == chosen
    ]
    return share_scatter([point for point in points if point is not None])


def _point(name: str, figures: Figures) -> PlotPoint | None:
    return share_point(name, figures.tokens_left, figures.share)

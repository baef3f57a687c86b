"""The page of a search of settings: its table, its plot, and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.analysis.context import Cell, csv_bytes
from core.analysis.tune.model import BudgetUnit, Figures, Interval, TunedStrategy, TuneResult, Tuning
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import percent
from core.presentation.compare.columns import UNKNOWN_CELL, dollar_cell, share_cell
from core.presentation.compare.model import AnalysisPage, Column, ResultTable, TableCell
from core.presentation.compare.pages import strategy_choices
from core.presentation.compare.results import OTHER, PlotPoint, ScatterPlot, needed_axis, scatter
from core.presentation.compare.tuned_settings import (
    budget_text,
    gain_text,
    interval_text,
    points_text,
    sessions_text,
)
from core.presentation.plots import percent_labels, plot_axis
from core.settings.schema import SettingChanges


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneRow:
    """A strategy with its best settings. ``changes`` are all settings that make it so, ``verdict`` says what
    is shown against its defaults on the ``sessions`` that report."""

    tuned: TunedStrategy
    sessions: int
    changes: SettingChanges
    verdict: str

    @property
    def name(self) -> str:
        return self.tuned.best.strategy

    @property
    def settings(self) -> str:
        return ", ".join(f"{key}={value}" for key, value in self.tuned.best.vector) or "the defaults"


@dataclass(frozen=True, slots=True, kw_only=True)
class TunePage(AnalysisPage):
    """A search so far. ``question`` is asked before the work, empty while it runs. ``is_idle``: nothing runs.
    ``budget`` as it is typed; ``sentences`` are what is shown, ``footnote`` what was left out."""

    path: str
    question: str
    budget: str
    own: str = ""
    rows: tuple[TuneRow, ...] = ()
    sentences: tuple[str, ...] = ()
    footnote: str = ""
    is_idle: bool = True
    resumed: int = 0


def tune_row(result: TuneResult, tuned: TunedStrategy) -> TuneRow:
    return TuneRow(
        tuned=tuned,
        sessions=len(result.reporting),
        changes=tuple(result.settings(tuned).items()),
        verdict=f"{tuned.best.strategy}: {gain_text(tuned, result)}" if result.is_over else "",
    )


def _needed(figures: Figures) -> TableCell:
    if figures.share is None:
        return UNKNOWN_CELL
    interval = f" ({interval_text(figures.interval)})" if figures.interval is not None else ""
    tip = "In brackets the 95 % interval, from resampling the sessions." if interval else ""
    return TableCell(f"{percent(figures.share, 0)}{interval}", figures.share, tip=tip)


def _cost(figures: Figures, sessions: int) -> TableCell:
    """Return the cost a session, and on how many it is known if not on all."""
    cell = dollar_cell(figures.cost)
    if figures.cost is None or figures.priced == sessions:
        return cell
    known = f" ({figures.priced:,} of {sessions:,})"
    return TableCell(
        f"{cell.text}{known}", cell.key, tip="The other sessions have no price, or exceed the window."
    )


TUNE: ResultTable[TuneRow] = ResultTable(
    "strategy",
    (
        Column("needed later", lambda row: _needed(row.tuned.found)),
        Column("left", lambda row: share_cell(row.tuned.found.tokens_left)),
        Column("cost", lambda row: _cost(row.tuned.found, row.sessions)),
        Column("default", lambda row: _needed(row.tuned.default)),
        Column("left by it", lambda row: share_cell(row.tuned.default.tokens_left)),
        Column("its cost", lambda row: _cost(row.tuned.default, row.sessions)),
        Column("best settings", lambda row: TableCell(row.settings, tip=row.settings.replace(", ", "\n"))),
    ),
    lambda row: "",
    lambda row: "" if row.tuned.fits else "above the budget",
)


def verdicts(result: TuneResult) -> Iterator[str]:
    """Yield what is shown of the best strategy against its defaults and against the best preset."""
    first = result.strategies[0]
    yield tune_row(result, first).verdict
    if result.over_preset is not None:
        yield f"Against {result.preset}, the best preset: {points_text(result.over_preset)}."


def stage_text(state: TuneResult) -> str:
    """Return what is done and what is left of a stage, and how much was tried."""
    tried = f", {number_format.plural(state.tried, 'setting')} tried" if state.tried else ""
    return f"{state.stage}: {state.done:,} of {number_format.plural(state.planned, 'session')}{tried}"


_MAX_NAMED = 3
"""Sessions that were left out and are named with the reason; others are counted."""


def tune_page(tuning: Tuning) -> TunePage:
    result, request = tuning.result, tuning.request
    rows = tuple(tune_row(result, one) for one in result.strategies) if result is not None else ()
    is_over = result is not None and result.is_over
    total = number_format.plural(tuning.files, "file")
    about = f"{total} in {tuning.folder.name}"
    if result is not None and result.choosing:
        about = f"{sessions_text(result)} · budget {budget_text(request)}"
    return TunePage(
        about=about,
        status=_status(tuning),
        done=0 if result is None else result.done,
        total=max(1, 0 if result is None else result.planned) if not is_over else 0,
        names=request.strategies,
        choices=strategy_choices(),
        path=str(tuning.folder),
        question=_question(tuning) if not (tuning.is_running or is_over) else "",
        budget=budget_field(tuning),
        own=request.own,
        rows=rows,
        sentences=_sentences(result),
        footnote=_footnote(tuning),
        is_idle=not tuning.is_running,
        resumed=tuning.resumed,
    )


def _status(tuning: Tuning) -> str:
    result = tuning.result
    if result is None:
        return ""
    if not result.is_over:
        return stage_text(result)
    return f"{number_format.count(result.tried)} settings tried in {number_format.seconds(tuning.seconds)}"


def _question(tuning: Tuning) -> str:
    files = number_format.plural(tuning.files, "file")
    if tuning.resumed:
        return f"{number_format.plural(tuning.resumed, 'run')} on {files} are known and kept."
    return f"{files} to tune on, on all cores. No model is called."


def budget_field(tuning: Tuning) -> str:
    """Return the budget as it is typed."""
    request = tuning.request
    match request.unit:
        case BudgetUnit.SHARE:
            return percent(request.budget, 0)
        case BudgetUnit.TOKENS:
            return number_format.count(round(request.budget))
        case BudgetUnit.DOLLARS:
            return number_format.dollar_text(request.budget)


def _sentences(result: TuneResult | None) -> tuple[str, ...]:
    if result is None:
        return ()
    if not result.is_over:
        return (f"{stage_text(result)}. Figures come at the end, from the sessions that do not choose.",)
    if not result.reporting:
        return ("Too few sessions: one has to choose, another to report.",)
    return tuple(verdicts(result))


def _footnote(tuning: Tuning) -> str:
    left_out = tuning.result.left_out if tuning.result is not None else ()
    named = [
        f"{one_line_text(name, 80)}: {one_line_text(reason, 120)}" for name, reason in left_out[:_MAX_NAMED]
    ]
    more = len(left_out) - len(named)
    named += [f"And {more:,} more."] if more > 0 else []
    count = (
        [f"{number_format.plural(len(left_out), 'file')} of {tuning.files:,} left out."] if left_out else []
    )
    return " ".join((*tuning.problems[:_MAX_NAMED], *count, *named))


def tune_plot(rows: Sequence[TuneRow], chosen: str) -> ScatterPlot:
    """Plot the best settings of each strategy, and the defaults of the chosen one."""
    points = [_point(row.name, row.tuned.found) for row in rows]
    points += [_point(f"{row.name}, defaults", row.tuned.default) for row in rows if row.name == chosen]
    known = [point for point in points if point is not None]
    x = plot_axis(0, 100, percent_labels, 9, title="share of tokens left · further left saves more")
    return scatter("Tokens left against what was needed later", known, x, needed_axis(known))


def _point(name: str, figures: Figures) -> PlotPoint | None:
    if figures.share is None or figures.tokens_left is None:
        return None
    left, kept = percent(figures.tokens_left, 0), percent(figures.share, 0)
    text = f"{left} of the tokens left, {kept} of what later turns needed"
    return PlotPoint(name, 100 * figures.tokens_left, 100 * figures.share, OTHER, text)


CSV_COLUMNS = (
    *("strategy", "settings", "fits", "runs"),
    *("needed", "needed_low", "needed_high", "tokens_left", "tokens_after", "cost"),
    *("default_needed", "default_needed_low", "default_needed_high"),
    *("default_tokens_left", "default_tokens_after", "default_cost"),
    *("gain", "gain_low", "gain_high"),
)


def tune_csv(tuning: Tuning) -> bytes:
    """Return a line per strategy; shares from 0 to 1, costs in US dollars a session."""
    rows = tuning.result.strategies if tuning.result is not None else ()
    return csv_bytes(CSV_COLUMNS, map(_csv_cells, rows))


def _csv_cells(row: TunedStrategy) -> tuple[Cell, ...]:
    settings = " ".join(f"{key}={value}" for key, value in row.best.vector)
    head = row.best.strategy, settings, int(row.fits), row.runs
    return (*head, *_figure_cells(row.found), *_figure_cells(row.default), *_interval_cells(row.gain))


def _figure_cells(figures: Figures) -> tuple[Cell, ...]:
    low, high = _interval_cells(figures.interval)[1:]
    return figures.share, low, high, figures.tokens_left, figures.tokens_after, figures.cost


def _interval_cells(interval: Interval | None) -> tuple[Cell, Cell, Cell]:
    return (None, None, None) if interval is None else (interval.mean, interval.low, interval.high)

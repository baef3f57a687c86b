"""Formats the folder comparison view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.analysis.compare.flat_rows import means_by_name
from core.analysis.compare.folder_job import FileComparisonResult
from core.analysis.compare.model import BASELINE, RECORDED, FolderCompareRow, FolderMeans
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import UNKNOWN, dollar_text, seconds
from core.presentation.compare.model import BEATEN, FRONT, CompareCell, ComparePoint
from core.presentation.compare.model import RECORDED as DIAMOND
from core.presentation.folder.model import FILE_COLUMNS, MEAN_COLUMNS, FolderPage, FolderRow
from core.presentation.model import PickerChoice, PriceChoice
from core.presentation.plots import fidelity_axis, percent_labels, plot_axis
from core.presentation.strategy_choices import default_strategies, strategy_choices

_RECORDED_CHOICE = PickerChoice(RECORDED, RECORDED, "What the agents themselves made of it.", RECORDED)
_MAX_PROBLEMS = 3
"""Most files without a transcript that are named; the rest is counted."""


@dataclass(frozen=True, slots=True)
class FolderProgress:
    """A folder comparison so far: ``files`` in order, None if pending; ``resumed_count`` were done before."""

    path: Path
    names: tuple[str, ...]
    files: tuple[FileComparisonResult | None, ...]
    resumed_count: int
    is_running: bool
    shown_strategy: str
    prices: PriceChoice
    seconds: float = 0.0
    problems: tuple[str, ...] = ()


def default_names() -> tuple[str, ...]:
    """Return the default selection: baseline, recorded, and strategies."""
    baseline, *strategies = default_strategies()
    return (baseline, RECORDED, *strategies)


def folder_page(progress: FolderProgress) -> FolderPage:
    files = [point for point in progress.files if point is not None]
    lines = [line for point in files for line in point.rows]
    rows = means_by_name(lines)
    points = tuple(filter(None, map(_point, rows)))
    # recorded ones have other files and scopes
    comparable = [point for point in points if point.name != RECORDED]
    front = [
        point for point in comparable if not any(_dominates(other_point, point) for other_point in comparable)
    ]
    shaped = tuple(_shaped(point, point in front) for point in points)
    done, total = len(files), len(progress.files)
    shown_strategy = (
        progress.shown_strategy
        if any(row.name == progress.shown_strategy for row in rows)
        else _first_strategy(rows)
    )
    min_fidelity = min((point.fidelity for point in points), default=0.0)
    return FolderPage(
        str(progress.path),
        number_format.plural(total, "file"),
        f"in {progress.path.name} · {_compared_text(files)} · nothing is sent",
        "" if progress.is_running else _question(progress.resumed_count, done, total),
        progress.resumed_count,
        done,
        total,
        progress.names,
        (_RECORDED_CHOICE, *strategy_choices()),
        tuple(map(_strategy_row, rows)),
        shown_strategy,
        tuple(_file_row(progress.path, line) for line in lines if _name(line) == shown_strategy),
        shaped,
        tuple(sorted(map(points.index, front), key=lambda index: points[index].tokens)),
        plot_axis(0, 100, percent_labels, 9, title="share of tokens left (fewer is better)"),
        fidelity_axis(min_fidelity, 6, title="weighted fidelity (more is better)"),
        f"{done} of {number_format.plural(total, 'file')} done" + _duration_text(progress),
        _footnote(progress, files),
        not progress.is_running,
        progress.prices,
    )


def _duration_text(progress: FolderProgress) -> str:
    return f" in {seconds(progress.seconds)}" if progress.seconds else ""


def _compared_text(files: Sequence[FileComparisonResult]) -> str:
    count = sum(not file.problem for file in files)
    return f"{number_format.plural(count, 'transcript')} compared"


def _question(resumed_count: int, done: int, total: int) -> str:
    if resumed_count:
        return (
            f"{resumed_count} of {number_format.plural(total, 'file')} were done before with these settings."
        )
    if done == total:
        return ""
    if done:
        return f"{done} of {number_format.plural(total, 'file')} are done and kept."
    return f"{number_format.plural(total, 'file')} to compare, on all cores. Nothing is sent."


def _footnote(progress: FolderProgress, files: Sequence[FileComparisonResult]) -> str:
    """Return what was not compared."""
    failed_files = [file for file in files if file.problem]
    texts = [one_line_text(file.problem_text, 200) for file in failed_files[:_MAX_PROBLEMS]]
    if len(failed_files) > _MAX_PROBLEMS:
        texts.append(
            f"{len(failed_files) - _MAX_PROBLEMS:,} more files are no transcripts or could not be compared."
        )
    return " ".join((*progress.problems[:_MAX_PROBLEMS], *texts))


def _first_strategy(rows: Sequence[FolderMeans]) -> str:
    """Return the first strategy other than the baseline."""
    names = [row.name for row in rows]
    return next((name for name in names if name not in (BASELINE, RECORDED)), names[0] if names else "")


def _name(line: FolderCompareRow) -> str:
    return RECORDED if line.kind == RECORDED else line.name


def _strategy_row(row: FolderMeans) -> FolderRow:
    success_count = row.files - row.errors
    cells = (
        CompareCell(row.name),
        CompareCell(number_format.count(success_count), success_count),
        _rounded_cell(row.tokens),
        _saved(row.saved),
        CompareCell("" if row.saved_spread is None else f"{row.saved_spread * 100:.1f}", row.saved_spread),
        _score(row.fidelity),
        CompareCell("" if row.fidelity_spread is None else f"{row.fidelity_spread:.2f}", row.fidelity_spread),
        _share(row.demand),
        _dollars(row.summary_cost),
        _calls(row.break_even),
        _count_cell(row.no_ops),
        _count_cell(row.errors, "error"),
        _count_cell(row.lint_errors, "error"),
    )
    assert len(cells) == len(MEAN_COLUMNS)
    return FolderRow(row.name, cells)


def _file_row(folder: Path, line: FolderCompareRow) -> FolderRow:
    path = str(folder / line.file)
    name = CompareCell(line.file, tip=path)
    if line.error:
        before = CompareCell(number_format.tokens(line.method, line.before_tokens), line.before_tokens)
        empty_cells = (CompareCell("") for _ in FILE_COLUMNS[2:])
        return FolderRow(line.file, (name, before, *empty_cells), path, line.error)
    cells = (
        name,
        CompareCell(number_format.tokens(line.method, line.before_tokens), line.before_tokens),
        CompareCell(
            number_format.at_least(number_format.tokens(line.method, line.tokens), line.hidden), line.tokens
        ),
        _saved(line.saved),
        CompareCell(number_format.tokens("", line.messages), line.messages),
        _score(line.fidelity),
        _share(line.demand),
        _dollars(line.summary_cost),
        _lint(line),
    )
    assert len(cells) == len(FILE_COLUMNS)
    return FolderRow(line.file, cells, path, line.no_op)


def _rounded_cell(value: float | None) -> CompareCell:
    return CompareCell(UNKNOWN if value is None else number_format.count(round(value)), value)


def _saved(share: float | None) -> CompareCell:
    text = UNKNOWN if share is None else number_format.percent(-share if share else 0.0)
    return CompareCell(text, share)


def _score(value: float | None) -> CompareCell:
    return CompareCell(number_format.score(value), value)


def _share(value: float | None) -> CompareCell:
    return CompareCell(UNKNOWN if value is None else number_format.percent(value, 0), value)


def _dollars(value: float | None) -> CompareCell:
    return CompareCell(UNKNOWN if value is None else dollar_text(value), value)


def _calls(value: float | None) -> CompareCell:
    return CompareCell(UNKNOWN if value is None else f"{value:.1f} calls", value)


def _count_cell(value: int, tone: str = "") -> CompareCell:
    return CompareCell(number_format.count(value), value, tone if value else "")


def _lint(line: FolderCompareRow) -> CompareCell:
    if line.lint_errors:
        return CompareCell(number_format.plural(line.lint_errors, "error"), line.lint_errors * 1000, "error")
    if line.lint_warnings:
        return CompareCell(number_format.plural(line.lint_warnings, "warning"), line.lint_warnings, "warn")
    return CompareCell("ok", 0, "ok")


def _point(row: FolderMeans) -> ComparePoint | None:
    if row.saved is None or row.fidelity is None:
        return None
    percent_left = round((1 - row.saved) * 100)
    text = f"{percent_left} % of the tokens left, fidelity {number_format.score(row.fidelity)}"
    return ComparePoint(row.name, percent_left, row.fidelity, BEATEN, text)


def _dominates(other: ComparePoint, point: ComparePoint) -> bool:
    better = other.tokens < point.tokens or other.fidelity > point.fidelity
    return other.tokens <= point.tokens and other.fidelity >= point.fidelity and better


def _shaped(point: ComparePoint, is_front: bool) -> ComparePoint:
    shape = DIAMOND if point.name == RECORDED else FRONT if is_front else BEATEN
    return ComparePoint(point.name, point.tokens, point.fidelity, shape, point.text)

"""Formats the folder comparison view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.analysis.compare.flat_rows import FolderCompareRow, FolderMeans, means_by_name
from core.analysis.compare.folder_job import FileComparisonResult
from core.analysis.compare.row_computation import BASELINE, RECORDED
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import UNKNOWN, dollar_text, seconds
from core.presentation.compare.model import BEATEN, FRONT, CompareCell, ComparePoint
from core.presentation.compare.model import RECORDED as DIAMOND
from core.presentation.folder.model import FILES, MEANS, FolderPage, FolderRow
from core.presentation.model import PickerChoice, PriceChoice
from core.presentation.opened_file import PRESETS
from core.presentation.plots import fidelity_axis, percent_labels, plot_axis
from core.strategies.registry import STRATEGIES

_UNREAD = 3
"""Most files without a transcript that are named; the rest is counted."""


@dataclass(frozen=True, slots=True)
class FolderProgress:
    """A folder comparison so far: ``files`` in order, None if pending; ``known`` were done before."""

    generation: int
    path: Path
    names: tuple[str, ...]
    files: tuple[FileComparisonResult | None, ...]
    known: int
    is_running: bool
    shown: str
    prices: PriceChoice
    seconds: float = 0.0
    problems: tuple[str, ...] = ()


def first_names() -> tuple[str, ...]:
    """Return the default selection: baseline, recorded, and strategies."""
    return (BASELINE, RECORDED, *(one.name for one in STRATEGIES if one.emulates is None))


def folder_page(progress: FolderProgress) -> FolderPage:
    files = [point for point in progress.files if point is not None]
    lines = [line for point in files for line in point.lines]
    rows = means_by_name(lines)
    points = tuple(filter(None, map(_point, rows)))
    # recorded ones have other files and scopes
    comparable = [point for point in points if point.name != RECORDED]
    front = [point for point in comparable if not any(_beats(other, point) for other in comparable)]
    shaped = tuple(_shaped(point, point in front) for point in points)
    done, total = len(files), len(progress.files)
    shown = progress.shown if any(row.name == progress.shown for row in rows) else _first_strategy(rows)
    low = min((point.fidelity for point in points), default=0.0)
    return FolderPage(
        progress.generation,
        str(progress.path),
        number_format.plural(total, "file"),
        f"in {progress.path.name} · {_compared(files)} · nothing is sent",
        "" if progress.is_running else _question(progress.known, done, total),
        progress.known,
        done,
        total,
        progress.names,
        tuple(_choices()),
        tuple(map(_strategy_row, rows)),
        shown,
        tuple(_file_row(progress.path, line) for line in lines if _name(line) == shown),
        shaped,
        tuple(sorted(map(points.index, front), key=lambda place: points[place].tokens)),
        plot_axis(0, 100, percent_labels, 9, title="share of tokens left (fewer is better)"),
        fidelity_axis(low, 6, title="weighted fidelity (more is better)"),
        f"{done} of {number_format.plural(total, 'file')} done" + _duration_text(progress),
        _foot(progress, files),
        not progress.is_running,
        progress.prices,
    )


def _duration_text(progress: FolderProgress) -> str:
    return f" in {seconds(progress.seconds)}" if progress.seconds else ""


def _compared(files: Sequence[FileComparisonResult]) -> str:
    count = sum(not one.problem for one in files)
    return f"{number_format.plural(count, 'transcript')} compared"


def _question(known: int, done: int, total: int) -> str:
    if known:
        return f"{known} of {number_format.plural(total, 'file')} were done before with these settings."
    if done == total:
        return ""
    if done:
        return f"{done} of {number_format.plural(total, 'file')} are done and kept."
    return f"{number_format.plural(total, 'file')} to compare, on all cores. Nothing is sent."


def _foot(progress: FolderProgress, files: Sequence[FileComparisonResult]) -> str:
    """Return what was not compared."""
    unread = [one for one in files if one.problem]
    texts = [one_line_text(one.told, 200) for one in unread[:_UNREAD]]
    if len(unread) > _UNREAD:
        texts.append(f"{len(unread) - _UNREAD:,} more files are no transcripts or could not be compared.")
    return " ".join((*progress.problems[:_UNREAD], *texts))


def _choices() -> Iterator[PickerChoice]:
    yield PickerChoice(RECORDED, RECORDED, "What the agents themselves made of it.", RECORDED)
    for one in STRATEGIES:
        if one.name != BASELINE:
            yield PickerChoice(one.name, one.name, one.about, PRESETS if one.emulates else "strategies")


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
        _whole(row.tokens),
        _saved(row.saved),
        CompareCell("" if row.saved_spread is None else f"{row.saved_spread * 100:.1f}", row.saved_spread),
        _score(row.fidelity),
        CompareCell("" if row.fidelity_spread is None else f"{row.fidelity_spread:.2f}", row.fidelity_spread),
        _share(row.demand),
        _dollars(row.summary_cost),
        _calls(row.break_even),
        _count(row.no_ops),
        _count(row.errors, "error"),
        _count(row.lint_errors, "error"),
    )
    assert len(cells) == len(MEANS)
    return FolderRow(row.name, cells)


def _file_row(folder: Path, line: FolderCompareRow) -> FolderRow:
    path = str(folder / line.file)
    name = CompareCell(line.file, tip=path)
    if line.error:
        before = CompareCell(number_format.tokens(line.method, line.before_tokens), line.before_tokens)
        rest = (CompareCell("") for _ in FILES[2:])
        return FolderRow(line.file, (name, before, *rest), path, line.error)
    cells = (
        name,
        CompareCell(number_format.tokens(line.method, line.before_tokens), line.before_tokens),
        CompareCell(
            number_format.least(number_format.tokens(line.method, line.tokens), line.hidden), line.tokens
        ),
        _saved(line.saved),
        CompareCell(number_format.tokens("", line.messages), line.messages),
        _score(line.fidelity),
        _share(line.demand),
        _dollars(line.summary_cost),
        _lint(line),
    )
    assert len(cells) == len(FILES)
    return FolderRow(line.file, cells, path, line.no_op)


def _whole(value: float | None) -> CompareCell:
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


def _count(value: int, tone: str = "") -> CompareCell:
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
    left = round((1 - row.saved) * 100)
    text = f"{left} % of the tokens left, fidelity {number_format.score(row.fidelity)}"
    return ComparePoint(row.name, left, row.fidelity, BEATEN, text)


def _beats(other: ComparePoint, one: ComparePoint) -> bool:
    better = other.tokens < one.tokens or other.fidelity > one.fidelity
    return other.tokens <= one.tokens and other.fidelity >= one.fidelity and better


def _shaped(one: ComparePoint, is_front: bool) -> ComparePoint:
    shape = DIAMOND if one.name == RECORDED else FRONT if is_front else BEATEN
    return ComparePoint(one.name, one.tokens, one.fidelity, shape, one.text)

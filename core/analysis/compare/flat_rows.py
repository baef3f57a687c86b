"""Comparison rows as flat records for JSON, CSV and the progress file of a folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from statistics import stdev

from core.analysis.compare.model import RECORDED, CompareRow, FolderCompareRow, FolderMeans
from core.analysis.fidelity.model import FidelityCategory
from core.common.errors import InputError
from core.common.json_value import Json


def flat_row(file: str, row: CompareRow, method: str = "") -> FolderCompareRow:
    """Flatten a row of ``file``; ``method`` is the mark of the counting method."""
    has_result, cost, demand = not row.error, row.cost, row.demand
    is_comparable = has_result and not row.hidden and row.before_tokens > 0
    saved = 1 - row.tokens / row.before_tokens if is_comparable else None
    return FolderCompareRow(
        file,
        row.name,
        row.kind,
        row.scope,
        row.before_messages,
        row.before_tokens,
        row.messages if has_result else None,
        row.tokens if has_result else None,
        saved,
        row.fidelity,
        demand.needed if demand else None,
        demand.recall if demand else None,
        row.invented,
        cost.prefix if cost else None,
        cost.rewritten if cost else None,
        cost.summary if cost else None,
        cost.first_before if cost else None,
        cost.first_after if cost else None,
        cost.later_before if cost else None,
        cost.later_after if cost else None,
        cost.break_even if cost else None,
        row.calls,
        *row.lint,
        round(row.seconds, 4),
        row.on_front,
        row.note,
        row.no_op,
        row.error,
        row.hidden,
        method,
        row.lost,
        {score.kind.value: score.facts for score in row.scores if score.facts},
        {score.kind.value: score.recall for score in row.scores if score.facts},
    )


def to_json(row: FolderCompareRow) -> dict[str, Json]:
    return asdict(row)


def from_json(value: Json) -> FolderCompareRow:
    """Parse a line as ``to_json`` wrote it; raise InputError for anything else."""
    try:
        return FolderCompareRow(**value)
    except TypeError:
        raise InputError("A line of the progress file is incomplete.", "Start again with --fresh.") from None


_METHOD_WORDS = {"=": "exact", "≈": "estimate"}
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

CSV_COLUMNS: tuple[str, ...] = (
    *(one.name for one in fields(FolderCompareRow) if one.name not in ("facts", "recall")),
    *(f"recall {kind.value}" for kind in FidelityCategory),
)
"""Columns of the CSV: the fields of a line, then recall by category."""


def csv_cells(row: FolderCompareRow) -> list[Json]:
    """Return the cells of a line, empty where a value is unknown."""
    values = {**asdict(row), "method": _METHOD_WORDS.get(row.method, "")}
    cells = [values[name] for name in CSV_COLUMNS[: -len(FidelityCategory)]]
    all_cells = [*cells, *(row.recall.get(kind.value) for kind in FidelityCategory)]
    return ["" if cell is None else _escape_formula(cell) for cell in all_cells]


def _escape_formula(cell: Json) -> Json:
    """Quote text that a spreadsheet would take for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) else cell


def flat_name(row: FolderCompareRow) -> str:
    """Return the row's name; recorded rows of all files share one."""
    return RECORDED if row.kind == RECORDED else row.name


def means_by_name(rows: Iterable[FolderCompareRow]) -> tuple[FolderMeans, ...]:
    """Return the means by name, in order of first occurrence."""
    by_name: dict[str, list[FolderCompareRow]] = {}
    for row in rows:
        by_name.setdefault(flat_name(row), []).append(row)
    return tuple(_means(name, group) for name, group in by_name.items())


def _means(name: str, rows: Sequence[FolderCompareRow]) -> FolderMeans:
    successful = [row for row in rows if not row.error]

    def known(figure: str) -> list[float]:
        return [value for row in successful if (value := getattr(row, figure)) is not None]

    def mean(figure: str) -> float | None:
        return sum(values) / len(values) if (values := known(figure)) else None

    def spread(figure: str) -> float | None:
        return stdev(values) if len(values := known(figure)) > 1 else None

    readable_tokens = [row.tokens for row in successful if not row.hidden and row.tokens is not None]
    return FolderMeans(
        name,
        len(rows),
        sum(bool(row.no_op) for row in successful),
        len(rows) - len(successful),
        mean("before_tokens"),
        sum(readable_tokens) / len(readable_tokens) if readable_tokens else None,
        mean("saved"),
        mean("fidelity"),
        mean("demand"),
        mean("break_even"),
        sum(row.calls for row in successful),
        sum(row.lint_errors for row in successful),
        round(sum(row.seconds for row in rows), 4),
        spread("saved"),
        spread("fidelity"),
        mean("summary_cost"),
        mean("lost"),
    )

"""Comparison rows as flat records for JSON, CSV and the progress file of a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from statistics import stdev

from core.analysis.compare.model import CompareRow
from core.analysis.fidelity.model import FidelityCategory
from core.common.errors import InputError
from core.common.json_value import Json


@dataclass(frozen=True, slots=True)
class FolderCompareRow:
    """One file and one strategy. Tokens unless noted; None if not applicable or unknown.

    ``saved`` is a share of ``before_tokens``, ``demand`` the share of ``needed`` facts that the result still
    has; ``facts`` and ``recall`` are by category; prices in US dollars; ``break_even`` in calls; ``method``
    is the mark of the counting method. ``hidden``: part of the result is encrypted, and ``tokens`` counts the
    rest.
    """

    file: str
    name: str
    kind: str
    scope: str
    before_messages: int
    before_tokens: int
    messages: int | None
    tokens: int | None
    saved: float | None
    fidelity: float | None
    needed: int | None
    demand: float | None
    invented: int
    prefix: int | None
    rewritten: int | None
    summary_cost: float | None
    first_before: float | None
    first_after: float | None
    later_before: float | None
    later_after: float | None
    break_even: float | None
    calls: int
    lint_errors: int
    lint_warnings: int
    seconds: float
    on_front: bool
    note: str
    no_op: str
    error: str
    hidden: bool = False
    method: str = ""
    facts: Mapping[str, int] = field(default_factory=dict)
    recall: Mapping[str, float | None] = field(default_factory=dict)


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


@dataclass(frozen=True, slots=True)
class FolderMeans:
    """Means of a name over the files of a folder where the figure is known. ``no_ops`` files were not
    changed, ``errors`` failed; ``calls`` and ``seconds`` are sums. A ``spread`` is a standard deviation, None
    for fewer than two files."""

    name: str
    files: int
    no_ops: int
    errors: int
    before_tokens: float | None
    tokens: float | None
    saved: float | None
    fidelity: float | None
    demand: float | None
    break_even: float | None
    calls: int
    lint_errors: int
    seconds: float
    saved_spread: float | None = None
    fidelity_spread: float | None = None
    summary_cost: float | None = None


def means_by_name(rows: Iterable[FolderCompareRow]) -> tuple[FolderMeans, ...]:
    """Return the means by name, in order of first occurrence; recorded rows share one name."""
    by_name: dict[str, list[FolderCompareRow]] = {}
    for row in rows:
        by_name.setdefault(row.kind if row.kind == "recorded" else row.name, []).append(row)
    return tuple(_means(name, group) for name, group in by_name.items())


def _means(name: str, rows: Sequence[FolderCompareRow]) -> FolderMeans:
    successful = [row for row in rows if not row.error]
    return FolderMeans(
        name,
        len(rows),
        sum(bool(row.no_op) for row in successful),
        len(rows) - len(successful),
        _average(row.before_tokens for row in successful),
        _average(row.tokens for row in successful if not row.hidden),
        _average(row.saved for row in successful),
        _average(row.fidelity for row in successful),
        _average(row.demand for row in successful),
        _average(row.break_even for row in successful),
        sum(row.calls for row in successful),
        sum(row.lint_errors for row in successful),
        round(sum(row.seconds for row in rows), 4),
        _standard_deviation(row.saved for row in successful),
        _standard_deviation(row.fidelity for row in successful),
        _average(row.summary_cost for row in successful),
    )


def _standard_deviation(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return stdev(known) if len(known) > 1 else None


def _average(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None

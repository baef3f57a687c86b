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


def line_of(file: str, row: CompareRow, method: str = "") -> FolderCompareRow:
    """Flatten a row of ``file``; ``method`` is the mark of the counting method."""
    is_made, cost, demand = not row.error, row.cost, row.demand
    is_comparable = is_made and not row.hidden and row.before_tokens > 0
    saved = 1 - row.tokens / row.before_tokens if is_comparable else None
    return FolderCompareRow(
        file,
        row.name,
        row.kind,
        row.scope,
        row.before_messages,
        row.before_tokens,
        row.messages if is_made else None,
        row.tokens if is_made else None,
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


def to_json(line: FolderCompareRow) -> dict[str, Json]:
    return asdict(line)


def from_json(value: Json) -> FolderCompareRow:
    """Parse a line as ``to_json`` wrote it; raise InputError for anything else."""
    try:
        return FolderCompareRow(**value)
    except TypeError:
        raise InputError("A line of the progress file is incomplete.", "Start again with --fresh.") from None


_METHODS = {"=": "exact", "≈": "estimate"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

CSV_HEAD: tuple[str, ...] = (
    *(one.name for one in fields(FolderCompareRow) if one.name not in ("facts", "recall")),
    *(f"recall {kind.value}" for kind in FidelityCategory),
)
"""Columns of the CSV: the fields of a line, then recall by category."""


def csv_cells(line: FolderCompareRow) -> list[Json]:
    """Return the cells of a line, empty where a value is unknown."""
    values = {**asdict(line), "method": _METHODS.get(line.method, "")}
    cells = [values[name] for name in CSV_HEAD[: -len(FidelityCategory)]]
    all_cells = [*cells, *(line.recall.get(kind.value) for kind in FidelityCategory)]
    return ["" if cell is None else _without_formula(cell) for cell in all_cells]


def _without_formula(cell: Json) -> Json:
    """Quote text that a spreadsheet would take for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


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


def means_by_name(lines: Iterable[FolderCompareRow]) -> tuple[FolderMeans, ...]:
    """Return the means by name, in order of first occurrence; recorded rows share one name."""
    by_name: dict[str, list[FolderCompareRow]] = {}
    for line in lines:
        by_name.setdefault(line.kind if line.kind == "recorded" else line.name, []).append(line)
    return tuple(_mean(name, group) for name, group in by_name.items())


def _mean(name: str, lines: Sequence[FolderCompareRow]) -> FolderMeans:
    successful = [line for line in lines if not line.error]
    return FolderMeans(
        name,
        len(lines),
        sum(bool(line.no_op) for line in successful),
        len(lines) - len(successful),
        _average(line.before_tokens for line in successful),
        _average(line.tokens for line in successful if not line.hidden),
        _average(line.saved for line in successful),
        _average(line.fidelity for line in successful),
        _average(line.demand for line in successful),
        _average(line.break_even for line in successful),
        sum(line.calls for line in successful),
        sum(line.lint_errors for line in successful),
        round(sum(line.seconds for line in lines), 4),
        _spread(line.saved for line in successful),
        _spread(line.fidelity for line in successful),
        _average(line.summary_cost for line in successful),
    )


def _spread(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return stdev(known) if len(known) > 1 else None


def _average(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return sum(known) / len(known) if known else None

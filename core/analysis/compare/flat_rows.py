"""A row of a comparison as flat figures: what JSON, CSV and the progress of a folder hold."""

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
    """One file and one name. Tokens unless said; None where it does not apply or is not known.

    ``saved`` is a share of ``before_tokens``, ``demand`` the share of ``needed`` things that the result
    still has; ``facts`` and ``recall`` go by category; prices in US dollars; ``break_even`` in calls;
    ``method`` is the mark of how tokens were counted. ``hidden``: a part of the result is encrypted, so
    that ``tokens`` are those of the rest and nothing follows from them.
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
    """A row as a line of ``file``, whose tokens were counted by a ``method`` (its mark)."""
    is_made, cost, demand = not row.error, row.cost, row.demand
    counts = is_made and not row.hidden and row.before_tokens > 0
    saved = 1 - row.tokens / row.before_tokens if counts else None
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
    """A line as an object."""
    return asdict(line)


def from_json(value: Json) -> FolderCompareRow:
    """A line as it was written; InputError for anything else."""
    try:
        return FolderCompareRow(**value)
    except TypeError:
        raise InputError("A line of the progress file is not whole.", "Start anew with --fresh.") from None


_METHODS = {"=": "exact", "≈": "estimate"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

CSV_HEAD: tuple[str, ...] = (
    *(one.name for one in fields(FolderCompareRow) if one.name not in ("facts", "recall")),
    *(f"recall {kind.value}" for kind in FidelityCategory),
)
"""The columns of the CSV: a line's own, then its recall by category."""


def csv_cells(line: FolderCompareRow) -> list[Json]:
    """The cells of a line; an empty one where nothing is known."""
    values = {**asdict(line), "method": _METHODS.get(line.method, "")}
    own = [values[name] for name in CSV_HEAD[: -len(FidelityCategory)]]
    found = [*own, *(line.recall.get(kind.value) for kind in FidelityCategory)]
    return ["" if one is None else _safe(one) for one in found]


def _safe(cell: Json) -> Json:
    """Nothing that a spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


@dataclass(frozen=True, slots=True)
class FolderMeans:
    """What a name did over all files of a folder: means over those where the figure is known.

    ``files`` in which it has a line, of which ``no_ops`` changed nothing and ``errors`` failed; ``calls``
    and ``seconds`` are sums. A ``spread`` is a standard deviation, None for fewer than two files.
    """

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
    """The means by name, in the order in which the names come first; all recorded ones are one name."""
    found: dict[str, list[FolderCompareRow]] = {}
    for line in lines:
        found.setdefault(line.kind if line.kind == "recorded" else line.name, []).append(line)
    return tuple(_mean(name, some) for name, some in found.items())


def _mean(name: str, lines: Sequence[FolderCompareRow]) -> FolderMeans:
    made = [line for line in lines if not line.error]
    return FolderMeans(
        name,
        len(lines),
        sum(bool(line.no_op) for line in made),
        len(lines) - len(made),
        _average(line.before_tokens for line in made),
        _average(line.tokens for line in made if not line.hidden),
        _average(line.saved for line in made),
        _average(line.fidelity for line in made),
        _average(line.demand for line in made),
        _average(line.break_even for line in made),
        sum(line.calls for line in made),
        sum(line.lint_errors for line in made),
        round(sum(line.seconds for line in lines), 4),
        _spread(line.saved for line in made),
        _spread(line.fidelity for line in made),
        _average(line.summary_cost for line in made),
    )


def _spread(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return stdev(known) if len(known) > 1 else None


def _average(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return sum(known) / len(known) if known else None

"""The figures of Compare as JSON and CSV, and their means over the files of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import stdev

from core.analysis.model import RECORDED
from core.common.csv_text import escape_formula
from core.common.json_value import Json
from core.common.number_format import UNKNOWN
from core.presentation.compare.columns import COLUMNS
from core.presentation.compare.model import FolderMeans, Unit
from core.trials.trial import TrialResult

CSV_COLUMNS = tuple(figure.key for figure in COLUMNS)
_METHOD_WORDS = {"=": "exact", "≈": "estimate"}


def row_json(row: TrialResult) -> dict[str, Json]:
    return {one.key: one.value(row) for one in COLUMNS}


def csv_cells(row: TrialResult) -> list[Json]:
    """Return the cells of a line, empty where a value is unknown, and with a word where it never
    pays for itself."""
    cells = row_json(row) | {"method": _METHOD_WORDS.get(row.sizes.mark, "")}
    for one in COLUMNS:
        if one.unit is Unit.CALLS and cells[one.key] is None:
            text = one.cell(row).text
        else:
            text = UNKNOWN
        cells |= {one.key: text} if text != UNKNOWN else {}
    return list(map(_csv_cell, cells.values()))


def _csv_cell(cell: Json) -> Json:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return escape_formula(cell)
    return cell


def folder_name(row: TrialResult) -> str:
    """Return the name under which a row is counted: recorded rows of all files share one."""
    return RECORDED if row.kind == RECORDED else row.name


def means_by_name(rows: Iterable[TrialResult]) -> tuple[FolderMeans, ...]:
    """Return the means by name, in order of first occurrence."""
    by_name: dict[str, list[TrialResult]] = {}
    for row in rows:
        by_name.setdefault(folder_name(row), []).append(row)
    return tuple(FolderMeans(name, _figures(group)) for name, group in by_name.items())


def means_json(means: FolderMeans) -> dict[str, Json]:
    return {"name": means.name, **means.figures}


_BY_KEY = {figure.key: figure.value for figure in COLUMNS}


def _figures(rows: Sequence[TrialResult]) -> dict[str, float | None]:
    successful = [row for row in rows if not row.error]

    def known(value: Callable[[TrialResult], Json]) -> list[float]:
        return [found for row in successful if (found := value(row)) is not None]

    def mean(value: Callable[[TrialResult], Json]) -> float | None:
        if values := known(value):
            return sum(values) / len(values)
        return None

    def spread(key: str) -> float | None:
        if len(values := known(_BY_KEY[key])) > 1:
            return stdev(values)
        return None

    return {
        "files": len(rows),
        "no_ops": sum(bool(row.no_op) for row in successful),
        "errors": len(rows) - len(successful),
        "before_tokens": mean(_BY_KEY["before_tokens"]),
        "tokens": mean(lambda row: None if row.sizes.hidden else row.sizes.tokens),
        "saved": mean(_BY_KEY["saved"]),
        "needed_share": mean(_BY_KEY["needed_share"]),
        "said_share": mean(_said_share),
        "nowhere": mean(_BY_KEY["nowhere"]),
        "said_by_nobody": mean(_BY_KEY["said_by_nobody"]),
        "break_even": mean(_BY_KEY["break_even"]),
        "calls": sum(row.calls for row in successful),
        "lint_errors": sum(row.lint[0] for row in successful),
        "seconds": round(sum(row.seconds for row in rows), 4),
        "saved_spread": spread("saved"),
        "needed_spread": spread("needed_share"),
        "summary_cost": mean(_BY_KEY["summary_cost"]),
    }


def _said_share(row: TrialResult) -> float | None:
    if row.said and row.said[1]:
        return row.said[0] / row.said[1]
    return None

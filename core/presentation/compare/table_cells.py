"""Formats the rows of a comparison, a cell per column."""

from __future__ import annotations

from core.analysis.compare.model import BASELINE, CompareRow
from core.analysis.compare.rows import recorded_number
from core.analysis.cost.model import CompactionCost
from core.analysis.fidelity.model import CategoryScore, FactStatus, FidelityCategory
from core.common import number_format
from core.common.number_format import UNKNOWN, dollar_text
from core.presentation.compare.model import COLUMNS, DONE, FAILED, WAITING, CompareCell, CompareTableRow
from core.presentation.fidelity.fact_wording import LABELS

_LOW_SHARE = 0.6
"""Cells of categories below this share are red."""
_KINDS = (FidelityCategory.CONSTRAINT, FidelityCategory.FILE, FidelityCategory.ERROR)
_EMPTY = CompareCell("")
MAX_TAG_LENGTH = 24
"""Longest note shown beside a name, in characters."""


def _rank(name: str) -> int:
    return 0 if name == BASELINE else 1 if recorded_number(name) is not None else 2


def compare_line(name: str, row: CompareRow | None, scope: str) -> CompareTableRow:
    """Return the row of a name over a scope; a row without a result waits."""
    number = recorded_number(name) or 0
    if row is None:
        cells = (CompareCell(name), *(_EMPTY for _ in COLUMNS[1:]))
        return CompareTableRow(name, _rank(name), WAITING, cells, number=number)
    if row.error:
        cells = (CompareCell(name), *(_EMPTY for _ in COLUMNS[1:]))
        return CompareTableRow(name, _rank(name), FAILED, cells, _tags(row, scope), None, row.error, number)
    return CompareTableRow(
        name,
        _rank(name),
        DONE,
        _cells(row),
        _tags(row, scope),
        row.fidelity,
        row.no_op,
        number,
        row.scope == scope,
    )


def _tags(row: CompareRow, scope: str) -> tuple[str, ...]:
    if row.name == BASELINE:
        return ("as it is",)
    parts = ["preset"] if row.kind == "preset" else []
    if row.scope != scope:
        parts.append(f"of {number_format.abbreviated(row.before_tokens)} before it")
    parts += [note for note in row.note.split("; ") if note and len(note) <= MAX_TAG_LENGTH]
    parts += ["nothing to compact"] if row.no_op else []
    return (", ".join(parts),) if parts else ()


def _cells(row: CompareRow) -> tuple[CompareCell, ...]:
    is_base = row.name == BASELINE
    saved = (row.tokens - row.before_tokens) / row.before_tokens if row.before_tokens else 0.0
    scores = {score.kind: score for score in row.scores}
    return (
        CompareCell(row.name),
        CompareCell(number_format.count(row.tokens), row.tokens),
        _EMPTY if is_base else CompareCell(number_format.percent(saved), saved),
        CompareCell(number_format.count(row.messages), row.messages),
        CompareCell(number_format.score(row.fidelity), row.fidelity, tip=_fidelity_tip(row)),
        *(_not_lost_cell(scores.get(kind)) for kind in _KINDS),
        _later_needs_cell(row),
        _prefix(row.cost),
        CompareCell(number_format.count(row.calls), row.calls),
        _price(row),
        _payback_cell(row, is_base),
        _lint(row.lint),
        _duration_cell(row, is_base),
    )


def _fidelity_tip(row: CompareRow) -> str:
    lines = [
        f"{LABELS[score.kind]}: {score.facts - score.by_status.get(FactStatus.LOST, 0)} of {score.facts}"
        for score in row.scores
        if score.facts
    ]
    if row.invented:
        lines.append(f"{number_format.plural(row.invented, 'fact')} in the summary that no source has")
    return "\n".join(lines)


def _not_lost_cell(score: CategoryScore | None) -> CompareCell:
    if score is None or not score.facts:
        return CompareCell(UNKNOWN)
    not_lost = score.facts - score.by_status.get(FactStatus.LOST, 0)
    share = not_lost / score.facts
    tone = "error" if share < _LOW_SHARE else ""
    return CompareCell(
        f"{number_format.count(not_lost)} of {number_format.count(score.facts)}",
        share,
        tone,
    )


def _later_needs_cell(row: CompareRow) -> CompareCell:
    """Return the share of later needs; unknown if the transcript ends with the scope."""
    demand = row.demand
    if demand is None or demand.recall is None:
        return CompareCell(UNKNOWN, tip="The transcript ends here: nobody knows what comes.")
    tip = (
        f"{number_format.count(demand.kept)} of {number_format.count(demand.needed)} "
        f"facts that were used again"
    )
    return CompareCell(number_format.percent(demand.recall, 0), demand.recall, tip=tip)


def _prefix(cost: CompactionCost | None) -> CompareCell:
    if cost is None:
        return CompareCell(UNKNOWN)
    if cost.first_changed is None:
        return CompareCell("all", float("inf"))
    return CompareCell(number_format.count(cost.prefix), cost.prefix)


def _price(row: CompareRow) -> CompareCell:
    if row.cost is None or row.cost.summary is None or row.kind == "recorded":
        return CompareCell(UNKNOWN)
    return CompareCell(dollar_text(row.cost.summary), row.cost.summary)


def _payback_cell(row: CompareRow, is_base: bool) -> CompareCell:
    """Return the calls until break-even with a warm cache."""
    cost = row.cost
    if is_base or row.no_op:
        return _EMPTY
    if cost is None or (cost.rates is None and cost.break_even is None):
        return CompareCell(UNKNOWN, tip="The model has no price in the table.")
    if cost.break_even is None:
        return CompareCell("never", float("inf"), "warn")
    calls = -int(-cost.break_even // 1)
    footnote_mark = " *" if row.kind == "recorded" else ""
    return CompareCell(
        f"{'at once' if not calls else number_format.plural(calls, 'call')}{footnote_mark}", cost.break_even
    )


def _lint(counts: tuple[int, int]) -> CompareCell:
    errors, warnings = counts
    if errors:
        return CompareCell(number_format.plural(errors, "error"), errors * 1000 + warnings, "error")
    if warnings:
        return CompareCell(number_format.plural(warnings, "warning"), warnings, "warn")
    return CompareCell("ok", 0.0, "ok")


def _duration_cell(row: CompareRow, is_base: bool) -> CompareCell:
    """Return the run time, if it was run here."""
    if is_base or row.kind == "recorded":
        return _EMPTY
    return CompareCell(number_format.seconds(row.seconds), row.seconds)

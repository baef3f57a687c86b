"""Facts that one row of a comparison lost and another still has."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.compare.model import CompareRow, LostFact, PairwiseLosses
from core.analysis.compare.row_computation import STATUSES
from core.analysis.fidelity.model import FactStatus, SourceFact
from core.common.errors import InputError


def pairwise_losses(a: CompareRow, b: CompareRow, facts: Sequence[SourceFact]) -> PairwiseLosses:
    """Return the facts lost in one row only, by category. ``facts`` are those of the scope of both rows
    (``row_computation.scope_facts``). Raises InputError if a row has no facts or the rows have different
    scopes."""
    if a.scope != b.scope:
        raise InputError(
            f"{a.name} and {b.name} are results of different messages ({a.scope}, {b.scope}).",
            f"Compare in the scope {a.scope if a.kind == 'recorded' else b.scope}.",
        )
    for row in (a, b):
        if len(row.statuses) != len(facts) or (row.error and not row.statuses):
            reason = row.error or row.note or "Its facts are not known."
            raise InputError(f"{row.name} cannot be compared by its facts.", reason)
    return PairwiseLosses(a.name, b.name, _facts_lost_only_in(a, b, facts), _facts_lost_only_in(b, a, facts))


def _facts_lost_only_in(
    losing_row: CompareRow, keeping_row: CompareRow, facts: Sequence[SourceFact]
) -> tuple[LostFact, ...]:
    """Return lost facts, without errors that later work removed."""
    lost_index = STATUSES.index(FactStatus.LOST)
    return tuple(
        LostFact(fact, STATUSES[keeping_status])
        for fact, losing_status, keeping_status in zip(
            facts, losing_row.statuses, keeping_row.statuses, strict=True
        )
        if losing_status == lost_index and keeping_status != lost_index and not fact.is_resolved
    )

"""Facts that one row of a comparison lost and another still has."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.compare.model import CompareRow, LostFact, PairwiseLosses
from core.analysis.compare.row_computation import STATUSES
from core.analysis.fidelity.model import FactStatus, SourceFact
from core.common.errors import InputError


def a_against_b(a: CompareRow, b: CompareRow, facts: Sequence[SourceFact]) -> PairwiseLosses:
    """Return the facts lost in one row only, by category. ``facts`` are those of the scope of both rows
    (``row_computation.facts_in``). Raises InputError if a row has no facts or the rows have different
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
    return PairwiseLosses(a.name, b.name, _lost(a, b, facts), _lost(b, a, facts))


def _lost(loser: CompareRow, keeper: CompareRow, facts: Sequence[SourceFact]) -> tuple[LostFact, ...]:
    """Return lost facts, without errors that later work removed."""
    lost_index = STATUSES.index(FactStatus.LOST)
    return tuple(
        LostFact(fact, STATUSES[keeper_status])
        for fact, loser_status, keeper_status in zip(facts, loser.statuses, keeper.statuses, strict=True)
        if loser_status == lost_index and keeper_status != lost_index and not fact.resolved
    )

"""Two rows of a comparison against each other: which facts the one loses and the other keeps."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.compare.model import CompareRow, LostFact, PairwiseLosses
from core.analysis.compare.row_computation import STATUSES
from core.analysis.fidelity.model import FactStatus, SourceFact
from core.common.errors import InputError


def a_against_b(a: CompareRow, b: CompareRow, facts: Sequence[SourceFact]) -> PairwiseLosses:
    """What A lost and B still has, and the other way round, in the order of the categories.

    ``facts`` are those of the scope of both (``compare_rows.facts_in``). Raises InputError where a row has
    no facts or the two were made of different messages.
    """
    if a.scope != b.scope:
        raise InputError(
            f"{a.name} and {b.name} are results of different messages ({a.scope}, {b.scope}).",
            f"Compare in the scope {a.scope if a.kind == 'recorded' else b.scope}.",
        )
    for one in (a, b):
        if len(one.statuses) != len(facts) or (one.error and not one.statuses):
            why = one.error or one.note or "Its facts are not known."
            raise InputError(f"{one.name} cannot be compared by its facts.", why)
    return PairwiseLosses(a.name, b.name, _lost(a, b, facts), _lost(b, a, facts))


def _lost(loser: CompareRow, keeper: CompareRow, facts: Sequence[SourceFact]) -> tuple[LostFact, ...]:
    """Facts that count: an error that later work took away does not."""
    gone = STATUSES.index(FactStatus.LOST)
    return tuple(
        LostFact(fact, STATUSES[kept])
        for fact, lost, kept in zip(facts, loser.statuses, keeper.statuses, strict=True)
        if lost == gone and kept != gone and not fact.resolved
    )

"""The result of one strategy, preset or recorded compaction, as a row of a comparison."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.analysis.cost.model import CompactionCost
from core.analysis.fidelity.model import CategoryScore, FactStatus, ForwardDemand, SourceFact


@dataclass(frozen=True, slots=True)
class CompareRow:
    """Size, fidelity, cost and validity of one result.

    ``kind`` is "strategy", "preset" or "recorded"; ``note`` qualifies the name ("tier 2 was enough", "reverse
    engineered"). ``error`` says why there is no result, ``no_op`` why nothing changed. ``lint`` counts errors
    and warnings that the source does not have. ``seconds`` is the time of the run. ``scope`` names the
    history: rows of different scopes have different sources. ``statuses`` has one byte per fact of that
    source, an index into ``FactStatus``. ``hidden``: part of the result is encrypted, and ``tokens`` counts
    the rest.
    """

    name: str
    kind: str
    before_tokens: int
    tokens: int
    messages: int
    fidelity: float | None = None
    scores: tuple[CategoryScore, ...] = ()
    demand: ForwardDemand | None = None
    invented: int = 0
    cost: CompactionCost | None = None
    calls: int = 0
    lint: tuple[int, int] = (0, 0)
    seconds: float = 0.0
    note: str = ""
    no_op: str = ""
    error: str = ""
    on_front: bool = False
    scope: str = ""
    before_messages: int = 0
    statuses: bytes = b""
    hidden: bool = False


BEST_CASE = (
    "An offline summary is written by the extractor that also finds the facts, so its fidelity is the best "
    "that its template can reach; a summary that a model wrote, as the recorded one, has no such help."
)


def is_best_case(rows: Iterable[CompareRow]) -> bool:
    """Return whether an offline summary is compared with one that a model of the agent wrote. Assumes that
    every other summary in ``rows`` is offline."""
    with_fidelity = [row for row in rows if row.fidelity is not None]
    recorded = [row for row in with_fidelity if row.kind == "recorded"]
    return bool(recorded) and any(row.calls for row in with_fidelity if row.kind != "recorded")


@dataclass(frozen=True, slots=True)
class LostFact:
    """A fact that one result lost; ``status`` is its status in the other result."""

    fact: SourceFact
    status: FactStatus


@dataclass(frozen=True, slots=True)
class PairwiseLosses:
    """Facts that only one of two results of the same source lost."""

    a: str
    b: str
    lost_in_a: tuple[LostFact, ...]
    lost_in_b: tuple[LostFact, ...]


@dataclass(frozen=True, slots=True)
class RecordedComparison:
    """A preset compared with a recorded compaction of its agent. ``number`` of the recorded compaction, from
    1. ``messages`` are the source messages kept by both, by the agent alone, by the preset alone.
    ``summary_tokens``: the agent's, the preset's; None if unreadable or absent."""

    number: int
    preset: str
    sentences: tuple[str, ...]
    tokens: tuple[int | None, int | None] = (None, None)
    messages: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] = ((), (), ())
    summary_tokens: tuple[int | None, int | None] = (None, None)
    fidelity: tuple[float | None, float | None] = (None, None)

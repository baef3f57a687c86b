"""One line of a comparison: what a strategy, a preset or the agent itself made of a conversation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.analysis.cost.model import CompactionCost
from core.analysis.fidelity.model import CategoryScore, FactStatus, ForwardDemand, SourceFact


@dataclass(frozen=True, slots=True)
class CompareRow:
    """Tokens and messages of the result; what it keeps, costs, and whether it is valid.

    ``kind`` is "strategy", "preset" or "recorded"; ``note`` what has to be known beside the name ("tier 2
    was enough", "reverse engineered"). ``error`` says why there is no result; ``no_op`` why nothing changed.
    ``lint`` counts errors and warnings that the source does not have. ``seconds`` of the run.
    ``scope`` is the history that it was made of: rows of different scopes have different sources.
    ``statuses`` holds, for each fact of that source in order, the place of its status in ``FactStatus``.
    ``hidden``: a part of the result is encrypted, so that ``tokens`` are those of the rest.
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
    """True where a summary of the offline template stands beside one that a model of the agent wrote.

    ``rows`` are those of a comparison whose own summaries are all offline.
    """
    judged = [row for row in rows if row.fidelity is not None]
    real = [row for row in judged if row.kind == "recorded"]
    return bool(real) and any(row.calls for row in judged if row.kind != "recorded")


@dataclass(frozen=True, slots=True)
class LostFact:
    """A fact that one result lost and another one still has, and how: ``status`` in that other one."""

    fact: SourceFact
    status: FactStatus


@dataclass(frozen=True, slots=True)
class PairwiseLosses:
    """Two results of one source by their facts: what ``a`` lost and ``b`` has, and the other way round."""

    a: str
    b: str
    lost_in_a: tuple[LostFact, ...]
    lost_in_b: tuple[LostFact, ...]


@dataclass(frozen=True, slots=True)
class RecordedComparison:
    """What a preset would have done where its agent really compacted, and how the two differ.

    ``number`` of the recorded compaction, from 1. ``messages`` are source messages that stayed whole:
    with both, with the agent alone, with the preset alone. ``summary_tokens`` of what the agent wrote and
    of what the preset's summary has, None where it cannot be read or there is none. ``sentences`` say it.
    """

    number: int
    preset: str
    sentences: tuple[str, ...]
    tokens: tuple[int | None, int | None] = (None, None)
    messages: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] = ((), (), ())
    summary_tokens: tuple[int | None, int | None] = (None, None)
    fidelity: tuple[float | None, float | None] = (None, None)

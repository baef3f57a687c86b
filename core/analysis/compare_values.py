"""One line of a comparison: what a strategy, a preset or the agent itself made of a conversation."""

from __future__ import annotations

from dataclasses import dataclass

from core.analysis.cost_values import Cost
from core.analysis.fidelity_values import Demand, Score


@dataclass(frozen=True, slots=True)
class CompareRow:
    """Tokens and messages of the result; what it keeps, costs, and whether it is valid.

    ``kind`` is "strategy", "preset" or "recorded"; ``note`` what has to be known beside the name ("tier 2
    was enough", "reverse engineered"). ``error`` says why there is no result; ``no_op`` why nothing changed.
    ``lint`` counts errors and warnings that the source does not have. ``seconds`` of the run.
    """

    name: str
    kind: str
    before_tokens: int
    tokens: int
    messages: int
    fidelity: float | None = None
    scores: tuple[Score, ...] = ()
    demand: Demand | None = None
    invented: int = 0
    cost: Cost | None = None
    calls: int = 0
    lint: tuple[int, int] = (0, 0)
    seconds: float = 0.0
    note: str = ""
    no_op: str = ""
    error: str = ""
    on_front: bool = False

"""Results of a turn-by-turn replay through the engine: sizes, compactions, totals."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from core.analysis.cost.model import NO_UNPAID_REQUESTS, UnpaidRequests


@dataclass(frozen=True, slots=True)
class ReplayCompaction:
    """A compaction before the request of ``turn`` (from 1); sizes are those of the whole request. ``cost``
    was paid to models; ``unpaid`` are summaries that no model wrote."""

    turn: int
    before: int
    after: int
    calls: int
    cost: float | None
    error: str = ""
    unpaid: UnpaidRequests = NO_UNPAID_REQUESTS


@dataclass(frozen=True, slots=True)
class ReplayTrack:
    """The replay of one strategy.

    ``sizes[i]`` is the request of turn i + 1 in tokens, ``sent`` their sum, ``rewritten`` the tokens
    behind an unchanged prefix, ``over_limit_count`` the number of turns that did not fit into the window.
    ``cost`` covers all requests, answers and summaries in US dollars, None if unknown; it leaves out
    ``unpaid``, the summaries that no model wrote. ``no_op_count`` counts runs that were due and changed
    nothing; ``note`` says why and qualifies the row. ``compactions`` includes failed ones. A track with
    an ``error`` ends before the last turn.
    """

    name: str
    sizes: array[int]
    compactions: tuple[ReplayCompaction, ...]
    calls: int
    sent: int
    rewritten: int
    over_limit_count: int
    cost: float | None
    trigger: int | None = None
    error: str = ""
    no_op_count: int = 0
    note: str = ""
    unpaid: UnpaidRequests = NO_UNPAID_REQUESTS


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """All tracks over the same turns; turn i + 1 ends with the ai message at index ``turns[i]``. Indices
    refer to the history of ``scope``. ``limit`` in tokens, None if unknown; ``system`` tokens are added to
    every request; ``mark`` is the counting method; ``model`` supplies limit and prices."""

    turns: tuple[int, ...]
    tracks: tuple[ReplayTrack, ...]
    limit: int | None
    system: int
    scope: str = "all"
    mark: str = "≈"
    model: str = ""
    hidden: int = 0  # tokens of the last request that no message accounts for; part of every size

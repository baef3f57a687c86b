"""A session replayed turn by turn through the engine: sizes, compactions, totals."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from core.analysis.cost.model import NONE_UNPAID, UnpaidRequests


@dataclass(frozen=True, slots=True)
class ReplayCompaction:
    """A compaction at ``turn`` (from 1), before the request of that turn; tokens of the whole request.

    ``cost`` is what models were paid, ``unpaid`` what none wrote.
    """

    turn: int
    before: int
    after: int
    calls: int
    cost: float | None
    error: str = ""
    unpaid: UnpaidRequests = NONE_UNPAID


@dataclass(frozen=True, slots=True)
class ReplayTrack:
    """One strategy's way through a session. ``sizes[i]`` are the tokens of the request of turn i + 1,
    ``sent`` their sum, ``rewritten`` the tokens behind an unchanged prefix, ``over`` how many turns did not
    fit into the window. ``cost`` of all requests, answers and summaries in US dollars, None where not known.
    ``refused`` counts the runs that were due and changed nothing; ``note`` says why, and what else has to be
    known. ``compactions`` holds failed ones, too. ``unpaid`` are summaries that no model wrote, whose price
    is not in ``cost``. A track with an ``error`` ends before the last turn.
    """

    name: str
    sizes: array[int]
    compactions: tuple[ReplayCompaction, ...]
    calls: int
    sent: int
    rewritten: int
    over: int
    cost: float | None
    trigger: int | None = None
    error: str = ""
    refused: int = 0
    note: str = ""
    unpaid: UnpaidRequests = NONE_UNPAID


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """All tracks over the same turns; ``turns[i]`` is the place of the ai message that turn i + 1 ends with.

    The place is one in the history of ``scope``. ``limit`` in tokens, None if unknown; ``system`` tokens that
    every request has besides; ``mark`` how tokens were counted; ``model`` whose limit and prices count.
    """

    turns: tuple[int, ...]
    tracks: tuple[ReplayTrack, ...]
    limit: int | None
    system: int
    scope: str = "all"
    mark: str = "≈"
    model: str = ""
    hidden: int = 0  # tokens of the last request that no message accounts for; part of every size

"""What the Replay view shows, as values: a line per strategy, the compactions on it, totals."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from core.presentation.compare.model import NO_PRICE, CompareCell
from core.presentation.model import PickerChoice, PriceChoice
from core.presentation.plots import PlotAxis

COLUMNS = (
    "strategy",
    "tokens at turn",
    "compactions",
    "model calls",
    "tokens sent",
    "rewritten in cache",
    "turns over limit",
    "cost",
)
"""Titles of the table; the second is completed by the turn."""


@dataclass(frozen=True, slots=True)
class ReplayTrackRow:
    """One strategy. ``sizes[i]`` are the tokens of the request of turn i + 1; ``totals`` the cells of the
    table from the third on. ``over_from`` is the first turn beyond the limit, 0 for none; ``trouble`` why
    the line ends early or what else has to be known; ``compacted`` the turns of its compactions."""

    name: str
    state: str
    sizes: array[int]
    totals: tuple[CompareCell, ...]
    compacted: tuple[int, ...] = ()
    over_from: int = 0
    end_label: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class ReplayCompactionMark:
    """A compaction: ``line`` is a place in ``ReplayPage.lines``, ``text`` what the list says of it."""

    turn: int
    line: int
    before: int
    after: int
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class ReplayPage:
    """A replay as far as it got. Tokens; ``limit`` and ``trigger`` None where there is no such line in the
    plot. ``limit_label`` also says where a limit lies above the plot."""

    generation: int
    about: str
    turns: int
    lines: tuple[ReplayTrackRow, ...]
    marks: tuple[ReplayCompactionMark, ...]
    limit: int | None
    limit_label: str
    trigger: int | None
    trigger_label: str
    x: PlotAxis
    y: PlotAxis
    mark: str
    columns: tuple[str, ...]
    names: tuple[str, ...]
    choices: tuple[PickerChoice, ...]
    status: str
    scope: str
    is_over: bool
    price: PriceChoice = NO_PRICE

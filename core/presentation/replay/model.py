"""Values of the Replay view."""

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
"""Column titles; the turn is added to the second."""


@dataclass(frozen=True, slots=True)
class ReplayTrackRow:
    """A strategy. ``sizes[i]`` is the request of turn i + 1 in tokens; ``totals`` are the cells from the
    third column on. ``over_limit_turn`` is the first turn over the limit, 0 for none; ``trouble`` an
    error or a note; ``compaction_turns`` are turns."""

    name: str
    state: str
    sizes: array[int]
    totals: tuple[CompareCell, ...]
    compaction_turns: tuple[int, ...] = ()
    over_limit_turn: int = 0
    end_label: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class ReplayCompactionMark:
    """A compaction on ``ReplayPage.lines[line]``; ``text`` is its list entry."""

    turn: int
    line: int
    before: int
    after: int
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class ReplayPage:
    """A replay so far, in tokens; ``limit`` and ``trigger`` are None if not drawn. ``limit_label`` also names
    a limit above the plot."""

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

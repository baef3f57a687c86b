"""What the Compare view shows, as values: a table of results, a plot, what one keeps and another loses."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.model import PickerChoice, PriceChoice
from core.presentation.plots import PlotAxis

WAITING, DONE, FAILED = "waiting", "done", "failed"
"""States of a line."""
FRONT, BEATEN, RECORDED = "front", "beaten", "recorded"
"""Shapes of a point: filled, hollow, diamond."""

COLUMNS = (
    "strategy",
    "tokens after",
    "saved",
    "messages",
    "fidelity",
    "constraints",
    "files",
    "errors",
    "later needs",
    "prefix kept",
    "model calls",
    "cost",
    "pays back after",
    "lint",
    "time",
)
"""Titles of the columns."""
NAME, TOKENS, FIDELITY, COST, LINT = 0, 1, 4, 11, 13
"""Places of some columns."""


NO_PRICE = PriceChoice()
"""Nothing to choose."""


@dataclass(frozen=True, slots=True)
class CompareCell:
    """A text of the table. ``key`` orders its column, None comes last; ``tone`` as in
    core.presentation.model."""

    text: str
    key: float | None = None
    tone: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class CompareTableRow:
    """A row of the table. ``rank`` 0 is the baseline, 1 what the agent recorded, 2 all others.

    ``cells`` are those of COLUMNS; ``trouble`` says why there is no result, or why nothing changed.
    ``number`` is that of the recorded compaction, 0 for others; ``is_here`` False where its source is
    another one than that of the page.
    """

    name: str
    rank: int
    state: str
    cells: tuple[CompareCell, ...]
    tags: tuple[str, ...] = ()
    fidelity: float | None = None
    trouble: str = ""
    number: int = 0
    is_here: bool = True


@dataclass(frozen=True, slots=True)
class ComparePoint:
    """A result in the plot; ``text`` says its figures where they are not tokens."""

    name: str
    tokens: int
    fidelity: float
    shape: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class RecordedComparisonText:
    """What the agent really did and what a preset that emulates it would have done, in sentences."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparePage:
    """A comparison as far as it got. ``names`` are asked for, ``choices`` may be; ``front`` are places
    in ``points``, by tokens. ``status`` is the sentence of the status bar, ``foot`` what the stars of the
    table mean; ``agent`` is told of recorded compactions whose agent a preset emulates."""

    generation: int
    title: str
    about: str
    lines: tuple[CompareTableRow, ...]
    columns: tuple[str, ...]
    points: tuple[ComparePoint, ...]
    front: tuple[int, ...]
    x: PlotAxis
    y: PlotAxis
    names: tuple[str, ...]
    choices: tuple[PickerChoice, ...]
    status: str
    foot: str
    scope: str
    is_over: bool
    price: PriceChoice = NO_PRICE
    agent: tuple[RecordedComparisonText, ...] = ()


@dataclass(frozen=True, slots=True)
class PairRow:
    """A fact that one of two results lost. ``side`` is "a" or "b", ``source`` the message that says it."""

    side: str
    label: str
    text: str
    where: str
    source: int
    mono: bool


@dataclass(frozen=True, slots=True)
class PairPage:
    """Two results against each other. ``trouble`` says why they cannot be told apart by their facts."""

    a: str
    b: str
    lost_in_a: int
    lost_in_b: int
    kinds: str
    rows: tuple[PairRow, ...]
    scope: str
    trouble: str = ""

"""Values of the Compare view: table, plot, and differences of two results."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.model import PickerChoice, PriceChoice
from core.presentation.plots import PlotAxis

WAITING, DONE, FAILED = "waiting", "done", "failed"
"""States of a row."""
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
"""Column titles."""
NAME, TOKENS, FIDELITY, COST, LINT = 0, 1, 4, 11, 13
"""Indices into COLUMNS."""


NO_PRICE = PriceChoice()
"""No choice of prices."""


@dataclass(frozen=True, slots=True)
class CompareCell:
    """A cell; ``key`` sorts its column, None last; ``tone`` as in ``StatusPart``."""

    text: str
    key: float | None = None
    tone: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class CompareTableRow:
    """A row of the table. ``rank``: 0 the baseline, 1 recorded, 2 all others. ``cells`` match COLUMNS;
    ``trouble`` says why there is no result or no change. ``number`` is that of the recorded compaction, else
    0; ``is_in_scope``: its source is the page's."""

    name: str
    rank: int
    state: str
    cells: tuple[CompareCell, ...]
    tags: tuple[str, ...] = ()
    fidelity: float | None = None
    trouble: str = ""
    number: int = 0
    is_in_scope: bool = True


@dataclass(frozen=True, slots=True)
class ComparePoint:
    """A result in the plot; ``text`` replaces its figures if they are not tokens."""

    name: str
    tokens: int
    fidelity: float
    shape: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class RecordedComparisonText:
    """A recorded compaction compared with a preset, in sentences."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparePage:
    """A comparison so far. ``names`` are compared, ``choices`` can be; ``front`` are indices into
    ``points``, by tokens. ``footnote`` explains the table's stars; ``recorded_comparisons`` compares
    recorded compactions with presets."""

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
    footnote: str
    scope: str
    is_over: bool
    price: PriceChoice = NO_PRICE
    recorded_comparisons: tuple[RecordedComparisonText, ...] = ()


@dataclass(frozen=True, slots=True)
class PairRow:
    """A fact that one result lost; ``side`` is "a" or "b", ``source`` a message that holds it."""

    side: str
    label: str
    text: str
    location: str
    source: int
    mono: bool


@dataclass(frozen=True, slots=True)
class PairPage:
    """The facts that two results lost; ``trouble`` says why they cannot be compared."""

    a: str
    b: str
    lost_in_a: int
    lost_in_b: int
    kinds: str
    rows: tuple[PairRow, ...]
    scope: str
    trouble: str = ""

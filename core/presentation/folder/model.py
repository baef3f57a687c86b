"""What the view of a compared folder shows, as values: a row for each strategy, and its files."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.compare.model import NO_PRICE, CompareCell, ComparePoint
from core.presentation.model import PickerChoice, PriceChoice
from core.presentation.plots import PlotAxis

MEANS = (
    "strategy",
    "files",
    "tokens after",
    "saved",
    "± saved",
    "fidelity",
    "± fidelity",
    "later needs",
    "≈ cost",
    "pays back after",
    "no-ops",
    "failed",
    "new errors",
)
"""Titles of the table of strategies: means over the files, and how far these lie apart."""
FILES = (
    "file",
    "tokens before",
    "after",
    "saved",
    "messages",
    "fidelity",
    "later needs",
    "≈ cost",
    "lint",
)
"""Titles of the table of files."""


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A strategy or a file: the cells of its table; ``path`` of the file that opens; ``trouble`` says why
    there are no figures, or why nothing changed."""

    name: str
    cells: tuple[CompareCell, ...]
    path: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class FolderPage:
    """A folder as far as it was compared. ``files`` are those of the strategy ``shown``.

    ``question`` is what is asked before the work begins, empty while it goes on; ``known`` of ``total`` files
    were done before. ``points`` lie at the share of tokens left and the fidelity. ``is_over``: nothing
    follows until somebody asks.
    """

    generation: int
    path: str
    title: str
    about: str
    question: str
    known: int
    done: int
    total: int
    names: tuple[str, ...]
    choices: tuple[PickerChoice, ...]
    means: tuple[FolderRow, ...]
    shown: str
    files: tuple[FolderRow, ...]
    points: tuple[ComparePoint, ...]
    front: tuple[int, ...]
    x: PlotAxis
    y: PlotAxis
    status: str
    foot: str
    is_over: bool
    price: PriceChoice = NO_PRICE

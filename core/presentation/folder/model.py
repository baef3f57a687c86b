"""Values of the folder comparison view."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.compare.model import NO_PRICE, CompareCell, ComparePoint
from core.presentation.model import PickerChoice, PriceChoice
from core.presentation.plots import PlotAxis

MEAN_COLUMNS = (
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
"""Column titles of the strategies: means and standard deviations."""
FILE_COLUMNS = (
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
"""Column titles of the files."""


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A strategy or a file; ``path`` is the file to open, ``trouble`` why there are no figures or no
    change."""

    name: str
    cells: tuple[CompareCell, ...]
    path: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class FolderPage:
    """A folder comparison so far; ``files`` are those of the strategy ``shown_strategy``. ``question`` is
    asked before the work, empty while it runs; ``resumed_count`` of ``total`` files were done before.
    ``points`` are at share of tokens left and fidelity. ``is_over``: nothing runs."""

    path: str
    title: str
    about: str
    question: str
    resumed_count: int
    done: int
    total: int
    names: tuple[str, ...]
    choices: tuple[PickerChoice, ...]
    means: tuple[FolderRow, ...]
    shown_strategy: str
    files: tuple[FolderRow, ...]
    points: tuple[ComparePoint, ...]
    front: tuple[int, ...]
    x: PlotAxis
    y: PlotAxis
    status: str
    footnote: str
    is_over: bool
    price: PriceChoice = NO_PRICE

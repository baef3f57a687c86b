"""Values of the Fidelity tab."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from core.analysis.fidelity.model import FactStatus
from core.presentation.model import TextSpan

STATUSES = tuple(FactStatus)
"""Statuses of a bar's parts, in order."""
INVENTED, NEEDED, FLIPPED = "invented", "needed", "flipped"
"""Row states beside FactStatus: not in the source, lost and used later, reversed."""


@dataclass(frozen=True, slots=True)
class FidelityBar:
    """A category with its number of facts per status, in the order of STATUSES."""

    kind: str
    label: str
    counts: tuple[int, ...]
    not_lost: str  # "4 of 5"
    lost: str  # "−1", empty where none is


@dataclass(frozen=True, slots=True)
class FidelityFactRow:
    """A fact; ``source_index`` and ``result_index`` are messages before and after, -1 for none."""

    status: str
    kind: str
    label: str
    text: str
    note: str
    source_index: int = -1
    result_index: int = -1


@dataclass(frozen=True, slots=True)
class FidelityPage:
    """The tab's content.

    ``lost_indices`` are source messages with lost facts, ascending, ``lost_words`` what each lost. ``curve``
    is the recall by tenth of the source, None without facts; ``unlisted`` counts unlisted facts. ``pins``
    offers to pin the constraints, or names a strategy that obeys pins. ``can_fold``: the result can be
    compacted again.
    """

    figure: str
    facts: str
    tip: str
    note: str
    needed: tuple[TextSpan, ...]
    bars: tuple[FidelityBar, ...]
    rows: tuple[FidelityFactRow, ...]
    lost: int
    curve: tuple[float | None, ...]
    lost_indices: array[int]
    unlisted: int = 0
    lost_words: tuple[str, ...] = ()
    pins: tuple[TextSpan, ...] = ()
    can_fold: bool = False

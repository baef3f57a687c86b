"""What the Fidelity tab shows, as values: one figure, bars by category, facts, where the lost ones sat."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from core.analysis.fidelity.model import FactStatus
from core.presentation.model import ChangeEffect, TextSpan

STATUSES = tuple(FactStatus)
"""What the parts of a bar stand for, in their order."""
INVENTED, NEEDED, FLIPPED = "invented", "needed", "flipped"
"""Words for a row beside those of Status: not in the source, lost and used later, turned round."""


@dataclass(frozen=True, slots=True)
class FidelityBar:
    """A category: how many facts have which status, in the order of STATUSES."""

    kind: str
    label: str
    counts: tuple[int, ...]
    stands: str  # "4 of 5"
    lost: str  # "−1", empty where none is


@dataclass(frozen=True, slots=True)
class FidelityFactRow:
    """A fact of the list. ``source`` and ``place`` are messages before and after, -1 for none."""

    status: str
    kind: str
    label: str
    text: str
    note: str
    source: int = -1
    place: int = -1


@dataclass(frozen=True, slots=True)
class FidelityPage:
    """What the tab shows. ``lost_at`` are source messages in which a lost fact sat, ascending.

    ``curve`` is the recall by tenth of the source, None for one without facts; ``hidden`` counts
    the facts beyond those listed; ``effect`` is that of the last change, fidelity included.
    ``lost_words`` says for each place of ``lost_at`` what was lost there. ``pins`` offers to pin what
    constraints are not pinned, and says where the strategy does not look at pins, with the way to one that
    does. ``can_fold``: the result can be folded again.
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
    lost_at: array[int]
    hidden: int = 0
    effect: ChangeEffect | None = None
    lost_words: tuple[str, ...] = ()
    pins: tuple[TextSpan, ...] = ()
    can_fold: bool = False

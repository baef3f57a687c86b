"""What the dialog of questions shows, and the line that leads to it, as values."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.model import LabelledFigure


@dataclass(frozen=True, slots=True)
class ProbeOffer:
    """The line under the facts: a link, and what asking costs or why it cannot be done; ``short`` and
    ``short_link`` where there is little room."""

    link: str
    note: str
    short: str = ""
    short_link: str = ""


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """A question. ``verdict`` is empty while it was not asked, ``tone`` its colour; ``details`` are lines
    of (what, text, verdict): what is expected, what was given."""

    kind: str
    question: str
    details: tuple[tuple[str, str, str], ...]
    verdict: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class ProbePage:
    """All questions of a result, and what became of them so far.

    ``ask`` is what the button says, with the price; ``reason`` why it cannot be pressed, empty where it
    can. ``table`` has a row of cells for each kind, ``head`` over it. ``said`` sums up.
    """

    title: str
    facts: tuple[LabelledFigure, ...]
    ask: str
    reason: str
    head: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    rows: tuple[ProbeRow, ...]
    said: str
    baseline: bool = False
    baseline_text: str = ""
    done: int = 0
    total: int = 0
    is_running: bool = False

"""Values of the probe dialog and of the line that opens it."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.model import LabelledFigure


@dataclass(frozen=True, slots=True)
class ProbeOffer:
    """The line below the facts: a link, and the price or an obstacle; ``short`` forms for narrow panes."""

    link: str
    note: str
    short: str = ""
    short_link: str = ""


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """A question. ``verdict`` is empty before the answer; ``details`` are (label, text, verdict): expected
    and given."""

    kind: str
    question: str
    details: tuple[tuple[str, str, str], ...]
    verdict: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class ProbePage:
    """All questions of a result and the answers so far. ``ask`` is the button's text with the price;
    ``reason`` why it is disabled, else empty. ``table`` has a row per kind below ``head``; ``said`` sums
    up."""

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

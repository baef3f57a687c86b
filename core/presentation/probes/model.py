"""Values of the probe dialog and of the line that opens it."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.model import LabelledFigure


@dataclass(frozen=True, slots=True)
class ProbeOffer:
    """The line below the facts: a link, and the price or an obstacle; ``short_note`` forms for narrow
    panes."""

    link: str
    note: str
    short_note: str = ""
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
    """All questions of a result and the answers so far. ``button_text`` is the button's text with the
    price; ``reason`` why it is disabled, else empty. ``table`` has a row per kind below ``table_header``;
    ``status`` sums up."""

    title: str
    facts: tuple[LabelledFigure, ...]
    button_text: str
    reason: str
    table_header: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    rows: tuple[ProbeRow, ...]
    status: str
    baseline: bool = False
    baseline_text: str = ""
    done: int = 0
    total: int = 0
    is_running: bool = False

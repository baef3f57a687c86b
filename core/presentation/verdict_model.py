"""Values of the line that judges a result: four cells, and the gauge of the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from core.losses.evidence import MustStatus

TextPart: TypeAlias = tuple[str, str]
"""Text and its style: "", "strong", "quiet", or a tone: "ok", "warn", "error"."""
Phrase: TypeAlias = tuple[TextPart, ...]
"""Words that are shown together or not at all."""


@dataclass(frozen=True, slots=True)
class SizeGauge:
    """Tokens of the next request, ``now`` and with the result; ``overhead`` of both is in no
    message. ``tone`` is that of the result: "ok", "warn", "error", "" where no limit judges it."""

    now: int = 0
    after: int = 0
    overhead: int = 0
    limit: int | None = None
    trigger: int | None = None
    tone: str = ""


@dataclass(frozen=True, slots=True)
class LossUnit:
    """A count with its verb, shown whole or not at all: "9 needed names gone"."""

    text: str
    status: MustStatus


@dataclass(frozen=True, slots=True)
class VerdictCell:
    """What a cell says: ``phrases``, the most important first, or where they have no room the first
    of the ``shorter`` forms that fits. Nothing is said in halves.

    ``glyph`` is its name, "" for none, in the colour of ``tone`` (a tone or a fate). ``details``
    are further lines of the tooltip.
    """

    phrases: tuple[Phrase, ...] = ()
    shorter: tuple[tuple[Phrase, ...], ...] = ()
    glyph: str = ""
    tone: str = ""
    details: tuple[str, ...] = ()

    @property
    def forms(self) -> tuple[tuple[Phrase, ...], ...]:
        """All forms, the longest first."""
        return (self.phrases, *self.shorter)

    @property
    def text(self) -> str:
        """All words, as a screen reader says them."""
        return " · ".join(
            "".join(text for text, _ in phrase) for phrase in self.phrases
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a result stands. Losses and price are known later than the rest."""

    gauge: SizeGauge
    size: VerdictCell
    messages: VerdictCell
    losses: VerdictCell
    price: VerdictCell


@dataclass(frozen=True, slots=True)
class SizePoint:
    """A request in tokens; ``is_segment_start`` marks the first of a segment."""

    reported: int
    counted: int
    calibrated: int
    is_segment_start: bool = False


@dataclass(frozen=True, slots=True)
class FigurePage:
    """``facts`` are (name, text), ``notes`` are sentences."""

    title: str = ""
    points: tuple[SizePoint, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def plain_cell(text: str) -> VerdictCell:
    return VerdictCell((((text, "quiet"),),))


NO_VERDICT = Verdict(
    SizeGauge(), plain_cell("counting…"), VerdictCell(), VerdictCell(), VerdictCell()
)
"""While a file is read: no number of the former one survives."""

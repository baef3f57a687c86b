"""Values of a summary's check and of its sentences' sources."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.message_model import (
    TextSpan,
    WhySection,
)


@dataclass(frozen=True, slots=True)
class SummaryFindingRow:
    """A finding; ``link`` leads to its message or to the summary."""

    severity: str  # "error", "warning"
    text: str
    link: str  # "before:42", "after:11"
    location: str  # "#43", "result #12"


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence of the summary. ``origin_text`` names its sources with links; ``sources`` are source
    messages, best first; ``tone`` is "warn" without a source or with invented facts."""

    text: str
    origin_text: tuple[TextSpan, ...]
    sources: tuple[int, ...]
    tone: str = ""


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """The summary in result message ``result_index``: sentences, and sections of its Why page.
    ``result_index`` -1: the check of all summaries; ``verdict`` "": nothing to check."""

    result_index: int
    verdict: str
    tone: str  # "ok", "warn", "error"
    findings: tuple[SummaryFindingRow, ...]
    sentences: tuple[SentenceRow, ...] = ()
    verdict_text: str = ""  # how many sentences have a source
    sections: tuple[WhySection, ...] = ()
    lost: int = 0  # known facts that the result lacks
    lost_text: str = ""  # "10 known facts are not in the result."

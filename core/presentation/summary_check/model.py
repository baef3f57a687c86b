"""What the window shows of a summary's check, and of where its sentences come from, as values."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.model import TextSpan, WhySection


@dataclass(frozen=True, slots=True)
class SummaryFindingRow:
    """A finding of the check. ``link`` leads to the message that it is about, or to the summary."""

    severity: str  # "error", "warning"
    text: str
    link: str  # "before:42", "after:11"
    where: str  # "#43", "result #12"


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence as it stands in the summary's text. ``says`` where it comes from, with links; ``sources``
    are the source messages, the best first; ``tone`` is "warn" where there is none, or it made things up."""

    text: str
    says: tuple[TextSpan, ...]
    sources: tuple[int, ...]
    tone: str = ""


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """The summary in message ``place`` of the result: its sentences, and what belongs to its Why page.

    ``place`` -1: the check of all summaries of the result, ``verdict`` "" where there is none to check.
    """

    place: int
    verdict: str
    tone: str  # "ok", "warn", "error"
    findings: tuple[SummaryFindingRow, ...]
    sentences: tuple[SentenceRow, ...] = ()
    says: str = ""  # how many sentences have a source
    sections: tuple[WhySection, ...] = ()

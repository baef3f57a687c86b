"""What the summaries of a result hold word for word of what they replace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.facts.model import FactKind
from core.losses.model import Evidence, EvidenceStatus
from core.losses.summary_sentences import SummaryPart
from core.transcript.compaction import Compaction, FateKind


@dataclass(frozen=True, slots=True)
class Proportion:
    count: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class SummaryRetention:
    """Messages of the person and open errors that stand word for word in the result."""

    messages: Proportion
    errors: Proportion


def summary_retention(
    parts: Sequence[SummaryPart], compaction: Compaction, items: Sequence[Evidence]
) -> SummaryRetention:
    """Count what the result holds of messages all of which were summarised."""
    kept = {
        index
        for index, fate in enumerate(compaction.fates)
        if fate.kind is FateKind.KEPT
    }
    summarised = {index for part in parts for index in part.origins} - kept
    replaced = [one for one in items if {one.fact.first, one.fact.last} <= summarised]
    return SummaryRetention(
        _proportion(FactKind.YOUR_MESSAGE, replaced),
        _proportion(FactKind.OPEN_ERROR, replaced),
    )


def _proportion(kind: FactKind, items: Sequence[Evidence]) -> Proportion:
    statuses = [one.status for one in items if one.fact.kind is kind]
    return Proportion(statuses.count(EvidenceStatus.WORD_FOR_WORD), len(statuses))

"""Counts the constraints and errors that summaries retain of their messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.analysis.fidelity.fact_matching import FactSearchIndex, find_fact
from core.analysis.fidelity.fact_texts import index_sentences, text_index
from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.analysis.summary_check.summary_sentences import SummaryPart
from core.transcript.compaction import Compaction, FateKind


@dataclass(frozen=True, slots=True)
class Proportion:
    count: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class SummaryRetention:
    """Constraints that the summaries hold word for word, and errors that they hold."""

    constraints: Proportion
    errors: Proportion


def summary_retention(
    parts: Sequence[SummaryPart], compaction: Compaction, facts: Sequence[SourceFact]
) -> SummaryRetention:
    """Count the source's ``facts`` that summaries retain, by the match rules of fidelity. Counts only facts
    all of whose messages were summarised."""
    texts = [part.shown for part in parts]
    texts_index = FactSearchIndex(
        text_index(texts), index_sentences((part.place, part.shown) for part in parts)
    )
    summarised = {index for part in parts for index in part.origins}
    kept = {index for index, fate in enumerate(compaction.fates) if fate.kind is FateKind.KEPT}
    lost = summarised - kept
    gone = [fact for fact in facts if lost.issuperset(fact.messages)]
    constraints = _retained(FidelityCategory.CONSTRAINT, gone, texts_index)
    return SummaryRetention(constraints, _retained(FidelityCategory.ERROR, gone, texts_index))


def _retained(kind: FidelityCategory, facts: Sequence[SourceFact], index: FactSearchIndex) -> Proportion:
    matches = [find_fact(one, index) for one in facts if one.kind is kind and not one.resolved]
    return Proportion(sum(one.is_whole and not one.reworded for one in matches), len(matches))

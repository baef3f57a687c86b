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
    texts = [part.message_text for part in parts]
    texts_index = FactSearchIndex(
        text_index(texts), index_sentences((part.place, part.message_text) for part in parts)
    )
    summarised = {index for part in parts for index in part.origins}
    kept_messages = {index for index, fate in enumerate(compaction.fates) if fate.kind is FateKind.KEPT}
    removed_messages = summarised - kept_messages
    summarised_facts = [fact for fact in facts if removed_messages.issuperset(fact.messages)]
    constraints = _proportion_retained(FidelityCategory.CONSTRAINT, summarised_facts, texts_index)
    return SummaryRetention(
        constraints, _proportion_retained(FidelityCategory.ERROR, summarised_facts, texts_index)
    )


def _proportion_retained(
    kind: FidelityCategory, facts: Sequence[SourceFact], index: FactSearchIndex
) -> Proportion:
    matches = [find_fact(one, index) for one in facts if one.kind is kind and not one.is_resolved]
    return Proportion(sum(one.is_complete and not one.is_reworded for one in matches), len(matches))

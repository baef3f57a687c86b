"""What summaries hold of the rules and the errors in the messages that they stand for."""

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
    """So many of so many."""

    held: int = 0
    whole: int = 0


@dataclass(frozen=True, slots=True)
class SummaryRetention:
    """Constraints that stand in the summaries word for word, and errors that stand there."""

    constraints: Proportion
    errors: Proportion


def summary_retention(
    parts: Sequence[SummaryPart], run: Compaction, facts: Sequence[SourceFact]
) -> SummaryRetention:
    """What the summaries of a run hold of its source's ``facts``, by the rules that fidelity is judged by.

    Only facts count that nothing else could tell: of summarised messages alone, none of which stayed.
    """
    texts = [part.shown for part in parts]
    shelf = FactSearchIndex(text_index(texts), index_sentences((part.place, part.shown) for part in parts))
    gone = {index for part in parts for index in part.origins}
    kept = {index for index, fate in enumerate(run.fates) if fate.kind is FateKind.KEPT}
    told = [one for one in facts if gone.issuperset(one.messages) and not kept.intersection(one.messages)]
    return SummaryRetention(
        _share(FidelityCategory.CONSTRAINT, told, shelf), _share(FidelityCategory.ERROR, told, shelf)
    )


def _share(kind: FidelityCategory, facts: Sequence[SourceFact], shelf: FactSearchIndex) -> Proportion:
    found = [find_fact(one, shelf) for one in facts if one.kind is kind and not one.resolved]
    return Proportion(sum(one.whole and not one.reworded for one in found), len(found))

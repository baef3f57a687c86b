"""Precision and recall of the facts that are found, over all conversations of the set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.analysis.fidelity.source_facts import extract_source_facts
from tests.labelled.reading import NAMES, load_labelled, matches, write_and_load


@dataclass
class CategoryScore:
    """One category: ``found_labels`` of the ``labels`` some fact stands for, ``right_facts`` of the
    ``facts`` some label means; ``errors`` names the others."""

    labels: int = 0
    found_labels: int = 0
    facts: int = 0
    right_facts: int = 0
    errors: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Share of the facts that are right."""
        return self.right_facts / self.facts if self.facts else 1.0

    @property
    def recall(self) -> float:
        """Share of the labels that are found."""
        return self.found_labels / self.labels if self.labels else 1.0


def measure(folder: Path) -> Mapping[FidelityCategory, CategoryScore]:
    """All categories; each conversation is written to ``folder`` in its format and read again."""
    scores: defaultdict[FidelityCategory, CategoryScore] = defaultdict(CategoryScore)
    for name in NAMES:
        conversation = load_labelled(name)
        facts = extract_source_facts(write_and_load(conversation, folder).messages)
        for kind in FidelityCategory:
            labels = [text for category, text in conversation.labels if category is kind]
            _add(scores[kind], name, kind, labels, [fact for fact in facts if fact.kind is kind])
    return scores


def _add(
    score: CategoryScore, name: str, kind: FidelityCategory, labels: list[str], facts: list[SourceFact]
) -> None:
    hits = {
        (i, j) for i, one in enumerate(labels) for j, fact in enumerate(facts) if matches(kind, one, fact)
    }
    found, right = {label for label, _ in hits}, {fact for _, fact in hits}
    score.labels += len(labels)
    score.facts += len(facts)
    score.found_labels += len(found)
    score.right_facts += len(right)
    score.errors += [f"{name}: missed {one!r}" for i, one in enumerate(labels) if i not in found]
    score.errors += [f"{name}: no fact {one.text!r}" for j, one in enumerate(facts) if j not in right]


def rows(scores: Mapping[FidelityCategory, CategoryScore]) -> list[tuple[str, ...]]:
    """A line per category that was labelled."""
    return [
        (kind.value, f"{score.labels}", f"{score.facts}", f"{score.precision:.2f}", f"{score.recall:.2f}")
        for kind, score in scores.items()
        if score.labels
    ]


HEAD = ("category", "listed by hand", "found", "precision", "recall")

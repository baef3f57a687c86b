"""Precision and recall of the facts that are found, over all conversations of the set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.analysis.fidelity.source_facts import facts_of
from tests.labelled.reading import NAMES, labelled, matches, written


@dataclass
class Tally:
    """One category: ``found`` of the ``labels`` some fact stands for, ``right`` of the ``facts`` some label
    means; ``wrong`` names the others."""

    labels: int = 0
    found: int = 0
    facts: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Share of the facts that are right."""
        return self.right / self.facts if self.facts else 1.0

    @property
    def recall(self) -> float:
        """Share of the labels that are found."""
        return self.found / self.labels if self.labels else 1.0


def measure(folder: Path) -> Mapping[FidelityCategory, Tally]:
    """All categories; each conversation is written to ``folder`` in its format and read again."""
    found: defaultdict[FidelityCategory, Tally] = defaultdict(Tally)
    for name in NAMES:
        given = labelled(name)
        facts = facts_of(written(given, folder).messages)
        for kind in FidelityCategory:
            labels = [text for category, text in given.labels if category is kind]
            _add(found[kind], name, kind, labels, [fact for fact in facts if fact.kind is kind])
    return found


def _add(tally: Tally, name: str, kind: FidelityCategory, labels: list[str], facts: list[SourceFact]) -> None:
    hits = {
        (i, j) for i, one in enumerate(labels) for j, fact in enumerate(facts) if matches(kind, one, fact)
    }
    found, right = {label for label, _ in hits}, {fact for _, fact in hits}
    tally.labels += len(labels)
    tally.facts += len(facts)
    tally.found += len(found)
    tally.right += len(right)
    tally.wrong += [f"{name}: missed {one!r}" for i, one in enumerate(labels) if i not in found]
    tally.wrong += [f"{name}: no fact {one.text!r}" for j, one in enumerate(facts) if j not in right]


def rows(tallies: Mapping[FidelityCategory, Tally]) -> list[tuple[str, ...]]:
    """A line per category that was labelled."""
    return [
        (kind.value, f"{one.labels}", f"{one.facts}", f"{one.precision:.2f}", f"{one.recall:.2f}")
        for kind, one in tallies.items()
        if one.labels
    ]


HEAD = ("category", "listed by hand", "found", "precision", "recall")

"""Lost facts on the ruler: positions, texts, hit test."""

from __future__ import annotations

from core.analysis.fidelity.model import FactStatus, FidelityCategory, JudgedFact, SourceFact
from core.presentation.fidelity_page import lost_facts_by_message


def fact(kind: FidelityCategory, text: str, *messages: int) -> JudgedFact:
    return JudgedFact(SourceFact(kind, text, text, messages), FactStatus.LOST)


LOST = (
    fact(FidelityCategory.CONSTRAINT, "Never push.", 4),
    fact(FidelityCategory.ERROR, "TypeError", 2, 4),
    *(fact(FidelityCategory.PATH, f"lib/{n}.py", 4) for n in range(3)),
)


def test_each_message_says_its_worst_facts_and_counts_the_others() -> None:
    places, words = lost_facts_by_message(LOST)
    assert list(places) == [2, 4]
    assert words[0] == "errors: TypeError"
    assert words[1].splitlines() == [
        "constraints: Never push.",
        "errors: TypeError",
        "paths: lib/0.py",
        "and 2 more",
    ]

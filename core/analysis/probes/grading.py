"""How an answer is graded without a model: by the match rules of fidelity (field.md section 4.2)."""

from __future__ import annotations

from core.analysis.fidelity.fact_matching import FactSearchIndex, find_fact
from core.analysis.fidelity.fact_texts import flat_text, index_sentences, text_index
from core.analysis.fidelity.model import WORTH, FactStatus, SourceFact
from core.analysis.probes.model import ProbeKind, ProbeQuestion

ABSENT = "not in the context"
"""What an answer begins with where the context does not say it."""

_QUOTES = " \"'`*_.“”«»("


def grade_by_facts(question: ProbeQuestion, answer: str) -> float:
    """The share of the expected facts that an answer holds, from 0 to 1; a part of one counts half.

    A negative question is answered right by saying that it is not there; any other one wrong.
    """
    says_absent = flat_text(answer).lstrip(_QUOTES).startswith(ABSENT)
    if question.kind is ProbeKind.NEGATIVE:
        return float(says_absent)
    if says_absent or not question.facts:
        return 0.0
    shelf = FactSearchIndex(text_index([answer]), index_sentences([(0, answer)]))
    return sum(_worth(fact, shelf) for fact in question.facts) / len(question.facts)


def _worth(fact: SourceFact, shelf: FactSearchIndex) -> float:
    found = find_fact(fact, shelf)
    if found.whole:
        return WORTH[FactStatus.VERBATIM]
    return WORTH[FactStatus.PARTIAL] if found.places and not found.flipped else WORTH[FactStatus.LOST]

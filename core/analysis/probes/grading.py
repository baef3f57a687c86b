"""Grades an answer without a model, by the match rules of fidelity (field.md section 4.2)."""

from __future__ import annotations

from core.analysis.fidelity.fact_matching import FactSearchIndex, find_fact
from core.analysis.fidelity.fact_texts import flat_text, index_sentences, text_index
from core.analysis.fidelity.model import STATUS_WEIGHTS, FactStatus, SourceFact
from core.analysis.probes.model import ProbeKind, ProbeQuestion

ABSENT = "not in the context"
"""Start of an answer that the context does not hold."""

_QUOTES = " \"'`*_.“”«»("


def grade_by_facts(question: ProbeQuestion, answer: str) -> float:
    """Return the share of expected facts in an answer, from 0 to 1; a partial match counts half. A negative
    question is answered correctly by ``ABSENT``, any other one wrongly."""
    says_absent = flat_text(answer).lstrip(_QUOTES).startswith(ABSENT)
    if question.kind is ProbeKind.NEGATIVE:
        return float(says_absent)
    if says_absent or not question.facts:
        return 0.0
    index = FactSearchIndex(text_index([answer]), index_sentences([(0, answer)]))
    return sum(_match_weight(fact, index) for fact in question.facts) / len(question.facts)


def _match_weight(fact: SourceFact, index: FactSearchIndex) -> float:
    match = find_fact(fact, index)
    if match.is_complete:
        return STATUS_WEIGHTS[FactStatus.VERBATIM]
    return (
        STATUS_WEIGHTS[FactStatus.PARTIAL]
        if match.places and not match.is_negated
        else STATUS_WEIGHTS[FactStatus.LOST]
    )

"""Finds a fact in the text of a result, by the rule of its category (losses.md 2.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.analysis.fidelity.sentence_matching import (
    NO_MATCH,
    FactMatch,
    FactSearchIndex,
    match_constraint,
    match_decision,
    match_said,
)
from core.analysis.fidelity.value_matching import (
    match_code,
    match_command,
    match_error,
    match_number,
    match_path,
    match_todo,
    match_url,
)


def find_fact(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Return the best match of a fact, or NO_MATCH."""
    match = _MATCH_RULES[fact.kind](fact, index)
    if not match.is_negated or index.is_written:
        return match
    return replace(match, is_negated=False, is_unclear=True)


def _match_exact(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], exact=True)
    return FactMatch(found, True) if found else NO_MATCH


_MATCH_RULES: Mapping[FidelityCategory, Callable[[SourceFact, FactSearchIndex], FactMatch]] = {
    FidelityCategory.CONSTRAINT: match_constraint,
    FidelityCategory.FILE: match_path,
    FidelityCategory.PATH: match_path,
    FidelityCategory.ERROR: match_error,
    FidelityCategory.TODO: match_todo,
    FidelityCategory.DECISION: match_decision,
    FidelityCategory.IDENTIFIER: _match_exact,
    FidelityCategory.NUMBER: match_number,
    FidelityCategory.URL: match_url,
    FidelityCategory.COMMAND: match_command,
    FidelityCategory.USER_MESSAGE: match_said,
    FidelityCategory.CODE: match_code,
}

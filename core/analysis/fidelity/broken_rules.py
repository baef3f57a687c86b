"""Finds rules of a person that a clause of a summary breaks, lifts, or takes for what they wait for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.analysis.fidelity.other_values import NEWER, PAST, SURE, is_negative
from core.analysis.fidelity.sentence_sense import Stance, changes, keeps, skips_condition, stance
from core.analysis.fidelity.source_statements import SourceClause, SourceStatements, is_rule
from core.analysis.fidelity.statements import Clause, plain_words

_FEW = 2  # words of a clause that goes with the rest of its sentence
_CONDITION = re.compile(
    r"\b(?:until|once|when|after|before|unless|without|bis|wenn|nachdem|sobald)\b", re.IGNORECASE
)
_HAPPENED = re.compile(
    r"\b(?:has|have|had|was|were) (?:already |now )?(?:\w+ed|given|done|seen)\b", re.IGNORECASE
)
_BEFORE = re.compile(r"\b(?:before|vor|avant|antes de)\b", re.IGNORECASE)
_WAITS = plain_words("wait waiting ask asking further prior")
_SKIPS = re.compile(r"\b(?:without|ohne|sans|sin)\b", re.IGNORECASE)


def other_polarity(
    parts: Sequence[Clause], sentence: str, alike: Sequence[int], source: SourceStatements
) -> SourceClause | None:
    """Return what a person forbids and a clause permits or asks for."""
    for part in parts:
        if is_negative(part) or part.stance is Stance.ON_CONDITION:
            continue
        near = source.sharing(part.words)
        for found in near:
            if is_rule(found) and _is_broken(part, found, near, source):
                return found
    return None


def _is_broken(
    part: Clause, found: SourceClause, near: Sequence[SourceClause], source: SourceStatements
) -> bool:
    rule = found.clause
    shared = part.words & rule.words
    heads = shared & rule.heads
    objects = shared & rule.negated
    if len(rule.words) <= _FEW:
        shared = part.words & source.sentences[found.sentence].words
    if _is_conditional(found, source):
        return False
    if _is_kept(rule) and changes(part.text) and not keeps(part.text):
        objects = frozenset(word for word in shared if not changes(word))
        is_asked = source.weight(objects) >= SURE and part.stance in (Stance.DEMANDS, Stance.PERMITS)
        return is_asked and not any(_is_free(other, shared, found, source) for other in near)
    if not is_negative(rule):
        return False
    does_it = heads and source.weight(shared) >= SURE and len(shared) > 1
    is_permitted = part.stance is Stance.PERMITS and source.weight(objects - heads) >= SURE
    return bool(does_it or is_permitted) and not any(
        _grants(other, heads or objects, shared) for other in near
    )


def _is_kept(rule: Clause) -> bool:
    """Return whether a rule forbids any change of a thing."""
    return keeps(rule.text) or (is_negative(rule) and changes(rule.text))


def _is_free(
    other: SourceClause, shared: frozenset[str], rule: SourceClause, source: SourceStatements
) -> bool:
    """Return whether another clause speaks of the change of the same thing as allowed, asked for or done."""
    is_same = source.weight(shared & other.clause.words) >= 0.5 * source.weight(shared)
    return other is not rule and is_same and changes(other.clause.text) and not _is_kept(other.clause)


def _is_conditional(found: SourceClause, source: SourceStatements) -> bool:
    whole = source.sentences[found.sentence].text
    return found.clause.stance is Stance.ON_CONDITION or stance(whole) is Stance.ON_CONDITION


def _grants(other: SourceClause, heads: frozenset[str], shared: frozenset[str]) -> bool:
    """Return whether a clause says the same without a negation."""
    common = shared & other.clause.words
    return not is_negative(other.clause) and bool(common & heads) and len(common) > (len(shared) > 1)


def is_restricted(clause: Clause) -> bool:
    return is_negative(clause) or clause.stance is Stance.ON_CONDITION or keeps(clause.text)


def lifted(
    parts: Sequence[Clause], sentence: str, alike: Sequence[int], source: SourceStatements
) -> SourceClause | None:
    """Return a rule that a clause calls lifted, though nobody took it back."""
    for part in parts:
        near = source.sharing(part.words) if part.stance is Stance.LIFTED else ()
        for found in near:
            if not is_rule(found) or not is_restricted(found.clause) or found.clause.stance is Stance.LIFTED:
                continue
            if source.weight(part.words & found.clause.words) >= SURE and not any(
                is_rule(other) and other.message >= found.message and _lets_go(other.clause) for other in near
            ):
                return found
    return None


def withdrawn(
    parts: Sequence[Clause], sentence: str, alike: Sequence[int], source: SourceStatements
) -> SourceClause | None:
    """Return what a person took back of what a sentence states as valid."""
    if not source.withdrawals or any(part.stance is Stance.LIFTED for part in parts) or PAST.search(sentence):
        return None
    for part in parts:
        for found in source.sharing(part.words) if not NEWER.search(sentence) else ():
            is_same = is_rule(found) and source.weight(part.words & found.clause.words) >= 2 * SURE
            for later in source.withdrawals if is_same else ():
                if later.message > found.message and found.clause.words & later.clause.words:
                    return later
    return None


def ignored_condition(
    parts: Sequence[Clause], sentence: str, alike: Sequence[int], source: SourceStatements
) -> SourceClause | None:
    """Return a rule with a condition that a clause does without, or calls free already."""
    for part in parts:
        skips = _skipped_words(part.text)
        is_free = part.stance is Stance.PERMITS and bool(NEWER.search(part.text))
        is_early = not is_negative(part) and bool(_BEFORE.search(part.text))
        if skips is None and not is_free and not is_early:
            continue
        if any(one.stance is Stance.ON_CONDITION for one in parts if one is not part):
            continue
        for found in source.sharing(part.words):
            if not is_rule(found) or not _is_conditional(found, source):
                continue
            if skips and not skips & source.sentences[found.sentence].words:
                continue
            if is_early and not (is_negative(found.clause) and _BEFORE.search(found.clause.text)):
                continue
            shared = part.words & source.sentences[found.sentence].words
            if (
                source.weight(shared) >= SURE
                and len(shared) > 1
                and not any(
                    other.message > found.message and is_rule(other) and _lets_go(other.clause)
                    for other in source.sharing(shared)
                )
            ):
                return found
    return None


def _lets_go(clause: Clause) -> bool:
    return clause.stance in (Stance.LIFTED, Stance.PERMITS) or bool(NEWER.search(clause.text))


def _skipped_words(clause: str) -> frozenset[str] | None:
    """Return what a clause does without, as far as it is named; None for a clause that skips nothing."""
    if not skips_condition(clause):
        return None
    return plain_words(_SKIPS.split(clause, 1)[1]) - _WAITS


def event_as_done(
    parts: Sequence[Clause], sentence: str, alike: Sequence[int], source: SourceStatements
) -> SourceClause | None:
    """Return a rule that waits for an event which a clause reports, though no other sentence does."""
    if _CONDITION.search(sentence):
        return None
    for part in parts:
        if is_negative(part) or not _HAPPENED.search(part.text):
            continue
        for found in source.sharing(part.words):
            condition = _CONDITION.split(found.clause.text, 1)[1:]
            event = plain_words(condition[0]) & part.words if condition and is_rule(found) else frozenset()
            if (
                len(event) > 1
                and source.weight(event) >= SURE
                and not any(
                    other is not found and len(event & other.clause.words) > 1
                    for other in source.sharing(event)
                )
            ):
                return found
    return None

"""Finds facts in the texts of a result by what is said of them, one rule per category. A match is complete,
partial, contradicted, or cannot be told; words alone decide nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from core.analysis.fidelity.fact_texts import SentenceIndex, TextIndex, flat_text, stems
from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.analysis.fidelity.sentence_sense import (
    Stance,
    clauses,
    does_what_is_banned,
    is_negated_before,
    keeps_what_changes,
    skips_condition,
    speaks_of_the_model,
    stance,
)

MIN_SHARE = 0.6  # of the content words
_SURE_SHARE = 0.75  # of them, where nothing else is known
_UNCLEAR_SHARE = 0.5  # of them; less is another subject
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@lru_cache(maxsize=16)
def split_text(text: str) -> tuple[str, ...]:
    """Return the sentences of a text; those of a summary are searched for every fact."""
    return tuple(_SENTENCE_END.split(text))


_OPPOSED = {
    Stance.FORBIDS: (Stance.PERMITS, Stance.DEMANDS),
    Stance.ON_CONDITION: (),
    Stance.DEMANDS: (Stance.FORBIDS,),
    Stance.PERMITS: (Stance.FORBIDS,),
    Stance.NONE: (Stance.FORBIDS,),
}


@dataclass(frozen=True, slots=True)
class FactMatch:
    """``places`` that hold a fact, ``is_complete`` or in part; ``is_negated``: the opposite is said;
    ``is_reworded``: in other words; ``is_unclear``: its subject is there, its sense cannot be told."""

    places: tuple[int, ...] = ()
    is_complete: bool = False
    is_negated: bool = False
    is_reworded: bool = False
    is_unclear: bool = False


NO_MATCH = FactMatch()


@dataclass(frozen=True, slots=True)
class FactSearchIndex:
    """Texts indexed by words and by sentences. ``is_written``: a summary wrote them, so that they can say
    the opposite; the source's own text cannot."""

    texts: TextIndex
    sentences: SentenceIndex
    is_written: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """The sentence that best holds the words of a fact, and its clause with most of them."""

    share: float
    sentence: str
    clause: str
    place: int


_MODAL = stems(
    "never must always should only please don doesn not avoid ensure make sure keep need want prefer may can "
    "allowed forbidden required shall cannot without after before until stay remain also once have "
    "rather instead"
)


def _subject(text: str) -> frozenset[str]:
    """Return the content words of a sentence without those that only say how it is meant."""
    words = stems(text)
    return words - _MODAL or words


def best_sentence(text: str, index: FactSearchIndex, least_share: float = _UNCLEAR_SHARE) -> Found:
    """Return the sentence with most of the words, at least with this share of them."""
    wanted = _subject(text)
    share, number = index.sentences.best_match(wanted, least_share)
    if number < 0:
        return Found(0.0, "", "", -1)
    sentence = index.sentences.sentence(number)
    parts = tuple(clauses(sentence)) or (sentence,)
    clause = max(parts, key=lambda part: len(wanted & stems(part)))
    return Found(share, sentence, clause, index.sentences.places[number])


def match_said(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match a request: the whole text, else most content words in one sentence."""
    if found := index.texts.places(fact.needles[0]):
        return FactMatch(found, True)
    best = best_sentence(fact.needles[0], index)
    if best.share < MIN_SHARE:
        return unclear(fact, best, index)
    is_soup = _is_soup(best.sentence)
    return FactMatch((best.place,), not is_soup, is_reworded=True, is_unclear=is_soup)


def match_decision(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """As a request; a rule that was taken back must not be stated as valid."""
    match = match_said(fact, index)
    if match.is_complete and not match.is_reworded:
        return match
    if len(fact.needles) > 1 and index.is_written:  # the rule that was taken back
        rule, best = fact.needles[1], best_sentence(fact.needles[1], index, _SURE_SHARE)
        forbids = [stance(text) is Stance.FORBIDS for text in (rule, best.clause)]
        is_valid = forbids[0] == forbids[1] and not _is_lifted(best.clause)
        if best.share > _SURE_SHARE and not match.is_complete and is_valid:
            return FactMatch((best.place,), is_negated=True)
    return match


def _is_lifted(clause: str) -> bool:
    return stance(clause) is Stance.LIFTED or bool(re.search(r"\b(?:now|too|instead|any ?more)\b", clause))


def unclear(fact: SourceFact, best: Found, index: FactSearchIndex) -> FactMatch:
    """Return a match that cannot be told where the subject is there, or the text is in another language."""
    if best.share >= _UNCLEAR_SHARE and not _is_soup(best.sentence):
        return FactMatch((best.place,), is_unclear=True)
    if not index.is_written:
        return NO_MATCH
    if fact.kind is FidelityCategory.CONSTRAINT and (names := _names(fact.text)):
        for place in index.texts.places(max(names, key=len)):
            return FactMatch((place,), is_unclear=True)
    if len(stems(fact.text)) > 1:
        for place, text in index.sentences.texts.items():
            if is_foreign(text) and not is_foreign(fact.text):
                return FactMatch((place,), is_unclear=True)
    return NO_MATCH


_SMALL_WORDS = """
the a an of to in is are was were be and or for with on at by it that this not no as from has have had will
must should may can i we you he she they its but only all
"""
_SMALL_FOREIGN_WORDS = (
    "der die das und nicht ist les des une est pas et que los las una y el para con ein eine"
)
_FUNCTION_WORDS, _FOREIGN = frozenset(_SMALL_WORDS.split()), frozenset(_SMALL_FOREIGN_WORDS.split())
_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=4096)
def is_foreign(text: str) -> bool:
    """Return whether a text is in another language than English: words, but none of its small ones."""
    words = _WORD.findall(text.lower())[:400]
    return (
        len(words) >= 6
        and sum(word in _FUNCTION_WORDS for word in words) <= 0.08 * len(words)
        and (not text.isascii() or any(word in _FOREIGN for word in words))
    )


def _is_soup(sentence: str) -> bool:
    """Return whether a long sentence is a mere row of words."""
    words = _WORD.findall(sentence.lower())
    return len(words) >= 14 and sum(word in _FUNCTION_WORDS for word in words) < 0.08 * len(words)


_NAME = re.compile(
    r"(?<![\w.-])[\w.-]*[./_]\w[\w./-]*|\b[\w.-]+/|\b\w*[a-z][A-Z]\w*|\b\d[\d.]+\b|`[^`]+`|"
    r"(?<=[a-z,] )[A-Z][a-z]{2,}\b"
)


def _names(text: str) -> tuple[str, ...]:
    """Return the words of a sentence that no other word could replace: paths, code, numbers."""
    return tuple(name.strip("`.") for name in _NAME.findall(text) if len(name.strip("`.")) > 1)


def _has_all(sentence: str, names: Sequence[str]) -> bool:
    plain = flat_text(sentence)
    return bool(names) and all(flat_text(name) in plain for name in names)


def match_constraint(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match a rule with its sense: forbidden, on condition, or asked; lifted or given to someone else is
    the opposite. Its names with the same sense are enough, whatever the verb."""
    found = index.texts.places(fact.needles[0], is_cut=len(flat_text(fact.text)) > len(fact.needles[0]))
    if found:
        is_opposed = index.is_written and _is_opposed_around(fact, index.texts.plain(found[0]))
        return FactMatch(found, not is_opposed, is_opposed)
    parts = [part for part in clauses(fact.text) if len(_subject(part)) > 1] or [fact.text]
    matches = [_match_clause(replace(fact, text=part), index) for part in dict.fromkeys((fact.text, *parts))]
    if matches[0].is_negated and _has_both_senses(fact.text):  # its clauses alone can be reversed
        matches[0] = replace(matches[0], is_negated=False, is_unclear=True)
    reversed_match = next((match for match in matches if match.is_negated), None)
    if reversed_match or matches[0].is_complete or len(parts) == 1:
        return reversed_match or matches[0]
    complete = [match for match in matches[1:] if match.is_complete]
    if complete:
        return replace(complete[0], is_complete=len(complete) == len(parts))
    return next((match for match in matches if match.places), NO_MATCH)


def _has_both_senses(text: str) -> bool:
    """Return whether one clause of a rule permits a thing and another forbids one."""
    senses = set(map(stance, clauses(text)))
    return Stance.PERMITS in senses and bool(senses & {Stance.FORBIDS, Stance.ON_CONDITION})


def _match_clause(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    names = _names(fact.text)
    best = best_sentence(fact.text, index, 0.0 if names else _UNCLEAR_SHARE)
    if best.share < MIN_SHARE and not _has_all(best.sentence, names):
        return unclear(fact, best, index)
    ours, theirs = stance(fact.text), _stance_of(best)
    is_by_model = fact.by_user and speaks_of_the_model(best.sentence)
    if not is_by_model and keeps_what_changes(fact.text, best.clause):
        return FactMatch((best.place,), True, is_reworded=True)
    if _contradicts(ours, theirs, best, fact):
        return FactMatch((best.place,), is_negated=True)
    agrees = theirs is ours or {ours, theirs} <= {Stance.FORBIDS, Stance.ON_CONDITION}
    agrees = agrees or (not {ours, theirs} & {Stance.FORBIDS, Stance.ON_CONDITION, Stance.LIFTED})
    if agrees and not _is_soup(best.sentence):
        return FactMatch((best.place,), True, is_reworded=True)
    return FactMatch((best.place,), is_unclear=True)


def _stance_of(best: Found) -> Stance:
    """Return the stance of the clause, or LIFTED where a short part of the sentence lifts it."""
    for part in clauses(best.sentence):
        if part != best.clause and len(stems(part)) <= 4 and stance(part) is Stance.LIFTED:
            return Stance.LIFTED
    own = stance(best.clause)
    if own is Stance.NONE and best.clause == best.sentence.strip():
        return stance(best.sentence)
    return own


_CONDITION = re.compile(r"\b(?:only|without|until|unless|before|after)\b", re.IGNORECASE)


def _contradicts(ours: Stance, theirs: Stance, best: Found, fact: SourceFact) -> bool:
    if fact.by_user and speaks_of_the_model(best.sentence):
        return True
    if theirs is Stance.LIFTED:
        return ours is not Stance.LIFTED
    if ours is Stance.ON_CONDITION:
        action = _subject(_CONDITION.split(fact.text)[0])
        shared = len(action & stems(best.clause)) >= MIN_SHARE * len(action)
        return skips_condition(best.clause) or (theirs is Stance.PERMITS and shared)
    if (ours, theirs) == (Stance.DEMANDS, Stance.ON_CONDITION):  # "never run it before a commit"
        first, second = (stems(text.lower().partition(" before ")[0]) for text in (fact.text, best.clause))
        return (
            "before" in best.clause
            and "before" in fact.text
            and len(first & second) >= MIN_SHARE * len(first)
        )
    if best.share < MIN_SHARE and theirs is not Stance.PERMITS:
        return False
    if ours is Stance.FORBIDS and theirs is Stance.NONE:  # the bare order
        verb = next(iter(_WORD.findall(best.clause.lower())), "")
        return bool(stems(verb) & stems(fact.text)) or does_what_is_banned(fact.text, best.clause)
    if ours is Stance.NONE and stance(fact.needles[0]) is Stance.FORBIDS:  # its other clause
        return False
    return theirs in _OPPOSED.get(ours, ())


def _is_opposed_around(fact: SourceFact, text: str) -> bool:
    """Return whether the words around a rule take it back in every place."""
    needle = flat_text(fact.text)[: len(fact.needles[0])]
    senses = []
    for match in re.finditer(re.escape(needle), text):
        before = re.split(r"[.!?] | [-*•] ", text[max(0, match.start() - 120) : match.start()])[-1]
        after = re.split(r"(?<=[.!?]) | [-*•] ", text[match.end() : match.end() + 400] + " ")[0][:120]
        around = f"{before[-120:]} … {after[len(flat_text(fact.text)) - len(needle) :]}"
        senses.append(
            is_negated_before(before)
            or stance(around) is Stance.LIFTED
            or (fact.by_user and speaks_of_the_model(before))
        )
    return bool(senses) and all(senses)

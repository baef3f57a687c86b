"""Finds facts in the texts of a result, by one rule per category (field.md section 4.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.analysis.fidelity.fact_texts import SentenceIndex, TextIndex, content_words, flat_text
from core.analysis.fidelity.model import FidelityCategory, SourceFact

_MIN_SHARE = 0.6  # of the content words
_MAX_DISTANCE = 80  # characters between a key and its value
_NEGATIVE = re.compile(
    r"\b(don't|dont|not|never|no|avoid|mustn't|shouldn't|without|stop|forbidden|cannot|can't)\b"
)

_CONTRAST = re.compile(r",\s+not\s[^.;]*")
"""The contrast in a rule, "must raise, not retry"; a summary may omit it."""


@dataclass(frozen=True, slots=True)
class FactMatch:
    """``places`` that hold a fact, ``is_complete`` or in part; ``is_negated``: with the opposite sense;
    ``is_reworded``: by most of its words."""

    places: tuple[int, ...] = ()
    is_complete: bool = False
    is_negated: bool = False
    is_reworded: bool = False


NO_MATCH = FactMatch()


@dataclass(frozen=True, slots=True)
class FactSearchIndex:
    """Texts indexed by words and by sentences."""

    texts: TextIndex
    sentences: SentenceIndex


def find_fact(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Return the best match of a fact, or NOTHING."""
    return _MATCH_RULES[fact.kind](fact, index)


def _match_exact(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], exact=True)
    return FactMatch(found, True) if found else NO_MATCH


def _match_words(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match the whole text, else most content words in one sentence."""
    found = index.texts.places(fact.needles[0])
    if found:
        return FactMatch(found, True)
    share, sentence_number = index.sentences.best_match(content_words(fact.needles[0]), _MIN_SHARE)
    return (
        FactMatch((index.sentences.places[sentence_number],), True, is_reworded=True)
        if share >= _MIN_SHARE
        else NO_MATCH
    )


def _match_constraint(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], is_cut=len(flat_text(fact.text)) > len(fact.needles[0]))
    if found:
        return FactMatch(found, True)
    share, sentence_number = index.sentences.best_match(content_words(fact.text), _MIN_SHARE)
    if share < _MIN_SHARE:
        return NO_MATCH
    sentence, place = index.sentences.texts[sentence_number], index.sentences.places[sentence_number]
    allowed_senses = {is_negative(fact.text), is_negative(_CONTRAST.sub("", fact.text))}
    return FactMatch((place,), False, is_negative(sentence) not in allowed_senses)


def is_negative(sentence: str) -> bool:
    """Return whether a sentence forbids or denies."""
    return bool(_NEGATIVE.search(sentence.lower().replace("’", "'")))


def _match_path(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match the path from any folder on; the file name alone is a partial match."""
    segments = fact.needles[0].strip("/").split("/")
    for start in range(max(1, len(segments) - 1)):
        found = index.texts.places("/".join(segments[start:]), exact=True)
        if found:
            return FactMatch(found, True)
    if len(segments) == 1:
        return _match_exact(fact, index)
    found = index.texts.places(segments[-1], exact=True)
    return FactMatch(found, False) if found else NO_MATCH


def _match_error(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], is_cut=True) if fact.needles[0] else ()
    if found:
        return FactMatch(found, True)
    for code in fact.needles[1:]:
        if found := index.texts.places(code, exact=True):
            return FactMatch(found, False)
    return NO_MATCH


def _match_todo(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    text, status = fact.needles
    share, sentence_number = index.sentences.best_match(content_words(text), _MIN_SHARE)
    if share < _MIN_SHARE:
        return NO_MATCH
    sentence = flat_text(index.sentences.texts[sentence_number])
    states = (status.lower(), status.lower().replace("_", " "))
    is_done = status.lower() == "completed" and ("[x]" in sentence or "done" in sentence)
    return FactMatch(
        (index.sentences.places[sentence_number],), is_done or any(state in sentence for state in states)
    )


def _match_number(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match the value near its key."""
    key, value = fact.needles
    pattern = re.compile(
        rf"(?<!\w){re.escape(flat_text(key))}\b.{{0,{_MAX_DISTANCE}}}(?<![\w.]){re.escape(flat_text(value))}(?!\w)"
        rf"|(?<![\w.]){re.escape(flat_text(value))}(?!\w).{{0,{_MAX_DISTANCE}}}(?<!\w){re.escape(flat_text(key))}\b"
    )
    found = tuple([place for place in index.texts.places(value) if pattern.search(index.texts.plain[place])])
    return FactMatch(found, True) if found else NO_MATCH


def _match_url(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    for position, needle in enumerate(fact.needles):
        if needle and (found := index.texts.places(needle, exact=True)):
            return FactMatch(found, position == 0)
    return NO_MATCH


def _match_command(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], is_cut=len(fact.text) > len(fact.needles[0]))
    if found:
        return FactMatch(found, True)
    command_start = " ".join(fact.needles[0].split()[:2])
    found = index.texts.places(command_start) if " " in command_start else ()
    return FactMatch(found, False) if found else NO_MATCH


def _match_code(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match runs of three lines: most of them, or some."""
    hits: dict[int, int] = {}
    for shingle in fact.needles:
        for place in index.texts.places(shingle):
            hits[place] = hits.get(place, 0) + 1
    if not hits:
        return NO_MATCH
    place = max(hits, key=lambda candidate: (hits[candidate], -candidate))
    return FactMatch((place,), hits[place] >= _MIN_SHARE * len(fact.needles))


_MATCH_RULES: Mapping[FidelityCategory, Callable[[SourceFact, FactSearchIndex], FactMatch]] = {
    FidelityCategory.CONSTRAINT: _match_constraint,
    FidelityCategory.FILE: _match_path,
    FidelityCategory.PATH: _match_path,
    FidelityCategory.ERROR: _match_error,
    FidelityCategory.TODO: _match_todo,
    FidelityCategory.DECISION: _match_words,
    FidelityCategory.IDENTIFIER: _match_exact,
    FidelityCategory.NUMBER: _match_number,
    FidelityCategory.URL: _match_url,
    FidelityCategory.COMMAND: _match_command,
    FidelityCategory.USER_MESSAGE: _match_words,
    FidelityCategory.CODE: _match_code,
}

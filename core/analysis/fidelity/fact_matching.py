"""Finds facts in the texts of a result, by one rule per category (field.md section 4.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.analysis.fidelity.fact_texts import SentenceIndex, TextIndex, content_words, flat_text
from core.analysis.fidelity.model import FidelityCategory, SourceFact

_ENOUGH = 0.6  # of the content words
_NEAR = 80  # characters between a key and its value
_NEGATIVE = re.compile(
    r"\b(don't|dont|not|never|no|avoid|mustn't|shouldn't|without|stop|forbidden|cannot|can't)\b"
)

_CONTRAST = re.compile(r",\s+not\s[^.;]*")
"""The contrast in a rule, "must raise, not retry"; a summary may omit it."""


@dataclass(frozen=True, slots=True)
class FactMatch:
    """``places`` that hold a fact, ``is_whole`` or in part; ``is_negated``: with the opposite sense;
    ``reworded``: by most of its words."""

    places: tuple[int, ...] = ()
    is_whole: bool = False
    is_negated: bool = False
    reworded: bool = False


NOTHING = FactMatch()


@dataclass(frozen=True, slots=True)
class FactSearchIndex:
    """Texts indexed by words and by sentences."""

    texts: TextIndex
    sentences: SentenceIndex


def find_fact(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Return the best match of a fact, or NOTHING."""
    return _RULES[fact.kind](fact, index)


def _exact(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], exact=True)
    return FactMatch(found, True) if found else NOTHING


def _words(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match the whole text, else most content words in one sentence."""
    found = index.texts.places(fact.needles[0])
    if found:
        return FactMatch(found, True)
    share, best = index.sentences.best(content_words(fact.needles[0]), _ENOUGH)
    return FactMatch((index.sentences.places[best],), True, reworded=True) if share >= _ENOUGH else NOTHING


def _constraint(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], is_cut=len(flat_text(fact.text)) > len(fact.needles[0]))
    if found:
        return FactMatch(found, True)
    share, best = index.sentences.best(content_words(fact.text), _ENOUGH)
    if share < _ENOUGH:
        return NOTHING
    sentence, place = index.sentences.texts[best], index.sentences.places[best]
    senses = {is_negative(fact.text), is_negative(_CONTRAST.sub("", fact.text))}
    return FactMatch((place,), False, is_negative(sentence) not in senses)


def is_negative(sentence: str) -> bool:
    """Return whether a sentence forbids or denies."""
    return bool(_NEGATIVE.search(sentence.lower().replace("’", "'")))


def _path(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match the path from any folder on; the file name alone is a partial match."""
    segments = fact.needles[0].strip("/").split("/")
    for start in range(max(1, len(segments) - 1)):
        found = index.texts.places("/".join(segments[start:]), exact=True)
        if found:
            return FactMatch(found, True)
    if len(segments) == 1:
        return _exact(fact, index)
    found = index.texts.places(segments[-1], exact=True)
    return FactMatch(found, False) if found else NOTHING


def _error(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], is_cut=True) if fact.needles[0] else ()
    if found:
        return FactMatch(found, True)
    for code in fact.needles[1:]:
        if found := index.texts.places(code, exact=True):
            return FactMatch(found, False)
    return NOTHING


def _todo(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    text, status = fact.needles
    share, best = index.sentences.best(content_words(text), _ENOUGH)
    if share < _ENOUGH:
        return NOTHING
    sentence = flat_text(index.sentences.texts[best])
    states = (status.lower(), status.lower().replace("_", " "))
    done = status.lower() == "completed" and ("[x]" in sentence or "done" in sentence)
    return FactMatch((index.sentences.places[best],), done or any(state in sentence for state in states))


def _number(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match the value near its key."""
    key, value = fact.needles
    near = re.compile(
        rf"(?<!\w){re.escape(flat_text(key))}\b.{{0,{_NEAR}}}(?<![\w.]){re.escape(flat_text(value))}(?!\w)"
        rf"|(?<![\w.]){re.escape(flat_text(value))}(?!\w).{{0,{_NEAR}}}(?<!\w){re.escape(flat_text(key))}\b"
    )
    found = tuple([place for place in index.texts.places(value) if near.search(index.texts.plain[place])])
    return FactMatch(found, True) if found else NOTHING


def _url(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    for position, needle in enumerate(fact.needles):
        if needle and (found := index.texts.places(needle, exact=True)):
            return FactMatch(found, position == 0)
    return NOTHING


def _command(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], is_cut=len(fact.text) > len(fact.needles[0]))
    if found:
        return FactMatch(found, True)
    head = " ".join(fact.needles[0].split()[:2])
    found = index.texts.places(head) if " " in head else ()
    return FactMatch(found, False) if found else NOTHING


def _code(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match runs of three lines: most of them, or some."""
    hits: dict[int, int] = {}
    for shingle in fact.needles:
        for place in index.texts.places(shingle):
            hits[place] = hits.get(place, 0) + 1
    if not hits:
        return NOTHING
    place = max(hits, key=lambda one: (hits[one], -one))
    return FactMatch((place,), hits[place] >= _ENOUGH * len(fact.needles))


_RULES: Mapping[FidelityCategory, Callable[[SourceFact, FactSearchIndex], FactMatch]] = {
    FidelityCategory.CONSTRAINT: _constraint,
    FidelityCategory.FILE: _path,
    FidelityCategory.PATH: _path,
    FidelityCategory.ERROR: _error,
    FidelityCategory.TODO: _todo,
    FidelityCategory.DECISION: _words,
    FidelityCategory.IDENTIFIER: _exact,
    FidelityCategory.NUMBER: _number,
    FidelityCategory.URL: _url,
    FidelityCategory.COMMAND: _command,
    FidelityCategory.USER_MESSAGE: _words,
    FidelityCategory.CODE: _code,
}

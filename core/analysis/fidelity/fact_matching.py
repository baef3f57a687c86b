"""How a fact is looked for in the texts of a result: one rule per category (field.md section 4.2)."""

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
"""What a rule says beside what it asks for: "must raise, not retry". Without it the rule is still told."""


@dataclass(frozen=True, slots=True)
class FactMatch:
    """What was found: ``whole`` or in part, at which places; ``flipped`` with the opposite sense,
    ``reworded`` by most of its words."""

    places: tuple[int, ...] = ()
    whole: bool = False
    flipped: bool = False
    reworded: bool = False


NOTHING = FactMatch()


@dataclass(frozen=True, slots=True)
class FactSearchIndex:
    """The texts that facts are looked for in: indexed by words, and their sentences."""

    texts: TextIndex
    sentences: SentenceIndex


def find_fact(fact: SourceFact, shelf: FactSearchIndex) -> FactMatch:
    """The best match of a fact in some texts; NOTHING where there is none."""
    return _RULES[fact.kind](fact, shelf)


def _exact(fact: SourceFact, shelf: FactSearchIndex) -> FactMatch:
    found = shelf.texts.places(fact.needles[0], exact=True)
    return FactMatch(found, True) if found else NOTHING


def _words(fact: SourceFact, shelf: FactSearchIndex) -> FactMatch:
    """All of it word for word, else most content words in one sentence."""
    found = shelf.texts.places(fact.needles[0])
    if found:
        return FactMatch(found, True)
    share, number = shelf.sentences.best(content_words(fact.needles[0]), _ENOUGH)
    return FactMatch((shelf.sentences.places[number],), True, reworded=True) if share >= _ENOUGH else NOTHING


def _constraint(fact: SourceFact, shelf: FactSearchIndex) -> FactMatch:
    found = shelf.texts.places(fact.needles[0], is_cut=len(flat_text(fact.text)) > len(fact.needles[0]))
    if found:
        return FactMatch(found, True)
    share, number = shelf.sentences.best(content_words(fact.text), _ENOUGH)
    if share < _ENOUGH:
        return NOTHING
    sentence, place = shelf.sentences.texts[number], shelf.sentences.places[number]
    senses = {is_negative(fact.text), is_negative(_CONTRAST.sub("", fact.text))}
    return FactMatch((place,), False, is_negative(sentence) not in senses)


def is_negative(sentence: str) -> bool:
    """True for a sentence that forbids or denies."""
    return bool(_NEGATIVE.search(sentence.lower().replace("’", "'")))


def _path(fact: SourceFact, shelf: FactSearchIndex) -> FactMatch:
    """The full path, from whatever folder it is written; the name alone is a part of it."""
    segments = fact.needles[0].strip("/").split("/")
    for start in range(max(1, len(segments) - 1)):
        found = shelf.texts.places("/".join(segments[start:]), exact=True)
        if found:
            return FactMatch(found, True)
    if len(segments) == 1:
        return _exact(fact, shelf)
    found = shelf.texts.places(segments[-1], exact=True)
    return FactMatch(found, False) if found else NOTHING


def _error(fact: SourceFact, shelf: FactSearchIndex) -> FactMatch:
    found = shelf.texts.places(fact.needles[0], is_cut=True) if fact.needles[0] else ()
    if found:
        return FactMatch(found, True)
    for code in fact.needles[1:]:
        if found := shelf.texts.places(code, exact=True):
            return FactMatch(found, False)
    return NOTHING


def _todo(fact: SourceFact, shelf: FactSearchIndex) -> FactMatch:
    text, status = fact.needles
    share, number = shelf.sentences.best(content_words(text), _ENOUGH)
    if share < _ENOUGH:
        return NOTHING
    sentence = flat_text(shelf.sentences.texts[number])
    states = (status.lower(), status.lower().replace("_", " "))
    done = status.lower() == "completed" and ("[x]" in sentence or "done" in sentence)
    return FactMatch((shelf.sentences.places[number],), done or any(state in sentence for state in states))


def _number(fact: SourceFact, shelf: FactSearchIndex) -> FactMatch:
    """The value with its key within a line's length."""
    key, value = fact.needles
    near = re.compile(
        rf"(?<!\w){re.escape(flat_text(key))}\b.{{0,{_NEAR}}}(?<![\w.]){re.escape(flat_text(value))}(?!\w)"
        rf"|(?<![\w.]){re.escape(flat_text(value))}(?!\w).{{0,{_NEAR}}}(?<!\w){re.escape(flat_text(key))}\b"
    )
    found = tuple([place for place in shelf.texts.places(value) if near.search(shelf.texts.plain[place])])
    return FactMatch(found, True) if found else NOTHING


def _url(fact: SourceFact, shelf: FactSearchIndex) -> FactMatch:
    for number, needle in enumerate(fact.needles):
        if needle and (found := shelf.texts.places(needle, exact=True)):
            return FactMatch(found, number == 0)
    return NOTHING


def _command(fact: SourceFact, shelf: FactSearchIndex) -> FactMatch:
    found = shelf.texts.places(fact.needles[0], is_cut=len(fact.text) > len(fact.needles[0]))
    if found:
        return FactMatch(found, True)
    head = " ".join(fact.needles[0].split()[:2])
    found = shelf.texts.places(head) if " " in head else ()
    return FactMatch(found, False) if found else NOTHING


def _code(fact: SourceFact, shelf: FactSearchIndex) -> FactMatch:
    """Runs of three lines: most of them, or some."""
    hits: dict[int, int] = {}
    for shingle in fact.needles:
        for place in shelf.texts.places(shingle):
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

"""Finds what a summary says against its source, sentence by sentence, known facts or not.

A sentence contradicts those of its source about the same subject where it reverses their order, exchanges
two numbers or what a rule frees and what it binds, or has the other state of a failure. Other values, names
and polarity are judged by known facts alone: rules about further sentences called faithful ones false."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from types import MappingProxyType
from typing import NamedTuple

from core.analysis.fidelity.fact_texts import TextIndex, flat_text
from core.analysis.fidelity.order import Order, is_reversed, lists_backwards, order_of, steps_of
from core.analysis.fidelity.sentence_matching import is_foreign
from core.analysis.fidelity.sentence_sense import is_called_open, is_done
from core.analysis.fidelity.statements import (
    Clause,
    SourceClause,
    SourceSentence,
    SourceStatements,
    parse,
    plain_words,
    source_statements,
    vocabulary_of,
)
from core.facts.sentences import prose_sentences
from core.transcript.model import Message

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_BULLET = re.compile(r"^(?:[-*•>#]+|\d{1,2}[.)])\s+")
_QUOTED_WORDS = 9
_STATE_WORDS = plain_words(
    "error errors fail failed test tests still fix fixed solved problem issue after run line file"
)
_ROW = re.compile(r" · | ×\d|:$|^(?:[\w ]{2,30}: )?`[^`]+`(?:: |, `)")
"""A heading, or a row of a list of calls, names or results, which states nothing about its parts."""
_DENIALS = ("never", "not", "don't", "cannot", "nie", "nicht", "nunca", "jamais")
_SO = re.compile(r"[^;]*?,\s+(?:so|also|donc)\s([^;]*)")


class StatedOrder(NamedTuple):
    """What a sentence puts first, and the steps that it lists."""

    order: Order | None
    steps: Sequence[frozenset[str]]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A sentence of a summary at ``place`` of the result, and the sentence of a source ``message`` that it
    contradicts."""

    place: int
    text: str
    message: int
    source: str


def contradictions(
    messages: Sequence[Message],
    summaries: Sequence[tuple[int, str]],
    texts: TextIndex,
    errors: Mapping[int, bool] = MappingProxyType({}),
) -> Iterator[Contradiction]:
    """Yield the contradictions of summaries, given as (place, text), at most one for each sentence. What
    ``texts``, those of the source, hold word for word is none. ``errors`` are the messages with a failure,
    and whether all of it was resolved. Sentences in other languages than English cannot be told."""
    if not summaries:
        return
    source = source_statements(messages, vocabulary_of(text for _, text in summaries))
    orders: dict[int, StatedOrder] = {}
    for place, text in summaries:
        for sentence, _ in prose_sentences(text):
            if _ROW.search(sentence) or is_foreign(sentence):
                continue
            parts = parse(sentence)
            opposed = (
                _other_order(sentence, parts, source, orders)
                or _exchanged(parts, source)
                or _swapped_numbers(parts, source)
                or _other_state(parts, source, errors)
            )
            if opposed and not is_quoted(sentence, texts):
                yield Contradiction(place, sentence, opposed.message, opposed.text)


def is_quoted(sentence: str, texts: TextIndex) -> bool:
    """Return whether a source says a sentence word for word, or a long part of it, without denying it."""
    plain = flat_text(sentence)
    words = plain.split()
    start = " ".join(words[:_QUOTED_WORDS])
    if any(f"{denial} {start}" in texts.plain(place) for place in texts.places(start) for denial in _DENIALS):
        return False
    starts = range(0, len(words) - _QUOTED_WORDS + 1, 2)
    return any(texts.contains(" ".join(words[start : start + _QUOTED_WORDS])) for start in starts) or any(
        plain == flat_text(_BULLET.sub("", part))
        for place in texts.places(sentence)
        for part in _SENTENCE_END.split(texts.raw[place])
    )


def _other_order(
    sentence: str, parts: Sequence[Clause], source: SourceStatements, known: dict[int, StatedOrder]
) -> SourceSentence | None:
    """Return what puts the same things in the opposite order. ``known`` takes the orders of the sentences of
    the source by number: each is asked for again and again."""
    ours = StatedOrder(order_of(sentence), steps_of(sentence))
    if ours.order is None and not ours.steps:
        return None
    alike = source.alike(_all_words(parts))
    for number in alike:
        if number not in known:
            text = source.sentences[number].text
            known[number] = StatedOrder(order_of(text), steps_of(text))
    if any(_is_straight(ours.order, known[number].order) for number in alike):
        return None
    for number in alike:
        theirs = known[number]
        if is_reversed(ours.order, theirs.order) or lists_backwards(ours.steps, theirs.steps):
            return source.sentences[number]
    return None


def _all_words(parts: Sequence[Clause]) -> frozenset[str]:
    return frozenset[str]().union(*(part.words for part in parts))


def _is_straight(ours: Order | None, theirs: Order | None) -> bool:
    return bool(ours and theirs and ours[0] & theirs[0] and ours[1] & theirs[1])


def _exchanged(parts: Sequence[Clause], source: SourceStatements) -> SourceSentence | None:
    """Return a rule where what is free and what is not have changed places."""
    for free, bound in permutations(parts[:6], 2):
        if free.is_restricted or not bound.is_restricted:
            continue
        wrongly_free = _always(free.words - bound.words, source, is_bound=True)
        wrongly_bound = _always(bound.words - free.words, source, is_bound=False)
        if wrongly_free and wrongly_bound and abs(wrongly_free.sentence - wrongly_bound.sentence) <= 1:
            return source.sentences[wrongly_free.sentence]
    return None


def _swapped_numbers(parts: Sequence[Clause], source: SourceStatements) -> SourceSentence | None:
    """Return a clause of a sentence that has two of our numbers the other way round."""
    for ours in combinations(parts, 2):
        for first, second in product(*map(_numbers, ours)):
            if first == second:
                continue
            for one, other in product(source.clauses_with(first), source.clauses_with(second)):
                is_apart = one.sentence == other.sentence and one != other
                if is_apart and _is_crossed(ours, (one.clause, other.clause)):
                    return source.sentences[one.sentence]
    return None


def _numbers(part: Clause) -> list[str]:
    return sorted(word for word in part.words if word[0].isdigit())


def _is_crossed(ours: tuple[Clause, ...], theirs: tuple[Clause, Clause]) -> bool:
    """Return whether the words that tell our clauses apart are with the other number of the source."""
    first, second = ours[0].words - ours[1].words, ours[1].words - ours[0].words
    numbers = frozenset((*_numbers(ours[0]), *_numbers(ours[1])))
    straight = ((first & theirs[0].words) | (second & theirs[1].words)) - numbers
    return not straight and bool((first & theirs[1].words) - numbers and (second & theirs[0].words) - numbers)


def _always(words: frozenset[str], source: SourceStatements, *, is_bound: bool) -> SourceClause | None:
    """Return the rule with a word that is in rules of one kind alone."""
    for word in sorted(words):
        rules = list(source.clauses_with(word, is_rule=True))
        binds = (
            rule.clause.is_restricted or (word.isdigit() and _is_bound_after(rule, source)) for rule in rules
        )
        if rules and all(bound is is_bound for bound in binds):
            return rules[0]
    return None


def _is_bound_after(rule: SourceClause, source: SourceStatements) -> bool:
    """Return whether what follows from a clause binds: "chapter 3 is with Ann, so hands off"."""
    follows = _SO.match(source.sentences[rule.sentence].text.partition(rule.clause.text)[2])
    return follows is not None and any(part.is_restricted for part in parse(follows[1]))


def _other_state(
    parts: Sequence[Clause], source: SourceStatements, errors: Mapping[int, bool]
) -> SourceSentence | None:
    """Return an open failure that a clause calls fixed, or a resolved one that it calls open."""
    for part in parts if errors else ():
        is_open = is_called_open(part.text)
        if not is_open and (is_done(part.text) is not True or part.is_negative):
            continue
        words = _all_words(parts) - _STATE_WORDS
        near = source.alike(words)
        for number in near:
            text, message, _ = source.sentences[number]
            if errors.get(message) is not is_open:
                continue
            theirs = set(text.split())
            own_words = " ".join(word for word in part.text.split() if word not in theirs)
            if is_open or (is_done(own_words) and not _is_done_after(message, near, source)):
                return source.sentences[number]
    return None


def _is_done_after(message: int, near: Iterable[int], source: SourceStatements) -> bool:
    later = (text for text, other, _ in map(source.sentences.__getitem__, near) if other > message)
    return any(is_done(parse(text)[0].text) for text in later)

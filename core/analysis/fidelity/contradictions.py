"""Finds what a summary says against its source, sentence by sentence, known facts or not.

A clause is held against the clauses of the source about the same subject. It contradicts them only where the
source gives the same thing another value or name, the other polarity, order or state, and nowhere its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from types import MappingProxyType

from core.analysis.fidelity.broken_rules import (
    event_as_done,
    ignored_condition,
    is_restricted,
    lifted,
    other_polarity,
    withdrawn,
)
from core.analysis.fidelity.fact_texts import TextIndex, flat_text
from core.analysis.fidelity.order import (
    has_opposite,
    has_opposite_word,
    is_reversed,
    lists_backwards,
    order_of,
)
from core.analysis.fidelity.other_values import (
    SURE,
    backwards_change,
    crossed_persons,
    crossed_values,
    is_negative,
    other_value,
    outdated_value,
)
from core.analysis.fidelity.sentence_matching import is_foreign
from core.analysis.fidelity.sentence_sense import is_called_open, is_done
from core.analysis.fidelity.source_statements import (
    SourceClause,
    SourceStatements,
    is_rule,
    source_statements,
    vocabulary_of,
)
from core.analysis.fidelity.statements import Clause, parse, plain_words
from core.facts.sentences import sentences
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
    for place, text in summaries:
        for sentence in sentences(text, headings=False):
            if _ROW.search(sentence) or is_foreign(sentence) or is_quoted(sentence, texts):
                continue
            parts = parse(sentence)
            if opposed := _opposed(parts, sentence, source) or _other_state(parts, source, errors):
                found = source.sentences[opposed.sentence]
                yield Contradiction(place, sentence, found.message, found.text)


def is_quoted(sentence: str, texts: TextIndex) -> bool:
    """Return whether a source says a sentence word for word, or a long part of it, without denying it."""
    plain = flat_text(sentence)
    words = plain.split()
    start = " ".join(words[:_QUOTED_WORDS])
    if any(f"{denial} {start}" in texts.plain[place] for place in texts.places(start) for denial in _DENIALS):
        return False
    starts = range(0, len(words) - _QUOTED_WORDS + 1, 2)
    return any(texts.contains(" ".join(words[start : start + _QUOTED_WORDS])) for start in starts) or any(
        plain == flat_text(_BULLET.sub("", part))
        for place in texts.places(sentence)
        for part in _SENTENCE_END.split(texts.raw[place])
    )


def _opposed(parts: Sequence[Clause], sentence: str, source: SourceStatements) -> SourceClause | None:
    """Return the clause of the source that a sentence contradicts, if any."""
    for number in range(len(parts)):
        if found := other_value(parts, number, source) or outdated_value(parts, number, source):
            return found
    words = frozenset[str]().union(*(part.words for part in parts))
    alike = source.alike(words)
    checks = (
        _other_order,
        _opposite_word,
        other_polarity,
        _exchanged,
        lifted,
        withdrawn,
        backwards_change,
        crossed_values,
        crossed_persons,
        ignored_condition,
        event_as_done,
    )
    return next((found for check in checks if (found := check(parts, sentence, alike, source))), None)


def _other_order(
    parts: Sequence[Clause], sentence: str, alike: Sequence[int], source: SourceStatements
) -> SourceClause | None:
    """Return what puts the same things in the opposite order, or has the opposite of a word."""
    for number in alike:
        found = source.sentences[number]
        if (is_reversed(sentence, found.text) or lists_backwards(sentence, found.text)) and not any(
            _is_straight(sentence, source.sentences[other].text) for other in alike
        ):
            return source.clause_of(number)
    return None


def _is_straight(sentence: str, other: str) -> bool:
    ours, theirs = order_of(sentence), order_of(other)
    return bool(ours and theirs and ours[0] & theirs[0] and ours[1] & theirs[1])


def _opposite_word(
    parts: Sequence[Clause], sentence: str, alike: Sequence[int], source: SourceStatements
) -> SourceClause | None:
    """Return a clause that has the opposite of a word of ours, and shares the rest."""
    for part in parts:
        for found in source.sharing(part.words) if has_opposite(part.words) else ():
            shared = part.words & found.clause.words
            is_alike = is_negative(part) is is_negative(found.clause) and source.weight(shared) >= SURE
            if is_alike and has_opposite_word(part.words, found.clause.words):
                return found
    return None


def _exchanged(
    parts: Sequence[Clause], sentence: str, alike: Sequence[int], source: SourceStatements
) -> SourceClause | None:
    """Return a rule where what is free and what is not have changed places."""
    for free, bound in permutations(parts[:6], 2):
        if is_restricted(free) or not is_restricted(bound):
            continue
        wrongly_free = _always(_subjects(free) - _subjects(bound), source, is_bound=True)
        wrongly_bound = _always(_subjects(bound) - _subjects(free), source, is_bound=False)
        if wrongly_free and wrongly_bound:
            return wrongly_free
    return None


def _subjects(part: Clause) -> frozenset[str]:
    return part.words | {one.text for one in part.fillers}


def _always(words: frozenset[str], source: SourceStatements, *, is_bound: bool) -> SourceClause | None:
    """Return the rule with a word that stands in rules of one kind alone."""
    for word in sorted(words):
        numbers = {*source.by_word.get(word, ()), *source.by_value.get(word, ())}
        rules = [source.clauses[number] for number in sorted(numbers) if is_rule(source.clauses[number])]
        binds = [
            is_restricted(rule.clause) or (word.isdigit() and _is_bound_after(rule, source)) for rule in rules
        ]
        if rules and all(bound is is_bound for bound in binds):
            return rules[0]
    return None


def _is_bound_after(rule: SourceClause, source: SourceStatements) -> bool:
    """Return whether what follows from a clause binds: "chapter 3 is with Ann, so hands off"."""
    follows = _SO.match(source.sentences[rule.sentence].text.partition(rule.clause.text)[2])
    return bool(follows and any(map(is_restricted, parse(follows[1]))))


def _other_state(
    parts: Sequence[Clause], source: SourceStatements, errors: Mapping[int, bool]
) -> SourceClause | None:
    """Return an open failure that a clause calls fixed, or a resolved one that it calls open."""
    for part in parts:
        is_open = is_called_open(part.text)
        if not is_open and (is_done(part.text) is not True or is_negative(part)):
            continue
        words = frozenset[str]().union(*map(_subjects, parts)) - _STATE_WORDS
        near = [source.clause_of(number) for number in source.alike(words)]
        for found in near:
            theirs = set(source.sentences[found.sentence].text.split())
            if not is_open and not is_done(
                " ".join(word for word in part.text.split() if word not in theirs)
            ):
                continue
            is_resolved = errors.get(found.message)
            is_told = any(
                other.message > found.message and not is_open and is_done(other.clause.text) for other in near
            )
            if is_resolved is not None and is_resolved is is_open and not is_told:
                return found
    return None

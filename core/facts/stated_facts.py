"""What a text states by itself, as facts of message 0."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, starmap

from core.facts import prose_facts, value_facts
from core.facts.listed_facts import listed_decisions
from core.facts.model import Fact, FactCategory
from core.facts.sentences import CACHED_TEXTS, outside_fences, prose_sentences
from core.facts.user_constraints import rule_candidates
from core.transcript.todos import PENDING

_PROSE_LIMIT = 20_000  # characters of one message that are searched for todos and values


def stated_fact(category: FactCategory, text: str) -> Fact:
    return Fact(category, text, text, 0, 0)


def number_fact(key: str, value: str) -> Fact:
    return Fact(FactCategory.NUMBER, key.lower(), f"{key} = {value}", 0, 0)


@lru_cache(maxsize=CACHED_TEXTS)
def model_facts(text: str) -> tuple[Fact, ...]:
    """Return the todos, decisions, findings and values of the model."""
    plans = plan_facts(text)
    decided = {fact.text for fact in plans if fact.category is FactCategory.DECISION}
    findings = (
        Fact(FactCategory.FINDING, sentence, sentence, 0, 0, names)
        for sentence, names in prose_facts.findings(text)
        if sentence not in decided
    )
    short = text[:_PROSE_LIMIT]
    return (*plans, *findings, *values(short, outside_fences(short)))


@lru_cache(maxsize=CACHED_TEXTS)
def plan_facts(text: str) -> tuple[Fact, ...]:
    """Return the open work and the decisions in a text of the model."""
    short = text[:_PROSE_LIMIT]
    decisions = dict.fromkeys((*prose_facts.decisions(text), *listed_decisions(short)))
    return (*_todos(short), *(stated_fact(FactCategory.DECISION, sentence) for sentence in decisions))


@lru_cache(maxsize=CACHED_TEXTS)
def person_facts(text: str, *, instructs: bool) -> tuple[Fact, ...]:
    """Return the decisions, todos and quantities of a person that are in no rule."""
    short = text[:_PROSE_LIMIT]
    found = rule_candidates(text, instructs=instructs)
    rules = {rule.text for rule in found if rule.category is FactCategory.CONSTRAINT}
    chosen = (sentence for sentence in prose_facts.user_decisions(text) if sentence not in rules)
    decisions = (stated_fact(FactCategory.DECISION, sentence) for sentence in chosen)
    spoken = (sentence for sentence, _ in prose_sentences(short) if sentence not in rules)
    quantities = chain.from_iterable(map(value_facts.quantities, spoken))
    return (*decisions, *_todos(short), *starmap(number_fact, quantities))


@lru_cache(maxsize=CACHED_TEXTS)
def values(text: str, prose: str) -> tuple[Fact, ...]:
    """Return the owners in a text, and the numbers in its part without code and quotes."""
    owners = (stated_fact(FactCategory.IDENTIFIER, name) for name in prose_facts.owners(text[:_PROSE_LIMIT]))
    return (*owners, *starmap(number_fact, value_facts.numbers(prose[:_PROSE_LIMIT])))


def _todos(text: str) -> Iterator[Fact]:
    for words in prose_facts.todos(text):
        yield Fact(FactCategory.TODO, words, words, 0, 0, detail=PENDING)

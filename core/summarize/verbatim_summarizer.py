"""A summary of all rules in force word for word, then the most informative facts per token. Deterministic and
parsed back like that of the offline summariser, whose lines it uses."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.facts.model import Fact, FactCategory, Facts, FactState
from core.facts.prose_facts import leading_sentences
from core.facts.sentences import DIGEST_TITLE
from core.summarize import fact_lines
from core.summarize.summary_sections import SnapshotSlot
from core.summarize.token_budget import TokenBudget

_FIRST = (SnapshotSlot.GOAL, SnapshotSlot.CURRENT, SnapshotSlot.TODOS)
"""Slots that the next turn needs first: taken before the others are compared."""

_FIRST_SHARE = 0.25  # of the budget left after the rules
_LINE_VALUES: Mapping[SnapshotSlot, tuple[float, float]] = {
    SnapshotSlot.FILES: (3.0, 0.3),
    SnapshotSlot.ERRORS: (3.0, 0.15),
    SnapshotSlot.REQUESTS: (3.0, 0.2),
    SnapshotSlot.READS: (2.0, 0.25),
    SnapshotSlot.DECISIONS: (2.0, 0.15),
    SnapshotSlot.QUESTIONS: (2.0, 0.05),
    SnapshotSlot.VALUES: (1.5, 0.15),
    SnapshotSlot.COMMANDS: (1.0, 0.2),
    SnapshotSlot.FINDINGS: (1.0, 0.1),
    SnapshotSlot.NAMES: (1.0, 0.35),
}
"""Value of a slot's line (or of one name) as weighed in field.md section 4.2, and the slot's share of the
budget before the others had theirs."""

_STATEMENT_SHARE = 0.8  # of the budget left after the rules, for what the user stated
_STATEMENT_LENGTH = 240  # characters
_SAME_SUBJECT = 0.6  # share of common words, besides the values, of a statement and the one that corrects it
_LABEL = re.compile(r"^(?:\[[^\]]{1,40}\]\s*)?(?:[A-Z][A-Z _-]{2,30}:\s+)?")
_PARTICULAR = re.compile(
    r"`[^`\n]+`|\"[^\"\n]+\"|[$€£]?\w*\d[\w.,:%/-]*|\w+(?:[-_/.@]\w+)+|(?<=[a-z,:] )[A-Z]\w+(?: [A-Z]\w+)*"
)
_WORD = re.compile(r"[a-z]{3,}")
_MIN_SUBJECT = 3  # words; fewer do not tell whether two statements have one subject
_NAMES_PER_LINE = 8
_MAX_NAMES = 800


@dataclass(frozen=True, slots=True)
class VerbatimSummary:
    """The text, and the titles of its sections."""

    text: str
    sections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VerbatimSummaryInput:
    """The input: rules and names of the ``all_facts`` history, other facts of the removed part
    (``removed_facts``). Rules in the text ``present_rules`` and names in ``present_text`` are left out;
    ``budget`` is in tokens by ``count``. Rules are never cut, even where they alone exceed it."""

    all_facts: Facts
    removed_facts: Facts
    count: Callable[[str], int]
    budget: int
    present_rules: str = ""
    present_text: str = ""
    todos: str = ""
    focus: str = ""
    transcript: str = ""


def rules_in_force(facts: Facts) -> tuple[str, ...]:
    """Return the constraints that were not revoked, word for word, in their original order."""
    constraints = [
        fact for fact in facts.of_category(FactCategory.CONSTRAINT) if fact.state is not FactState.REVOKED
    ]
    return tuple(dict.fromkeys(fact.text for fact in sorted(constraints, key=lambda fact: fact.first)))


def statements(facts: Facts, present_text: str = "") -> list[fact_lines.CandidateLine]:
    """Return what the user stated with particular values (codes, names, numbers, dates), once each without
    labels, most values first. A later statement about the same subject replaces the earlier one."""
    notes = [
        fact for fact in facts.of_category(FactCategory.NOTE) if fact.detail == SnapshotSlot.REQUESTS.name
    ]
    texts = [fact.text for fact in (*notes, *facts.of_category(FactCategory.USER_MESSAGE)[:-1])]
    lines: list[fact_lines.CandidateLine] = []
    cut = [leading_sentences(without_label(text), _STATEMENT_LENGTH, titles=True) for text in texts]
    for order, text in enumerate(newest_of_subject(cut)):
        values = {value for value in _PARTICULAR.findall(text) if value not in present_text}
        if values:
            lines.append(fact_lines.CandidateLine(f"- {text}", (-len(values), -order), order))
    return lines


def newest_of_subject(texts: Sequence[str]) -> list[str]:
    """Return texts in their order without those that a later one repeats or corrects: the same words around
    other values."""
    kept: list[tuple[str, frozenset[str]]] = []
    for text in reversed(texts):
        words = frozenset(_WORD.findall(_PARTICULAR.sub(" ", text).lower()))
        is_bare = len(words) < _MIN_SUBJECT or not _PARTICULAR.search(text)
        corrected = any(
            text == other if is_bare else len(words & others) >= _SAME_SUBJECT * len(words | others)
            for other, others in kept
        )
        if not corrected:
            kept.append((text, words))
    return [text for text, _ in reversed(kept)]


def without_label(text: str) -> str:
    """Return a text without the label that a harness put before it: "[12:04] NOTE: text" is "text"."""
    return text[match.end() :] if (match := _LABEL.match(text)) else text


def write_summary(source: VerbatimSummaryInput) -> VerbatimSummary:
    said = statements(source.removed_facts, source.present_text)
    in_force = newest_of_subject(rules_in_force(source.all_facts))
    rules = [rule for rule in in_force if rule not in source.present_rules]
    stated = [line for line in said if not any(_words_of(line) in without_label(rule) for rule in rules)]
    candidates = dict(
        fact_lines.slot_lines(
            source.removed_facts, "", todos=source.todos, focus=source.focus, budget=max(1, source.budget)
        )
    )
    candidates[SnapshotSlot.CONSTRAINTS] = [
        fact_lines.CandidateLine(f"- {without_label(rule)}", (0,), index) for index, rule in enumerate(rules)
    ]
    if sum(map(source.count, (line.text for line in candidates[SnapshotSlot.CONSTRAINTS]))) > source.budget:
        candidates[SnapshotSlot.CONSTRAINTS] = [
            replace(line, order=place)  # what is cut from the end then says least
            for place, line in enumerate(sorted(candidates[SnapshotSlot.CONSTRAINTS], key=_is_general))
        ]
    candidates[SnapshotSlot.REQUESTS] = [
        line
        for line in candidates[SnapshotSlot.REQUESTS]
        if not any(_words_of(one) in line.text for one in stated)
    ]
    candidates[SnapshotSlot.NAMES] = list(_names(source.all_facts, source.present_text))
    outer_lines = [f"{fact_lines.TRANSCRIPT_PREFIX}`{source.transcript}`"] if source.transcript else []
    titles = [f"{slot.title}:" for slot in (SnapshotSlot.CONSTRAINTS, SnapshotSlot.REQUESTS)]
    frame_tokens = source.count("\n".join((DIGEST_TITLE, *outer_lines, *titles)))
    token_budget = TokenBudget(source.budget - frame_tokens, source.count)
    for line in candidates[SnapshotSlot.CONSTRAINTS]:
        token_budget.take(SnapshotSlot.CONSTRAINTS, line)
    _take_statements(stated, token_budget)
    _select_lines(candidates, token_budget)
    by_slot: defaultdict[SnapshotSlot, list[fact_lines.CandidateLine]] = defaultdict(list)
    for slot, line in token_budget.selected:
        by_slot[slot].append(line)
    parts = [DIGEST_TITLE]
    for slot in SnapshotSlot:
        if by_slot[slot]:
            parts += [f"{slot.title}:", *(line.text for line in sorted(by_slot[slot], key=lambda x: x.order))]
    sections = tuple(slot.title for slot in SnapshotSlot if by_slot[slot])
    return VerbatimSummary("\n".join((*parts, *outer_lines)), sections)


def _words_of(line: fact_lines.CandidateLine) -> str:
    return line.text.removeprefix("- ")


def _is_general(line: fact_lines.CandidateLine) -> bool:
    return not _PARTICULAR.search(line.text)


def _take_statements(lines: Sequence[fact_lines.CandidateLine], token_budget: TokenBudget) -> None:
    left = max(0, token_budget.remaining) * _STATEMENT_SHARE

    def worth(line: fact_lines.CandidateLine) -> tuple[float, ...]:
        return line.rank[0] / max(1, token_budget.line_cost(line)), line.rank[1]

    for line in sorted(lines, key=worth):
        price = token_budget.line_cost(line)
        if price <= left:
            left -= price
            token_budget.take(SnapshotSlot.REQUESTS, line)


def _select_lines(
    candidates: Mapping[SnapshotSlot, Sequence[fact_lines.CandidateLine]], token_budget: TokenBudget
) -> None:
    """Take the slots needed first, then the best lines per token within the shares, then all that fits."""
    budget = max(0, token_budget.remaining)
    for slot in _FIRST:
        limit = budget * _FIRST_SHARE
        for line in candidates[slot]:
            price = token_budget.line_cost(line)
            if price <= min(limit, token_budget.remaining):
                limit -= price
                token_budget.take(slot, line)

    def rank(candidate: tuple[SnapshotSlot, fact_lines.CandidateLine]) -> tuple[object, ...]:
        slot, line = candidate
        value = _LINE_VALUES[slot][0]
        if slot is SnapshotSlot.NAMES:
            value *= max(1, line.text.count("`") // 2)
        return -value / max(1, token_budget.line_cost(line)), line.rank, line.order

    ranked = sorted(((slot, line) for slot in _LINE_VALUES for line in candidates[slot]), key=rank)
    spent: defaultdict[SnapshotSlot, int] = defaultdict(int)
    remaining = []
    for slot, line in ranked:
        price = token_budget.line_cost(line)
        if price <= token_budget.remaining and spent[slot] + price <= _LINE_VALUES[slot][1] * budget:
            spent[slot] += price
            token_budget.take(slot, line)
        else:
            remaining.append((slot, line))
    for slot, line in remaining:
        if token_budget.line_cost(line) <= token_budget.remaining:
            token_budget.take(slot, line)


def _names(facts: Facts, present_text: str) -> Sequence[fact_lines.CandidateLine]:
    """Return lines of code names that appear nowhere else, most used and newest first."""
    kinds = FactCategory.FILE_MODIFIED, FactCategory.FILE_READ
    paths = {fact.key for kind in kinds for fact in facts.of_category(kind)}
    identifiers = [
        fact
        for fact in facts.of_category(FactCategory.IDENTIFIER)
        if fact.text not in paths and fact.text not in present_text
    ]
    last = max((fact.last for fact in identifiers), default=0)

    def likely_reuse(fact: Fact) -> float:
        return fact.count * (0.3 + (fact.last + 2) / (last + 2))

    identifiers.sort(key=lambda fact: (-likely_reuse(fact), fact.text))
    return list(fact_lines.name_lines([fact.text for fact in identifiers[:_MAX_NAMES]], _NAMES_PER_LINE))

"""A summary of all rules in force word for word, then the most informative facts per token. Deterministic and
parsed back like that of the offline summariser, whose lines it uses."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from core.facts.model import Fact, FactCategory, Facts, FactState
from core.facts.prose_facts import leading_sentences
from core.facts.sentences import DIGEST_TITLE
from core.facts.user_constraints import rule_strength
from core.summarize import fact_lines
from core.summarize.summary_sections import SnapshotSlot
from core.summarize.token_budget import TokenBudget

_FIRST = (SnapshotSlot.GOAL, SnapshotSlot.CURRENT, SnapshotSlot.TODOS)
"""Slots that the next turn needs first: taken before the others are compared."""

_FIRST_SHARE = 0.25  # of the budget left after the rules
_LINE_VALUES: Mapping[SnapshotSlot, tuple[float, float]] = {
    SnapshotSlot.CONSTRAINTS: (3.0, 0.2),  # those that are not in force word for word
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

_STATEMENT_SHARE = 0.9  # of the budget left after the rules, for what the user stated
_STATEMENT_LENGTH = 240  # characters
_SHORT_MESSAGE = 160  # characters
_SAME_SUBJECT = 0.6  # share of common words, besides the values, of a statement and the one that corrects it
_LABEL = re.compile(r"^(?:\[[^\]]{1,40}\]\s*)?(?:[A-Z][A-Z _-]{2,30}:\s+)?")
_PARTICULAR = re.compile(
    r"`[^`\n]+`|\"[^\"\n]+\"|[$€£]?\w*\d[\w.,:%/-]*|\w+(?:[-_/.@]\w+)+|(?<=[a-z,:] )[A-Z]\w+(?: [A-Z]\w+)*"
)
_COMPOUND = re.compile(r"[A-Za-z]?[a-z]*(?:-[a-z]+)+")
"""A word with a hyphen, which names nothing: "event-driven"."""
_WORD = re.compile(r"[a-z]{3,}")
_UPDATED = " (updated)"
_MAX_COMPARED = 300  # texts, so that the time stays linear
_MIN_SUBJECT = 3  # words; fewer do not tell whether two statements have one subject
_KEY = re.compile(rf"^(?:- )?(?:\[\w+\] |{fact_lines.STATE_PREFIX})?(?:[\w .-]+ = )?")
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
    (``removed_facts``), ``names`` that recur, best first. Rules in the text ``present_rules`` and names in
    ``present_text`` are left out; ``budget`` is in tokens by ``count``. Rules are never cut, even where they
    alone exceed it."""

    all_facts: Facts
    removed_facts: Facts
    count: Callable[[str], int]
    budget: int
    present_rules: str = ""
    present_text: str = ""
    todos: str = ""
    focus: str = ""
    transcript: str = ""
    names: Sequence[str] = ()


def rules_in_force(facts: Facts) -> tuple[str, ...]:
    """Return the constraints that were not revoked, word for word, in their original order, with what
    a short message says before them, so that they keep what they are about. A rule that a later one corrects
    is left out, as is one of a long text that demands nothing in so many words."""
    constraints = [
        fact
        for fact in facts.of_category(FactCategory.CONSTRAINT)
        if fact.state in (FactState.STRONG, FactState.WEAK)
        or (fact.state is FactState.LONG and rule_strength(fact.text) is FactState.STRONG)
    ]
    messages = {
        fact.first: " ".join(without_label(fact.text).split())
        for fact in facts.of_category(FactCategory.USER_MESSAGE)
        if len(fact.text) <= _SHORT_MESSAGE
    }
    rules: dict[tuple[int, str], str] = {}
    for fact in sorted(constraints, key=lambda fact: fact.first):
        rule, message = without_label(fact.text), messages.get(fact.last, "")
        if rule in message:
            line = message[: message.index(rule) + len(rule)]
            rules[fact.last, ""] = max(rules.get((fact.last, ""), ""), line, key=len)
        else:
            rules[fact.last, rule] = rule
    return tuple(newest_of_subject(tuple(dict.fromkeys(rules.values()))))


def particulars(text: str) -> set[str]:
    """Return the codes, names, numbers and dates of a text."""
    return {value for value in _PARTICULAR.findall(text) if not _COMPOUND.fullmatch(value)}


def statements(
    facts: Facts, present_text: str = "", rules: Sequence[str] = ()
) -> list[fact_lines.CandidateLine]:
    """Return what the user stated with particular values (codes, names, numbers, dates), once each without
    labels and rules, most values first, repeated words last. A later statement about the same subject
    replaces the earlier one."""
    lines: list[fact_lines.CandidateLine] = []
    texts = _short_statements(facts)
    repeated = _repeated(texts)
    for order, statement in enumerate(newest_of_subject(texts)):
        text = _without_rules(statement, rules)
        values = {value for value in particulars(text) if value not in present_text}
        if values:
            rank = statement in repeated, -len(values), -order
            lines.append(fact_lines.CandidateLine(f"- {text}", rank, order))
    return lines


def _short_statements(facts: Facts) -> list[str]:
    """Return the beginnings of the user's messages, the last excepted, and of those in earlier summaries."""
    notes = [
        fact for fact in facts.of_category(FactCategory.NOTE) if fact.detail == SnapshotSlot.REQUESTS.name
    ]
    texts = [fact.text for fact in (*notes, *facts.of_category(FactCategory.USER_MESSAGE)[:-1])]
    return [leading_sentences(without_label(text), _STATEMENT_LENGTH, titles=True) for text in texts]


def _repeated(texts: Sequence[str]) -> set[str]:
    return {text for text, count in Counter(texts).items() if count > 1}


def _without_rules(text: str, rules: Sequence[str]) -> str:
    for rule in rules:
        text = text.replace(rule.removesuffix(_UPDATED), "")
    return text.strip()


def newest_of_subject(texts: Sequence[str]) -> list[str]:
    """Return texts in their order without those that a later one repeats or corrects: the same words around
    other values. What corrects another says so."""
    kept: dict[str, frozenset[str]] = {}  # newest first
    updated: set[str] = set()
    for marked in reversed(texts):
        text = marked.removesuffix(_UPDATED)
        words = frozenset(_WORD.findall(_PARTICULAR.sub(" ", text).lower()))
        corrected_by = text if text in kept else None
        if corrected_by is None and len(words) >= _MIN_SUBJECT and _PARTICULAR.search(text):
            near = (other for other in _nearest(kept) if _same_subject(words, kept[other]))
            corrected_by = next(near, None)
        if corrected_by is None:
            kept[text] = words
        elif corrected_by != text:
            updated.add(corrected_by)
        if marked != text:
            updated.add(text)
    return [f"{text}{_UPDATED}" if text in updated else text for text in reversed(kept)]


def _nearest(kept: dict[str, frozenset[str]]) -> Iterator[str]:
    return islice(reversed(kept), _MAX_COMPARED)


def _same_subject(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= _SAME_SUBJECT * len(words | others)


def without_label(text: str) -> str:
    """Return a text without the label that a harness put before it: "[12:04] NOTE: text" is "text"."""
    return text[match.end() :] if (match := _LABEL.match(text)) else text


def write_summary(source: VerbatimSummaryInput) -> VerbatimSummary:
    in_force = rules_in_force(source.all_facts)
    rules = [rule for rule in in_force if rule.removesuffix(_UPDATED) not in source.present_rules]
    if sum(source.count(f"- {rule}") for rule in rules) > source.budget / 2:
        rules.sort(key=_generality)  # what is cut from the end then says least
    stated = statements(source.removed_facts, source.present_text, rules)
    candidates = _other_lines(source, rules, "\n".join((*in_force, source.present_rules)), stated)
    outer_lines = [f"{fact_lines.TRANSCRIPT_PREFIX}`{source.transcript}`"] if source.transcript else []
    titles = [f"{slot.title}:" for slot in (SnapshotSlot.CONSTRAINTS, SnapshotSlot.REQUESTS)]
    frame_tokens = source.count("\n".join((DIGEST_TITLE, *outer_lines, *titles)))
    token_budget = TokenBudget(source.budget - frame_tokens, source.count)
    for place, rule in enumerate(rules):
        token_budget.take(SnapshotSlot.CONSTRAINTS, fact_lines.CandidateLine(f"- {rule}", (0,), place))
    repeated = [line for line in stated if line.rank[0]]
    left = _take_statements([line for line in stated if not line.rank[0]], token_budget)
    candidates[SnapshotSlot.REQUESTS] = [*left, *candidates[SnapshotSlot.REQUESTS]]
    _select_lines(candidates, token_budget)
    taken = {line for _, line in token_budget.selected}
    for line in repeated if taken.issuperset(candidates[SnapshotSlot.REQUESTS]) else ():
        if token_budget.line_cost(line) <= token_budget.remaining:
            token_budget.take(SnapshotSlot.REQUESTS, line)
    by_slot: defaultdict[SnapshotSlot, list[fact_lines.CandidateLine]] = defaultdict(list)
    for slot, line in token_budget.selected:
        by_slot[slot].append(line)
    parts = [DIGEST_TITLE]
    for slot in SnapshotSlot:
        if by_slot[slot]:
            parts += [f"{slot.title}:", *(line.text for line in sorted(by_slot[slot], key=lambda x: x.order))]
    sections = tuple(slot.title for slot in SnapshotSlot if by_slot[slot])
    return VerbatimSummary("\n".join((*parts, *outer_lines)), sections)


def _other_lines(
    source: VerbatimSummaryInput,
    rules: Sequence[str],
    known_rules: str,
    stated: Sequence[fact_lines.CandidateLine],
) -> dict[SnapshotSlot, Sequence[fact_lines.CandidateLine]]:
    """Return the candidate lines by slot without what rules, statements and remaining messages say."""
    facts, todos, focus = source.removed_facts, source.todos, source.focus
    lines = dict(fact_lines.slot_lines(facts, "", todos=todos, focus=focus, budget=max(1, source.budget)))
    lines[SnapshotSlot.CONSTRAINTS] = [
        line for line in lines[SnapshotSlot.CONSTRAINTS] if without_label(_words_of(line)) not in known_rules
    ]
    texts = _short_statements(source.removed_facts)
    listed = {*map(_words_of, stated), *_repeated(texts)}
    lines[SnapshotSlot.REQUESTS] = [
        line
        for line in _without_acknowledgements(lines[SnapshotSlot.REQUESTS], rules)
        if not any(words in line.text for words in listed)
    ]
    known = "\n".join((*rules, *texts, source.present_text))
    present = dict.fromkeys((SnapshotSlot.VALUES, SnapshotSlot.DECISIONS, SnapshotSlot.TODOS), known)
    present |= dict.fromkeys((SnapshotSlot.GOAL, SnapshotSlot.CURRENT), source.present_text)
    for slot, text in present.items():
        lines[slot] = [line for line in lines[slot] if _value_of(line) not in text]
    lines[SnapshotSlot.NAMES] = list(_names(source.all_facts, source.names, known))
    return lines


def _without_acknowledgements(
    lines: Sequence[fact_lines.CandidateLine], rules: Sequence[str]
) -> Iterator[fact_lines.CandidateLine]:
    """Yield the lines of requests without answers that were given several times; with none left, a request
    with particular values is a statement, and a rule is listed with the rules."""
    parts = [line.text.partition('" → ')[::2] for line in lines]
    answers = Counter(answer for _, answer in parts)
    for line, (request, answer) in zip(lines, parts, strict=True):
        if answer and answers[answer] == 1:
            yield line
            continue
        quoted = request.removeprefix("- ").removeprefix(f'{fact_lines.REQUEST_PREFIX}"')
        words = without_label(quoted.removesuffix('"'))
        if not particulars(words) and not any(words in rule for rule in rules):
            yield replace(line, text=f"- {words}")


def _words_of(line: fact_lines.CandidateLine) -> str:
    return line.text.removeprefix("- ")


def _value_of(line: fact_lines.CandidateLine) -> str:
    """Return the value of "- key = value", the text of "- [pending] text"."""
    return without_label(_KEY.sub("", line.text))


def _generality(text: str) -> float:
    """Return a number that falls with the particulars per character."""
    return -len(particulars(text)) / max(1, len(text))


def _take_statements(
    lines: Sequence[fact_lines.CandidateLine], token_budget: TokenBudget
) -> list[fact_lines.CandidateLine]:
    """Take statements within their share, those with most particulars per token first; return the others."""
    room = max(0, token_budget.remaining) * _STATEMENT_SHARE
    left = []

    def worth(line: fact_lines.CandidateLine) -> tuple[float, ...]:
        _, values, order = line.rank
        return values / max(1, token_budget.line_cost(line)), order

    for line in sorted(lines, key=worth):
        price = token_budget.line_cost(line)
        if price <= room:
            room -= price
            token_budget.take(SnapshotSlot.REQUESTS, line)
        else:
            left.append(line)
    return left


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


def _names(facts: Facts, recurring: Sequence[str], present_text: str) -> Sequence[fact_lines.CandidateLine]:
    """Return lines of names that appear nowhere else: those that recur, then those of prose, most used and
    newest first."""
    kinds = FactCategory.FILE_MODIFIED, FactCategory.FILE_READ
    paths = {fact.key for kind in kinds for fact in facts.of_category(kind)}
    identifiers = facts.of_category(FactCategory.IDENTIFIER)
    last = max((fact.last for fact in identifiers), default=0)

    def likely_reuse(fact: Fact) -> float:
        return fact.count * (0.3 + (fact.last + 2) / (last + 2))

    ranked = sorted(identifiers, key=lambda fact: (-likely_reuse(fact), fact.text))
    names = dict.fromkeys((*recurring, *(fact.text for fact in ranked)))
    absent = [name for name in names if name not in paths and name not in present_text]
    return list(fact_lines.name_lines(absent[:_MAX_NAMES], _NAMES_PER_LINE))

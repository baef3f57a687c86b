"""A summary as a ledger: every rule that stands word for word, then the facts that say most per token.

Deterministic, as the offline summariser, whose lines it uses; it is read back as that one's summaries are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.facts import Fact, FactCategory, Facts, FactState
from core.facts.sentences import DIGEST_TITLE
from core.summarize import fact_lines
from core.summarize.summary_sections import SnapshotSlot
from core.summarize.token_budget import TokenBudget

_FIRST = (SnapshotSlot.GOAL, SnapshotSlot.CURRENT, SnapshotSlot.TODOS)
"""What the next turn begins with: taken before anything is weighed."""

_FIRST_SHARE = 0.25  # of what is left after the rules
_WORTH: Mapping[SnapshotSlot, tuple[float, float]] = {
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
"""What a line of a slot counts (a name of a line of names), as field.md section 4.2 weighs its kind, and the
share of the budget that the slot may take before the others had theirs."""

_NAMES_PER_LINE = 8
_MOST_NAMES = 800


@dataclass(frozen=True, slots=True)
class VerbatimSummary:
    """The text, the titles of its sections, and the rules in it."""

    text: str
    sections: tuple[str, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VerbatimSummaryInput:
    """What a ledger is written from: rules and names of the ``whole`` history, the other facts of what is
    ``gone``. Rules that stand in the text ``demanded`` and names that stand in ``standing`` need not be
    said; ``budget`` in tokens by ``count``. The rules are never cut, even where they alone take more."""

    whole: Facts
    gone: Facts
    count: Callable[[str], int]
    budget: int
    demanded: str = ""
    standing: str = ""
    todos: str = ""
    focus: str = ""
    transcript: str = ""


def rules_in_force(facts: Facts) -> tuple[str, ...]:
    """The constraints that nobody took back, word for word, in the order in which they were given."""
    found = [fact for fact in facts.of(FactCategory.CONSTRAINT) if fact.state is not FactState.REVOKED]
    return tuple(dict.fromkeys(fact.text for fact in sorted(found, key=lambda fact: fact.first)))


def write_summary(asked: VerbatimSummaryInput) -> VerbatimSummary:
    """The ledger of some facts."""
    rules = [rule for rule in rules_in_force(asked.whole) if rule not in asked.demanded]
    candidates = dict(
        fact_lines.slot_lines(
            asked.gone, "", todos=asked.todos, focus=asked.focus, budget=max(1, asked.budget)
        )
    )
    candidates[SnapshotSlot.CONSTRAINTS] = [
        fact_lines.CandidateLine(f"- {rule}", (0,), place) for place, rule in enumerate(rules)
    ]
    candidates[SnapshotSlot.NAMES] = list(_names(asked.whole, asked.standing))
    ends = [f"{fact_lines.TRANSCRIPT}`{asked.transcript}`"] if asked.transcript else []
    purse = TokenBudget(
        asked.budget - asked.count("\n".join((DIGEST_TITLE, *ends, *_titles(candidates)))), asked.count
    )
    for line in candidates[SnapshotSlot.CONSTRAINTS]:
        purse.left -= purse.price(line)
        purse.taken.append((SnapshotSlot.CONSTRAINTS, line))
    _spend(candidates, purse)
    return _written(purse, ends, tuple(rules))


def _titles(candidates: Mapping[SnapshotSlot, Sequence[fact_lines.CandidateLine]]) -> list[str]:
    return [f"{slot.title}:" for slot in SnapshotSlot if candidates.get(slot)]


def _written(purse: TokenBudget, ends: Sequence[str], rules: tuple[str, ...]) -> VerbatimSummary:
    by_slot: defaultdict[SnapshotSlot, list[fact_lines.CandidateLine]] = defaultdict(list)
    for slot, line in purse.taken:
        by_slot[slot].append(line)
    parts = [DIGEST_TITLE]
    for slot in SnapshotSlot:
        if by_slot[slot]:
            parts.append(f"{slot.title}:")
            parts += [line.text for line in sorted(by_slot[slot], key=lambda line: line.order)]
    titles = tuple(slot.title for slot in SnapshotSlot if by_slot[slot])
    return VerbatimSummary("\n".join((*parts, *ends)), titles, rules)


def _spend(candidates: Mapping[SnapshotSlot, Sequence[fact_lines.CandidateLine]], purse: TokenBudget) -> None:
    """First what the next turn begins with; then the lines that say most per token, within the shares;
    then whatever still fits."""
    budget = max(0, purse.left)
    for slot in _FIRST:
        _take(slot, candidates[slot], budget * _FIRST_SHARE, purse)
    ranked = sorted(
        ((slot, line) for slot in _WORTH for line in candidates[slot]),
        key=lambda one: (-_worth(*one) / max(1, purse.price(one[1])), one[1].rank, one[1].order),
    )
    spent: defaultdict[SnapshotSlot, int] = defaultdict(int)
    waiting = []
    for slot, line in ranked:
        price = purse.price(line)
        if price <= purse.left and spent[slot] + price <= _WORTH[slot][1] * budget:
            spent[slot] += price
            _buy(slot, line, purse)
        else:
            waiting.append((slot, line))
    for slot, line in waiting:
        if purse.price(line) <= purse.left:
            _buy(slot, line, purse)


def _worth(slot: SnapshotSlot, line: fact_lines.CandidateLine) -> float:
    worth = _WORTH[slot][0]
    return worth * max(1, line.text.count("`") // 2) if slot is SnapshotSlot.NAMES else worth


def _take(
    slot: SnapshotSlot, found: Sequence[fact_lines.CandidateLine], most: float, purse: TokenBudget
) -> None:
    for line in found:
        price = purse.price(line)
        if price <= min(most, purse.left):
            most -= price
            _buy(slot, line, purse)


def _buy(slot: SnapshotSlot, line: fact_lines.CandidateLine, purse: TokenBudget) -> None:
    purse.left -= purse.price(line)
    purse.taken.append((slot, line))


def _names(facts: Facts, standing: str) -> Sequence[fact_lines.CandidateLine]:
    """Names as code spells them that stand nowhere else, several on a line, most used and newest first."""
    paths = {
        fact.key for kind in (FactCategory.FILE_MODIFIED, FactCategory.FILE_READ) for fact in facts.of(kind)
    }
    found = [
        fact
        for fact in facts.of(FactCategory.IDENTIFIER)
        if fact.text not in paths and fact.text not in standing
    ]
    last = max((fact.last for fact in found), default=0)
    found.sort(key=lambda fact: (-_weight(fact, last), fact.text))
    chosen = [fact.text for fact in found[:_MOST_NAMES]]
    starts = range(0, len(chosen), _NAMES_PER_LINE)
    return [
        fact_lines.CandidateLine(
            f"- {fact_lines.NAMES}{', '.join(f'`{name}`' for name in chosen[at : at + _NAMES_PER_LINE])}",
            (at,),
            at,
        )
        for at in starts
    ]


def _weight(fact: Fact, last: int) -> float:
    """How likely a name comes again: how often it came, and how lately."""
    return fact.count * (0.3 + (fact.last + 2) / (last + 2))

"""Facts: small frozen values with a category, a key that joins mentions, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

EARLIER = -1
"""The message index of a fact that comes from an earlier summary, before all messages."""


class FactCategory(StrEnum):
    """The kinds of fact (product.md section 2)."""

    GOAL = "goal"
    CONSTRAINT = "constraint"
    REVOCATION = "revocation"  # takes a constraint back
    USER_MESSAGE = "user message"
    FILE_MODIFIED = "file modified"
    FILE_READ = "file read"
    ERROR = "error"
    COMMAND = "command"
    CALL = "tool call"  # of another tool than shell and files; text counts the failed ones
    DECISION = "decision"
    TODO = "todo"
    CURRENT_WORK = "current work"
    NUMBER = "number"
    URL = "url"
    IDENTIFIER = "identifier"
    FINDING = "finding"  # a sentence of the model that names things; count says how many
    NOTE = "note"  # a line of an earlier summary that is none of these; detail names its slot


class FactState(StrEnum):
    """What is known of a fact; which states occur depends on its category."""

    NONE = ""
    STRONG = "strong"  # a constraint with must, never, always …
    WEAK = "weak"  # a constraint with prefer, keep, only …
    LONG = "long"  # a constraint out of a long pasted text
    REVOKED = "revoked"
    OPEN = "open"
    RESOLVED = "resolved"
    OK = "ok"
    FAILED = "failed"
    ANSWERED = "answered"  # a decision that the user gave as an answer


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact.

    ``key`` is the same for all mentions of one thing; ``text`` is what to say, word for word where
    a person said it. ``first`` and ``last`` are message indices, ``count`` how often it came.
    ``detail`` holds what happened to it ("read ×2, edited ×3"), the outcome of a request, or the
    command of an error.
    """

    category: FactCategory
    key: str
    text: str
    first: int
    last: int
    count: int = 1
    state: FactState = FactState.NONE
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts of some messages, by category and then in the order of their first mention."""

    all: tuple[Fact, ...] = ()

    def of(self, category: FactCategory) -> tuple[Fact, ...]:
        """The facts of one category."""
        return tuple(fact for fact in self.all if fact.category is category)


def ordered_facts(facts: Iterable[Fact]) -> Facts:
    """Facts in the order of the categories, then of first mention."""
    places = {category: place for place, category in enumerate(FactCategory)}
    return Facts(tuple(sorted(facts, key=lambda fact: (places[fact.category], fact.first))))

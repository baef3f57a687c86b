"""The model of a fact: a category, a key that joins its mentions, and where they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

EARLIER_SUMMARY = -1  # message index of a fact from an earlier summary, before all messages


class FactCategory(StrEnum):
    """The kinds of facts (product.md section 2)."""

    GOAL = "goal"
    CONSTRAINT = "constraint"
    REVOCATION = "revocation"  # revokes a constraint
    USER_MESSAGE = "user message"
    FILE_MODIFIED = "file modified"
    FILE_READ = "file read"
    PATH = "path"  # named in text, touched by no tool
    ERROR = "error"
    COMMAND = "command"
    CALL = "tool call"  # of a tool for neither shell nor files; text counts the failed ones
    DECISION = "decision"
    TODO = "todo"
    CURRENT_WORK = "current work"
    NUMBER = "number"
    URL = "url"
    IDENTIFIER = "identifier"
    FINDING = "finding"  # a sentence of the model that names identifiers; count is their number
    NOTE = "note"  # any other line of an earlier summary; detail names its slot


class FactState(StrEnum):
    """The state of a fact; the possible states depend on its category."""

    NONE = ""
    STRONG = "strong"  # a constraint with must, never, always …
    WEAK = "weak"  # any other constraint: prefer, keep, only …
    LONG = "long"  # a constraint from a long pasted text
    READ = "read"  # a constraint from a file that instructs agents, which a tool has read
    REVOKED = "revoked"
    OPEN = "open"
    RESOLVED = "resolved"
    OK = "ok"  # a command whose exit code or status says so
    RAN = "ran"  # a command of whose outcome nothing is known
    FAILED = "failed"
    ANSWERED = "answered"  # a decision that the user gave as an answer


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. ``key`` is the same for all mentions of one thing; ``text`` is its wording, verbatim if the
    user wrote it. ``first`` and ``last`` are message indices, ``count`` is the number of mentions. ``detail``
    is the file operations ("read ×2, edited ×3"), the outcome of a request, or the command of an error."""

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
    """Facts by category, then in the order of their first mention."""

    all: tuple[Fact, ...] = ()

    def of_category(self, category: FactCategory) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.all if fact.category is category)


def ordered_facts(facts: Iterable[Fact]) -> Facts:
    places = {category: place for place, category in enumerate(FactCategory)}
    return Facts(tuple(sorted(facts, key=lambda fact: (places[fact.category], fact.first))))

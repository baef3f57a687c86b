"""The model of a fact: its kind, a key that joins its mentions, and where they are."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

# Message index of a fact from an earlier summary, before all messages.
EARLIER_SUMMARY = -1


class FactKind(StrEnum):
    """What can be held against a result by strings alone, in the order of the lists
    (LOSS-2.2.1)."""

    YOUR_MESSAGE = "your message"  # what the person said, a message each
    ATTACHMENT = "attachment"  # an image or a file that the person sent
    INSTRUCTION = (
        "instruction"  # a sentence of a file that instructs, which demands something
    )
    RUNNING = "running"  # a sub-agent or a background command of whose end nothing is recorded
    OPEN_ERROR = (
        "open error"  # of the last failed run of a command that did not pass since
    )
    TODO = "to-do"  # an item of the newest list
    FILE_CHANGED = "file changed"  # its result says so
    FILE_ASKED = "change asked for"  # of a file; the outcome is not recorded
    FILE_READ = "file read"
    COMMAND = "command"  # as it was run
    NAME = "name"  # path, URL, identifier, id, number, code


class FactState(StrEnum):
    """How the last run of a command ended."""

    NONE = ""
    OK = "ok"  # its exit code or status says so
    RAN = "ran"  # its outcome is not recorded
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact. ``key`` is the same for all mentions of one thing; ``text`` is its wording,
    verbatim. ``first`` and ``last`` are message indices, ``count`` is the number of mentions.
    ``detail`` is the file operations ("read ×2, edited ×3"), the file of an instruction, the
    command of an error, the state of a to-do, the kind of a name, what runs, the type of an
    attachment. ``output`` is the first line of
    the last result of a call whose outcome is not recorded."""

    kind: FactKind
    key: str
    text: str
    first: int
    last: int
    count: int = 1
    state: FactState = FactState.NONE
    detail: str = ""
    output: str = ""


FILE_KINDS = (FactKind.FILE_CHANGED, FactKind.FILE_ASKED, FactKind.FILE_READ)


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts by kind, then in the order of their first mention; ``last_answer`` is the newest text
    of the model, in message ``last_answer_at``."""

    all: tuple[Fact, ...] = ()
    last_answer: str = ""
    last_answer_at: int = EARLIER_SUMMARY

    def of_kind(self, kind: FactKind) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.all if fact.kind is kind)


def name_weight(fact: Fact, latest: int) -> float:
    """Return count × recency of a name, the count damped: what is used again later is what was used
    last. ``latest`` is the last message of all facts. A name of an earlier summary is older than
    any of a message."""
    return math.sqrt(fact.count) * ((fact.last + 2) / (latest + 2)) ** 4


def ordered_facts(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    ranks = {kind: rank for rank, kind in enumerate(FactKind)}
    return tuple(sorted(facts, key=lambda fact: (ranks[fact.kind], fact.first)))

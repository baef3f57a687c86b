"""The slots of a summary, and their assignment to the sections of a prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum


class SnapshotSlot(Enum):
    """The topics of a summary, in their order within one section. ``title`` is the heading where no
    prompt names sections; ``share`` is the fraction of the budget available before the others had
    theirs; ``patterns`` match names of suitable sections, best first."""

    GOAL = (
        "Goal",
        0.06,
        "goal|objective|intent|purpose|task state|user context; request; overview|task; summary",
    )
    RULES = (
        "Rules of the user",
        0.25,
        (
            "constraint|directive|guidance|instruction|preference|rule|requirement; "
            "user message; knowledge|context; goal|intent"
        ),
    )
    FILES = (
        "Files changed",
        0.2,
        (
            "artifact|files|file system|changes$; "
            "done$|completed$; progress|done|accomplished|state|completed; code|reference; knowledge"
        ),
    )
    READS = "Files read", 0.07, "code|reference; file system; artifact|files; knowledge|context"
    COMMANDS = (
        "Commands",
        0.08,
        (
            "command|tool|action|history; done$|completed$; "
            "progress|recent|done|accomplished|state; knowledge"
        ),
    )
    ERRORS = (
        "Errors",
        0.1,
        "error|failure|fix|problem|issue|blocker; discover|learn; recent action; progress|state",
    )
    REQUESTS = "Requests", 0.1, "user message|task context; context; request|intent|goal; progress"
    TODOS = (
        "Open todos",
        0.05,
        (
            "active task|todo|pending|open task|remaining|task tracking; "
            "next; task state|plan; task; progress|state"
        ),
    )
    QUESTIONS = (
        "Open questions",
        0.01,
        "question|unresolved|unknown|blocked; next; current|progress|pending",
    )
    CURRENT = (
        "Current work",
        0.12,
        (
            "current work|current progress|current state|in progress|active$; "
            "progress|recent; state|done|accomplished; next"
        ),
    )
    NAMES = (
        "Names",
        0.03,
        "key knowledge|knowledge|concept; code|reference; critical|data|discover; decision; files",
    )

    def __init__(self, title: str, share: float, patterns: str) -> None:
        self.title = title
        self.share = share
        self.patterns = patterns.split("; ")


SPENDING_ORDER = tuple(
    SnapshotSlot[name]
    for name in (
        *("RULES", "GOAL", "TODOS", "FILES", "ERRORS", "CURRENT", "REQUESTS"),
        *("COMMANDS", "QUESTIONS", "READS", "NAMES"),
    )
)
"""The order in which tokens are spent."""

_CATCH_ALL = "progress|state|context|knowledge|summary|overview|work"


def assign_slots(sections: Sequence[str]) -> Mapping[SnapshotSlot, str]:
    """Return the section of each slot; every slot has one unless there are no sections."""
    named_sections = [(_normalised(section), section) for section in sections]
    return {slot: _best(slot, named_sections) for slot in SnapshotSlot} if named_sections else {}


def slot_for_title(title: str) -> SnapshotSlot | None:
    """Return the slot of an earlier summary's section by its name; None for others."""
    for slot in SnapshotSlot:
        if title == slot.title:
            return slot
    name = _normalised(title)
    for depth in range(max(len(slot.patterns) for slot in SnapshotSlot)):
        for slot in SnapshotSlot:
            if depth < len(slot.patterns) and _matches(slot.patterns[depth], name):
                return slot
    return None


def _best(slot: SnapshotSlot, named_sections: Sequence[tuple[str, str]]) -> str:
    for pattern in (*slot.patterns, _CATCH_ALL):
        for name, section in named_sections:
            if _matches(pattern, name):
                return section
    return named_sections[0][1]


def _matches(pattern: str, name: str) -> bool:
    return re.search(rf"\b(?:{pattern})", name) is not None


def _normalised(section: str) -> str:
    return section.replace("_", " ").replace("-", " ").lower()

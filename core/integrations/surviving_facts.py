"""Facts that must survive a compaction, as text for a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.common.excerpts import one_line_text
from core.facts.extract import extract_facts
from core.facts.model import Fact, FactKind, name_weight
from core.losses.evidence import is_done
from core.transcript.model import Message

CHARACTERS_PER_TOKEN = 4
"""An estimate: a tokenizer would take longer to load than the rest of a hook."""
MAX_CHARACTERS = 9_000
"""Claude Code cuts the output of a hook at 10,000 characters."""
_MAX_FACT = 400  # characters
_LABELS = {
    FactKind.YOUR_MESSAGE: "Your message",
    FactKind.INSTRUCTION: "Instruction",
    FactKind.RUNNING: "Still running",
    FactKind.OPEN_ERROR: "Open error",
    FactKind.FILE_CHANGED: "Changed file",
    FactKind.FILE_ASKED: "Change asked for, outcome not recorded",
    FactKind.TODO: "Task",
    FactKind.NAME: "Name",
}
"""The facts that an agent cannot find again by looking at its files, worst first."""
_MAX_NAMES = 40
_MIN_NAME_COUNT = 3  # messages with a name that is likely to be needed again


def surviving_facts(messages: Sequence[Message]) -> tuple[Fact, ...]:
    """Return what a later turn needs and cannot find again, by kind, then newest first; of the
    names those that the session used most and last."""
    facts = extract_facts(messages).all
    latest = max((fact.last for fact in facts), default=0)
    names = [
        fact
        for fact in facts
        if fact.kind is FactKind.NAME and fact.count >= _MIN_NAME_COUNT
    ]
    names = sorted(names, key=lambda fact: -name_weight(fact, latest))[:_MAX_NAMES]
    others = [
        fact
        for fact in facts
        if fact.kind in _LABELS and fact.kind is not FactKind.NAME
    ]
    order = list(_LABELS)
    others.sort(key=lambda fact: (order.index(fact.kind), -fact.last))
    return (*(fact for fact in others if not is_done(fact)), *names)


def facts_text(heading: str, facts: Iterable[Fact], max_tokens: int) -> str:
    """Return a heading and the facts that fit, one a line, without repeats; "" if none does."""
    room = min(max_tokens * CHARACTERS_PER_TOKEN, MAX_CHARACTERS)
    lines: list[str] = []
    for line in dict.fromkeys(_lines(facts)):
        if len(line) < room:
            lines.append(line)
            room -= len(line) + 1
    if lines:
        return "\n".join((heading, *lines))
    return ""


def _lines(facts: Iterable[Fact]) -> Iterator[str]:
    for fact in facts:
        yield f"- {_LABELS[fact.kind]}: {one_line_text(fact.text, _MAX_FACT)}"

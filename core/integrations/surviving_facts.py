"""Facts that must survive a compaction, and those that one lost, as text for a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.analysis.fidelity.fidelity import judge_fidelity
from core.analysis.fidelity.model import CATEGORY_WEIGHTS, FactStatus, FidelityCategory, SourceFact
from core.analysis.fidelity.source_facts import extract_source_facts
from core.common.excerpts import one_line_text
from core.transcript.compaction import Compaction, CompactionMetadata, Fate, FateKind, FateStep
from core.transcript.model import Message

CHARACTERS_PER_TOKEN = 4
"""An estimate: a tokenizer would take longer to load than the rest of a hook."""
_MAX_CHARACTERS = 9_000
"""Claude Code cuts the output of a hook at 10,000 characters (agents.md section 1)."""
_MAX_FACT = 400  # characters
_LABELS = {
    FidelityCategory.CONSTRAINT: "Rule",
    FidelityCategory.TODO: "Task",
    FidelityCategory.ERROR: "Error, not resolved",
    FidelityCategory.FILE: "Changed file",
    FidelityCategory.DECISION: "Decision",
}
"""The facts that an agent cannot find again by looking at its files."""
_SUMMARISED = Fate((FateStep("hook", FateKind.SUMMARISED, "The agent compacted its context."),))


def surviving_facts(messages: Sequence[Message]) -> tuple[SourceFact, ...]:
    """Return what a later turn needs and cannot find again, weightiest first, then newest first."""
    facts = (fact for fact in extract_source_facts(messages) if fact.kind in _LABELS and not fact.is_resolved)
    return tuple(sorted(facts, key=lambda fact: (-CATEGORY_WEIGHTS[fact.kind], -fact.messages[-1])))


def missing_facts(
    messages: Sequence[Message], facts: Sequence[SourceFact], context: Sequence[Message]
) -> tuple[SourceFact, ...]:
    """Return the facts of ``messages`` that the context after a compaction lacks or reverses."""
    compaction = Compaction(
        tuple(context),
        ((),) * len(context),
        (_SUMMARISED,) * len(messages),
        CompactionMetadata(len(messages), len(context), "hook", llm_call_made=True),
        frozenset(range(len(context))),
    )
    judged = judge_fidelity(messages, compaction, facts=facts).facts
    return tuple(one.fact for one in judged if one.status is FactStatus.LOST or one.is_negated)


def facts_text(heading: str, facts: Iterable[SourceFact], max_tokens: int) -> str:
    """Return a heading and the facts that fit, one a line, without repeats; "" if none does."""
    room = min(max_tokens * CHARACTERS_PER_TOKEN, _MAX_CHARACTERS)
    lines: list[str] = []
    for line in dict.fromkeys(_lines(facts)):
        if len(line) < room:
            lines.append(line)
            room -= len(line) + 1
    return "\n".join((heading, *lines)) if lines else ""


def _lines(facts: Iterable[SourceFact]) -> Iterator[str]:
    for fact in facts:
        yield f"- {_LABELS[fact.kind]}: {one_line_text(fact.text, _MAX_FACT)}"

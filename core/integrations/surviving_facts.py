"""Facts that must survive a compaction, and those that one lost, as text for a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.analysis.losses.evidence import find_evidence
from core.analysis.losses.model import Evidence, EvidenceStatus, is_done
from core.analysis.losses.sentence_evidence import SentenceStatus
from core.common.excerpts import one_line_text
from core.facts.extract import extract_facts
from core.facts.model import Fact, FactKind, name_weight
from core.transcript.compaction import Compaction, CompactionMetadata, Fate, FateKind, FateStep
from core.transcript.model import Message

CHARACTERS_PER_TOKEN = 4
"""An estimate: a tokenizer would take longer to load than the rest of a hook."""
_MAX_CHARACTERS = 9_000
"""Claude Code cuts the output of a hook at 10,000 characters."""
_MAX_FACT = 400  # characters
_LABELS = {
    FactKind.YOUR_MESSAGE: "Your message",
    FactKind.INSTRUCTION: "Instruction",
    FactKind.OPEN_ERROR: "Open error",
    FactKind.FILE_CHANGED: "Changed file",
    FactKind.FILE_ASKED: "Change asked for, outcome not recorded",
    FactKind.TODO: "Task",
    FactKind.NAME: "Name",
}
"""The facts that an agent cannot find again by looking at its files, worst first."""
_MAX_NAMES = 40
_MIN_NAME_COUNT = 3  # messages with a name that is likely to be needed again
_SUMMARISED = Fate((FateStep("hook", FateKind.SUMMARISED, "The agent compacted its context."),))


def surviving_facts(messages: Sequence[Message]) -> tuple[Fact, ...]:
    """Return what a later turn needs and cannot find again, by kind, then newest first; of the
    names those that the session used most and last."""
    facts = extract_facts(messages).all
    latest = max((fact.last for fact in facts), default=0)
    names = [fact for fact in facts if fact.kind is FactKind.NAME and fact.count >= _MIN_NAME_COUNT]
    names = sorted(names, key=lambda fact: -name_weight(fact, latest))[:_MAX_NAMES]
    others = [fact for fact in facts if fact.kind in _LABELS and fact.kind is not FactKind.NAME]
    order = list(_LABELS)
    others.sort(key=lambda fact: (order.index(fact.kind), -fact.last))
    return (*(fact for fact in others if not is_done(fact)), *names)


def missing_facts(
    messages: Sequence[Message], facts: Sequence[Fact], context: Sequence[Message]
) -> tuple[Fact, ...]:
    """Return the facts of ``messages`` that the context after a compaction does not hold word for
    word: those that are gone before those that are reworded. Of a message only the sentences that
    are missing are left."""
    compaction = Compaction(
        messages=tuple(context),
        origins=((),) * len(context),
        fates=(_SUMMARISED,) * len(messages),
        metadata=CompactionMetadata(
            original_message_count=len(messages),
            compressed_message_count=len(context),
            strategy_used="hook",
            llm_call_made=True,
        ),
        inserted=frozenset(range(len(context))),
    )
    found = list(find_evidence(compaction, facts))
    return tuple(_left_out(one) for one in sorted(filter(_is_missing, found), key=_is_reworded))


def _left_out(one: Evidence) -> Fact:
    """Return the fact; of a message only the sentences that are not there, in their order."""
    if one.fact.kind is not FactKind.YOUR_MESSAGE:
        return one.fact
    missing = (one.text for one in one.sentences if one.status is not SentenceStatus.STANDS)
    return replace(one.fact, text=" ".join(missing))


def _is_missing(one: Evidence) -> bool:
    return one.status is not EvidenceStatus.WORD_FOR_WORD


def _is_reworded(one: Evidence) -> bool:
    return one.status is EvidenceStatus.REWORDED


def facts_text(heading: str, facts: Iterable[Fact], max_tokens: int) -> str:
    """Return a heading and the facts that fit, one a line, without repeats; "" if none does."""
    room = min(max_tokens * CHARACTERS_PER_TOKEN, _MAX_CHARACTERS)
    lines: list[str] = []
    for line in dict.fromkeys(_lines(facts)):
        if len(line) < room:
            lines.append(line)
            room -= len(line) + 1
    return "\n".join((heading, *lines)) if lines else ""


def _lines(facts: Iterable[Fact]) -> Iterator[str]:
    for fact in facts:
        yield f"- {_LABELS[fact.kind]}: {one_line_text(fact.text, _MAX_FACT)}"

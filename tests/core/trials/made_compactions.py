"""Hand-made compactions and what they hold."""

from collections.abc import Sequence

from core.facts.extract import extract_facts
from core.facts.model import FactKind
from core.losses.evidence import Evidence, find_evidence
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Fate,
    FateKind,
    FateStep,
)
from core.transcript.model import Message
from tests.support.builders import ai, call, exchange, human, response, tool

NAME = "by-hand"


def make_compaction(
    source: Sequence[Message], *, keep: Sequence[int] = (), summary: str = ""
) -> Compaction:
    kept_messages = [source[index] for index in keep]
    new_messages = [human(summary)] if summary else []
    removed_fate = FateKind.SUMMARISED if summary else FateKind.DROPPED
    removed = tuple(index for index in range(len(source)) if index not in keep)
    fates = tuple(
        Fate(
            (FateStep(NAME, FateKind.KEPT if i in keep else removed_fate, "So it is."),)
        )
        for i in range(len(source))
    )
    return Compaction(
        messages=(*new_messages, *kept_messages),
        origins=(*((removed,) if new_messages else ()), *((index,) for index in keep)),
        fates=fates,
        metadata=CompactionMetadata(
            original_message_count=len(source),
            compressed_message_count=len(new_messages) + len(kept_messages),
            strategy_used=NAME,
            llm_call_made=bool(new_messages),
        ),
        inserted=frozenset(range(len(new_messages))),
    )


def evidence(
    source: Sequence[Message], *, keep: Sequence[int] = (), summary: str = ""
) -> tuple[Evidence, ...]:
    made = make_compaction(source, keep=keep, summary=summary)
    return tuple(find_evidence(made, extract_facts(source).all))


def one_of(found: Sequence[Evidence], kind: FactKind) -> Evidence:
    (match,) = (one for one in found if one.fact.kind is kind)
    return match


def edit(path: str) -> tuple[Message, ...]:
    return exchange(
        "e1", "Edit", "done", file_path=path, old_string="a", new_string="b"
    )


def run(command: str, output: str, *, failed: bool = False) -> tuple[Message, ...]:
    answer = (
        response("r1", "Bash", None, output)
        if failed
        else response("r1", "Bash", output)
    )
    return ai("", call("Bash", "r1", command=command)), tool(answer)

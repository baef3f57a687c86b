"""Hand-made compactions and their fidelity."""

from collections.abc import Sequence

from core.analysis.fidelity.fidelity import judge_fidelity
from core.analysis.fidelity.model import Fidelity, FidelityCategory, JudgedFact
from core.transcript.compaction import Compaction, CompactionMetadata, Fate, FateKind, FateStep
from core.transcript.model import Message
from tests.builders import ai, call, exchange, human, response, tool

NAME = "by-hand"


def make_compaction(source: Sequence[Message], *, keep: Sequence[int] = (), summary: str = "") -> Compaction:
    kept_messages = [source[index] for index in keep]
    new_messages = [human(summary)] if summary else []
    removed_fate = FateKind.SUMMARISED if summary else FateKind.DROPPED
    removed = tuple(index for index in range(len(source)) if index not in keep)
    fates = tuple(
        Fate((FateStep(NAME, FateKind.KEPT if i in keep else removed_fate, "So it is."),))
        for i in range(len(source))
    )
    return Compaction(
        (*new_messages, *kept_messages),
        (*((removed,) if new_messages else ()), *((index,) for index in keep)),
        fates,
        CompactionMetadata(len(source), len(new_messages) + len(kept_messages), NAME, bool(new_messages)),
        inserted=frozenset(range(len(new_messages))),
    )


def fidelity(source: Sequence[Message], *, keep: Sequence[int] = (), summary: str = "") -> Fidelity:
    return judge_fidelity(source, make_compaction(source, keep=keep, summary=summary))


def fact_of_kind(found: Fidelity, kind: FidelityCategory) -> JudgedFact:
    (match,) = (match for match in found.facts if match.fact.kind is kind)
    return match


def edit(path: str) -> tuple[Message, ...]:
    return exchange("e1", "Edit", "done", file_path=path, old_string="a", new_string="b")


def run(command: str, output: str, *, failed: bool = False) -> tuple[Message, ...]:
    answer = response("r1", "Bash", None, output) if failed else response("r1", "Bash", output)
    return ai("", call("Bash", "r1", command=command)), tool(answer)

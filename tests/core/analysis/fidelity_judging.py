"""Hand-made compactions and their fidelity."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.fidelity.fidelity import judge_fidelity
from core.analysis.fidelity.model import Fidelity, FidelityCategory, JudgedFact
from core.transcript.compaction import Compaction, CompactionMetadata, Fate, FateKind, FateStep
from core.transcript.model import Message
from tests.builders import human

NAME = "by-hand"


def compacted(source: Sequence[Message], *, keep: Sequence[int] = (), summary: str = "") -> Compaction:
    """Keep these messages; a summary, if given, replaces the others."""
    kept = [source[index] for index in keep]
    new = [human(summary)] if summary else []
    gone = FateKind.SUMMARISED if summary else FateKind.DROPPED
    rest = tuple(index for index in range(len(source)) if index not in keep)
    fates = tuple(
        Fate((FateStep(NAME, FateKind.KEPT if i in keep else gone, "So it is."),)) for i in range(len(source))
    )
    return Compaction(
        (*new, *kept),
        (*((rest,) if new else ()), *((index,) for index in keep)),
        fates,
        CompactionMetadata(len(source), len(new) + len(kept), NAME, bool(new)),
        inserted=frozenset(range(len(new))),
    )


def edited(source: Sequence[Message], changed: dict[int, Message]) -> Compaction:
    fates = tuple(
        Fate((FateStep(NAME, FateKind.EDITED if i in changed else FateKind.KEPT, "So it is."),))
        for i in range(len(source))
    )
    result = tuple(changed.get(index, message) for index, message in enumerate(source))
    origins = tuple((index,) for index in range(len(source)))
    return Compaction(result, origins, fates, CompactionMetadata(len(source), len(source), NAME, False))


def fidelity(source: Sequence[Message], *, keep: Sequence[int] = (), summary: str = "") -> Fidelity:
    return judge_fidelity(source, compacted(source, keep=keep, summary=summary))


def of_kind(found: Fidelity, kind: FidelityCategory) -> JudgedFact:
    (one,) = (one for one in found.facts if one.fact.kind is kind)
    return one

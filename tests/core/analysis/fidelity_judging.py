"""Compactions made by hand, and what is left of the facts in them."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.fidelity.fidelity import judge_fidelity
from core.analysis.fidelity.model import Fidelity, FidelityCategory, JudgedFact
from core.transcript.compaction import Compaction, CompactionMetadata, Fate, FateKind, FateStep
from core.transcript.model import Message
from tests.builders import human

NAME = "by-hand"


def compacted(source: Sequence[Message], *, keep: Sequence[int] = (), summary: str = "") -> Compaction:
    """The source with these messages kept, behind a summary of the others where there is one."""
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
    """The source with some messages changed where they stand."""
    fates = tuple(
        Fate((FateStep(NAME, FateKind.EDITED if i in changed else FateKind.KEPT, "So it is."),))
        for i in range(len(source))
    )
    result = tuple(changed.get(index, message) for index, message in enumerate(source))
    origins = tuple((index,) for index in range(len(source)))
    return Compaction(result, origins, fates, CompactionMetadata(len(source), len(source), NAME, False))


def fidelity(source: Sequence[Message], *, keep: Sequence[int] = (), summary: str = "") -> Fidelity:
    """What such a compaction left of the facts."""
    return judge_fidelity(source, compacted(source, keep=keep, summary=summary))


def of_kind(found: Fidelity, kind: FidelityCategory) -> JudgedFact:
    """The one fact of a category."""
    (one,) = (one for one in found.facts if one.fact.kind is kind)
    return one

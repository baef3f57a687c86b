"""Two implementations of one strategy over the same history: where their results differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from core.analysis.analysis_input import AnalysisInput
from core.common.errors import FoldlineError
from core.preview.options import Preview
from core.transcript.alignment import canonical_block
from core.transcript.compaction import FateKind
from core.transcript.model import Message
from core.trials.run import trial_preview
from core.trials.trial import Trial


@dataclass(frozen=True, slots=True)
class FateDifference:
    """A message of the source, from 0, with which the two did not do the same."""

    index: int
    ours: FateKind
    theirs: FateKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ImplementationPair:
    """What a strategy and a program made of a history. ``fates`` are the messages whose fates
    differ; ``result_index`` is the first message of the results that differs, -1 for none.
    ``problem`` says why the program gave no result."""

    ours: Preview
    theirs: Preview | None = None
    fates: tuple[FateDifference, ...] = ()
    result_index: int = -1
    problem: str = ""

    @property
    def is_same(self) -> bool:
        return self.result_index < 0 and not self.problem


def compare_implementations(
    source: AnalysisInput, name: str, program: str
) -> ImplementationPair:
    """Run a strategy and a program over a history. Raises InputError where the strategy fails."""
    ours = trial_preview(source, Trial(name))
    try:
        theirs = trial_preview(source, Trial(program))
    except FoldlineError as error:
        return ImplementationPair(ours=ours, problem=str(error))
    first, second = ours.result.compaction, theirs.result.compaction
    fates = (
        FateDifference(index, mine.kind, other.kind)
        for index, (mine, other) in enumerate(
            zip(first.fates, second.fates, strict=True)
        )
        if mine.kind is not other.kind
    )
    return ImplementationPair(
        ours=ours,
        theirs=theirs,
        fates=tuple(fates),
        result_index=_first_difference(first.messages, second.messages),
    )


def _first_difference(first: Sequence[Message], second: Sequence[Message]) -> int:
    for index, (mine, other) in enumerate(zip_longest(first, second)):
        if mine is None or other is None or _content(mine) != _content(other):
            return index
    return -1


def _content(message: Message) -> tuple[object, ...]:
    blocks = (canonical_block(block) for block in message.blocks)
    return message.speaker, *(block for block in blocks if block is not None)

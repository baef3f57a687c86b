"""What is left of the facts after several compactions in a row, each of the result of the last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice

from core.analysis.compare.row_computation import offline_values
from core.analysis.fidelity.fidelity import judge_fidelity
from core.analysis.fidelity.source_facts import facts_of
from core.preview.options import PreviewOptions
from core.preview.preview import compute_preview
from core.settings.profile import BUILT_IN
from core.settings.values import Values
from core.transcript.compaction import Compaction, CompactionMetadata, Fate, FateKind, FateStep
from core.transcript.model import Conversation, Message
from core.transcript.scopes import ALL, history_of_scope

_CHAIN = "chain"


@dataclass(frozen=True, slots=True)
class DecayRound:
    """A compaction of the result of the last one. ``weighted`` is the fidelity from 0 to 1 against the first
    source, None where that has no facts; ``tokens`` and ``messages`` are left; ``no_op`` says why there
    was nothing to do."""

    weighted: float | None
    tokens: int
    messages: int
    no_op: str = ""


def iterate_rounds(
    conversation: Conversation, values: Values, ask: PreviewOptions | None = None
) -> Iterator[DecayRound]:
    """One compaction after the other, without end; nothing is said in between.

    Summaries are written offline. A round that has nothing to do leaves what the last one left. Pins stay
    with their messages. Raises as ``compute_preview`` does; Cancelled comes out of ``ask.progress``.
    """
    asked = ask or PreviewOptions()
    past, pins = history_of_scope(conversation, asked.scope), asked.pins
    source, facts = past.messages, facts_of(past.messages, asked.progress)
    now = replace(conversation, messages=source, recorded=())
    asked = PreviewOptions(
        ALL, asked.model, focus=asked.focus, progress=asked.progress, writer=BUILT_IN, checks=False
    )
    origins: tuple[int, ...] = tuple(range(len(source)))
    while True:
        here = {place: pins[first] for place, first in enumerate(origins) if first in pins}
        made = compute_preview(now, offline_values(values), replace(asked, pins=here))
        run = made.compaction
        origins = _traced(run, origins)
        now = replace(now, messages=run.messages)
        whole = _whole(source, run.messages, origins)
        found = judge_fidelity(source, whole, facts=facts, progress=asked.progress).weighted
        reason = run.no_op.reason if run.no_op is not None else ""
        yield DecayRound(found, made.after_tokens, len(run.messages), reason)


def decay_rounds(
    conversation: Conversation, values: Values, ask: PreviewOptions | None = None, count: int = 3
) -> tuple[DecayRound, ...]:
    """The first ``count`` rounds."""
    return tuple(islice(iterate_rounds(conversation, values, ask), count))


def _traced(run: Compaction, former: Sequence[int]) -> tuple[int, ...]:
    """The first source of each message of a result, -1 for what some round wrote."""
    return tuple(
        former[sources[0]] if sources and place not in run.inserted else -1
        for place, sources in enumerate(run.origins)
    )


def _whole(source: Sequence[Message], result: tuple[Message, ...], origins: Sequence[int]) -> Compaction:
    """All rounds as one compaction of the first source."""
    places = {index: place for place, index in enumerate(origins) if index >= 0}
    still = {index for index, place in places.items() if result[place] is source[index]}
    steps = {kind: Fate((FateStep(_CHAIN, kind, "All rounds together."),)) for kind in FateKind}
    return Compaction(
        result,
        tuple((index,) if index >= 0 else () for index in origins),
        tuple(steps[_kind(index, places, still)] for index in range(len(source))),
        CompactionMetadata(len(source), len(result), _CHAIN, False),
        inserted=frozenset(place for place, index in enumerate(origins) if index < 0),
    )


def _kind(index: int, places: Mapping[int, int], still: Set[int]) -> FateKind:
    if index in still:
        return FateKind.KEPT
    return FateKind.EDITED if index in places else FateKind.SUMMARISED

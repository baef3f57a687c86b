"""What is left of the facts after several compactions in a row, each of the result of the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from core.analysis.fact_source import facts_of
from core.analysis.fidelity import judge
from core.compaction import Compaction, Fate, FateKind, Metadata, Step
from core.conversation import Conversation, Message
from core.preview import preview
from core.preview_values import Ask
from core.scopes import ALL, history
from core.settings.values import Values

_CHAIN = "chain"


def decay(
    conversation: Conversation, values: Values, ask: Ask | None = None, rounds: int = 3
) -> tuple[float | None, ...]:
    """The weighted fidelity after each of ``rounds`` compactions, from 0 to 1, against the first source.

    Each round compacts the result of the last; one that has nothing to do leaves it as it was. None
    where the source has no facts. Raises as ``preview`` does.
    """
    asked = ask or Ask()
    source = history(conversation, asked.scope).messages
    facts = facts_of(source)
    now = replace(conversation, messages=source, recorded=())
    asked, found = replace(asked, scope=ALL), []
    origins: tuple[int, ...] = tuple(range(len(source)))
    for _ in range(rounds):
        run = preview(now, values, asked).compaction
        origins = _traced(run, origins)
        now = replace(now, messages=run.messages)
        found.append(judge(source, _whole(source, run.messages, origins), facts=facts).weighted)
    return tuple(found)


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
    steps = {kind: Fate((Step(_CHAIN, kind, "All rounds together."),)) for kind in FateKind}
    return Compaction(
        result,
        tuple((index,) if index >= 0 else () for index in origins),
        tuple(steps[_kind(index, places, still)] for index in range(len(source))),
        Metadata(len(source), len(result), _CHAIN, False),
        inserted=frozenset(place for place, index in enumerate(origins) if index < 0),
    )


def _kind(index: int, places: Mapping[int, int], still: Set[int]) -> FateKind:
    if index in still:
        return FateKind.KEPT
    return FateKind.EDITED if index in places else FateKind.SUMMARISED

"""Where lost facts sat, for the ruler: the messages, and which facts each of them lost, in words."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence

from core.analysis.fidelity.model import JudgedFact
from core.common.excerpts import one_line_text
from core.presentation.fidelity.fact_wording import LABELS

_NAMED = 3  # facts that are named; the others are counted
_TEXT = 60  # characters of one


def lost_at(lost: Iterable[JudgedFact]) -> tuple[array[int], tuple[str, ...]]:
    """The messages in which lost facts sat, ascending, and what was lost there; the worst come first."""
    by_message: defaultdict[int, list[JudgedFact]] = defaultdict(list)
    for one in lost:
        for index in one.fact.messages:
            by_message[index].append(one)
    places = array("l", sorted(by_message))
    return places, tuple(_words(by_message[index]) for index in places)


def _words(lost: Sequence[JudgedFact]) -> str:
    named = [f"{LABELS[one.fact.kind]}: {one_line_text(one.fact.text, _TEXT)}" for one in lost[:_NAMED]]
    more = [f"and {len(lost) - _NAMED:,} more"] if len(lost) > _NAMED else []
    return "\n".join((*named, *more))

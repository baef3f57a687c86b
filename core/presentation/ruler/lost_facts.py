"""Positions and wording of lost facts, for the ruler."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence

from core.analysis.fidelity.model import JudgedFact
from core.common.excerpts import one_line_text
from core.presentation.fidelity.fact_wording import LABELS

_NAMED = 3  # facts listed; the others are counted
_TEXT = 60  # characters of one


def lost_at(lost: Iterable[JudgedFact]) -> tuple[array[int], tuple[str, ...]]:
    """Return the messages that held lost facts, ascending, and their texts, worst first."""
    by_message: defaultdict[int, list[JudgedFact]] = defaultdict(list)
    for fact in lost:
        for index in fact.fact.messages:
            by_message[index].append(fact)
    places = array("l", sorted(by_message))
    return places, tuple(_words(by_message[index]) for index in places)


def _words(lost: Sequence[JudgedFact]) -> str:
    named = [f"{LABELS[one.fact.kind]}: {one_line_text(one.fact.text, _TEXT)}" for one in lost[:_NAMED]]
    more = [f"and {len(lost) - _NAMED:,} more"] if len(lost) > _NAMED else []
    return "\n".join((*named, *more))

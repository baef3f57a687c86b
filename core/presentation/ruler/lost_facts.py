"""Positions and wording of lost facts, for the ruler."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence

from core.analysis.fidelity.model import JudgedFact
from core.common.excerpts import one_line_text
from core.presentation.fidelity.fact_wording import LABELS

_MAX_FACTS = 3  # facts listed; the others are counted
_TEXT = 60  # characters of one


def lost_facts_by_message(lost: Iterable[JudgedFact]) -> tuple[array[int], tuple[str, ...]]:
    """Return the messages that held lost facts, ascending, and their texts, worst first."""
    by_message: defaultdict[int, list[JudgedFact]] = defaultdict(list)
    for judged in lost:
        for index in judged.fact.messages:
            by_message[index].append(judged)
    indices = array("l", sorted(by_message))
    return indices, tuple(_facts_text(by_message[index]) for index in indices)


def _facts_text(lost: Sequence[JudgedFact]) -> str:
    fact_lines = [
        f"{LABELS[judged.fact.kind]}: {one_line_text(judged.fact.text, _TEXT)}"
        for judged in lost[:_MAX_FACTS]
    ]
    more_lines = [f"and {len(lost) - _MAX_FACTS:,} more"] if len(lost) > _MAX_FACTS else []
    return "\n".join((*fact_lines, *more_lines))

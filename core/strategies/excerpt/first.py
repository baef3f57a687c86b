"""What comes first among excerpts, within a tenth of the room: texts that must stand, running tasks,
open errors, open to-dos, the last request and what the focus names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.common.excerpts import one_line_text
from core.facts.extract import open_facts
from core.facts.model import Fact, FactKind
from core.facts.sentences import searchable_text
from core.strategies.excerpt.units import MAX_LINE, ExcerptUnit, UnitKind
from core.strategies.helpers import last_request
from core.transcript.model import Message, Progress, Speaker, no_progress

FIRST_SHARE = 0.10
_MUST, _OPEN, _REQUEST, _FOCUS = 4, 3, 2, 1
_FOCUS_WORD = re.compile(r"\w{4,}")


@dataclass(frozen=True, slots=True)
class FirstUnits:
    """Units that no message has as they are, and the rank of any unit, 0 for one of the others."""

    added: Sequence[ExcerptUnit]
    rank: Callable[[ExcerptUnit], int]


def first_units(
    history: Sequence[Message],
    focus_text: str = "",
    progress: Progress = no_progress,
    musts: Sequence[str] = (),
) -> FirstUnits:
    added = [_unit(fact) for fact in open_facts(history, progress)]
    texts = {unit.text for unit in added}
    must_units = [unit for text in musts if (unit := _must_unit(history, text))]
    must_texts = {unit.text for unit in must_units}
    request = last_request(history)
    focus = {word.lower() for word in _FOCUS_WORD.findall(focus_text)}

    def rank(unit: ExcerptUnit) -> int:
        if unit.text in must_texts:
            return _MUST
        if unit.text in texts:
            return _OPEN
        if unit.kind is UnitKind.PERSON and unit.index == request:
            return _REQUEST
        text = unit.text.lower() if focus else ""
        return _FOCUS if any(word in text for word in focus) else 0

    return FirstUnits([*must_units, *added], rank)


def _must_unit(history: Sequence[Message], text: str) -> ExcerptUnit | None:
    """Return a text as a unit of the last message that has it word for word; None for none."""
    for index in range(len(history) - 1, -1, -1):
        if text in searchable_text(history[index]):
            kind = UnitKind.MODEL if history[index].speaker is Speaker.AI else UnitKind.OTHER
            return ExcerptUnit(index, kind, " ".join(text.split()))
    return None


def _unit(fact: Fact) -> ExcerptUnit:
    about = f" ({fact.detail})" if fact.kind is FactKind.RUNNING else ""
    text = one_line_text(f"{fact.kind}: {fact.text}{about}", MAX_LINE)
    return ExcerptUnit(max(0, fact.last), UnitKind.OTHER, text)

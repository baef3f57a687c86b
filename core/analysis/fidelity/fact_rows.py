"""The facts of a history with the lines of the file that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.analysis.fidelity.model import CATEGORY_WEIGHTS, FidelityCategory
from core.analysis.fidelity.source_facts import extract_source_facts
from core.transcript.model import Message, Progress, no_progress


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact; ``first`` and ``last`` are indices of messages, ``lines`` those of the file, from 1 (0 where
    the message has none). ``is_resolved``: an error that later work removed."""

    category: FidelityCategory
    text: str
    weight: float
    first: int
    last: int
    lines: tuple[int, int]
    is_resolved: bool


def fact_rows(messages: Sequence[Message], progress: Progress = no_progress) -> tuple[FactRow, ...]:
    """Return the facts that the Losses tab looks for, by category, then by first mention."""
    return tuple(
        FactRow(
            fact.kind,
            fact.text,
            CATEGORY_WEIGHTS[fact.kind],
            fact.messages[0],
            fact.messages[-1],
            (_line(messages[fact.messages[0]]), _line(messages[fact.messages[-1]])),
            fact.is_resolved,
        )
        for fact in extract_source_facts(messages, progress)
    )


def _line(message: Message) -> int:
    return message.sources[0].line if message.sources else 0

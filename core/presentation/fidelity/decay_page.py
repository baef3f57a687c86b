"""Formats the decay chart of the Fidelity tab."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from core.analysis.fidelity.decay import DecayRound
from core.common import number_format
from core.presentation.fidelity.decay_model import DECAY_ROUNDS, DecayBar, DecayPage


def decay_pages(rounds: Iterator[DecayRound], mark: str) -> Iterator[DecayPage]:
    """Yield a page after each compaction."""
    bars: tuple[DecayBar, ...] = ()
    for number, decay_round in enumerate(islice(rounds, DECAY_ROUNDS), 1):
        bars = (*bars, _bar(number, decay_round, mark))
        yield DecayPage(bars)


def _bar(number: int, result: DecayRound, mark: str) -> DecayBar:
    label = number_format.score(result.weighted)
    after = f"After {number_format.plural(number, 'compaction')}"
    messages = number_format.plural(result.messages, "message")
    size_text = f"{number_format.tokens(mark, result.tokens)} tokens in {messages}"
    tip = " ".join(filter(None, (f"{after}: {label}, {size_text}.", result.no_op)))
    return DecayBar(result.weighted, label, tip)

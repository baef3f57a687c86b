"""What is left after one compaction, two, three: the row of the Fidelity tab, made from the rounds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from core.analysis.fidelity.decay import DecayRound
from core.common import number_format
from core.presentation.fidelity.decay_model import FOLDS, DecayBar, DecayPage


def decay_pages(found: Iterator[DecayRound], mark: str) -> Iterator[DecayPage]:
    """A page after each compaction, one compaction longer each."""
    bars: tuple[DecayBar, ...] = ()
    for number, one in enumerate(islice(found, FOLDS), 1):
        bars = (*bars, _bar(number, one, mark))
        yield DecayPage(bars)


def _bar(number: int, one: DecayRound, mark: str) -> DecayBar:
    label = number_format.score(one.weighted)
    after = f"After {number_format.plural(number, 'compaction')}"
    left = (
        f"{number_format.tokens(mark, one.tokens)} tokens in {number_format.plural(one.messages, 'message')}"
    )
    return DecayBar(one.weighted, label, " ".join(filter(None, (f"{after}: {label}, {left}.", one.no_op))))

"""``foldline compact --decay N``: repeated compaction as lines of a report and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from core.analysis.fidelity.decay import DecayRound, iterate_rounds
from core.cli.opened_conversation import OpenedConversation
from core.cli.output.console import ConsoleProgress
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.errors import InputError
from core.common.json_value import Json
from core.presentation.fidelity.decay_model import DECAY_NOTE
from core.preview.options import Preview, PreviewOptions

MAX_ROUNDS = 50
"""Most compactions; long before, nothing is left to compact."""


def decay_count(text: str) -> int:
    """Return the number of ``--decay``; InputError for anything but a whole number from 1 to MOST."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_ROUNDS):
        raise InputError(f"--decay {text} is no number from 1 to {MAX_ROUNDS}.", "Write it as in: --decay 5.")
    return int(text)


def decay_of_preview(opened: OpenedConversation, preview: Preview, count: int) -> tuple[DecayRound, ...]:
    if not count:
        return ()
    options = opened.options
    progress = ConsoleProgress(options)
    preview_options = PreviewOptions(
        options.scope, options.model, focus=options.focus, progress=progress, pins=preview.pins
    )
    try:
        rounds = islice(iterate_rounds(opened.conversation, opened.values, preview_options), count)
        return tuple(_with_progress(rounds, progress, count))
    finally:
        progress.done()


def _with_progress(
    rounds: Iterator[DecayRound], progress: ConsoleProgress, count: int
) -> Iterator[DecayRound]:
    for number, decay_round in enumerate(rounds, 1):
        progress(number / count, f"Compaction {number} of {count}")
        yield decay_round


def decay_json(rounds: Sequence[DecayRound]) -> Json:
    """Return the key ``decay`` of ``compact --json``; null without ``--decay``."""
    return [
        {
            "weighted": None if decay_round.weighted is None else round(decay_round.weighted, 4),
            "tokens": decay_round.tokens,
            "messages": decay_round.messages,
            "no_op": decay_round.no_op or None,
        }
        for decay_round in rounds
    ] or None


def decay_lines(preview: Preview, rounds: Sequence[DecayRound]) -> list[str]:
    rows = [
        (
            number_format.count(number),
            number_format.score(decay_round.weighted),
            number_format.count(decay_round.messages),
            number_format.count(decay_round.tokens),
            decay_round.no_op,
        )
        for number, decay_round in enumerate(rounds, 1)
    ]
    head = ("after", "fidelity", "messages", f"{preview.count_method.mark} tokens", "")
    return titled_section(
        "Folded again", [*aligned_table(rows, range(4), head=head), f"  {DECAY_NOTE}"] if rows else []
    )

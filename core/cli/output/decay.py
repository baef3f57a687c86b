"""``foldline compact --decay N``: the result folded again and again, as lines of a report and as JSON."""

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
from core.presentation.fidelity.decay_model import HOW
from core.preview.options import Preview, PreviewOptions

MOST = 50
"""Compactions that may be asked for; long before, nothing is left to fold."""


def decay_count(text: str) -> int:
    """The number of ``--decay``; InputError for anything but a whole number from 1 to MOST."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST):
        raise InputError(f"--decay {text} is no number from 1 to {MOST}.", "Write as in: --decay 5.")
    return int(text)


def decay_of_preview(opened: OpenedConversation, made: Preview, count: int) -> tuple[DecayRound, ...]:
    """``count`` compactions in a row of what a preview had before it, summaries offline."""
    if not count:
        return ()
    options = opened.options
    progress = ConsoleProgress(options)
    ask = PreviewOptions(options.scope, options.model, focus=options.focus, progress=progress, pins=made.pins)
    try:
        found = islice(iterate_rounds(opened.conversation, opened.values, ask), count)
        return tuple(_counted(found, progress, count))
    finally:
        progress.done()


def _counted(found: Iterator[DecayRound], progress: ConsoleProgress, count: int) -> Iterator[DecayRound]:
    for number, one in enumerate(found, 1):
        progress(number / count, f"Compaction {number} of {count}")
        yield one


def decay_json(found: Sequence[DecayRound]) -> Json:
    """The key ``decay`` of ``compact --json``; null where it was not asked for."""
    return [
        {
            "weighted": None if one.weighted is None else round(one.weighted, 4),
            "tokens": one.tokens,
            "messages": one.messages,
            "no_op": one.no_op or None,
        }
        for one in found
    ] or None


def decay_lines(made: Preview, found: Sequence[DecayRound]) -> list[str]:
    """The section of the report; nothing where it was not asked for."""
    rows = [
        (
            number_format.count(number),
            number_format.score(one.weighted),
            number_format.count(one.messages),
            number_format.count(one.tokens),
            one.no_op,
        )
        for number, one in enumerate(found, 1)
    ]
    head = ("after", "fidelity", "messages", f"{made.method.mark} tokens", "")
    return titled_section(
        "Folded again", [*aligned_table(rows, range(4), head=head), f"  {HOW}"] if rows else []
    )

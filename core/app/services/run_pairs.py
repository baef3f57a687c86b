"""The desk's part of the shelf of runs: any two of them as before and after of each other."""

from __future__ import annotations

from core.analysis.compare.message_differences import ComparedSide, side_by_side
from core.app.services.side_by_side import TOPIC
from core.common import number_format
from core.common.errors import InputError
from core.presentation.model import Notice, NoticeAction, PickerChoice
from core.preview.options import Preview
from core.tokens.counter import TokenCounter
from core.transcript.compaction import FateKind


def label_of(runs: tuple[PickerChoice, ...], number: str) -> str:
    """What a run is called; InputError where there is no such run."""
    for run in runs:
        if run.value == number:
            return run.label
    raise InputError(f"There is no run {number}.", f"Runs: {len(runs)}.")


def runs_side_by_side(
    a: Preview, b: Preview, names: tuple[str, str], counter: TokenCounter, number: int
) -> tuple[Preview, Notice]:
    """Two runs of one history side by side, with a notice that says which is which and leads back."""
    sides = ComparedSide(names[0], a.compaction.messages), ComparedSide(names[1], b.compaction.messages)
    seen = side_by_side(a, *sides, counter, number)
    kept = sum(fate.kind is FateKind.KEPT for fate in seen.compaction.fates)
    mark = seen.method.mark
    sizes = (
        f"{number_format.tokens(mark, seen.before_tokens)} and "
        f"{number_format.tokens(mark, seen.after_tokens)} tokens"
    )
    text = f"{number_format.plural(kept, 'message')} the same; {sizes}."
    back = NoticeAction("Back to the preview", "preview")
    return seen, Notice("info", f"Before is {names[0]}, after is {names[1]}.", text, (back,), topic=TOPIC)

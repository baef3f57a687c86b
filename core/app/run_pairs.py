"""Any two runs side by side, as before and after."""

from __future__ import annotations

from dataclasses import replace

from core.analysis.compare.side_by_side import ComparedSide, differences_preview
from core.app.services.side_by_side import TOPIC
from core.app.session import Session
from core.common import number_format
from core.common.errors import InputError
from core.presentation.model import Notice, NoticeAction, PickerChoice
from core.preview.options import Preview
from core.tokens.counter import TokenCounter
from core.transcript.compaction import FateKind


def label_of(runs: tuple[PickerChoice, ...], number: str) -> str:
    """Return the label of a run; InputError where there is no such run."""
    for run in runs:
        if run.value == number:
            return run.label
    raise InputError(f"There is no run {number}.", f"Runs: {len(runs)}.")


def show_run_pair(session: Session, first: str, second: str) -> None:
    """Show two runs of one history side by side, with a notice that names them and leads back."""
    file, view = session.opened_file(), session.view
    runs = (session.runs.run_state(number, view) for number in (first, second))
    a, b = (session.with_checks(file, session.preview(file, run)) for run in runs)
    names = label_of(view.runs, first), label_of(view.runs, second)
    preview, notice = _runs_side_by_side(a, b, names, file.counter_of(a), session.generation + 1)
    if (settled := file.last_full_preview) is not None:  # pickers and panel keep showing the settings
        preview = replace(preview, strategy=settled.strategy, values=settled.values, mode=settled.mode)
    session.show(file, preview, notice)


def _runs_side_by_side(
    a: Preview, b: Preview, names: tuple[str, str], counter: TokenCounter, number: int
) -> tuple[Preview, Notice]:
    sides = ComparedSide(names[0], a.compaction.messages), ComparedSide(names[1], b.compaction.messages)
    preview = differences_preview(a, *sides, counter, number)
    unchanged = sum(fate.kind is FateKind.KEPT for fate in preview.compaction.fates)
    mark = preview.count_method.mark
    sizes = (
        f"{number_format.tokens(mark, preview.before_tokens)} and "
        f"{number_format.tokens(mark, preview.after_tokens)} tokens"
    )
    text = f"{number_format.plural(unchanged, 'message')} the same; {sizes}."
    back = NoticeAction("Back to the preview", "preview")
    return preview, Notice("info", f"Before is {names[0]}, after is {names[1]}.", text, (back,), topic=TOPIC)

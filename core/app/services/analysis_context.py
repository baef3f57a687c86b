"""What the tabs of Compare need of the session: saving their tables, showing two results side by side."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from pathlib import Path

from core.analysis.compare.side_by_side import (
    ComparedSide,
    SideBySide,
    differences_preview,
    file_side_by_side,
    side_by_side_preview,
)
from core.analysis.context import AnalysisInput
from core.analysis.cost.summary_price import PricingModel, pricing_model
from core.app.document import OpenFile
from core.app.events import FileExportedEvent
from core.app.loading import ProgressReporter
from core.app.session import Session
from core.common import number_format
from core.common.atomic_file import write_atomic
from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.presentation.model import Notice, NoticeAction, PriceChoice
from core.presentation.opened_file import price_choice
from core.preview.options import Preview, PreviewOptions
from core.settings.keys import PROFILE, STRATEGY
from core.settings.schema import Values
from core.tokens.counter import count_unreported
from core.transcript.alignment import AlignmentStatus
from core.transcript.compaction import FateKind
from core.transcript.model import Conversation


@dataclass(frozen=True, slots=True)
class AnalysisContext:
    """The open file and the input of its analyses, offline. ``price`` names the model as whose summaries are
    priced that none wrote, "" for the session's."""

    file: OpenFile
    input: AnalysisInput
    price: str

    @property
    def conversation(self) -> Conversation:
        return self.input.conversation

    @property
    def values(self) -> Values:
        return self.input.values

    @property
    def scope(self) -> str:
        return self.input.options.scope

    @property
    def key(self) -> Hashable:
        values = (
            (key, one.value) for key, one in self.values.by_key.items() if key not in (STRATEGY, PROFILE)
        )
        return id(self.file), self.scope, self.input.options.model, tuple(values)

    @property
    def mark(self) -> str:
        return self.file.mark(self.input.options.model)

    @property
    def model(self) -> str:
        return self.file.model(self.input.options.model)

    @property
    def price_as(self) -> PricingModel:
        """The price of summaries that no model wrote."""
        return pricing_model(self.price, self.model)

    @property
    def prices(self) -> PriceChoice:
        """What may be chosen as that."""
        return price_choice(self.conversation, self.price, self.model)

    def save_table(self, path: str, data: bytes) -> FileExportedEvent:
        return save_table(path, data, self.conversation.document.path)


def analysis_context(session: Session) -> AnalysisContext:
    """Return the context of an analysis that a change of settings cancels."""
    view, file, progress = session.view, session.opened_file(), session.yielding_progress()
    options = PreviewOptions(view.scope, view.model, progress=progress)
    source = AnalysisInput(file.conversation, view.layers.resolve(), options, file.stages)
    return AnalysisContext(file, source, session.price_as)


def save_table(path: str, data: bytes, source: Path | None = None) -> FileExportedEvent:
    """Write a CSV file over an existing one, never over ``source``."""
    target = Path(path)
    write_atomic(target, data, overwrite=True, source=source)
    links = (NoticeAction("Show in folder", "show", str(target.parent)),)
    return FileExportedEvent(path, f"Wrote {target.name}.", actions=links)


TOPIC = "beside"
_BACK = NoticeAction("Back to the preview", "preview")
BACK_TO_COMPARE = NoticeAction("Back to Compare", "compare")
BACK_TO_REPLAY = NoticeAction("Back to Over time", "replay")


def show_beside(session: Session, file: OpenFile, preview: Preview, comparison: SideBySide) -> None:
    """Show a comparison instead of the preview, until the next change."""
    shown = side_by_side_preview(preview, comparison, file.counter_of(preview))
    session.show(file, shown, notice_of(comparison, shown))


def other_file(file: OpenFile, preview: Preview, path: str, reporter: ProgressReporter) -> SideBySide:
    """Return another file beside the history of ``preview``; InputError where it cannot be read."""
    other = load_conversation(path, progress=reporter.working)
    if other.document.path == file.conversation.document.path:
        raise InputError(f"{other.document.name} is the file that is open.", "Choose another one.")
    return file_side_by_side(preview.history, other)


def notice_of(comparison: SideBySide, preview: Preview) -> Notice:
    """Return the notice with the differences and the way back."""
    kinds = [fate.kind for fate in comparison.compaction.fates]
    same, edited = kinds.count(FateKind.KEPT), kinds.count(FateKind.EDITED)
    new = sum(match is AlignmentStatus.ALONE for match in comparison.alignment.second)
    counts = (
        (edited, "with other content"),
        (len(kinds) - same - edited, "only before"),
        (new, "only after"),
        (comparison.alignment.moved, "moved"),
    )
    parts = [f"{number_format.plural(same, 'message')} the same"] if same else ["No message stayed as it was"]
    parts += [f"{number_format.count(count)} {words}" for count, words in counts if count]
    hidden = count_unreported(preview.compaction.messages, preview.after_counts)
    missing = count_unreported(preview.messages, preview.counts), hidden
    tokens = preview.before_tokens, preview.after_tokens
    sizes = map(number_format.at_least, map(number_format.abbreviated, tokens), missing)
    text = f"{', '.join(parts)}; {' → '.join(sizes)} tokens"
    text += f", {number_format.plural(hidden, 'encrypted message')} not counted" if hidden else ""
    return Notice("info", f"The after side is {comparison.name}.", f"{text}.", (_BACK,), topic=TOPIC)


def show_sides(
    session: Session,
    base: Preview,
    before: ComparedSide,
    after: ComparedSide,
    title: str,
    links: tuple[NoticeAction, ...] = (),
) -> None:
    """Show two lists of messages as before and after, with the settings of ``base``."""
    file = session.opened_file()
    preview = differences_preview(base, before, after, file.counter_of(base), session.generation + 1)
    kept = sum(fate.kind is FateKind.KEPT for fate in preview.compaction.fates)
    sizes = (
        f"{number_format.abbreviated(preview.before_tokens)} → "
        f"{number_format.abbreviated(preview.after_tokens)} tokens"
    )
    text = f"{number_format.plural(kept, 'message')} the same; {sizes}."
    session.show(file, preview, Notice("info", title, text, (_BACK, *links), topic=TOPIC))


def show_run_pair(session: Session, first: str, second: str) -> None:
    """Show two runs of one history side by side."""
    file, view = session.opened_file(), session.view
    labels = {run.value: run.label for run in view.runs}
    sides, previews = [], []
    for number in (first, second):
        run = session.runs.run_state(number, view)
        previews.append(session.with_checks(file, session.preview(file, run)))
        sides.append(ComparedSide(labels[number], previews[-1].compaction.messages))
    base, settled = previews[0], file.last_full_preview
    if settled is not None:  # pickers and panel keep showing the settings
        base = replace(base, strategy=settled.strategy, values=settled.values, mode=settled.mode)
    title = f"Before is {sides[0].name}, after is {sides[1].name}."
    show_sides(session, base, sides[0], sides[1], title)

"""Two results, runs or files side by side, shown instead of the preview until the next change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.analysis.replay import history_at_turn, limited_input, replay_input
from core.app.services.repair import plan_repair, repair_target
from core.app.services.service import Service
from core.common import number_format
from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.presentation.model import Notice, NoticeAction
from core.presentation.preview_wording import not_counted
from core.presentation.screen_model import REPAIRED_COPY
from core.tokens.counter import count_unreported
from core.transcript.alignment import AlignmentStatus, align_histories
from core.transcript.compaction import FateKind
from core.transcript.scopes import BEFORE
from core.trials.run import result_preview
from core.trials.side_by_side import (
    ComparedSide,
    SideBySide,
    differences_preview,
    file_side_by_side,
    recorded_side_by_side,
    side_by_side_preview,
)

if TYPE_CHECKING:
    from core.preview.options import Preview
    from core.trials.trial import Trial

_TOPIC = "beside"
_BACK = NoticeAction("Back to the preview", "preview")
_BACK_TO_COMPARE = NoticeAction("Back to Compare", "compare")
_BACK_TO_REPLAY = NoticeAction("Back to Over time", "replay")


class SideBySideService(Service):
    def results(self, a: Trial, b: Trial) -> None:
        """Show the results of two rows of Compare as before and after."""
        source = self._workspace.analysis_input().offline
        first, second = (result_preview(source, trial) for trial in (a, b))
        before = ComparedSide(a.name, first.result.compaction.messages)
        after = ComparedSide(b.name, second.result.compaction.messages)
        base = self._workspace.display.settled.preview or first
        title = f"Before is the result of {a.name}, after is that of {b.name}."
        self._show_sides(base, before, after, title, (_BACK_TO_COMPARE,))

    def turn(self, name: str, turn: int, limit: int = 0) -> None:
        """Show a strategy's state of the session at the request of a turn (from 1) beside its
        source."""
        source = limited_input(self._workspace.whole_input(), limit).offline
        timeline = replay_input(source).timeline
        before = ComparedSide(
            f"request {turn}", timeline.messages[: timeline.turns[turn - 1].first]
        )
        after = ComparedSide(
            f"{name} at request {turn}", history_at_turn(source, name, turn)
        )
        preview = self._workspace.opened_file().preview(source.values, source.options)
        title = f"Before is all that was said up to request {turn}, after what {name} had made of it."
        self._show_sides(preview, before, after, title, (_BACK_TO_REPLAY,))

    def runs(self, a: str, b: str) -> None:
        """Show two runs of one history as before and after."""
        workspace = self._workspace
        file = workspace.opened_file()
        view = workspace.view
        labels = {run.value: run.label for run in view.runs}
        sides, previews = [], []
        for number in (a, b):
            run = workspace.runs.run_state(number, view)
            previews.append(workspace.with_checks(file, workspace.preview(file, run)))
            sides.append(
                ComparedSide(labels[number], previews[-1].result.compaction.messages)
            )
        base, settled = previews[0], workspace.display.settled.preview
        if settled is not None:  # pickers and panel keep showing the settings
            source = replace(base.source, values=settled.source.values)
            base = replace(
                base, strategy=settled.strategy, mode=settled.mode, source=source
            )
        title = f"Before is {sides[0].name}, after is {sides[1].name}."
        self._show_sides(base, sides[0], sides[1], title)

    def recorded(self, number: int) -> None:
        """Show the messages before a recorded compaction (from 1) beside those that it left."""
        workspace = self._workspace
        file = workspace.opened_file()
        preview = workspace.preview(
            file, replace(workspace.view, scope=f"{BEFORE}{number}"), provisional=True
        )
        self._show_beside(preview, recorded_side_by_side(file.conversation, number))

    def file(self, path: str) -> None:
        """Show another file of the same session beside the history, aligned by message identity."""
        workspace = self._workspace
        file = workspace.opened_file()
        preview = workspace.preview(file, workspace.view, provisional=True)
        other = load_conversation(path, progress=workspace.reporter().working)
        if other.document.path == file.conversation.document.path:
            raise InputError(
                f"{other.document.name} is the file that is open.",
                "Choose another one.",
            )
        self._show_beside(preview, file_side_by_side(preview.source.history, other))

    def repaired(self, provider: str) -> None:
        """Show the source beside the copy that a repair for an API would write; nothing is written.
        InputError where a repair changes nothing."""
        workspace = self._workspace
        file = workspace.opened_file()
        view = workspace.view
        conversation = file.conversation
        preview = workspace.preview(file, view, provisional=True)
        target = repair_target(conversation, provider)
        plan = plan_repair(conversation, preview.source.history, target, provider)
        if not plan.changes:
            raise InputError(
                "A repair changes nothing of this history.", "Save it as it is."
            )
        if plan.scope != view.scope:
            preview = workspace.preview(
                file, replace(view, scope=plan.scope), provisional=True
            )
        history, compaction = preview.source.history, plan.repair.compaction
        alignment = align_histories(history.messages, compaction.messages)
        comparison = SideBySide(history, compaction, REPAIRED_COPY, alignment)
        save = NoticeAction("Save repaired copy…", "repair", provider)
        changes = number_format.plural(len(plan.changes), "change")
        notice = Notice(
            "info",
            "The repaired copy is shown.",
            f"{changes}; nothing is written until you save it.",
            (save, _BACK),
            topic=_TOPIC,
        )
        self._show_over(side_by_side_preview(preview, comparison), notice)

    def _show_beside(self, preview: Preview, comparison: SideBySide) -> None:

        shown = side_by_side_preview(preview, comparison)
        self._show_over(shown, notice_of(comparison, shown))

    def _show_over(self, preview: Preview, notice: Notice) -> None:
        """Show another result than the strategy's until the next change."""
        settled = self._workspace.display.settled
        self._workspace.show(
            replace(settled, preview=preview, notices=(notice,), over=settled)
        )

    def _show_sides(
        self,
        base: Preview,
        before: ComparedSide,
        after: ComparedSide,
        title: str,
        links: tuple[NoticeAction, ...] = (),
    ) -> None:
        """Show two lists of messages as before and after, with the settings of ``base``."""
        preview = differences_preview(
            base, before, after, self._workspace.display.generation + 1
        )
        kept = sum(
            fate.kind is FateKind.KEPT for fate in preview.result.compaction.fates
        )
        sizes = (
            f"{number_format.abbreviated(preview.sizes.before_tokens)} → "
            f"{number_format.abbreviated(preview.sizes.after_tokens)} tokens"
        )
        text = f"{number_format.plural(kept, 'message')} the same; {sizes}."
        self._show_over(
            preview, Notice("info", title, text, (_BACK, *links), topic=_TOPIC)
        )


def notice_of(comparison: SideBySide, preview: Preview) -> Notice:
    """Return the notice with the differences and the way back."""
    kinds = [fate.kind for fate in comparison.compaction.fates]
    same = kinds.count(FateKind.KEPT)
    edited = kinds.count(FateKind.EDITED)
    new = sum(match is AlignmentStatus.ALONE for match in comparison.alignment.second)
    counts = (
        (edited, "with other content"),
        (len(kinds) - same - edited, "only before"),
        (new, "only after"),
        (comparison.alignment.moved, "moved"),
    )
    if same:
        parts = [f"{number_format.plural(same, 'message')} the same"]
    else:
        parts = ["No message stayed as it was"]
    parts += [
        f"{number_format.count(count)} {words}" for count, words in counts if count
    ]
    hidden = count_unreported(
        preview.result.compaction.messages, preview.result.after_counts
    )
    missing = count_unreported(preview.messages, preview.source.counts), hidden
    tokens = preview.sizes.before_tokens, preview.sizes.after_tokens
    sizes = map(number_format.at_least, map(number_format.abbreviated, tokens), missing)
    text = f"{', '.join(parts)}; {' → '.join(sizes)} tokens"
    if hidden:
        text += f", {not_counted(hidden)}"
    return Notice(
        "info",
        f"The after side is {comparison.name}.",
        f"{text}.",
        (_BACK,),
        topic=_TOPIC,
    )

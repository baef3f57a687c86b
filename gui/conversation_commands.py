"""Slots of the actions in the menus Conversation and Compaction."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow, QWidget

from core.app.services.lists import MessageListService
from core.presentation.model import Notice
from gui.backend import BackendClient
from gui.dialogs import DialogController
from gui.inspect.inspect_page import InspectPage
from gui.inspect.runs_dialog import CompareRunsDialog, GoToDialog, NameRunDialog, NoteDialog
from gui.source.controller import SourceController
from gui.widgets.basic_widgets import show_dialog

_NO_RUNS = Notice("info", "Too few runs.", "Compact makes one; two can be compared.", topic="runs")


class ConversationCommands(QObject):
    notice = Signal(object)

    def __init__(
        self,
        window: QMainWindow,
        session: BackendClient,
        page: InspectPage,
        source: SourceController,
        dialogs: DialogController,
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._page = window, session, page
        self._source, self._dialogs = source, dialogs

    def conversations(self) -> QWidget | None:
        return self._source.open_conversations()

    def branches(self) -> QWidget | None:
        return self._source.open_branches()

    def go_to_dialog(self) -> GoToDialog | None:
        if (screen := self._page.preview) is None:
            return None
        side, index = self._page.selected
        current = index if side == "before" else 0
        dialog = GoToDialog(self._window, len(screen.before), max(0, current))
        dialog.chosen.connect(self._go_to)
        show_dialog(dialog)
        return dialog

    def _go_to(self, index: int) -> None:
        self._page.go_to("before", index)
        self._page.lists.before.setFocus()  # the next arrow key continues from there

    def previous_partner(self) -> None:
        self._page.step_partner(-1)

    def next_partner(self) -> None:
        self._page.step_partner(1)

    def other_end(self) -> None:
        """Go to the same message in the other list."""
        self._page.go_to_counterpart()

    def filter_tool(self) -> None:
        """Show only calls and results of the selected message's tool."""
        self._page.tools.filter_tool()

    def next_change(self) -> None:
        """Go to the next run of messages that are not kept."""
        self._page.tools.step_change(1)

    def previous_change(self) -> None:
        """Go to the previous run of messages that are not kept."""
        self._page.tools.step_change(-1)

    def toggle_mark(self) -> None:
        self._page.tools.toggle_mark()

    def pin_keep(self) -> None:
        """Pin the selected message to be kept, or unpin it."""
        self._page.tools.toggle_pin("keep")

    def pin_constraints(self) -> None:
        """Pin every message in which the user gave a rule."""
        self._page.tools.pin_constraints()

    def pin_drop(self) -> None:
        """Pin the selected message to go first, or unpin it."""
        self._page.tools.toggle_pin("drop")

    def write_note(self) -> NoteDialog | None:
        note = self._page.tools.note()
        if note is None:
            return None
        dialog = NoteDialog(self._window, note)
        dialog.written.connect(self._page.tools.set_note)
        show_dialog(dialog)
        return dialog

    def next_mark(self) -> None:
        self._page.tools.step_mark(1)

    def previous_mark(self) -> None:
        self._page.tools.step_mark(-1)

    def restore_message(self) -> None:
        """Restore the selected message as it was, or compact it again."""
        self._page.toggle_restored()

    def compact(self) -> None:
        self._session.compact()

    def cancel(self) -> None:
        self._session.cancel()

    def show_run(self) -> None:
        self._page.show_run_report()

    def open_probes(self) -> None:
        self._page.probes_wanted.emit()

    def compact_again(self) -> None:
        """Show how many facts remain after repeated compaction."""
        self._page.show_tab("losses")
        self._page.inspector.losses.again_requested.emit()

    def name_run(self) -> NameRunDialog | None:
        screen = self._page.preview
        if screen is None or not screen.run_choices:
            self.notice.emit(_NO_RUNS)
            return None
        dialog = NameRunDialog(self._window, screen.run_choices, screen.run or screen.run_choices[-1].value)
        dialog.run_named.connect(self._on_run_named)
        show_dialog(dialog)
        return dialog

    def compare_runs(self) -> CompareRunsDialog | None:
        screen = self._page.preview
        if screen is None or len(screen.run_choices) < 2:
            self.notice.emit(_NO_RUNS)
            return None
        dialog = CompareRunsDialog(self._window, screen.run_choices)
        dialog.chosen.connect(self._on_runs_chosen)
        show_dialog(dialog)
        return dialog

    def _on_run_named(self, number: str, name: str) -> None:
        self._session.call(MessageListService.name_run, number, name)

    def _on_runs_chosen(self, a: str, b: str) -> None:
        self._session.call(MessageListService.compare_runs, a, b)

    def prompts_window(self) -> QWidget:
        return self._dialogs.open_prompts()

"""What the actions do that no other object does, and the links in notices, which name actions
too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from core.app.remote_methods import (
    MessageListService,
    RepairService,
    SideBySideService,
    UndoService,
)
from core.common.paths import SAMPLES, installed_version
from core.presentation.dialog_model import ExportChoice, FileOpenedEvent
from core.presentation.model import Notice
from core.presentation.other_program import program_command
from gui.backend import BackendClient
from gui.dialogs import DialogController
from gui.export_dialog import ExportDialog
from gui.file_opening import SourceController
from gui.inspect.inspect_page import InspectPage
from gui.inspect.run_dialogs import (
    CompareRunsDialog,
    GoToDialog,
    NameRunDialog,
    NoteDialog,
    ProgramDialog,
)
from gui.language import tr
from gui.main_window import MainWindow
from gui.widgets.basic_widgets import show_dialog

_NO_RUNS = Notice(
    "info", "A comparison needs two runs.", "Each Compact makes one.", topic="runs"
)


class WindowCommands(QObject):
    open_requested = Signal(str)
    action_requested = Signal(str)  # by its id, as if the user chose it
    strategies_requested = Signal()
    view_requested = Signal(str)
    notice = Signal(object)

    def __init__(
        self,
        window: MainWindow,
        backend: BackendClient,
        page: InspectPage,
        dialogs: DialogController,
        source: SourceController,
    ) -> None:
        super().__init__(window)
        self._window, self._backend, self._page = window, backend, page
        self.dialogs, self.source = dialogs, source
        self.file: FileOpenedEvent | None = None
        self.exports: Sequence[ExportChoice] = ()
        self.view_areas: Callable[[], tuple[QWidget, ...]] = (
            tuple  # those of the visible analysis view
        )
        page.inspector.checks.repair_requested.connect(self.repair_in_copy)
        page.inspector.checks.copy_requested.connect(backend.show_repaired)
        page.undo_wanted.connect(self.undo_compaction)

    def open_dialog(self) -> None:
        self._ask_for_file(tr("Open a transcript"), self.open_requested.emit)

    def compare_file(self) -> None:
        """Ask for another file of this session, to show on the after side."""
        self._ask_for_file(
            tr("Compare with another file of this session"), self._backend.compare_file
        )

    def _ask_for_file(self, title: str, use: Callable[[str], object]) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self._window, title, self._window.state.folder
        )
        if path:
            use(path)

    def export_dialog(self) -> ExportDialog | None:
        if self.file is None:
            return None
        if not self.exports:  # they follow the first preview
            text = tr("The list of export formats is still loading.")
            self.notice.emit(Notice("info", text, tr("Try again.")))
            return None
        path = Path(self.file.path)
        # never into the program's folder
        if path.is_relative_to(SAMPLES):
            folder = Path.home()
        else:
            folder = path.parent
        dialog = ExportDialog(
            self._window, self._backend, self.file, self.exports, str(folder)
        )
        dialog.link_activated.connect(self._page.follow_link)
        show_dialog(dialog)
        return dialog

    def repair_in_copy(self, provider: str) -> None:
        """Ask for a file, and write a copy of the source there that the API takes."""
        if target := self._ask_for_copy(tr("Repair in a copy"), "repaired"):
            call = self._backend.call(self, RepairService.repair, target, provider)
            call.done(self._show_notices).failed(self.notice.emit)

    def undo_compaction(self, number: int) -> None:
        """Ask for a file, and write the session there as it was before a recorded compaction."""
        if target := self._ask_for_copy(
            tr("Undo a compaction in a copy"), f"before-{number}"
        ):
            call = self._backend.call(self, UndoService.undo, target, number)
            call.done(self._show_notices).failed(self.notice.emit)

    def _ask_for_copy(self, title: str, word: str) -> str:
        """Return the file for a copy of the source; "" where the user names none."""
        if self.file is None:
            return ""
        path = Path(self.file.path)
        if path.is_relative_to(SAMPLES):
            folder = Path.home()
        else:
            folder = path.parent
        proposed = str(folder / f"{path.stem}.{word}{path.suffix}")
        target, _ = QFileDialog.getSaveFileName(self._window, title, proposed)
        return target

    def _show_notices(self, notices: Sequence[Notice]) -> None:
        for notice in notices:
            self.notice.emit(notice)

    def next_area(self) -> None:
        """Move the focus to the next of ruler, tuning, before, after, inspector, or of the view's
        areas."""
        focus_next_area(self.view_areas() or self._page.areas())

    def move_panels(self, checked: bool) -> None:
        self._page.dock_area.lock(not checked)

    def about(self) -> None:
        self.notice.emit(
            Notice(
                "info",
                f"Foldline {installed_version()}.",
                tr("MIT licence."),
                topic="about",
            )
        )

    def go_to_dialog(self) -> GoToDialog | None:
        if (screen := self._page.preview) is None:
            return None
        side, index = self._page.selected
        current = index if side == "before" else 0
        dialog = GoToDialog(self._window, len(screen.source.rows), max(0, current))
        dialog.chosen.connect(self._go_to)
        show_dialog(dialog)
        return dialog

    def _go_to(self, index: int) -> None:
        self._page.go_to("before", index)
        self._page.lists.setFocus()  # the next arrow key continues from there

    def write_note(self) -> NoteDialog | None:
        note = self._page.tools.note()
        if note is None:
            return None
        dialog = NoteDialog(self._window, note)
        dialog.written.connect(self._page.tools.set_note)
        show_dialog(dialog)
        return dialog

    def choose_program(self) -> ProgramDialog | None:
        """Ask for a program, and let it be the strategy of the open file."""
        if self.file is None:
            return None
        screen = self._page.preview
        strategy = "" if screen is None else screen.strategy
        dialog = ProgramDialog(self._window, program_command(strategy))
        dialog.chosen.connect(self._backend.use_program)
        show_dialog(dialog)
        return dialog

    def compact_again(self) -> None:
        """Show how many facts remain after repeated compaction."""
        self._page.show_tab("losses")
        self._page.losses.repeat()

    def name_run(self) -> NameRunDialog | None:
        screen = self._page.preview
        if screen is None or not screen.history.choices:
            self.notice.emit(_NO_RUNS)
            return None
        dialog = NameRunDialog(
            self._window,
            screen.history.choices,
            screen.history.run or screen.history.choices[-1].value,
        )
        dialog.run_named.connect(self._on_run_named)
        show_dialog(dialog)
        return dialog

    def compare_runs(self) -> CompareRunsDialog | None:
        screen = self._page.preview
        if screen is None or len(screen.history.choices) < 2:
            self.notice.emit(_NO_RUNS)
            return None
        dialog = CompareRunsDialog(self._window, screen.history.choices)
        dialog.chosen.connect(self._on_runs_chosen)
        show_dialog(dialog)
        return dialog

    def _on_run_named(self, number: str, name: str) -> None:
        self._backend.call(self, MessageListService.name_run, number, name)

    def _on_runs_chosen(self, a: str, b: str) -> None:
        self._backend.call(self, SideBySideService.runs, a, b)

    def follow(self, action: str, argument: str) -> None:
        """Follow a link in a notice: the name of an action and its argument."""
        notice_links(self, self._backend)[action](argument)


def notice_links(
    commands: WindowCommands, backend: BackendClient
) -> Mapping[str, Callable[[str], object]]:
    """What to do with the argument of a link, by its name; many name actions."""
    return {
        "set": backend.set_text,
        "strategy": lambda name: (
            backend.set_strategy(name) if name else commands.strategies_requested.emit()
        ),
        "sized-strategy": backend.set_sized_strategy,
        "compact": lambda _: backend.compact(),
        "compact-offline": lambda _: backend.compact(offline=True),
        "lint": lambda _: commands.action_requested.emit("lint"),
        "repair": commands.repair_in_copy,
        "model": backend.set_model,
        "request": lambda _: commands.dialogs.open_request(),
        "scope": backend.set_scope,
        "undo": lambda _: backend.undo(),
        "preview": lambda _: backend.set_values(()),
        "recorded": lambda number: backend.show_recorded(int(number)),
        "compare-file": backend.compare_file,
        "reload": lambda _: commands.action_requested.emit("reload"),
        "follow": lambda _: commands.action_requested.emit("follow"),
        "compare": lambda _: commands.view_requested.emit("compare"),
        "replay": lambda _: commands.view_requested.emit("replay"),
        "export": lambda _: commands.export_dialog(),
        "prompts": commands.dialogs.open_prompts,
        "settings": lambda _: commands.dialogs.open_settings(),
        "profiles": commands.dialogs.open_profiles,
        "show": lambda path: QDesktopServices.openUrl(QUrl.fromLocalFile(path)),
        "open": lambda path: (
            commands.open_requested.emit(path) if path else commands.open_dialog()
        ),
        "import-report": lambda _: commands.source.open_report(),
    }


def focus_next_area(areas: Sequence[QWidget]) -> None:
    """Focus the area after the focused one, else the first; hidden areas are skipped."""
    visible_areas = [area for area in areas if area.isVisible()]
    focus = QApplication.focusWidget()
    focused_numbers = [
        number
        for number, area in enumerate(visible_areas)
        if area is focus or (focus and area.isAncestorOf(focus))
    ]
    if visible_areas:
        _focus_area(
            visible_areas[
                (focused_numbers[0] + 1) % len(visible_areas) if focused_numbers else 0
            ]
        )


def _focus_area(area: QWidget) -> None:
    if area.focusPolicy() != Qt.FocusPolicy.NoFocus or area.focusProxy() is not None:
        area.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return
    children = area.findChildren(QWidget)
    focusable = [
        child
        for child in children
        if child.focusPolicy() & Qt.FocusPolicy.TabFocus and _is_ready(child)
    ]
    if focusable:
        focusable[0].setFocus(Qt.FocusReason.ShortcutFocusReason)


def _is_ready(widget: QWidget) -> bool:
    return widget.isVisible() and widget.isEnabled()

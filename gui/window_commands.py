"""Slots of the actions in the menus File, Edit, View and Help, and of the links in notices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from core.common.paths import SAMPLES, installed_version
from core.presentation.model import Notice
from core.presentation.opened_model import FileOpenedEvent
from gui.backend import BackendClient
from gui.dialogs import DialogController
from gui.export.export_dialog import ExportDialog
from gui.file_watcher import FileWatcher
from gui.help.help_window import HelpWindow
from gui.inspect.inspect_page import InspectPage
from gui.language import tr
from gui.main_window import MainWindow
from gui.source.controller import SourceController
from gui.widgets.basic_widgets import show_dialog


class WindowCommands(QObject):
    """One slot per action, and the handler of links in notices, which name actions too."""

    open_requested = Signal(str)
    close_requested = Signal()
    sessions_requested = Signal()
    folder_requested = Signal()
    action_requested = Signal(str)  # by its id, as if the user chose it
    strategies_requested = Signal()
    view_requested = Signal(str)
    tour_requested = Signal()
    notice = Signal(object)

    def __init__(
        self,
        window: MainWindow,
        session: BackendClient,
        page: InspectPage,
        dialogs: DialogController,
        file_watcher: FileWatcher,
        source: SourceController,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._page = page
        self._appearance, self._state = window.appearance, window.state
        self.dialogs, self._file_watcher, self.source = dialogs, file_watcher, source
        self.opened: FileOpenedEvent | None = None
        self.view_areas: Callable[[], tuple[QWidget, ...]] = tuple  # those of the visible analysis view

    def open_dialog(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self._window, tr("Open a transcript"), self._state.folder)
        if path:
            self.open_requested.emit(path)

    def sessions(self) -> None:
        self.sessions_requested.emit()

    def compare_file(self) -> None:
        """Ask for another file of this session, to show on the after side."""
        path, _ = QFileDialog.getOpenFileName(
            self._window, tr("Compare with another file of this session"), self._state.folder
        )
        if path:
            self._session.compare_file(path)

    def compare_folder(self) -> None:
        self.folder_requested.emit()

    def reload(self) -> None:
        self._file_watcher.read_again()

    def follow_file(self, checked: bool) -> None:
        self._file_watcher.follow(checked)

    def close_file(self) -> None:
        self.close_requested.emit()

    def export_dialog(self) -> ExportDialog | None:
        if self.opened is None:
            return None
        path = Path(self.opened.path)
        # never into the program's folder
        folder = Path.home() if path.is_relative_to(SAMPLES) else path.parent
        dialog = ExportDialog(self._window, self._session, self.opened, str(folder))
        dialog.link_activated.connect(self._page.follow_link)
        show_dialog(dialog)
        return dialog

    def take_tour(self) -> None:
        self.tour_requested.emit()

    def settings_dialog(self) -> QWidget:
        return self.dialogs.open_settings()

    def profiles_dialog(self) -> QWidget:
        return self.dialogs.open_profiles()

    def command_bar(self) -> QWidget:
        return self.dialogs.open_bar()

    def quit(self) -> None:
        self._window.close()

    def undo(self) -> None:
        self._session.undo()

    def redo(self) -> None:
        self._session.redo()

    def show_view(self) -> None:
        self.view_requested.emit(self.sender().objectName())

    def show_message(self) -> None:
        self._page.show_tab("message")

    def show_fidelity(self) -> None:
        self._page.show_tab("losses")

    def show_lint(self) -> None:
        self._page.show_tab("checks")

    def find_text(self) -> None:
        self._page.show_tab("message")
        self._page.inspector.find_text()

    def next_area(self) -> None:
        """Move the focus to the next of ruler, tuning, before, after, inspector, or of the view's areas."""
        focus_next_area(self.view_areas() or self._page.areas())

    def move_panels(self, checked: bool) -> None:
        self._page.dock_area.lock(not checked)

    def zoom_in(self) -> None:
        self._appearance.zoom_by(1)

    def zoom_out(self) -> None:
        self._appearance.zoom_by(-1)

    def zoom_natural(self) -> None:
        self._appearance.zoom_by(0)

    def use_theme(self) -> None:
        """Use the theme that the action is named after."""
        self._appearance.choose(self.sender().objectName().removeprefix("theme-"))

    def import_report(self) -> QWidget | None:
        return self.source.open_report()

    def filter_rows(self) -> None:
        self._page.tools.filter_controller.open_bar()

    def copy_json(self) -> None:
        self._page.tools.copy("json")

    def copy_markdown(self) -> None:
        self._page.tools.copy("markdown")

    def show_help(self) -> HelpWindow:
        return self.dialogs.open_help()

    def show_keys(self) -> HelpWindow:
        return self.dialogs.open_keys()

    def about(self) -> None:
        self.notice.emit(
            Notice("info", f"Foldline {installed_version()}.", tr("MIT licence."), topic="about")
        )

    def follow(self, action: str, argument: str) -> None:
        """Follow a link in a notice: the name of an action and its argument."""
        notice_links(self, self._session)[action](argument)


def notice_links(commands: WindowCommands, session: BackendClient) -> Mapping[str, Callable[[str], object]]:
    """What to do with the argument of a link, by its name; many name actions."""
    return {
        "set": session.set_text,
        "strategy": lambda name: session.set_strategy(name) if name else commands.strategies_requested.emit(),
        "compact": lambda _: session.compact(),
        "compact-offline": lambda _: session.compact(offline=True),
        "lint": lambda _: commands.action_requested.emit("lint"),
        "model": session.set_model,
        "undo": lambda _: session.undo(),
        "preview": lambda _: session.set_values(()),
        "recorded": lambda number: session.show_recorded(int(number)),
        "compare-file": session.compare_file,
        "reload": lambda _: commands.reload(),
        "follow": lambda _: commands.action_requested.emit("follow"),
        "compare": lambda _: commands.view_requested.emit("compare"),
        "replay": lambda _: commands.view_requested.emit("replay"),
        "export": lambda _: commands.export_dialog(),
        "prompts": commands.dialogs.open_prompts,
        "settings": lambda _: commands.settings_dialog(),
        "profiles": commands.dialogs.open_profiles,
        "show": lambda path: QDesktopServices.openUrl(QUrl.fromLocalFile(path)),
        "open": lambda path: commands.open_requested.emit(path) if path else commands.open_dialog(),
        "import-report": lambda _: commands.import_report(),
    }


def focus_next_area(areas: Sequence[QWidget]) -> None:
    """Focus the area after the focused one, else the first; hidden areas are skipped."""
    visible_areas, focus = [area for area in areas if area.isVisible()], QApplication.focusWidget()
    focused_numbers = [
        number
        for number, area in enumerate(visible_areas)
        if area is focus or (focus and area.isAncestorOf(focus))
    ]
    if visible_areas:
        _focus_area(visible_areas[(focused_numbers[0] + 1) % len(visible_areas) if focused_numbers else 0])


def _focus_area(area: QWidget) -> None:
    if area.focusPolicy() != Qt.FocusPolicy.NoFocus or area.focusProxy() is not None:
        area.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return
    children = area.findChildren(QWidget)
    focusable = [
        child for child in children if child.focusPolicy() & Qt.FocusPolicy.TabFocus and _is_ready(child)
    ]
    if focusable:
        focusable[0].setFocus(Qt.FocusReason.ShortcutFocusReason)


def _is_ready(widget: QWidget) -> bool:
    return widget.isVisible() and widget.isEnabled()

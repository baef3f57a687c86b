"""The main window at its first paint: menus, start page and places for the rest. Imports little."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRect, QSize, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget

from core.common.paths import BundledSample
from gui.language import tr
from gui.saved_state import WindowState, save_state
from gui.start_page import StartPage
from gui.widgets.basic_widgets import MENU_TITLES, with_mnemonics
from gui.widgets.theme import AppearanceController, Theme

if (
    TYPE_CHECKING
):  # wrappers needed only by annotations are not loaded before the first paint
    from PySide6.QtGui import (
        QAction,
        QCloseEvent,
        QDragEnterEvent,
        QDropEvent,
        QKeyEvent,
    )

    from gui.actions import ActionSet

SAVE_INTERVAL_MS = 3_000
"""How often the state is compared with the saved one."""
_DEFAULT_SIZE = QSize(1600, 1000)
_MINIMUM_SIZE = QSize(900, 600)
_FRAME_MARGINS = 4, 36, 4, 4
"""Assumed largest frame in pixels (left, top, right, bottom): its size is known only after
showing."""


class MainWindow(QMainWindow):
    """Menus, start page, file drop, size and place; ``WindowContent`` adds everything about a
    transcript.

    The menus stay empty until ``complete``, so that the first paint does not wait for their
    actions.
    """

    actions_by_id: ActionSet

    path_chosen = Signal(str)
    dropped = Signal(list)  # paths
    escaped = Signal()  # Esc that no widget used
    painted = Signal()  # once, after the first paint
    saving_state = Signal()  # the state is about to be saved
    closing = Signal()

    def __init__(
        self,
        appearance: AppearanceController,
        state: WindowState,
        samples: Sequence[BundledSample],
        *,
        saves_state: bool = True,
    ) -> None:
        super().__init__()
        self.appearance, self.state = appearance, state
        self.saves_state, self._saved_state = saves_state, ""
        self._is_complete = False
        self.start = StartPage(samples)
        self.pages = QStackedWidget()
        self._top_layout = QVBoxLayout()
        self._lay_out()
        self._connect()
        self._on_theme(appearance.theme)
        self._restore()
        self.start.first_focus.setFocus()

    def complete(self) -> None:
        from gui.actions import ActionSet

        self.appearance.style_all_widgets()
        self.actions_by_id = actions = ActionSet(self)
        actions.fill(self.menus)
        self.recent_menu = QMenu(tr("Open recent"), self)
        self.recent_menu.aboutToShow.connect(self._fill_recent)
        self.recent_menu.triggered.connect(self._on_recent)
        self.menus["File"].insertMenu(actions["close"], self.recent_menu)
        self.start.open_button.clicked.connect(actions["open"].trigger)
        if self.saves_state:
            keeper = QTimer(self, interval=SAVE_INTERVAL_MS)
            keeper.timeout.connect(self.save_window_state)
            keeper.start()
        self._is_complete = True
        self._on_theme(self.appearance.theme)

    def _lay_out(self) -> None:
        self.setWindowTitle("Foldline")
        self.setMinimumSize(_MINIMUM_SIZE)
        self.setAcceptDrops(True)
        self.setProperty("contextMenuPolicy", "NoContextMenu")
        titles = with_mnemonics([tr(name) for name in MENU_TITLES])
        self.menus = {
            name: self.menuBar().addMenu(title)
            for name, title in zip(MENU_TITLES, titles, strict=True)
        }
        centre = QWidget()
        self.setCentralWidget(centre)
        self._column = column = QVBoxLayout(centre)
        for layout in (column, self._top_layout):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
        column.addLayout(self._top_layout)
        column.addWidget(self.pages, 1)
        self.pages.addWidget(
            self.start
        )  # late: it measures all texts, and would again with a new parent

    def _connect(self) -> None:
        self.appearance.changed.connect(self._on_theme)
        self.start.path_chosen.connect(self.path_chosen)
        self.start.painted.connect(self.painted)

    def add_top_widget(self, widget: QWidget) -> None:
        """Add a widget between the menus and the pages, below earlier ones."""
        self._top_layout.addWidget(widget)

    def add_bottom_widget(self, widget: QWidget) -> None:
        """Add a widget below the pages."""
        self._column.addWidget(widget)

    def show_start(self) -> None:
        self.pages.setCurrentWidget(self.start)
        self.show_name("")
        self.start.first_focus.setFocus()

    def show_name(self, name: str) -> None:
        """Show the name of the open file, "" for none, in the window's title."""
        self.setWindowTitle(f"{name} – Foldline" if name else "Foldline")

    def remember(self, path: str) -> None:
        self.state.remember(path)
        self.start.show_recent(self.state.recent_days())

    def _on_theme(self, theme: Theme) -> None:
        self.start.fit()
        if self._is_complete:
            self.actions_by_id.check(f"theme-{self.appearance.choice}")

    def _fill_recent(self) -> None:
        self.recent_menu.clear()
        for path in self.state.recent:
            self.recent_menu.addAction(path.replace("&", "&&")).setData(path)
        if self.recent_menu.isEmpty():
            self.recent_menu.addAction(tr("No file was opened yet")).setEnabled(False)

    def _on_recent(self, action: QAction) -> None:
        self.path_chosen.emit(action.data())

    def _restore(self) -> None:
        left, top, right, bottom = _FRAME_MARGINS
        self.resize(
            default_size(
                self._available_area().adjusted(left, top, -right, -bottom).size()
            )
        )
        if self.state.geometry:
            self.restoreGeometry(
                QByteArray.fromBase64(self.state.geometry.encode(errors="ignore"))
            )
        self.start.show_recent(self.state.recent_days())

    def _available_area(self) -> QRect:
        """The window's screen without panels."""
        screen = QGuiApplication.screenAt(self.geometry().center())
        return (screen or self.screen()).availableGeometry()

    def fit_to_screen(self) -> None:
        """Shrink and move the shown window until it is on the screen with its frame."""
        handle = self.windowHandle()
        if handle is None or self.isMaximized() or self.isFullScreen():
            return
        geometry = self.geometry()
        frame = handle.frameMargins()
        fitted = fitted_rectangle(
            geometry, self._available_area().marginsRemoved(frame)
        )
        if fitted != geometry:
            self.setGeometry(fitted)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [
            url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()
        ]
        if paths:
            event.acceptProposedAction()
            self.dropped.emit(paths)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        from PySide6.QtCore import Qt

        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        from gui.widgets.accessibility import (
            focus_next,
        )  # late: the first paint does not need it

        return focus_next(self, forward)

    def save_window_state(self) -> None:
        """Save the state if it has changed, so that a crash loses only the last seconds."""
        self.saving_state.emit()
        self.state.geometry = bytes(self.saveGeometry().toBase64().data()).decode()
        self.state.theme, self.state.zoom = self.appearance.choice, self.appearance.zoom
        if (current_state := repr(vars(self.state))) != self._saved_state:
            self._saved_state = current_state
            save_state(self.state)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.saves_state:
            self.save_window_state()
        self.closing.emit()
        super().closeEvent(event)


def default_size(available: QSize) -> QSize:
    """Return the size of a first window: the designed one, or what a smaller screen allows."""
    if _fits_minimum(available):
        return _DEFAULT_SIZE.boundedTo(available)
    return _DEFAULT_SIZE


def fitted_rectangle(window: QRect, available: QRect) -> QRect:
    """Return ``window`` shrunk and moved into ``available``, unchanged if the least size does not
    fit."""
    if not _fits_minimum(available.size()):
        return window
    size = window.size().boundedTo(available.size())
    x = min(
        max(window.x(), available.x()), available.x() + available.width() - size.width()
    )
    y = min(
        max(window.y(), available.y()),
        available.y() + available.height() - size.height(),
    )
    return QRect(x, y, size.width(), size.height())


def _fits_minimum(size: QSize) -> bool:
    return (
        size.width() >= _MINIMUM_SIZE.width()
        and size.height() >= _MINIMUM_SIZE.height()
    )

"""The main window as it first appears: menus, the start screen, places for all else. Loads fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, QTimer, Signal
from PySide6.QtWidgets import QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget

from core.app.samples import BundledSample
from gui.language import tr
from gui.saved_state import WindowState, save_state
from gui.start.start_page import StartPage
from gui.widgets.appearance import AppearanceController
from gui.widgets.basic_widgets import MENUS, text_label, with_keys
from gui.widgets.theme import Theme

if TYPE_CHECKING:  # a wrapper that no code needs before the first paint is not made before it
    from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent

    from gui.actions import ActionSet

NOTHING_OPEN = "no file open"
KEEP_MS = 3_000
"""How often the state is looked at, and written where it has changed."""
_WANTED, _LEAST = QSize(1600, 1000), QSize(900, 600)
_FRAME = 4, 36, 4, 4
"""Pixels that a frame takes at most, left, top, right, bottom: it is known only once the window is shown."""


class MainWindow(QMainWindow):
    """Menus, start screen, drop, size and place. What speaks of a transcript is put in by Workspace.

    The menus are empty until ``complete``, so that the first paint need not wait for their actions.
    """

    actions_by_id: ActionSet

    path_chosen = Signal(str)
    dropped = Signal(list)  # paths
    escaped = Signal()  # Esc, which nothing in the window had a use for
    painted = Signal()  # once, after the first paint
    keeping = Signal()  # the state is about to be written
    closing = Signal()

    def __init__(
        self,
        appearance: AppearanceController,
        state: WindowState,
        samples: Sequence[BundledSample],
        *,
        remembers: bool = True,
    ) -> None:
        super().__init__()
        self.appearance, self.state = appearance, state
        self._remembers, self._kept = remembers, ""
        self._is_complete = False
        self.start = StartPage(samples)
        self.pages = QStackedWidget()
        self._above = QVBoxLayout()
        self._title = text_label(tr(NOTHING_OPEN), "secondary")
        self._lay_out()
        self._connect()
        self._on_theme(appearance.theme)
        self._restore()
        self.start.first.setFocus()

    def complete(self) -> None:
        """Style everything, make the actions and fill the menus with them."""
        from gui.actions import ActionSet

        self.appearance.complete()
        self.actions_by_id = actions = ActionSet(self)
        actions.fill(self.menus)
        self._recent = QMenu(tr("Open recent"), self)
        self._recent.aboutToShow.connect(self._fill_recent)
        self._recent.triggered.connect(self._on_recent)
        self.menus["File"].insertMenu(actions["close"], self._recent)
        self.start.open_requested.connect(actions["open"].trigger)
        if self._remembers:
            keeper = QTimer(self, interval=KEEP_MS)
            keeper.timeout.connect(self.keep)
            keeper.start()
        self._is_complete = True
        self._on_theme(self.appearance.theme)

    def _lay_out(self) -> None:
        self.setWindowTitle("Foldline")
        self.setMinimumSize(_LEAST)
        self.setAcceptDrops(True)
        self.setProperty("contextMenuPolicy", "NoContextMenu")
        titles = with_keys([tr(name) for name in MENUS])
        self.menus = {name: self.menuBar().addMenu(title) for name, title in zip(MENUS, titles, strict=True)}
        self._title.setContentsMargins(8, 0, 12, 0)
        self._title.setMinimumHeight(self.menuBar().sizeHint().height())
        self.menuBar().setCornerWidget(self._title)
        centre = QWidget()
        self.setCentralWidget(centre)
        column = QVBoxLayout(centre)
        for layout in (column, self._above):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
        column.addLayout(self._above)
        column.addWidget(self.pages, 1)
        self.pages.addWidget(self.start)  # late, for it measures all texts, and a new parent would again

    def _connect(self) -> None:
        self.appearance.changed.connect(self._on_theme)
        self.start.path_chosen.connect(self.path_chosen)
        self.start.painted.connect(self.painted)

    def add_above(self, widget: QWidget) -> None:
        """Put a widget between the menus and the pages, below those that are there."""
        self._above.addWidget(widget)

    def show_start(self) -> None:
        """Show the start screen."""
        self.pages.setCurrentWidget(self.start)
        self.show_title(tr(NOTHING_OPEN))
        self.start.first.setFocus()

    def show_title(self, text: str, name: str = "", corner: QWidget | None = None) -> None:
        """The line at the right of the menus, or a widget there, and the name in the window's title."""
        self._title.setText(text)
        shown = corner or self._title
        former = self.menuBar().cornerWidget()
        if former is not None and former is not shown:
            former.hide()
        shown.adjustSize()
        self.menuBar().setCornerWidget(shown)  # the bar measures its corner only here
        shown.show()
        self.setWindowTitle(f"{name} – Foldline" if name else "Foldline")

    def remember(self, path: str) -> None:
        """A transcript was opened: list it among the recent ones."""
        self.state.remember(path)
        self.start.show_recent(self.state.recent)

    def _on_theme(self, theme: Theme) -> None:
        self.start.fit()
        if self._is_complete:
            self.actions_by_id.check(f"theme-{self.appearance.choice}")

    def _fill_recent(self) -> None:
        self._recent.clear()
        for path in self.state.recent:
            self._recent.addAction(path.replace("&", "&&")).setData(path)
        if self._recent.isEmpty():
            self._recent.addAction(tr("No file was opened yet")).setEnabled(False)

    def _on_recent(self, action: QAction) -> None:
        self.path_chosen.emit(action.data())

    def _restore(self) -> None:
        left, top, right, bottom = _FRAME
        self.resize(first_size(self._room().adjusted(left, top, -right, -bottom).size()))
        if self.state.geometry:
            from PySide6.QtCore import QByteArray

            self.restoreGeometry(QByteArray.fromBase64(self.state.geometry.encode(errors="ignore")))
        self.start.show_recent(self.state.recent)

    def _room(self) -> QRect:
        """What panels leave of the screen that the window is on."""
        from PySide6.QtGui import QGuiApplication

        found = QGuiApplication.screenAt(self.geometry().center())
        return (found or self.screen()).availableGeometry()

    def move_inside(self) -> None:
        """Make the shown window as small as needed and move it until it is on the screen with its frame."""
        handle = self.windowHandle()
        if handle is None or self.isMaximized() or self.isFullScreen():
            return
        now, frame = self.geometry(), handle.frameMargins()
        wanted = fitted_rectangle(now, self._room().marginsRemoved(frame))
        if wanted != now:
            self.setGeometry(wanted)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.dropped.emit(paths)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        from PySide6.QtCore import Qt

        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def keep(self) -> None:
        """Write what the window remembers where that has changed; a crash loses the last seconds only."""
        self.keeping.emit()
        self.state.geometry = bytes(self.saveGeometry().toBase64().data()).decode()
        self.state.theme, self.state.zoom = self.appearance.choice, self.appearance.zoom
        if (now := repr(vars(self.state))) != self._kept:
            self._kept = now
            save_state(self.state)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._remembers:
            self.keep()
        self.closing.emit()
        super().closeEvent(event)


def first_size(room: QSize) -> QSize:
    """How large a first window is: as drawn, or as a smaller screen lets it be."""
    return _WANTED.boundedTo(room) if _holds_least(room) else _WANTED


def fitted_rectangle(window: QRect, room: QRect) -> QRect:
    """``window`` no larger than ``room`` and inside it; as it is where not even the least window fits."""
    if not _holds_least(room.size()):
        return window
    size = window.size().boundedTo(room.size())
    x = min(max(window.x(), room.x()), room.x() + room.width() - size.width())
    y = min(max(window.y(), room.y()), room.y() + room.height() - size.height())
    return QRect(x, y, size.width(), size.height())


def _holds_least(room: QSize) -> bool:
    return room.width() >= _LEAST.width() and room.height() >= _LEAST.height()

"""The lists between two docks, tuning and inspector; in a narrow window the docks share one place."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

from gui.language import tr
from gui.theme import scaled

WIDE, NARROW = 1400, 1180
"""Window widths: from WIDE on the docks are broad, below NARROW the inspector is a tab behind tuning."""
"""At body size 13; they grow with the text."""
_BROAD, _SLIM, _SHARED = (268, 356), (232, 300), (300,)
_MOST = 0.45
"""Of the window's width, for a dock."""


class Workbench(QMainWindow):
    """A main window inside the main window, so that the ruler above spans everything."""

    def __init__(self, lists: QWidget, tuning: QWidget, inspector: QWidget) -> None:
        super().__init__()
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockOptions(QMainWindow.DockOption.AllowTabbedDocks | QMainWindow.DockOption.AnimatedDocks)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.setCentralWidget(lists)
        self.tuning = self._dock("tuning", tr("Tuning"), tuning, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.inspector = self._dock(
            "inspector", tr("Inspector"), inspector, Qt.DockWidgetArea.RightDockWidgetArea
        )
        self._class = -1
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._fit)
        self.lock(True)

    def _dock(self, name: str, title: str, widget: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setWidget(widget)
        self.addDockWidget(area, dock)
        return dock

    def lock(self, locked: bool) -> None:
        """Hide the docks' title bars, by which they are moved; the panels have heads of their own."""
        for dock in (self.tuning, self.inspector):
            old = dock.titleBarWidget()
            dock.setTitleBarWidget(QWidget() if locked else None)  # type: ignore[arg-type]
            if old is not None:
                old.deleteLater()

    def save(self) -> str:
        """Places and sizes of the docks, as base64."""
        return bytes(self.saveState().toBase64().data()).decode()

    def restore(self, text: str) -> None:
        """Put the docks where they were; a text that Qt does not know changes nothing."""
        if text and self.restoreState(QByteArray.fromBase64(text.encode(errors="ignore"))):
            self._class = self._width_class()

    def show_inspector(self) -> None:
        """Bring the inspector to the front where it shares its place, or was closed."""
        self.inspector.show()
        self.inspector.raise_()

    def _width_class(self) -> int:
        narrow, wide = (scaled(width, self.font()) for width in (NARROW, WIDE))
        return 0 if self.width() < narrow else 1 if self.width() < wide else 2

    def _fit(self) -> None:
        now = self._width_class()
        if now == self._class:
            return
        was, self._class = self._class, now
        if self.tuning.isFloating() or self.inspector.isFloating():
            return
        if now == 0:
            self.tabifyDockWidget(self.tuning, self.inspector)
            self.tuning.raise_()
        elif was == 0:
            self.removeDockWidget(self.inspector)
            self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.inspector)
            self.inspector.show()
        widths = (_BROAD if now == 2 else _SLIM) if now else _SHARED
        docks = [self.tuning, self.inspector] if now else [self.tuning]
        most = round(self.width() * _MOST)
        pixels = [min(scaled(width, self.font()), most) for width in widths]
        self.resizeDocks(docks, pixels, Qt.Orientation.Horizontal)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Larger text takes more room: arrange anew."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._soon.start()  # docks must not move while Qt hands the font on

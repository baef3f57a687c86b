"""The lists between the tuning and inspector docks; in a narrow window tuning is a tab of the
inspector."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

from gui.inspect.tuning_panel import TuningPanel
from gui.language import tr
from gui.widgets.text_labels import set_style_property
from gui.widgets.theme import BODY, scaled_pixels

WIDE, NARROW = 1400, 1180
"""Window widths: from WIDE on the docks are broad, below NARROW tuning is a tab of the inspector.
All widths are for a body of 13 and grow with the text."""
_WIDE_DOCKS, _NARROW_DOCKS, _TABBED_DOCK = (244, 340), (244, 300), 264
_TAB_SLACK = 10  # pixels by which another tab in bold may be wider
_MAX_DOCK_SHARE = 0.45
"""Largest width of a dock, as a share of the window."""


class DockArea(QMainWindow):
    """A main window inside the main window, so that the ruler spans everything.

    It is made before its parts, which are added by ``set_widgets``: with a new parent Qt would
    restyle them.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockOptions(
            QMainWindow.DockOption.AllowTabbedDocks | QMainWindow.DockOption.AnimatedDocks
        )
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.tuning = self._dock("tuning", tr("Tuning"), Qt.DockWidgetArea.LeftDockWidgetArea)
        self.inspector = self._dock(
            "inspector", tr("Inspector"), Qt.DockWidgetArea.RightDockWidgetArea
        )
        self._shown_width_class = -1
        self._wide_state = ""  # the docks before tuning became a tab
        self._pending_widths: Sequence[float] = ()  # dock widths that the window had no space for
        self._unscaled_widths: list[
            float
        ] = []  # dock widths at body size 13 while the text size changes
        self._body_pixels = scaled_pixels(BODY, self.font())
        self._fit_timer = QTimer(self, singleShot=True, interval=0)
        self._fit_timer.timeout.connect(self._on_zoomed)
        self.lock(True)

    def set_widgets(
        self, lists: QWidget, tuning: TuningPanel, inspector: QWidget, tabs: QTabWidget
    ) -> None:
        """Set the lists and the panels of the docks; ``tabs`` are those of the inspector."""
        self._tuning_panel, self._tabs, self._wide_tab = tuning, tabs, tabs.currentWidget()
        self.setCentralWidget(lists)
        self.tuning.setWidget(tuning)
        self.inspector.setWidget(inspector)

    def _dock(self, name: str, title: str, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        self.addDockWidget(area, dock)
        return dock

    def lock(self, locked: bool) -> None:
        """Hide the docks' title bars, by which they are moved; the panels have their own
        headers."""
        for dock in (self.tuning, self.inspector):
            previous_bar = dock.titleBarWidget()
            dock.setTitleBarWidget(QWidget() if locked else None)  # type: ignore[arg-type]
            if previous_bar is not None:
                previous_bar.deleteLater()

    def save(self) -> str:
        """Return places and sizes of the docks in a window that is not narrow, as base64."""
        if self._wide_state:
            return self._wide_state
        return bytes(self.saveState().toBase64().data()).decode()

    def restore(self, text: str) -> None:
        """Restore the docks; an unknown text changes nothing."""
        if text and self.restoreState(QByteArray.fromBase64(text.encode(errors="ignore"))):
            self._shown_width_class = self._width_class() or -1

    def show_inspector(self) -> None:
        self.inspector.show()
        self.inspector.raise_()

    def _width_class(self) -> int:
        narrow, wide = (scaled_pixels(width, self.font()) for width in (NARROW, WIDE))
        if self.width() < narrow:
            return 0
        return 1 if self.width() < wide else 2

    def _fit(self) -> None:
        width_class = self._width_class()
        if width_class == self._shown_width_class:
            self._set_dock_widths(self._pending_widths)
            return
        previous_class, self._shown_width_class, self._unscaled_widths = (
            self._shown_width_class,
            width_class,
            [],
        )
        if self.tuning.isFloating() or self.inspector.isFloating():
            return
        if 0 in (width_class, previous_class):
            self._join(width_class == 0)
        tabs_width = (
            (self._tabs.tabBar().sizeHint().width() + _TAB_SLACK) * BODY / self._body_pixels
        )
        tabbed = (max(_TABBED_DOCK, tabs_width),)
        self._set_dock_widths((tabbed, _NARROW_DOCKS, _WIDE_DOCKS)[width_class])

    def _join(self, is_joined: bool) -> None:
        """Make tuning the first tab of the inspector at the left, or give both their docks
        again."""
        tabs, panel = self._tabs, self._tuning_panel
        if is_joined:
            self._wide_state, self._wide_tab = self.save(), tabs.currentWidget()
            tabs.insertTab(0, panel, self.tuning.windowTitle())
            tabs.setCurrentIndex(0)
        else:
            if tabs.currentIndex() == 0:
                tabs.setCurrentWidget(self._wide_tab)
            tabs.removeTab(0)
            self.tuning.setWidget(panel)
            panel.show()
            self._wide_state = ""
        set_style_property(tabs.tabBar(), "dense", "yes" if is_joined else "")
        tabs.setElideMode(tabs.elideMode())  # measures the tabs again
        panel.head.setHidden(is_joined)  # its tab has the name; Effect and Edit have Undo and Redo
        self.tuning.setHidden(is_joined)
        self.tuning.toggleViewAction().setEnabled(not is_joined)
        areas = Qt.DockWidgetArea
        self.removeDockWidget(self.inspector)
        self.addDockWidget(
            areas.LeftDockWidgetArea if is_joined else areas.RightDockWidgetArea, self.inspector
        )
        self.inspector.show()

    def _docks(self) -> list[QDockWidget]:
        return [self.tuning, self.inspector] if self._shown_width_class else [self.inspector]

    def _set_dock_widths(self, widths: Sequence[float]) -> None:
        """Set the docks' widths, given for a body of 13, as soon as there is space."""
        max_width = round(self.width() * _MAX_DOCK_SHARE)
        scaled = [scaled_pixels(width, self.font()) for width in widths]
        self._pending_widths = widths if max(scaled, default=0) > max_width else ()
        if scaled:
            pixels = [min(width, max_width) for width in scaled]
            self.resizeDocks(self._docks(), pixels, Qt.Orientation.Horizontal)

    def _on_zoomed(self) -> None:
        """Scale the docks with the text, and back to the same width."""
        self._body_pixels = scaled_pixels(BODY, self.font())
        self._fit()
        if self._unscaled_widths:
            self._set_dock_widths(self._unscaled_widths)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.isVisible() and self._width_class() != self._shown_width_class:
            self._fit_timer.start()  # panels must not move while Qt styles them
        else:
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            if self.isVisible() and not self._fit_timer.isActive():
                self._unscaled_widths = [
                    dock.width() * BODY / self._body_pixels for dock in self._docks()
                ]
            self._fit_timer.start()  # docks must not move while Qt passes the font on

"""Opens the probes dialog and connects it to the backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from core.presentation.model import Screen
from core.presentation.probes.model import ProbePage
from gui.backend import BackendClient
from gui.widgets.appearance import AppearanceController
from gui.widgets.theme import Theme

if TYPE_CHECKING:  # imported on first use
    from gui.probes.dialog import ProbeDialog


class ProbeController(QObject):
    """The dialog is made once; while hidden, it sends nothing."""

    def __init__(self, window: QMainWindow, session: BackendClient, appearance: AppearanceController) -> None:
        super().__init__(window)
        self._window, self._session, self._appearance = window, session, appearance
        self._dialog: ProbeDialog | None = None
        session.probe_page.connect(self._on_page)
        session.screen.connect(self._on_screen)
        session.idle.connect(self._on_idle)
        appearance.changed.connect(self._on_theme)

    def open_probes(self) -> ProbeDialog:
        """Show the questions about the shown result; no model is called."""
        if self._dialog is None:
            self._dialog = self._make()
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()
        self._session.load_probes(self._dialog.baseline.isChecked())
        return self._dialog

    def _make(self) -> ProbeDialog:
        from gui.probes.dialog import ProbeDialog

        dialog = ProbeDialog(self._window, self._appearance.theme)
        dialog.probes_requested.connect(self._session.run_probes)
        dialog.page_wanted.connect(self._session.load_probes)
        dialog.cancel_wanted.connect(self._session.cancel)
        return dialog

    def _on_page(self, page: ProbePage) -> None:
        if self._dialog is not None:
            self._dialog.show_page(page)

    def _on_screen(self, screen: Screen) -> None:
        """Request the questions for another result."""
        if self._dialog is not None and self._dialog.isVisible() and not screen.draft:
            self._session.load_probes(self._dialog.baseline.isChecked())

    def _on_idle(self) -> None:
        if self._dialog is not None:
            self._dialog.end_run()

    def _on_theme(self, theme: Theme) -> None:
        if self._dialog is not None:
            self._dialog.set_theme(theme)

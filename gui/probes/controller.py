"""Opens the probes dialog and connects it to the backend."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from core.app.services.probes import ProbeService
from core.presentation.inspector_model import ProbePage
from core.presentation.model import Notice, Screen
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
        session.screen.connect(self._on_screen)
        appearance.changed.connect(self._on_theme)

    def open_probes(self) -> ProbeDialog:
        """Show the questions about the shown result; no model is called."""
        if self._dialog is None:
            self._dialog = self._make()
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()
        self._load(self._dialog.baseline.isChecked())
        return self._dialog

    def _make(self) -> ProbeDialog:
        from gui.probes.dialog import ProbeDialog

        dialog = ProbeDialog(self._window, self._appearance.theme)
        dialog.probes_requested.connect(self._run)
        dialog.page_wanted.connect(self._load)
        dialog.cancel_wanted.connect(self._session.cancel)
        return dialog

    def _load(self, baseline: bool) -> None:
        self._session.call(ProbeService.questions, baseline).progress(self._on_page)

    def _run(self, baseline: bool) -> None:
        call = self._session.call(ProbeService.run, baseline).progress(self._on_page)
        call.failed(self._on_failed).cancelled(partial(self._load, baseline))

    def _on_page(self, page: ProbePage) -> None:
        if self._dialog is not None:
            self._dialog.show_page(page)

    def _on_screen(self, screen: Screen) -> None:
        """Request the questions for another result."""
        if self._dialog is not None and self._dialog.isVisible() and not screen.draft:
            self._load(self._dialog.baseline.isChecked())

    def _on_failed(self, notice: Notice) -> None:
        self._session.notice.emit(notice)
        if self._dialog is not None:
            self._dialog.end_run()

    def _on_theme(self, theme: Theme) -> None:
        if self._dialog is not None:
            self._dialog.set_theme(theme)

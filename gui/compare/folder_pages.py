"""Base of the tabs of Compare that work on a folder, which the person chooses."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog

from core.presentation.screen_model import Screen
from gui.compare.analysis_tab import AnalysisTab
from gui.language import tr
from gui.widgets.basic_widgets import push_button


class FolderPagesTab(AnalysisTab):
    """A subclass has ``scan(path)``, which shows a folder before the work, and ``show_state()``.

    Emits ``back`` to return to the start page.
    """

    back = Signal()
    _is_outdated = False  # settings changed while the tab was hidden

    def _make_head(self) -> None:
        super()._make_head()
        self.folder_button = push_button(tr("Choose a folder…"), "small")
        self.back_button = push_button(tr("Back"), "small")
        for button in (self.folder_button, self.back_button):
            self.head_row.addWidget(button)
        self.folder_button.clicked.connect(self.choose)
        self.back_button.clicked.connect(self.back)

    @property
    def unopened_text(self) -> str:
        return tr("Choose a folder of transcripts.")

    def choose(self) -> bool:
        """Ask for a folder and scan it; return False if none was chosen."""
        path = QFileDialog.getExistingDirectory(self, tr("Choose a folder"), self._path)
        if path:
            self.scan(path)
        return bool(path)

    def scan(self, path: str) -> None:
        """Show what is known of a folder."""
        if path != self._path:
            self.page = None
            self.show_empty(tr("Looking into the folder …"))
        self._path, self._is_open, self._is_outdated = path, True, False
        self._abandon_call()

    def show_state(self) -> None:
        """Show what is known after a cancel."""
        raise NotImplementedError

    def begin(self, path: str) -> None:
        """A folder does not depend on the open transcript; without one the start page is the way
        back."""
        self.back_button.setVisible(not path)

    def start(self) -> None:
        """Continue running work when the tab is shown again, or look again where settings have
        changed."""
        if self.page is not None and not self.page.is_idle:
            self.run()
        elif self._is_outdated:
            self.scan(self._path)

    def run(self) -> None:
        """Begin the work, or go on with it."""
        super().start()

    def show_idle(self, *, is_idle: bool) -> None:
        self.folder_button.setText(tr("Another folder…"))
        self._progress.setVisible(not is_idle)
        if is_idle:
            self.resume_button.hide()

    def _on_idle(self) -> None:
        was_running = self._call is not None and self.isVisible()
        super()._on_idle()
        if was_running:  # it was cancelled
            self.show_state()

    def _on_screen(self, screen: Screen) -> None:
        """Settings changed: results of other settings are not shown."""
        if screen.provisional or not self._path:
            return
        if self.isVisible():
            self.scan(self._path)
        else:
            self._is_outdated = True

"""Base of the tabs of Compare that work on a folder, which the person chooses."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from core.common.paths import SAMPLES, shown_name
from core.presentation.model import Notice
from core.presentation.screen_model import Screen
from gui.compare.analysis_tab import AnalysisTab
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.view_layout import column_of, panel_of, row_of

_LEAST_FILES = 2
_MOST_COUNTED = 10_000


class FolderPagesTab(AnalysisTab):
    """A subclass has ``scan(path)``, which shows a folder before the work, and ``show_state()``.

    Emits ``back`` to return to the start page.
    """

    back = Signal()
    unopened_title = ""
    _own_folder = ""  # of the open transcript
    _is_outdated = False  # settings changed while the tab was hidden

    def _make_head(self) -> None:
        super()._make_head()
        self.folder_button = push_button(tr("Choose a folder…"), "small")
        self.back_button = push_button(tr("Back"), "small")
        for button in (self.folder_button, self.back_button):
            self.head_row.addWidget(button)
        self.folder_button.clicked.connect(self.choose)
        self.back_button.clicked.connect(self.back)

    def _make_empty_page(self) -> QWidget:
        """A title, the sentence, and the buttons that begin: with the folder of the open
        transcript, or with another one."""
        self.own_button = push_button("")
        self.choose_button = push_button(tr("Choose a folder…"))
        self.own_button.clicked.connect(self._on_own)
        self.choose_button.clicked.connect(self.choose)
        self._title = text_label(tr(self.unopened_title), "strong", wraps=True)
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self._begin_row = panel_of(
            row_of(self.own_button, self.choose_button, None, gap=8)
        )
        parts = (self._title, self.empty_label, self._begin_row, None)
        return panel_of(column_of(*parts, margins=(24, 24, 24, 24), gap=10), "pane")

    def show_empty(self, text: str) -> None:
        """Show the sentence; the buttons only while no folder is chosen."""
        super().show_empty(text)
        waits = not self._path
        self._title.setVisible(waits)
        self._begin_row.setVisible(waits)
        self.folder_button.setVisible(not waits)

    def _offer_own_folder(self, path: str) -> None:
        """Offer the files beside the open transcript, where there are several."""
        if path:
            self._own_folder = str(Path(path).parent)
            count = _files_like(Path(path))
            name = shown_name(self._own_folder)
        else:
            self._own_folder = ""
            count = 0
            name = ""
        words = tr("Use the {count:,} files of {folder}").format(
            count=count, folder=name
        )
        self.own_button.setText(words)
        self.own_button.setVisible(count >= _LEAST_FILES)

    def _on_own(self) -> None:
        self.scan(self._own_folder)

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
        is_other = path != self._path
        self._path, self._is_open, self._is_outdated = path, True, False
        if is_other:
            self.page = None
            self.show_empty(tr("Looking into the folder …"))
        self._abandon_call()

    def _on_scan_failed(self, notice: Notice) -> None:
        """Say why a folder cannot be worked on, beside the buttons that choose another one."""
        if self.page is not None:  # what was known of the folder stays
            self.backend.notice.emit(notice)
            return
        self._path = ""
        self.show_empty(f"{notice.title} {notice.text}".strip())

    def show_state(self) -> None:
        """Show what is known after a cancel."""
        raise NotImplementedError

    def begin(self, path: str) -> None:
        """A folder does not depend on the open transcript; without one the start page is the way
        back."""
        self.back_button.setVisible(not path)
        self._offer_own_folder(path)

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


def _files_like(path: Path) -> int:
    """Return how many files of the same kind stand beside one; 0 in the program's own folder."""
    if path.is_relative_to(SAMPLES):
        return 0
    try:
        beside = islice(path.parent.iterdir(), _MOST_COUNTED)
        return sum(
            one.suffix == path.suffix and not one.name.startswith(".") for one in beside
        )
    except OSError:
        return 0

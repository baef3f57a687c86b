"""The tab Folder: progress, a row for each strategy, its files, and the plot."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from core.analysis.model import BASELINE, RECORDED
from core.app.services.folder import FolderService
from core.presentation.compare.columns import FILES
from core.presentation.compare.model import FolderPage
from core.presentation.compare.results import folder_plot
from core.presentation.compare.tables import FOLDER
from gui.backend import BackendClient
from gui.compare.folder_pages import FolderPagesTab
from gui.compare.plot import PlotPane
from gui.compare.results_painter import ResultEntry, ResultsModel
from gui.compare.results_table import ResultsTable
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.view_layout import (
    column_of,
    column_of_widgets,
    horizontal_splitter,
    line_of_widgets,
    vertical_splitter,
)


class FolderQuestion(QWidget):
    """What would be compared, with a button to begin, and one for all files once more."""

    def __init__(self) -> None:
        super().__init__()
        self.question_label = text_label("", "strong")
        self.begin_button = push_button(tr("Compare"), "primary")
        self.restart_button = push_button(tr("Start over"), "small")
        self.restart_button.setToolTip(
            tr("Forget what was done before, and do all files again.")
        )
        parts = (self.question_label, self.begin_button, self.restart_button)
        self.setLayout(column_of(line_of_widgets(*parts, None, padding=6)))

    def show_page(self, page: FolderPage) -> None:
        """Show the page's question; hidden without one."""
        self.setVisible(bool(page.question))
        self.question_label.setText(page.question)
        self.begin_button.setVisible(page.done < page.total)
        self.begin_button.setText(tr("Continue") if page.done else tr("Compare"))
        self.restart_button.setVisible(page.done > 0)


class FolderTab(FolderPagesTab):
    """Emits ``opened(path, strategy)`` for a file to open, ``tune_wanted(path)`` for a search of
    settings."""

    opened = Signal(str, str)
    tune_wanted = Signal(str)
    page: FolderPage | None

    def __init__(self, backend: BackendClient) -> None:
        self.means = ResultsTable(
            tr("Strategies over the folder"), ResultsModel(FOLDER)
        )
        self.files = ResultsTable(tr("Files of the folder"), ResultsModel(FILES))
        self.plots = PlotPane()
        super().__init__(
            backend,
            "folder",
            tr("Folder"),
            save_table=FolderService.save_table,
            tables=(self.means, self.files),
            plot=self.plots.plot,
        )
        self._model, self._is_fresh = "", False
        self._names: tuple[str, ...] = ()
        self.question = FolderQuestion()
        self.footnote = text_label("", "secondary", wraps=True)
        self.footnote.setContentsMargins(12, 4, 12, 4)
        self.strategy_label = text_label("", "strong")
        tip = tr(
            "Search the settings that keep most of what later turns of these sessions needed."
        )
        self.tune_button = push_button(tr("Tune…"), "small", tip=tip)
        self.head_row.insertWidget(
            self.head_row.indexOf(self.folder_button), self.tune_button
        )
        title = line_of_widgets(
            self.strategy_label,
            None,
            text_label(tr("Enter opens a file"), "quiet"),
            padding=6,
        )
        files = column_of_widgets(title, self.files, stretched=self.files)
        upper = column_of_widgets(self.means, self.footnote, stretched=self.means)
        lower = horizontal_splitter(self.plots, files, shares=(45, 55))
        self.splitter = vertical_splitter(upper, lower, shares=(45, 55))
        blank = text_label(
            tr("The results of each strategy over these transcripts will be here."),
            "muted",
        )
        blank.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.results = QStackedWidget()
        self.results.addWidget(blank)
        self.results.addWidget(self.splitter)
        self.set_content(
            column_of_widgets(self.question, self.results, stretched=self.results)
        )
        self.means.current_changed.connect(self._on_strategy)
        self.files.opened.connect(self._on_file)
        self.plots.plot.picked.connect(self.means.select)
        self.question.begin_button.clicked.connect(self.resume)
        self.question.restart_button.clicked.connect(self._on_restart)
        self.tune_button.clicked.connect(self._on_tune)

    unopened_title = "Compare strategies over many sessions"

    @property
    def unopened_text(self) -> str:
        return tr("One row a strategy, over all files. Nothing is sent.")

    def areas(self) -> tuple[QWidget, ...]:
        question = (self.question.begin_button,) if self.question.isVisible() else ()
        if self.page is None:
            return (self.own_button, self.choose_button)
        return (*question, *super().areas())

    def scan(self, path: str) -> None:
        """Scan a folder, with its earlier results."""
        super().scan(path)
        self._is_fresh = False
        scanned = self.backend.call(
            self, FolderService.scan, path, self._names, self._model
        )
        scanned.progress(self.show_page).failed(self._on_scan_failed)

    def resume(self) -> None:
        """Begin, or continue after a stop; focus the results, because the button is hidden."""
        self.results.setCurrentWidget(self.splitter)
        self.means.setFocus()
        self.run()

    def request_pages(self) -> PendingCall[None]:
        fresh, self._is_fresh = self._is_fresh, False
        return self.backend.call(self, FolderService.compare, fresh)

    def _on_restart(self) -> None:
        self._is_fresh = True
        self.resume()

    def show_page(self, page: FolderPage) -> None:
        asks_now = bool(page.question) and not self.question.isVisible()
        self.question.show_page(page)
        self.results.setCurrentIndex(int(bool(page.means) or not page.question))
        self.plots.show_scatter(folder_plot(page.means))
        badge, front = tr("best trade-off"), self.plots.front
        self.means.show_entries(
            [
                ResultEntry(row.name, row, badge=badge if row.name in front else "")
                for row in page.means
            ]
        )
        self.files.show_entries([ResultEntry(row.file, row) for row in page.files])
        self.show_step(page)
        self.means.select(page.shown)
        self.strategy_label.setText(
            page.shown or " "
        )  # without any text a label is lower in some fonts
        self.plots.plot.set_marked(page.shown, "", "")
        self.footnote.setText(page.footnote)
        self.footnote.setVisible(bool(page.footnote))
        self.show_idle(is_idle=page.is_idle)
        if asks_now and self.isVisible() and page.done < page.total:
            self.question.begin_button.setFocus()

    @property
    def suggested_path(self) -> Path:
        """Beside the folder."""
        folder = Path(self._path)
        return folder.with_name(f"{folder.name}-compared")

    def show_state(self) -> None:
        self.backend.call(self, FolderService.shown).progress(self.show_page)

    def _on_tune(self) -> None:
        self.tune_wanted.emit(self._path)

    def _on_price(self, models: tuple[str, ...]) -> None:
        """Request the figures at other prices; the results are cached."""
        self._model = models[0]
        self.scan(self._path)

    def choose_names(self, names: tuple[str, ...]) -> None:
        self._names = names
        self.scan(self._path)

    def _on_strategy(self, name: str) -> None:
        if self.page is not None and name != self.page.shown:
            self.backend.call(self, FolderService.shown, name).progress(self.show_page)

    def _on_file(self, name: str) -> None:
        if self.page is not None:
            if self.page.shown in (BASELINE, RECORDED):
                strategy = ""
            else:
                strategy = self.page.shown
            self.opened.emit(str(Path(self.page.path) / name), strategy)

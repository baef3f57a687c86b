"""The page of a folder: progress, a row for each strategy, its files, and the plot."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QHBoxLayout, QLabel, QStackedWidget, QWidget

from core.app.services.folder import FolderService
from core.presentation.compare.model import RECORDED
from core.presentation.folder.model import FILE_COLUMNS, MEAN_COLUMNS, FolderPage
from core.presentation.model import Screen
from gui.backend import BackendClient
from gui.compare.plot import SHAPES, ComparePlot
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets.analysis_view import AnalysisView
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.figure_table import FolderTable
from gui.widgets.names_button import NamesButton
from gui.widgets.plot_legend import PlotLegend
from gui.widgets.theme import Theme
from gui.widgets.view_layout import column_of_widgets, horizontal_splitter, line_of_widgets, vertical_splitter


class FolderQuestion(QWidget):
    """Emits ``begin_wanted``, and ``restart_wanted`` for all files once more."""

    begin_wanted = Signal()
    restart_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "head")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.question_label = text_label("", "strong")
        self.begin_button, self._restart_button = (
            push_button(tr("Compare"), "primary"),
            push_button(tr("Begin anew"), "small"),
        )
        self._restart_button.setToolTip(tr("Forget what was done before, and do all files again."))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(12)
        for widget in (self.question_label, self.begin_button, self._restart_button):
            row.addWidget(widget)
        row.addStretch(1)
        self.begin_button.clicked.connect(self.begin_wanted)
        self._restart_button.clicked.connect(self.restart_wanted)

    def show_page(self, page: FolderPage) -> None:
        """Show the page's question; hidden without one."""
        self.setVisible(bool(page.question))
        self.question_label.setText(page.question)
        self.begin_button.setVisible(page.done < page.total)
        self.begin_button.setText(tr("Go on") if page.done else tr("Compare"))
        self._restart_button.setVisible(page.done > 0)


_OPTIONAL_MEANS = tuple(
    map(MEAN_COLUMNS.index, ("new errors", "no-ops", "later needs", "failed", "tokens after"))
)
_OPTIONAL_FILES = tuple(
    map(FILE_COLUMNS.index, ("messages", "lint", "later needs", "≈ cost", "tokens before"))
)


class FolderView(AnalysisView):
    """Emits ``opened(path, strategy)`` for a file to open, ``back`` to return."""

    opened = Signal(str, str)
    back = Signal()

    def __init__(self, session: BackendClient, theme: Theme) -> None:
        super().__init__(session, theme, "folder", tr("Folder"), FolderService.save_table)
        self._model = ""
        self._names: tuple[str, ...] = ()
        self._page: FolderPage | None = None
        self._is_fresh = False
        self.means = FolderTable(tr("Strategies over the folder"), theme, _OPTIONAL_MEANS, 150)
        self.files = FolderTable(tr("Files of the folder"), theme, _OPTIONAL_FILES, 150)
        self.plot = ComparePlot(theme)
        self.legend = PlotLegend(theme, SHAPES)
        self.question = FolderQuestion()
        self.footnote = text_label("", "secondary")
        self.footnote.setWordWrap(True)
        self.strategy_label = text_label("", "strong")
        tip = tr("Choose what is compared: strategies, presets, recorded compactions.")
        self.strategies_button = NamesButton(tr("Strategies…"), tip)
        self.other_folder, self.back_button = (
            push_button(tr("Another folder…"), "small"),
            push_button(tr("Back"), "small"),
        )
        for button in (
            self.strategies_button,
            self.csv_button,
            self.png_button,
            self.other_folder,
            self.back_button,
        ):
            self.head_row.addWidget(button)
        self._lay_out()
        self._connect()
        self.show_empty(tr("Choose a folder: File, Compare a folder."))

    def _lay_out(self) -> None:
        title_line = line_of_widgets(
            text_label(tr("Tokens against fidelity"), "strong"), None, self.legend, padding=6
        )
        left = column_of_widgets(title_line, self.plot, stretched=self.plot)
        title_line = line_of_widgets(
            self.strategy_label, None, text_label(tr("Enter opens a file"), "quiet"), padding=6
        )
        right = column_of_widgets(title_line, self.files, stretched=self.files)
        self.footnote.setContentsMargins(12, 4, 12, 4)
        upper = column_of_widgets(self.means, self.footnote, stretched=self.means)
        self.splitter = vertical_splitter(
            upper, horizontal_splitter(left, right, shares=(45, 55)), shares=(0, 1)
        )
        self.splitter.setSizes([320, 420])
        self.results = QStackedWidget()
        self.results.addWidget(self._blank())
        self.results.addWidget(self.splitter)
        self.set_content(column_of_widgets(self.question, self.results, stretched=self.results), self.plot)

    def _blank(self) -> QLabel:
        """Return the placeholder shown before the first results."""
        result = text_label(tr("What each strategy makes of these transcripts will stand here."), "muted")
        result.setAlignment(Qt.AlignmentFlag.AlignCenter)
        return result

    def _connect(self) -> None:
        self.strategies_button.chosen.connect(self._on_chosen)
        self.means.current_changed.connect(self._on_strategy)
        self.files.opened.connect(self._on_file)
        self.plot.picked.connect(self.means.select)
        self.question.begin_wanted.connect(self.resume)
        self.question.restart_wanted.connect(self._on_restart)
        self.other_folder.clicked.connect(self.choose)
        self.back_button.clicked.connect(self.back)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        for part in (self.means, self.files, self.plot, self.legend):
            part.set_theme(theme)

    def areas(self) -> tuple[QWidget, ...]:
        question = (self.question.begin_button,) if self.question.isVisible() else ()
        return (*question, self.means, self.plot, self.files)

    @property
    def page(self) -> FolderPage | None:
        return self._page

    def choose(self) -> bool:
        """Ask for a folder and scan it; return False if none was chosen."""
        path = QFileDialog.getExistingDirectory(self, tr("Compare a folder"), self._path)
        if path:
            self.scan(path)
        return bool(path)

    def scan(self, path: str) -> None:
        """Scan a folder, with its earlier results."""
        if path != self._path:
            self._page = None
            self.show_empty(tr("Looking into the folder …"))
        self._path, self._is_fresh = path, False
        self._is_open = True
        self._abandon_call()
        call = self.session.call(FolderService.scan, path, self._names, self._model)
        call.done(self.show_page)

    def begin(self, path: str) -> None:
        """Nothing to do: a folder does not depend on the open transcript."""

    def start(self) -> None:
        """Continue a running comparison when the view is shown again."""
        if self._page is not None and not self._page.is_over:
            super().start()

    def resume(self) -> None:
        """Begin, or continue after a stop; focus the results, because the button is hidden."""
        self.results.setCurrentWidget(self.splitter)
        self.means.setFocus()
        super().start()

    def request_pages(self) -> PendingCall[None]:
        fresh, self._is_fresh = self._is_fresh, False
        return self.session.call(FolderService.compare, fresh)

    def _on_restart(self) -> None:
        self._is_fresh = True
        self.resume()

    def show_page(self, page: FolderPage) -> None:
        self._page = page
        self.title_label.setText(page.title)
        self.about_label.show_text(page.about)
        asks_now = bool(page.question) and not self.question.isVisible()
        self.question.show_page(page)
        self.results.setCurrentIndex(int(bool(page.means) or not page.question))
        self.means.show_lines(tuple(map(tr, MEAN_COLUMNS)), page.means)
        self.files.show_lines(tuple(map(tr, FILE_COLUMNS)), page.files)
        self.means.select(page.shown_strategy)
        self.strategy_label.setText(
            page.shown_strategy or " "
        )  # without any text a label is a pixel lower in some fonts
        self.plot.show_page(page)
        self.legend.show_shapes({point.shape for point in page.points})
        self.plot.set_marked(page.shown_strategy, "", "")
        self.footnote.setText(page.footnote)
        self.footnote.setVisible(bool(page.footnote))
        self.strategies_button.set_choices(page.choices, page.names)
        self.show_step(page, page.done, page.total)
        if page.is_over:
            self.resume_button.hide()
        focused = QApplication.focusWidget()
        # otherwise the user works elsewhere
        if asks_now and (focused is None or self.isAncestorOf(focused)):
            self.question.begin_button.setFocus()

    @property
    def suggested_path(self) -> Path:
        """Beside the folder."""
        folder = Path(self._path)
        return folder.with_name(f"{folder.name}-compared")

    def _on_idle(self) -> None:
        was_running = self._call is not None and self.isVisible()
        super()._on_idle()
        if was_running:  # it was cancelled
            self.session.call(FolderService.shown).done(self.show_page)

    def _on_screen(self, screen: Screen) -> None:
        """Settings changed: results of other settings are not shown."""
        if self.isVisible() and not screen.draft and self._path:
            self.scan(self._path)

    def _on_price(self, model: str) -> None:
        """Request the figures at other prices; the results are cached."""
        self._model = model
        self.scan(self._path)

    def _on_chosen(self, names: tuple[str, ...]) -> None:
        self._names = names
        self.scan(self._path)

    def _on_strategy(self, name: str) -> None:
        if self._page is not None and name != self._page.shown_strategy:
            self.session.call(FolderService.shown, name).done(self.show_page)

    def _on_file(self, name: str) -> None:
        page = self._page
        row = next((item for item in page.files if item.name == name), None) if page is not None else None
        if page is not None and row is not None:
            strategies = {item.value for item in page.choices} - {RECORDED}
            self.opened.emit(row.path, page.shown_strategy if page.shown_strategy in strategies else "")

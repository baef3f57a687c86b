"""The tabs of Compare over a folder: Folder compares its files, Tune searches settings for them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from core.analysis.model import BASELINE, RECORDED
from core.app.remote_methods import FolderService, SettingsService, TuneService
from core.presentation.compare.columns import FILES, FOLDER
from core.presentation.compare.model import FolderPage
from core.presentation.compare.results import folder_plot
from core.presentation.compare.tune_table import TUNE, TunePage, TuneRow, tune_plot
from core.presentation.model import Notice
from core.presentation.screen_model import Screen
from gui.backend import BackendClient
from gui.compare.analysis_tab import FolderPagesTab
from gui.compare.results_table import ResultEntry, ResultsModel, ResultsTable
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.text_labels import set_style_property
from gui.widgets.theme import scaled_pixels
from gui.widgets.view_layout import (
    column_of,
    column_of_widgets,
    line_of_widgets,
    panel_of,
)

# The tab Folder: progress, a row for each strategy, its files, and the plot.


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
    name, title = "folder", "Folder"
    unopened_title = "Compare strategies over many sessions"
    unopened_text = "Each strategy has one row, over all files. Nothing is sent."
    page: FolderPage | None

    def __init__(self, backend: BackendClient) -> None:
        self.means = ResultsTable(
            tr("Strategies over the folder"), ResultsModel(FOLDER)
        )
        self.files = ResultsTable(tr("Files of the folder"), ResultsModel(FILES))
        super().__init__(
            backend,
            work=FolderService.compare,
            state=FolderService.current_state,
            save_table=FolderService.save_table,
            tables=(self.means, self.files),
        )
        self._model = ""
        self.question = FolderQuestion()
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
        blank = tr("The results of each strategy over these transcripts will be here.")
        self.lay_out(self.question, files, (45, 55), blank)
        self.means.current_changed.connect(self._on_strategy)
        self.files.opened.connect(self._on_file)
        self.question.begin_button.clicked.connect(self.resume)
        self.question.restart_button.clicked.connect(self.restart)
        self.tune_button.clicked.connect(self._on_tune)

    def areas(self) -> tuple[QWidget, ...]:
        if self.page is not None and self.question.isVisible():
            return (self.question.begin_button, *super().areas())
        return super().areas()

    def request_scan(self) -> PendingCall[None]:
        """Ask for the folder with its earlier results."""
        return self.backend.call(
            self, FolderService.scan, self._path, self._names, self._model
        )

    def resume(self) -> None:
        """Begin, or continue after a stop."""
        self.begin_results()

    def show_page(self, page: FolderPage) -> None:
        asks_now = bool(page.question) and not self.question.isVisible()
        self.question.show_page(page)
        self.plots.show_scatter(folder_plot(page.means))
        badge = tr("best trade-off")
        front = self.plots.front
        self.means.show_entries(
            [
                ResultEntry(row.name, row, badge=badge if row.name in front else "")
                for row in page.means
            ]
        )
        self.files.show_entries([ResultEntry(row.file, row) for row in page.files])
        self.show_results(page, has_rows=bool(page.means))
        self.means.select(page.selected)
        self.strategy_label.setText(
            page.selected or " "
        )  # without any text a label is lower in some fonts
        self.plots.plot.set_marked(page.selected, "", "")
        if asks_now and self.isVisible() and page.done < page.total:
            self.question.begin_button.setFocus()

    @property
    def suggested_path(self) -> Path:
        """Beside the folder."""
        folder = Path(self._path)
        return folder.with_name(f"{folder.name}-compared")

    def _on_tune(self) -> None:
        self.tune_wanted.emit(self._path)

    def _on_price(self, models: tuple[str, ...]) -> None:
        """Request the figures at other prices; the results are cached."""
        self._model = models[0]
        self.scan(self._path)

    def _on_strategy(self, name: str) -> None:
        if self.page is not None and name != self.page.selected:
            self.backend.call(self, FolderService.current_state, name).progress(
                self.show_page
            )

    def _on_file(self, name: str) -> None:
        if self.page is not None:
            if self.page.selected in (BASELINE, RECORDED):
                strategy = ""
            else:
                strategy = self.page.selected
            self.opened.emit(str(Path(self.page.path) / name), strategy)


# The tab Tune: which strategy and which settings for the sessions of a folder, within a budget.


class TuneForm(QWidget):
    """Budget, the choice for the open conversation, and the buttons that begin; Enter in the
    budget begins, too."""

    def __init__(self) -> None:
        super().__init__()
        self.budget = QLineEdit()
        self.budget.setAccessibleName(tr("Result at most"))
        self.budget.setFixedWidth(scaled_pixels(84, self.font()))
        tip = tr(
            "The most that may be left: a share (30 %), tokens (50k), or dollars a session ($0.50)."
        )
        self.budget.setToolTip(tip)
        self.for_open_file = QCheckBox(tr("For the open conversation"))
        self.for_open_file.setToolTip(
            tr("Settings are chosen half by its own past, half by the folder.")
        )
        self.keeps_all = QCheckBox(tr("Only settings that keep all"))
        self.keeps_all.setToolTip(
            tr(
                "List only those under which every text that must survive stands word for word."
            )
        )
        self.run_button = push_button(tr("Tune"), "primary")
        self.restart_button = push_button(tr("Start over"), "small")
        self.restart_button.setToolTip(
            tr("Forget what was done before, and run everything again.")
        )
        self.stop_button = push_button(
            tr("Stop"), tip=tr("What was evaluated is kept.")
        )
        self.stop_button.hide()
        self.question = text_label("", "secondary")
        budget = text_label(tr("Result at most"), "secondary")
        buttons = (self.run_button, self.stop_button, self.restart_button)
        parts = (
            budget,
            self.budget,
            self.for_open_file,
            *buttons,
            self.question,
            None,
            self.keeps_all,
        )
        self.setLayout(column_of(line_of_widgets(*parts, padding=6)))

    def show_page(self, page: TunePage) -> None:
        """Show the question and what the buttons do; the budget unless it is being typed."""
        if not (self.budget.hasFocus() and self.budget.isModified()):
            self.budget.setText(page.budget)
        self.question.setText(page.question)
        self.run_button.setText(
            tr("Continue") if page.resumed and page.question else tr("Tune")
        )
        self.run_button.setVisible(page.is_idle)
        self.stop_button.setVisible(not page.is_idle)
        for widget in (self.budget, self.for_open_file):
            widget.setEnabled(page.is_idle)
        self.restart_button.setVisible(page.resumed > 0 and page.is_idle)
        has_musts = any(row.has_musts for row in page.rows)
        self.keeps_all.setVisible(has_musts)
        if not has_musts:
            self.keeps_all.setChecked(False)


class TunedDetails(QWidget):
    """What is shown of a strategy, its settings, and what can be done with them."""

    def __init__(self) -> None:
        super().__init__()
        self.title = text_label(" ", "strong")
        self.verdict = text_label("", wraps=True)
        self.settings = text_label("", "secondary", wraps=True)
        self.settings.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self.use_button = push_button(tr("Use for this conversation"))
        self.save_button = push_button(tr("Save as my defaults"))
        self.export_button = push_button(tr("Export settings…"))
        text = panel_of(
            column_of(self.verdict, self.settings, None, margins=(12, 8, 12, 8), gap=8),
            "pane",
        )
        foot = line_of_widgets(
            self.use_button,
            self.save_button,
            self.export_button,
            None,
            role="foot",
            gap=8,
            padding=6,
        )
        head = line_of_widgets(self.title, None, padding=6)
        self.setLayout(column_of(head, text, foot, stretched=text))

    def show_row(
        self, row: TuneRow | None, sentences: tuple[str, ...], *, has_conversation: bool
    ) -> None:
        """Show a row with what is said of it, and of the search."""
        is_done = row is not None and bool(row.verdict)
        self.title.setText(row.name if row is not None else " ")
        texts = (row.verdict if row is not None else "", *sentences)
        self.verdict.setText("\n\n".join(filter(None, texts)))
        self.settings.setText("\n".join(row.lines) if row is not None else "")
        is_better = row is not None and row.is_proven_better
        set_style_property(self.use_button, "role", "primary" if is_better else "")
        self.use_button.setEnabled(is_done and has_conversation)
        self.save_button.setEnabled(is_better)
        self.export_button.setEnabled(is_better)


class TuneTab(FolderPagesTab):
    name, title = "tune", "Tune"
    unopened_title = "Find settings on your own sessions"
    unopened_text = (
        "One half of them chooses the settings, the other half measures them. "
        "Nothing is sent."
    )
    page: TunePage | None

    def __init__(self, backend: BackendClient) -> None:
        self.table = ResultsTable(
            tr("Strategies with their best settings"), ResultsModel(TUNE)
        )
        super().__init__(
            backend,
            work=TuneService.tune,
            state=TuneService.current_state,
            save_table=TuneService.save_table,
            tables=(self.table,),
        )
        self._open_path = ""
        self.form = TuneForm()
        self.details = TunedDetails()
        blank = tr(
            "The best settings of each strategy for these sessions will be here."
        )
        self.lay_out(self.form, self.details, (55, 45), blank)
        self.form.budget.returnPressed.connect(self.resume)
        self.form.run_button.clicked.connect(self.resume)
        self.form.stop_button.clicked.connect(backend.cancel)
        self.form.restart_button.clicked.connect(self.restart)
        self.form.for_open_file.toggled.connect(self._on_for_open_file_toggled)
        self.form.keeps_all.clicked.connect(self._on_keeps_all)
        self.table.current_changed.connect(self._show_details)
        self.details.use_button.clicked.connect(self.use)
        self.details.save_button.clicked.connect(self._on_save)
        self.details.export_button.clicked.connect(self._on_export)

    def areas(self) -> tuple[QWidget, ...]:
        if self.page is None:
            return super().areas()
        return (self.form.run_button, *super().areas(), self.details.use_button)

    def begin(self, path: str) -> None:
        super().begin(path)
        self._open_path = path
        self.form.for_open_file.setVisible(bool(path))
        if not path:
            self.form.for_open_file.setChecked(False)
        self._show_details()

    def request_scan(self) -> PendingCall[None]:
        """Ask for what is known with what the form says."""
        own = self._open_path if self.form.for_open_file.isChecked() else ""
        budget = self.form.budget.text()
        self.form.budget.setModified(False)
        return self.backend.call(
            self, TuneService.choose, self._path, self._names, budget, own
        )

    def resume(self) -> None:
        """Search with what the form says, or continue after a stop."""
        if self._path:
            self._abandon_call()
            self.request_scan().progress(self.show_page).done(self._on_chosen)

    def _on_chosen(self, _: object) -> None:
        self.begin_results()

    def _on_keeps_all(self) -> None:
        if self.page is not None:
            self.show_page(self.page)

    def _on_for_open_file_toggled(self) -> None:
        if self._path:
            self.scan(self._path)

    def show_page(self, page: TunePage) -> None:
        self.form.show_page(page)
        keeps_all = self.form.keeps_all.isChecked()
        rows = [row for row in page.rows if row.keeps_all or not keeps_all]
        self.table.show_entries([ResultEntry(row.name, row) for row in rows])
        self.show_results(page, has_rows=bool(page.rows))
        if self.table.current is None and rows:
            self.table.select(rows[0].name)
        self._show_details()

    @property
    def row(self) -> TuneRow | None:
        """The row of the chosen strategy."""
        current = self.table.current
        return current.row if current is not None else None

    def _show_details(self) -> None:
        page, row = self.page, self.row
        rows = page.rows if page is not None else ()
        name = row.name if row is not None else ""
        self.plots.show_scatter(tune_plot(rows, name))
        self.plots.plot.set_marked(name, "", "")
        sentences = page.sentences if page is not None else ()
        self.details.show_row(row, sentences, has_conversation=bool(self._open_path))

    def use(self) -> None:
        """Set the strategy and its settings for the open conversation, and look at the result in
        Inspect."""
        if self.row is not None:
            self.backend.set_values(self.row.changes)
            self.inspect_wanted.emit()

    def _on_save(self) -> None:
        if self.row is not None:
            self.backend.call(self, SettingsService.save, self.row.changes).done(
                self._on_saved
            )

    def _on_saved(self, _: object) -> None:
        if self.row is not None:
            text = tr("{name} with these settings.").format(name=self.row.name)
            self.notice.emit(
                Notice("info", tr("Saved as your defaults:"), text, topic="settings")
            )

    def _on_export(self) -> None:
        row = self.row
        if row is None:
            return
        if path := self.ask_path(tr("Export settings"), "tuned.toml"):
            call = self.backend.call(self, TuneService.save_file, row.name, path)
            call.done(self.backend.exported.emit)

    def start(self) -> None:
        """Continue running work; a result says whether settings have changed since."""
        super().start()
        if self.page is not None and self.page.rows and self.page.is_idle:
            self.show_state()

    def _on_screen(self, screen: Screen) -> None:
        """Settings changed: what was found stays and says so; work goes on."""
        if self.page is None or (self.page.is_idle and not self.page.rows):
            super()._on_screen(screen)
        elif self.page.is_idle and self.isVisible() and not screen.provisional:
            self.show_state()

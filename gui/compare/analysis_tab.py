"""Base of the tabs of Compare, which the worker fills step by step."""

from __future__ import annotations

from collections.abc import Callable, Generator
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QMenu,
    QProgressBar,
    QStackedWidget,
    QWidget,
)

from core.app.events import FileExportedEvent
from core.app.remote_methods import CompareService
from core.common.atomic_file import write_same_type
from core.common.errors import InputError
from core.common.paths import SAMPLES, display_name
from core.presentation.compare.model import AnalysisPage, FolderWorkPage
from core.presentation.model import Notice, PickerChoice, PriceChoice, StatusPart
from core.presentation.screen_model import Screen
from core.trials.trial import WRITTEN_BY
from gui.backend import BackendClient
from gui.compare.plot import PlotPane
from gui.compare.results_table import ResultsTable
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets.basic_widgets import push_button, text_label, widget_png
from gui.widgets.message_row import notice_text
from gui.widgets.pickers import ChoiceButton
from gui.widgets.progress_line import show_progress
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.view_layout import (
    column_of,
    column_of_widgets,
    horizontal_splitter,
    panel_of,
    row_of,
    vertical_splitter,
)

_T = TypeVar("_T")


class PerTranscript(Generic[_T]):
    """Values by path; ``path`` is that of the open transcript, "" before the first."""

    def __init__(self, default: _T) -> None:
        self._default = default
        self._values: dict[str, _T] = {}
        self.path = ""

    def switch_to(self, path: str, value: _T) -> _T:
        """Store ``value`` for the open transcript; return the stored value of the next one."""
        if self.path:
            self._values[self.path] = value
        self.path = path
        return self._values.get(path, self._default)


class Footnote(QLabel):
    """What qualifies a table, below it; hidden without a text."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "secondary")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setContentsMargins(12, 4, 12, 4)

    def show_text(self, text: str) -> None:
        self.setText(text)
        self.setVisible(bool(text))


class AnalysisTab(QWidget):
    """Head, progress line and content, or a sentence while there is none; a subclass calls and
    shows.

    The call runs while the tab is visible, and again when the tab is shown again or settings
    change. ``head`` is laid out beside the tabs; ``state`` is what is remembered of a transcript.
    """

    status_changed = Signal()
    notice = Signal(object)  # Notice
    inspect_wanted = Signal()  # what was opened is shown there
    name = ""  # in files
    title = ""  # in the window
    unopened_text = "Open a transcript first: File, Open, or Ctrl O."
    """The sentence before there is anything to work on."""

    def __init__(
        self,
        backend: BackendClient,
        *,
        save_table: Callable[[Any, str], FileExportedEvent],
        tables: tuple[ResultsTable, ...],
        plot: QWidget,
        state: Any = None,
    ) -> None:
        """``save_table`` is a service method. The columns of the first table are chosen, and its
        footnote stands below it in ``results_box``; ``plot`` is what is saved as a picture."""
        super().__init__()
        self.backend = backend
        self._save_table, self.tables, self.plot = save_table, tables, plot
        self.footnote = Footnote()
        self.results_box = column_of_widgets(
            tables[0], self.footnote, stretched=tables[0]
        )
        self.state = state
        self._states = PerTranscript[Any](state)
        self.page: Any = None
        self.strategy, self._path = "", ""
        self._call: PendingCall[None] | None = None
        self._is_stopped = self._is_open = False
        self._make_head()
        self._make_pages()
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.show_empty(tr(self.unopened_text))
        tables[0].results.modelReset.connect(self._on_rows)
        backend.screen.connect(self._on_screen)
        backend.idle.connect(self._on_idle)

    def _make_head(self) -> None:
        self.head = QWidget()
        self.about_label = ElidedLabel("", "secondary", min_chars=0, drops_parts=True)
        self.resume_button = push_button(
            tr("Continue"),
            "small",
            tip=tr("Compute the results that are still missing."),
        )
        self.resume_button.clicked.connect(self.resume)
        self.resume_button.hide()
        self.names_button = ChoiceButton("", tr("Choose what is compared."), least=2)
        self.names_button.chosen.connect(self.choose_names)
        tip = tr(
            "What the summaries would cost if this model wrote them. No model is called."
        )
        self.price_button = ChoiceButton("", tip, several=False)
        self.price_button.chosen.connect(self._on_price)
        self.columns_button = ChoiceButton(tr("Columns"), tr("Choose more columns."))
        self.columns_button.chosen.connect(self._show_columns)
        self.export_button = push_button(tr("Export"), "small")
        menu = QMenu(self.export_button)
        self.csv_action = menu.addAction(tr("Table as CSV…"))
        self.png_action = menu.addAction(tr("Plot as PNG…"))
        self.csv_action.triggered.connect(self._on_csv)
        self.png_action.triggered.connect(self._on_png)
        self.export_button.setMenu(menu)
        buttons = (
            self.resume_button,
            self.names_button,
            self.price_button,
            self.columns_button,
        )
        parts = (None, self.about_label, *buttons, self.export_button)
        self.head_row = row_of(*parts, margins=(0, 0, 12, 0))
        self.head.setLayout(self.head_row)
        self.names_button.hide()
        self.price_button.hide()
        self._show_columns(())

    def _make_pages(self) -> None:
        self._progress = QProgressBar()
        self._progress.setTextVisible(False)
        self._progress.setAccessibleName(
            tr("{name} in progress").format(name=tr(self.title))
        )
        policy = self._progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._progress.setSizePolicy(policy)
        self._progress.hide()
        self.empty_label = QLabel()
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty_label.setWordWrap(True)
        self.empty_label.setProperty("role", "muted")
        self.empty_label.setTextFormat(Qt.TextFormat.PlainText)
        self._pages = QStackedWidget()
        self._empty_page = self._make_empty_page()
        self._pages.addWidget(self._empty_page)
        self.setLayout(column_of(self._progress, self._pages, stretched=self._pages))

    def _make_empty_page(self) -> QWidget:
        """Return what is shown in place of the content, with the sentence."""
        return self.empty_label

    def set_content(self, widget: QWidget) -> None:
        """Set the content that replaces the sentence."""
        self._pages.addWidget(widget)

    def show_empty(self, text: str) -> None:
        self.empty_label.setText(text)
        self.empty_label.setAccessibleName(text)
        self._pages.setCurrentWidget(self._empty_page)

    @property
    def is_empty(self) -> bool:
        """True while a sentence is shown instead of the content."""
        return self._pages.currentWidget() is self._empty_page

    @property
    def status(self) -> StatusPart | None:
        """The part of the status bar at its right while this tab is visible."""
        if self.page is None:
            return None
        return StatusPart(
            self.page.status + (tr(" · stopped") if self._is_stopped else ""),
            side="right",
        )

    def begin(self, path: str) -> None:
        """Start with another transcript, "" for none, and restore what was chosen for it."""
        self.state = self._states.switch_to(path, self.state)
        self._path = path
        self._is_open = bool(path)
        self._abandon_call()
        self.page, self._is_stopped = None, False
        self.resume_button.hide()
        self._progress.hide()
        self.about_label.show_text("")
        self.clear()
        text = "Reading the transcript …" if path else self.unopened_text
        self.show_empty(tr(text))

    def clear(self) -> None:
        """Remove what was shown of another transcript."""
        for table in self.tables:
            table.show_entries(())

    def start(self) -> None:
        """Request what is known, then what is missing."""
        if not self._is_open:
            return
        self._abandon_call()
        self._is_stopped = False
        self.resume_button.hide()
        self._call = self.request_pages().progress(self.show_page).done(self._on_done)
        self._call.failed(self._on_failed)

    def resume(self) -> None:
        self.start()

    def areas(self) -> tuple[QWidget, ...]:
        return (*self.tables[:1], self.plot, *self.tables[1:])

    def request_pages(self) -> PendingCall[None]:
        """Call the service, which yields a page after each step."""
        raise NotImplementedError

    def show_page(self, page: Any) -> None:
        raise NotImplementedError

    def choose_names(self, names: tuple[str, ...]) -> None:
        """Compute other names."""

    def show_step(self, page: AnalysisPage) -> None:
        """Show a page's head and how far the work is."""
        self.page = page
        if self.is_empty:
            self._pages.setCurrentIndex(1)
        self.about_label.show_text(page.about)
        self.footnote.show_text(page.footnote)
        strategies = [one for one in page.chosen if not one.startswith(WRITTEN_BY)]
        names = tr("Strategies: {count}").format(count=len(strategies))
        self.names_button.show_words(names, names.rpartition(" ")[2])
        self.names_button.show_choices(page.choices, page.chosen)
        self._show_price(page.price)
        show_progress(self._progress, page.done, max(1, page.total))
        self._progress.setVisible(not page.is_over)
        self.status_changed.emit()

    def _show_price(self, price: PriceChoice) -> None:
        self.price_button.show_choices(price.choices, (price.value,))
        words = tr("Summary prices: {model}").format(model=self.price_button.label)
        self.price_button.show_words(words, tr("Prices"))

    def _show_columns(self, titles: tuple[str, ...]) -> None:
        for table in self.tables:
            table.show_columns(titles)
        self._offer_columns(titles)

    def _on_rows(self) -> None:
        self._offer_columns(self.columns_button.values)

    def _offer_columns(self, titles: tuple[str, ...]) -> None:
        """Offer the columns that are shown only if they are chosen, as ``titles`` are: also those
        in which no row has a figure. Without rows there is nothing to choose or to save."""
        results = self.tables[0].results
        has_rows = results.rowCount() > 0
        optional = results.optional_columns if has_rows else ()
        self.export_button.setVisible(has_rows)
        choices = [
            PickerChoice(column.label, column.label.format(mark="").strip())
            for column in optional
        ]
        self.columns_button.show_choices(choices, titles)

    @property
    def suggested_path(self) -> Path:
        """The suggested name for files of this tab, without a suffix."""
        path = Path(self._path)
        return path.with_name(f"{path.stem}-{self.name}")

    def _on_csv(self) -> None:
        if self.page is None:
            return
        name = f"{self.suggested_path.name}.csv"
        if path := self.ask_path(tr("Save the table"), name):
            call = self.backend.call(self, self._save_table, path)
            call.done(self.backend.exported.emit)

    def _on_png(self) -> None:
        """Save the plot, never over the transcript."""
        if self.page is None:
            return
        name = f"{self.suggested_path.name}.png"
        path = self.ask_path(tr("Save the plot"), name)
        if not path:
            return
        try:
            write_same_type(
                Path(path),
                widget_png(self.plot),
                "PNG",
                Path(self._path) if self._path else None,
            )
        except InputError as error:
            self.notice.emit(Notice("error", error.message, error.hint, topic="export"))
            return
        text = tr("Wrote {path}.").format(path=display_name(path))
        self.notice.emit(Notice("info", text, "", topic="export"))

    def ask_path(self, title: str, name: str) -> str:
        """Ask where a file goes, suggesting a name; return "" if nothing was chosen."""
        path = str(self.suggested_path.with_name(name))
        return QFileDialog.getSaveFileName(self, title, path)[0]

    def _on_price(self, models: tuple[str, ...]) -> None:
        self.backend.call(self, CompareService.price_as, models[0])
        self.start()

    def _on_screen(self, screen: Screen) -> None:
        """Settings, scope or model changed, or the first preview is there."""
        self._is_open = True
        if self.isVisible() and not screen.provisional:
            self.start()

    def _on_done(self, _: object) -> None:
        self._call = None

    def _on_failed(self, notice: Notice) -> None:
        self.backend.notice.emit(notice)
        if self.is_empty:
            self._call = None
            self.show_empty(notice_text(notice))

    def _on_idle(self) -> None:
        """Everything is answered but steps are missing: they were cancelled, or failed."""
        if self._call is not None and self.isVisible():
            self._call, self._is_stopped = None, True
            self._progress.hide()
            self.resume_button.show()
            if self.is_empty and self.empty_label.text().endswith("…"):
                self.show_empty(
                    tr("Stopped before there was a result. Continue computes it.")
                )
            self.status_changed.emit()

    def _abandon_call(self) -> None:
        if self._call is not None:
            self._call.abandon()
            self._call = None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_open:
            if self.page is None:
                text = tr("{name}: working …").format(name=tr(self.title))
                self.show_empty(text)
            self.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._abandon_call()


# Base of the tabs of Compare that work on a folder, which the person chooses.


_LEAST_FILES = 2
_MOST_COUNTED = 10_000


class FolderPagesTab(AnalysisTab):
    """Emits ``back`` to return to the start page."""

    back = Signal()
    unopened_title = ""
    _current_folder = ""  # of the open transcript
    _is_outdated = False  # settings changed while the tab was hidden

    def __init__(
        self,
        backend: BackendClient,
        *,
        work: Callable[[Any, bool], Generator[Any, None, None]],
        state: Callable[[Any], Generator[Any, None, None]],
        save_table: Callable[[Any, str], FileExportedEvent],
        tables: tuple[ResultsTable, ...],
    ) -> None:
        """``work`` does what is missing, or all again; ``state`` yields what is done so far."""
        self.plots = PlotPane()
        super().__init__(
            backend,
            save_table=save_table,
            tables=tables,
            plot=self.plots.plot,
        )
        self._work, self._state = work, state
        self._names: tuple[str, ...] = ()
        self._is_fresh = False

    def lay_out(
        self, head: QWidget, beside: QWidget, shares: tuple[int, int], blank: str
    ) -> None:
        """Lay out the ``head`` above the first table and its footnote, and below them the plot
        with what stands ``beside``; in their place the sentence ``blank`` before the work."""
        lower = horizontal_splitter(self.plots, beside, shares=shares)
        self.splitter = vertical_splitter(self.results_box, lower, shares=(45, 55))
        sentence = text_label(blank, "muted")
        sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.results = QStackedWidget()
        self.results.addWidget(sentence)
        self.results.addWidget(self.splitter)
        self.set_content(column_of_widgets(head, self.results, stretched=self.results))
        self.plots.plot.picked.connect(self.tables[0].select)

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
        self.current_folder_button = push_button("")
        self.choose_button = push_button(tr("Choose a folder…"))
        self.current_folder_button.clicked.connect(self._on_current_folder)
        self.choose_button.clicked.connect(self.choose)
        self._title = text_label(tr(self.unopened_title), "strong", wraps=True)
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self._begin_row = panel_of(
            row_of(self.current_folder_button, self.choose_button, None, gap=8)
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

    def _offer_current_folder(self, path: str) -> None:
        """Offer the files beside the open transcript, where there are several."""
        if path:
            self._current_folder = str(Path(path).parent)
            count = _files_like(Path(path))
            name = display_name(self._current_folder)
        else:
            self._current_folder = ""
            count = 0
            name = ""
        words = tr("Use {count:,} sessions of {folder}").format(
            count=count, folder=name
        )
        self.current_folder_button.setText(words)
        self.current_folder_button.setVisible(count >= _LEAST_FILES)

    def _on_current_folder(self) -> None:
        self.scan(self._current_folder)

    def areas(self) -> tuple[QWidget, ...]:
        if self.page is None:
            return (self.current_folder_button, self.choose_button)
        return super().areas()

    def choose(self) -> bool:
        """Ask for a folder and scan it; return False if none was chosen."""
        path = QFileDialog.getExistingDirectory(self, tr("Choose a folder"), self._path)
        if path:
            self.scan(path)
        return bool(path)

    def scan(self, path: str) -> None:
        """Show what is known of a folder, before the work."""
        is_other = path != self._path
        self._path, self._is_open, self._is_outdated = path, True, False
        self._is_fresh = False
        if is_other:
            self.page = None
            self.show_empty(tr("Looking into the folder …"))
        self._abandon_call()
        self.request_scan().progress(self.show_page).failed(self._on_scan_failed)

    def request_scan(self) -> PendingCall[None]:
        """Call the service, which yields what is known of the chosen folder."""
        raise NotImplementedError

    def _on_scan_failed(self, notice: Notice) -> None:
        """Say why a folder cannot be worked on, beside the buttons that choose another one."""
        if self.page is not None:  # what was known of the folder stays
            self.backend.notice.emit(notice)
            return
        self._path = ""
        self.show_empty(notice_text(notice))

    def show_state(self) -> None:
        """Show what is known after a cancel."""
        self.backend.call(self, self._state).progress(self.show_page)

    def choose_names(self, names: tuple[str, ...]) -> None:
        self._names = names
        self.scan(self._path)

    def request_pages(self) -> PendingCall[None]:
        fresh, self._is_fresh = self._is_fresh, False
        return self.backend.call(self, self._work, fresh)

    def begin_results(self) -> None:
        """Work, and focus the results, because the button that was pressed is hidden."""
        self.results.setCurrentWidget(self.splitter)
        self.tables[0].setFocus()
        self.run()

    def restart(self) -> None:
        """Forget what is known, and do all again."""
        self._is_fresh = True
        self.resume()

    def show_results(self, page: FolderWorkPage, *, has_rows: bool) -> None:
        """Show the page's head, and its results once there are some or it works."""
        self.results.setCurrentIndex(int(has_rows or not page.question))
        self.show_step(page)
        self.folder_button.setText(tr("Another folder…"))
        self._progress.setVisible(not page.is_idle)
        if page.is_idle:
            self.resume_button.hide()

    def begin(self, path: str) -> None:
        """A folder does not depend on the open transcript; without one the start page is the way
        back."""
        self.back_button.setVisible(not path)
        self._offer_current_folder(path)

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

"""Base of the analysis views, which the worker fills step by step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QStackedWidget, QVBoxLayout, QWidget

from core.app.events import FileExportedEvent
from core.app.services.compare import CompareService
from core.presentation.model import Notice, PriceChoice, Screen, StatusPart
from gui.backend import BackendClient
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets import table_saving
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.price_picker import PricePicker
from gui.widgets.table_saving import SaveButtons
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme


class AnalysisPart(Protocol):
    @property
    def status(self) -> str: ...

    @property
    def is_over(self) -> bool: ...

    @property
    def price(self) -> PriceChoice: ...


class AnalysisView(QWidget):
    """Head, progress line and content, or a sentence while there is none; a subclass calls and shows.

    The call runs while the view is visible, and again when the view is shown again or settings change.
    """

    status_changed = Signal()
    notice = Signal(object)  # Notice

    def __init__(
        self,
        session: BackendClient,
        theme: Theme,
        name: str,
        title: str,
        save_table: Callable[[Any, str], FileExportedEvent],
    ) -> None:
        """``name`` is the view's name in files, ``title`` in the window; ``save_table`` a service method."""
        super().__init__()
        self.session, self.theme, self.name, self._title = session, theme, name, title
        self._save_table = save_table
        self._part: AnalysisPart | None = None
        self._call: PendingCall[None] | None = None
        self._is_stopped = False
        self._is_open = False
        self._strategy = self._path = ""
        self._plot: QWidget | None = None
        self._make_head()
        self._make_pages()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.head, self._progress):
            column.addWidget(widget)
        column.addWidget(self._pages, 1)
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.show_empty(tr("Open a transcript first: File, Open, or Ctrl O."))
        session.screen.connect(self._on_screen)
        session.idle.connect(self._on_idle)

    def _make_head(self) -> None:
        self.head = QWidget()
        self.head.setProperty("role", "head")
        self.head.setMinimumWidth(1)  # its current text must not keep a window wide: it can be shortened
        self.head_row = QHBoxLayout(self.head)
        self.head_row.setContentsMargins(12, 4, 12, 4)
        self.head_row.setSpacing(8)
        self.title_label = text_label("", "strong")
        self.about_label = ElidedLabel("", "secondary", min_chars=12)
        self.resume_button = push_button(tr("Go on"), "small")
        self.resume_button.setToolTip(tr("Make what is still missing."))
        self.resume_button.clicked.connect(self.resume)
        self.resume_button.hide()
        self.head_row.addWidget(self.title_label)
        self.head_row.addWidget(self.about_label)
        self.head_row.addStretch(1)
        self.head_row.addWidget(self.resume_button)
        self.price_picker, self._save_buttons = PricePicker(), SaveButtons()
        self.price_picker.picked.connect(self._on_price)
        self.head_row.addWidget(self.price_picker)
        self.csv_button, self.png_button = self._save_buttons.csv_button, self._save_buttons.png_button
        self.shorteners: list[Callable[[bool], object]] = [
            self.price_picker.set_short,
            self._save_buttons.set_short,
        ]
        self.csv_button.clicked.connect(self._on_csv)
        self.png_button.clicked.connect(self._on_png)

    def _make_pages(self) -> None:
        self._progress = QProgressBar()
        self._progress.setTextVisible(False)
        self._progress.setAccessibleName(tr("{name} in progress").format(name=self._title))
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
        self._pages.addWidget(self.empty_label)

    def set_content(self, widget: QWidget, plot: QWidget) -> None:
        """Set the content that replaces the sentence; ``plot`` is the widget that is saved as a picture."""
        self._pages.addWidget(widget)
        self._plot = plot

    def show_empty(self, text: str) -> None:
        self.empty_label.setText(text)
        self.empty_label.setAccessibleName(text)
        self._pages.setCurrentWidget(self.empty_label)

    def fit_head(self) -> None:
        """Shorten the buttons rather than cut off the sentence beside them."""
        for count in range(len(self.shorteners) + 1):
            for number, set_short in enumerate(self.shorteners):
                set_short(number < count)
            if self.head_row.sizeHint().width() <= self.width():
                break

    @property
    def is_empty(self) -> bool:
        """True while a sentence is shown instead of the content."""
        return self._pages.currentWidget() is self.empty_label

    @property
    def strategy(self) -> str:
        """The strategy of the session, "" before the first preview."""
        return self._strategy

    def set_strategy(self, name: str) -> None:
        self._strategy = name

    @property
    def status(self) -> StatusPart | None:
        """The part of the status bar at its right while this view is visible."""
        if self._part is None:
            return None
        text = self._part.status + (tr(" · stopped") if self._is_stopped else "")
        return StatusPart(text, side="right")

    def begin(self, path: str) -> None:
        """Start with another transcript, "" for none."""
        self._path = path
        self._abandon_call()
        self._part, self._is_stopped = None, False
        self._is_open = bool(path)
        self.resume_button.hide()
        self._progress.hide()
        self.title_label.setText(self._title)
        self.about_label.show_text("")
        self.show_empty(
            tr("Reading the transcript …") if path else tr("Open a transcript first: File, Open, or Ctrl O.")
        )

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

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme

    def areas(self) -> tuple[QWidget, ...]:
        return ()

    @property
    def suggested_path(self) -> Path:
        """The suggested name for files of this view, without a suffix."""
        path = Path(self._path)
        return path.with_name(f"{path.stem}-{self.name}")

    def _on_csv(self) -> None:
        if self._part is not None and (path := table_saving.ask_table(self, self.suggested_path)):
            self.session.call(self._save_table, path).done(self.session.exported.emit)

    def _on_png(self) -> None:
        if (
            self._plot is not None
            and self._part is not None
            and (path := table_saving.ask_plot(self, self.suggested_path))
        ):
            self.notice.emit(table_saving.save_plot(path, self._plot, self._path))

    def request_pages(self) -> PendingCall[None]:
        """Call the service, which yields a page after each step."""
        raise NotImplementedError

    def show_page(self, page: Any) -> None:
        raise NotImplementedError

    def show_step(self, part: AnalysisPart, done: int, total: int) -> None:
        """Show how far the work is."""
        self._part = part
        if self._pages.currentWidget() is self.empty_label:
            self._pages.setCurrentIndex(1)
        self.price_picker.show_choice(part.price)
        self.fit_head()
        self._progress.setRange(0, max(1, total))
        self._progress.setValue(done)
        self._progress.setVisible(not part.is_over)
        self.status_changed.emit()

    def _on_price(self, model: str) -> None:
        self.session.call(CompareService.price_as, model)
        self.start()

    def _on_screen(self, screen: Screen) -> None:
        """Settings, scope or model changed, or the first preview is there."""
        self._is_open = True
        if self.isVisible() and not screen.draft:
            self.start()

    def _on_done(self, _: object) -> None:
        self._call = None

    def _on_failed(self, notice: Notice) -> None:
        self.session.notice.emit(notice)
        if self.is_empty:
            self._call = None
            self.show_empty(f"{notice.title} {notice.text}".strip())

    def _on_idle(self) -> None:
        """Everything is answered but steps are missing: they were cancelled, or failed."""
        if self._call is not None and self.isVisible():
            self._call, self._is_stopped = None, True
            self._progress.hide()
            self.resume_button.show()
            self.fit_head()
            if self.is_empty and self.empty_label.text().endswith("…"):
                self.show_empty(tr("Stopped before anything was there. Go on makes it."))
            self.status_changed.emit()

    def _abandon_call(self) -> None:
        if self._call is not None:
            self._call.abandon()
            self._call = None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_open:
            if self._part is None:
                self.show_empty(tr("{name}: working …").format(name=self._title))
            self.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_head()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._abandon_call()

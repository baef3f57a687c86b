"""The Compare view: strategies, presets and recorded compactions over the open conversation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from core.app.services.compare import CompareService
from core.presentation.compare.model import FIDELITY, ComparePage, PairPage
from core.presentation.compare.row_order import default_pair
from gui.backend import BackendClient
from gui.compare.fact_differences import ComparePairPane
from gui.compare.plot import SHAPES, ComparePlot
from gui.compare.side_panel import CompareSidePane
from gui.compare.table import CompareTable
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets.analysis_view import AnalysisView
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.names_button import NamesButton
from gui.widgets.plot_legend import PlotLegend
from gui.widgets.theme import Theme
from gui.widgets.view_layout import column_of_widgets, horizontal_splitter, line_of_widgets, vertical_splitter
from gui.widgets.view_memory import PerTranscript


@dataclass(frozen=True, slots=True)
class _ComparePageState:
    """What is remembered of a transcript: the compared names, the sort order, the marked rows."""

    names: tuple[str, ...] = ()
    column: int = FIDELITY
    down: bool = True
    a: str = ""
    b: str = ""
    current: str = ""


class CompareView(AnalysisView):
    """Emits ``opened(name, number)`` for a row to show in Inspect, ``message_wanted``."""

    opened = Signal(str, int)
    message_wanted = Signal(str, int)
    pair_opened = Signal()

    def __init__(self, session: BackendClient, theme: Theme) -> None:
        super().__init__(session, theme, "compare", tr("Compare"), CompareService.save_table)
        self._memory = _ComparePageState()
        self._memories = PerTranscript(self._memory)
        self._page: ComparePage | None = None
        self._requested_pair = ("", "")
        self.table, self.plot, self.pair = CompareTable(theme), ComparePlot(theme), ComparePairPane(theme)
        self.side = CompareSidePane(self.pair)
        self.legend = PlotLegend(theme, SHAPES)
        self.footnote = text_label("", "secondary")
        self.footnote.setWordWrap(True)
        tip = tr("Choose what is compared: strategies, presets, recorded compactions.")
        self.strategies_button = NamesButton(tr("Add strategy…"), tip)
        self.folder = push_button("", "small")
        self.folder.setAccessibleName(tr("Compare a folder…"))
        self.folder.setToolTip(tr("Compare strategies over every transcript of a folder."))
        for button in (self.strategies_button, self.folder, self.csv_button):
            self.head_row.addWidget(button)
        self.shorteners.append(self._shorten_folder)
        self.fit_head()
        self._lay_out()
        self._connect()
        self.set_theme(theme)

    def _shorten_folder(self, is_short: bool) -> None:
        self.folder.setText(tr("Folder…") if is_short else tr("Compare a folder…"))

    def _lay_out(self) -> None:
        title = text_label(tr("Tokens against fidelity"), "strong")
        left = column_of_widgets(
            line_of_widgets(title, None, self.legend, self.png_button), self.plot, stretched=self.plot
        )
        lower = horizontal_splitter(left, self.side, shares=(56, 44))
        self.footnote.setContentsMargins(12, 4, 12, 4)
        upper = column_of_widgets(self.table, self.footnote, stretched=self.table)
        self.splitter = vertical_splitter(upper, lower, shares=(0, 1))
        self.set_content(self.splitter, self.plot)

    def _connect(self) -> None:
        self.strategies_button.chosen.connect(self.choose)
        self.table.current_changed.connect(self._on_current)
        self.table.mark_requested.connect(self.mark)
        self.table.opened.connect(self.open_row)
        self.table.sorted.connect(self._on_sorted)
        self.plot.picked.connect(self.table.select)
        self.plot.opened.connect(self.open_row)
        self.pair.message_wanted.connect(self.message_wanted)
        self.pair.open_wanted.connect(self._on_pair_wanted)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        for part in (self.table, self.plot, self.pair, self.legend):
            part.set_theme(theme)

    def areas(self) -> tuple[QWidget, ...]:
        return (self.table, self.plot, self.pair.facts)

    @property
    def page(self) -> ComparePage | None:
        return self._page

    @property
    def marked(self) -> tuple[str, str]:
        memory = self._memory
        if (memory.a and memory.b) or self._page is None:
            return memory.a, memory.b
        page = self._page
        front = [page.points[index].name for index in page.front]
        a, b = default_pair(page.lines, front, self.strategy)
        return memory.a or a, memory.b or b

    def begin(self, path: str) -> None:
        """Start with another transcript, and restore its earlier choices."""
        self._memory = self._memories.switch_to(path, self._memory)
        self._page = None
        self.table.show_page(None)
        self.plot.show_page(None)
        self.pair.show_page(None)
        self.side.show_texts(())
        self.table.sort_by(self._memory.column, self._memory.down)
        super().begin(path)

    def request_pages(self) -> PendingCall[None]:
        self._requested_pair = ("", "")
        return self.session.call(CompareService.compare, self._memory.names)

    def show_page(self, page: ComparePage) -> None:
        self._page = page
        self.title_label.setText(page.title)
        self.about_label.show_text(page.about)
        self.table.show_page(page)
        self.plot.show_page(page)
        self.legend.show_shapes({point.shape for point in page.points})
        if self._memory.current:
            self.table.select(self._memory.current)
        self.side.show_texts(page.recorded_comparisons)
        self.footnote.setText(page.footnote)
        self.footnote.setVisible(bool(page.footnote))
        self._fit_upper()
        done_count = sum(line.state != "waiting" for line in page.lines)
        self.show_step(page, done_count, len(page.names))
        self._show_marks()
        self.strategies_button.set_choices(page.choices, page.names)

    def _fit_upper(self) -> None:
        height = self.splitter.height()
        footnote_height = self.footnote.heightForWidth(self.splitter.width()) if self.footnote.text() else 0
        needed_height = self.table.sizeHint().height() + footnote_height
        upper = min(needed_height, max(160, height - 300))
        if height > 0 and self.splitter.sizes()[0] < upper:
            self.splitter.setSizes([upper, height - upper])

    def _on_pair(self, page: PairPage | None) -> None:
        if page is None:  # the settings have changed since
            self._requested_pair = ("", "")
        elif (page.a, page.b) == self.marked:
            self.pair.show_page(page)

    def mark(self, index: int, name: str) -> None:
        """Mark a row A (0) or B (1); if it has the other mark, the rows swap marks."""
        marks = list(self.marked)
        other_name = marks[1 - index]
        marks[1 - index] = marks[index] if other_name == name else other_name
        marks[index] = name
        self._memory = replace(self._memory, a=marks[0], b=marks[1])
        self._show_marks()

    def _show_marks(self) -> None:
        a, b = self.marked
        self.table.set_marked(a, b)
        self.plot.set_marked(a, b, self._memory.current)
        page = self._page
        if page is None:
            return
        done_names = {line.name for line in page.lines if line.state != "waiting"}
        shown = self.pair.page
        if shown is None or (shown.a, shown.b) != (a, b) or not {a, b} <= done_names:
            self.pair.show_page(None, a, b)
        if {a, b} <= done_names and (a, b) != self._requested_pair:
            self._requested_pair = a, b
            self.session.call(CompareService.pair, a, b).done(self._on_pair)

    def _on_current(self, name: str) -> None:
        self._memory = replace(self._memory, current=name)
        self.plot.set_marked(*self.marked, name)

    def _on_sorted(self, column: int, is_descending: bool) -> None:
        self._memory = replace(self._memory, column=column, down=is_descending)

    def open_row(self, name: str) -> None:
        line = next((row for row in self._page.lines if row.name == name), None) if self._page else None
        if line is not None:
            self.opened.emit(line.name, line.number)

    def _on_pair_wanted(self) -> None:
        a, b = self.marked
        if a and b:
            self.session.call(CompareService.open_pair, a, b)
            self.pair_opened.emit()

    def choose(self, names: tuple[str, ...]) -> None:
        """Compare these strategies, presets and recorded compactions."""
        a, b = (mark if mark in names else "" for mark in (self._memory.a, self._memory.b))
        self._memory = replace(self._memory, names=names, a=a, b=b)
        self.start()

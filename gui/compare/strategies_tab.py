"""The tab Strategies: strategies, presets and recorded compactions over the open conversation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from core.analysis.model import PairwiseLosses
from core.app.services.compare import CompareService
from core.app.services.side_by_side import SideBySideService
from core.presentation.compare.columns import COMPARE
from core.presentation.compare.model import RECORDED_GROUP, ComparePage
from core.presentation.compare.results import compare_plot, default_pair
from core.presentation.model import Notice
from gui.backend import BackendClient
from gui.compare.analysis_tab import AnalysisTab
from gui.compare.pair_pane import PairPane
from gui.compare.plot import PlotPane
from gui.compare.results_painter import ResultEntry, ResultsModel
from gui.compare.results_table import ResultsTable
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets.basic_widgets import text_label
from gui.widgets.theme import Theme
from gui.widgets.view_layout import column_of_widgets, horizontal_splitter, vertical_splitter


@dataclass(frozen=True, slots=True)
class _State:
    """What is remembered of a transcript: the compared names, the sort order, the marked rows."""

    names: tuple[str, ...] = ()
    sort_title: str = COMPARE.columns[0].title
    is_descending: bool = False
    a: str = ""
    b: str = ""
    current: str = ""


class StrategiesTab(AnalysisTab):
    """Emits ``opened(name)`` for a row to show in Inspect, ``message_wanted(scope, index)``, and
    ``pair_opened`` when two results are shown side by side."""

    opened = Signal(str)
    message_wanted = Signal(str, int)
    pair_opened = Signal()
    state: _State
    page: ComparePage | None

    def __init__(self, session: BackendClient, theme: Theme) -> None:
        self.table = ResultsTable(tr("Results"), ResultsModel(COMPARE), theme, has_marks=True)
        self.plots = PlotPane(theme)
        super().__init__(
            session,
            theme,
            "compare",
            tr("Strategies"),
            CompareService.save_table,
            (self.table,),
            self.plots.plot,
            _State(),
        )
        self._requested_pair = ("", "")
        self.pair = PairPane()
        self.footnote = text_label("", "secondary")
        self.footnote.setWordWrap(True)
        self.footnote.setContentsMargins(12, 4, 12, 4)
        left = column_of_widgets(self.table, self.footnote, stretched=self.table)
        right = vertical_splitter(self.plots, self.pair, shares=(55, 45))
        self.set_content(horizontal_splitter(left, right, shares=(53, 47)))
        self.table.current_changed.connect(self._on_current)
        self.table.mark_requested.connect(self.mark)
        self.table.opened.connect(self.opened)
        self.table.sorted.connect(self._on_sorted)
        self.plots.plot.picked.connect(self.table.select)
        self.plots.plot.opened.connect(self.opened)
        self.pair.message_wanted.connect(self.message_wanted)
        self.pair.open_wanted.connect(self._on_pair_wanted)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.plots.set_theme(theme)

    def areas(self) -> tuple[QWidget, ...]:
        return (self.table, self.plot, self.pair.facts)

    @property
    def marked(self) -> tuple[str, str]:
        page, state = self.page, self.state
        if (state.a and state.b) or page is None:
            return state.a, state.b
        a, b = default_pair(page.rows, page.scope, self.plots.front, self.strategy)
        return state.a or a, state.b or b

    def clear(self) -> None:
        self.table.show_entries(())
        self.table.sort_by(self.state.sort_title, self.state.is_descending)
        self.plots.show_scatter(None)
        self.pair.show_losses(None)

    def request_pages(self) -> PendingCall[None]:
        self._requested_pair = ("", "")
        return self.session.call(CompareService.compare, self.state.names)

    def show_page(self, page: ComparePage) -> None:
        self.plots.show_scatter(compare_plot(page.rows, page.scope, page.mark))
        rows = {row.name: row for row in page.rows}
        groups = {choice.value: choice.group for choice in page.choices}
        order, front = list(dict.fromkeys(groups.values())), self.plots.front
        first = next((group for group in order if group != RECORDED_GROUP), "")
        entries = [
            ResultEntry(name, rows.get(name), group, tr("best trade-off") if name in front else "")
            for group in order
            for name in page.names
            if groups.get(name, first) == group
        ]
        self.table.show_entries(entries, page.mark)
        self.table.select(self.state.current)
        self.footnote.setText(page.footnote)
        self.footnote.setVisible(bool(page.footnote))
        self.show_step(page)
        self._show_marks()

    def mark(self, index: int, name: str) -> None:
        """Mark a row A (0) or B (1); if it has the other mark, the rows swap marks."""
        marks = list(self.marked)
        if marks[1 - index] == name:
            marks[1 - index] = marks[index]
        marks[index] = name
        self.state = replace(self.state, a=marks[0], b=marks[1])
        self._show_marks()

    def _show_marks(self) -> None:
        a, b = self.marked
        self.table.show_marks(a, b)
        self.plots.plot.set_marked(a, b, self.state.current)
        if self.page is None:
            return
        known = {row.name for row in self.page.rows}
        if self.pair.names != (a, b):
            self.pair.show_losses(None, a, b)
        if {a, b} <= known and (a, b) != self._requested_pair:
            self._requested_pair = a, b
            self.session.call(CompareService.pair, a, b).done(self._on_pair).failed(self._on_no_pair)

    def _on_pair(self, losses: PairwiseLosses | None) -> None:
        if losses is None:  # the settings have changed since
            self._requested_pair = ("", "")
        elif (losses.a, losses.b) == self.marked:
            self._show_pair(losses, losses.a, losses.b)

    def _on_no_pair(self, notice: Notice) -> None:
        if self._requested_pair == self.marked:
            self._show_pair(None, *self._requested_pair, f"{notice.title} {notice.text}".strip())

    def _show_pair(self, losses: PairwiseLosses | None, a: str, b: str, trouble: str = "") -> None:
        if self.page is not None:
            self.pair.show_losses(losses, a, b, trouble)
            self.pair.show_results(self.page.rows, self.page.comparisons)

    def _on_current(self, name: str) -> None:
        self.state = replace(self.state, current=name)
        self.plots.plot.set_marked(*self.marked, name)

    def _on_sorted(self) -> None:
        results = self.table.results
        self.state = replace(self.state, sort_title=results.sort_title, is_descending=results.is_descending)

    def _on_pair_wanted(self) -> None:
        a, b = self.marked
        if a and b:
            self.session.call(SideBySideService.results, a, b)
            self.pair_opened.emit()

    def choose_names(self, names: tuple[str, ...]) -> None:
        a, b = (mark if mark in names else "" for mark in (self.state.a, self.state.b))
        self.state = replace(self.state, names=names, a=a, b=b)
        self.start()

"""The Sweep view: the chosen strategy over a range of one or two of its settings."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from core.app.services.sweep import SweepService
from core.presentation.compare.model import BEATEN, FRONT
from core.presentation.sweep.model import SweepPage, SweepPointRow
from gui.backend import BackendClient
from gui.compare.plot import SHAPES
from gui.language import tr
from gui.remote_call import PendingCall
from gui.sweep.axis_form import SweepChoice
from gui.sweep.heat_map import FIDELITY, TOKENS
from gui.sweep.plot import SweepPlot
from gui.sweep.table import PointTable
from gui.widgets.analysis_view import AnalysisView
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.plot_legend import FRAME, PlotLegend
from gui.widgets.segmented_switch import SegmentedControl
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.theme import Theme
from gui.widgets.view_layout import column_of_widgets, horizontal_splitter, line_of_widgets
from gui.widgets.view_memory import PerTranscript

_METRICS = (FIDELITY, TOKENS)
_SHAPES = ((), (FRONT, BEATEN), (FRAME,))
"""The legend's shapes, by the number of swept settings."""
_NO_SWEEP_TEXT = "This strategy has no setting to sweep. Choose another one in the toolbar."


@dataclass(frozen=True, slots=True)
class _SweepPageState:
    """What is remembered of a transcript: the swept settings, the point, the meaning of a map's colours."""

    vary: tuple[str, ...] = ()
    place: int = -1
    metric: str = FIDELITY


class SweepView(AnalysisView):
    """Emits ``used`` after a point's values were set for the session."""

    used = Signal()

    def __init__(self, session: BackendClient, theme: Theme) -> None:
        super().__init__(session, theme, "sweep", tr("Sweep"), SweepService.save_table)
        self._memory = _SweepPageState()
        self._memories = PerTranscript(self._memory)
        self._page: SweepPage | None = None
        self.axis_form, self.plot, self.table = SweepChoice(), SweepPlot(theme), PointTable()
        self.problem = text_label("")
        self.problem.setWordWrap(True)
        self.problem.setAlignment(Qt.AlignmentFlag.AlignCenter)
        set_style_property(self.problem, "tone", "error")
        self.use_button = push_button(tr("Use this point"), "primary")
        self.use_button.setToolTip(tr("Set these values for the session and look at the result in Inspect."))
        self.point_text = ElidedLabel("", "secondary", min_chars=12)
        self.metrics = SegmentedControl((tr("Fidelity"), tr("Tokens")))
        self.colours = text_label(tr("Colours show"), "secondary")
        self.legend = PlotLegend(theme, (*SHAPES, (FRAME, "on the front")))
        for button in (self.csv_button, self.png_button):
            self.head_row.addWidget(button)
        self._lay_out()
        self._connect()
        self.set_theme(theme)

    def _lay_out(self) -> None:
        self.splitter = horizontal_splitter(self.plot, self._right(), shares=(55, 45))
        self.results = QStackedWidget()
        for widget in (self.problem, self.splitter):
            self.results.addWidget(widget)
        form_line = line_of_widgets(self.axis_form, None, self.colours, self.metrics, self.legend)
        self.set_content(column_of_widgets(form_line, self.results, stretched=self.results), self.plot)

    def _right(self) -> QWidget:
        """Return the table, and below it the text about the current point."""
        footer = line_of_widgets(
            self.point_text, self.use_button, role="foot", gap=8, padding=6, stretched=self.point_text
        )
        right = column_of_widgets(self.table, footer, stretched=self.table)
        right.setProperty("role", "pane")
        return right

    def _connect(self) -> None:
        self.axis_form.sweep_requested.connect(self._on_sweep_requested)
        self.plot.picked.connect(self.table.select)
        self.plot.used.connect(self.use_point)
        self.table.picked.connect(self._on_picked)
        self.table.used.connect(self.use_point)
        self.use_button.clicked.connect(self.use_point)
        self.metrics.chosen.connect(self._on_metric)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.plot.set_theme(theme)
        self.legend.set_theme(theme)
        self.table.set_theme(theme)

    def areas(self) -> tuple[QWidget, ...]:
        return (self.axis_form.pickers[0], self.plot, self.table, self.use_button)

    @property
    def page(self) -> SweepPage | None:
        return self._page

    @property
    def point(self) -> SweepPointRow | None:
        points = self._page.points if self._page is not None else ()
        return points[self._memory.place] if 0 <= self._memory.place < len(points) else None

    def begin(self, path: str) -> None:
        """Start with another transcript, and restore its sweep."""
        self._memory = self._memories.switch_to(path, self._memory)
        self._page = None
        self.plot.show_page(None)
        self.table.show_page(None)
        self.metrics.show_choice(_METRICS.index(self._memory.metric))
        self.plot.set_metric(self._memory.metric)
        super().begin(path)

    def request_pages(self) -> PendingCall[None]:
        return self.session.call(SweepService.sweep, self._memory.vary)

    def _on_sweep_requested(self, vary: tuple[str, ...]) -> None:
        self._memory = replace(self._memory, vary=vary, place=-1)
        self.start()

    def show_page(self, page: SweepPage) -> None:
        if self._page is not None and page.strategy != self._page.strategy:
            self._memory = replace(self._memory, vary=(), place=-1)
            if page.problem:  # the settings of another strategy
                self._page = page
                self.start()
                return
        self._page = page
        self.title_label.setText(tr("Sweep"))
        self.about_label.show_text(page.about)
        self.axis_form.show_keys(page.keys, page.vary, page.problem)
        self.problem.setText(page.problem)
        self.results.setCurrentWidget(self.problem if page.problem else self.splitter)
        self.plot.show_page(page)
        self.table.show_page(page)
        for widget in (self.colours, self.metrics):
            widget.setVisible(len(page.axes) == 2)
        self.legend.show_shapes(_SHAPES[len(page.axes)])
        total = 1
        for axis in page.axes:
            total *= len(axis.values)
        self.show_step(page, len(page.points), total)
        if not page.keys or not (page.vary or page.problem):
            self.show_empty(tr(_NO_SWEEP_TEXT))
        self._show_point()

    def _on_picked(self, index: int) -> None:
        self._memory = replace(self._memory, place=index)
        self._show_point()

    def _show_point(self) -> None:
        point = self.point
        self.plot.set_current(self._memory.place)
        if point is not None and self.table.currentIndex().row() != self._memory.place:
            self.table.select(self._memory.place)
        self.use_button.setEnabled(point is not None and point.tokens is not None)
        details = " · ".join(filter(None, (point.text, point.trouble))) if point is not None else ""
        self.point_text.show_text(f"{point.title}: {details}" if point is not None else tr("Choose a point."))

    def use_point(self) -> None:
        point = self.point
        if point is not None and point.tokens is not None:
            self.session.set_values(point.settings)
            self.used.emit()

    def _on_metric(self, index: int) -> None:
        self._memory = replace(self._memory, metric=_METRICS[index])
        self.plot.set_metric(_METRICS[index])

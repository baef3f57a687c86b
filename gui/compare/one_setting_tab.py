"""The tab One setting: the chosen strategy over values of one or two of its settings."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QStackedWidget, QWidget

from core.app.remote_methods import SweepService
from core.presentation.compare.columns import SWEEP
from core.presentation.compare.model import SweepKey, SweepPage
from core.presentation.compare.results import (
    BEST,
    GONE,
    OTHER,
    TOKENS,
    keeping_value,
    sweep_text,
    sweep_title,
)
from core.presentation.losses_words import LOSSES
from core.trials.trial import TrialResult
from gui.backend import BackendClient
from gui.compare.analysis_tab import AnalysisTab
from gui.compare.plot import SHAPES
from gui.compare.results_table import ResultEntry, ResultsModel, ResultsTable
from gui.compare.setting_plot import SettingPlot
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.pickers import SegmentedControl
from gui.widgets.plot_frame import FRAME, PlotLegend
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.theme import scaled_pixels
from gui.widgets.view_layout import (
    column_of_widgets,
    horizontal_splitter,
    line_of_widgets,
    row_of,
)

_METRICS = (GONE, TOKENS)
_SHAPES = ((), (BEST, OTHER), (FRAME,))
"""The legend's shapes, by the number of varied settings."""


class SettingChoice(QWidget):
    """A setting, and from, to and step of a range; emits ``changed`` for another setting,
    ``run_wanted`` for Enter in a field."""

    changed = Signal()
    run_wanted = Signal()

    def __init__(self, label: str, *, is_optional: bool) -> None:
        super().__init__()
        self._keys: dict[str, SweepKey] = {}
        self._is_optional = is_optional
        self.picker = QComboBox()
        self.picker.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.picker.setMaximumWidth(220)
        if is_optional:
            name = tr("Second setting")
        else:
            name = label
        self.picker.setAccessibleName(name)
        self.picker.activated.connect(self._on_picked)
        self.fields = [QLineEdit() for _ in range(3)]
        self._labels = [
            text_label(text, "secondary") for text in (tr("From"), tr("To"), tr("Step"))
        ]
        row = row_of(text_label(label, "secondary"), self.picker, gap=6)
        self.setLayout(row)
        for word, field in zip(self._labels, self.fields, strict=True):
            field.setAccessibleName(f"{name}: {word.text()}")
            field.setFixedWidth(scaled_pixels(64, self.font()))
            field.returnPressed.connect(self.run_wanted)
            row.addWidget(word)
            row.addWidget(field)

    def show_keys(self, keys: tuple[SweepKey, ...], vary: str, problem: str) -> None:
        """Offer these settings; show what is varied, unless the user is typing."""
        if list(self._keys.values()) != list(keys):
            self._keys = {key.key: key for key in keys}
            self.picker.clear()
            if self._is_optional:
                self.picker.addItem(tr("nothing else"), "")
            for key in keys:
                self.picker.addItem(key.label, key.key)
                self.picker.setItemData(
                    self.picker.count() - 1, key.about, Qt.ItemDataRole.ToolTipRole
                )
        if not any(field.hasFocus() and field.isModified() for field in self.fields):
            name, _, values = vary.partition("=")
            self.picker.setCurrentIndex(self.picker.findData(name))
            self._show_range(values.split(":") if ":" in values else ())
        for field in self.fields:
            set_style_property(field, "state", "error" if problem else "")

    def _show_range(self, values: object) -> None:
        """Show from, to and step; hidden for a setting with few values."""
        if isinstance(values, list | tuple) and len(values) == 3:
            texts = values
        else:
            texts = ("", "", "")
        key = self._keys.get(self.picker.currentData())
        for word, field, text in zip(self._labels, self.fields, texts, strict=True):
            field.setText(text)
            for widget in (word, field):
                widget.setVisible(key is not None and bool(key.first))

    def _on_picked(self) -> None:
        key = self._keys.get(self.picker.currentData())
        self._show_range((key.first, key.last, key.step) if key is not None else ())
        self.changed.emit()

    @property
    def vary(self) -> str:
        """The form's content as "KEY=FROM:TO:STEP" or "KEY=A,B", "" for no setting."""
        key = self._keys.get(self.picker.currentData())
        if key is None:
            return ""
        first, last, step = (field.text().strip() for field in self.fields)
        return replace(key, first=first, last=last, step=step).vary

    def accept(self) -> None:
        """Note that the texts of the fields are run."""
        for field in self.fields:
            field.setModified(False)


@dataclass(frozen=True, slots=True)
class _State:
    """What is remembered of a transcript: the varied settings, the point, the meaning of a map's
    colours."""

    vary: tuple[str, ...] = ()
    point_index: int = -1
    metric: str = GONE


class OneSettingTab(AnalysisTab):
    name, title = "sweep", "One setting"
    state: _State
    page: SweepPage | None

    def __init__(self, backend: BackendClient) -> None:
        self.table = ResultsTable(tr("Values"), ResultsModel(SWEEP))
        self.setting_plot = SettingPlot()
        super().__init__(
            backend,
            save_table=SweepService.save_table,
            tables=(self.table,),
            plot=self.setting_plot,
            state=_State(),
        )
        self.choices = (
            SettingChoice(tr("Setting"), is_optional=False),
            SettingChoice(tr("and"), is_optional=True),
        )
        self.run_button = push_button(tr("Run"), "small")
        self.run_button.setToolTip(
            tr("Run the strategy once for each of these values.")
        )
        self.problem = text_label("", wraps=True)
        self.problem.setAlignment(Qt.AlignmentFlag.AlignCenter)
        set_style_property(self.problem, "tone", "error")
        self.use_button = push_button(tr("Use this value"), "primary")
        self.use_button.setToolTip(
            tr("Set this value for the session and look at the result in Inspect.")
        )
        self.point_text = ElidedLabel("", "secondary", min_chars=12)
        self.metrics = SegmentedControl((tr(LOSSES.capitalize()), tr("Tokens")))
        self.colours = text_label(tr("Colours show"), "secondary")
        self.legend = PlotLegend((*SHAPES, (FRAME, "best trade-offs")))
        self.results = QStackedWidget()
        foot = line_of_widgets(
            self.point_text,
            self.use_button,
            role="foot",
            gap=8,
            padding=6,
            stretched=self.point_text,
        )
        self.keeping = text_label("", "strong", wraps=True)
        self.keeping_cost = text_label("", "secondary", wraps=True)
        self.keeping_button = push_button("", "small")
        self.keeping_button.setToolTip(self.use_button.toolTip())
        words = column_of_widgets(self.keeping, self.keeping_cost)
        self.keeping_box = line_of_widgets(
            words, self.keeping_button, padding=6, stretched=words
        )
        right = column_of_widgets(
            self.keeping_box, self.results_box, foot, stretched=self.results_box
        )
        right.setProperty("role", "pane")
        self.splitter = horizontal_splitter(self.setting_plot, right, shares=(55, 45))
        for widget in (self.problem, self.splitter):
            self.results.addWidget(widget)
        form = line_of_widgets(
            *self.choices,
            self.run_button,
            None,
            self.colours,
            self.metrics,
            self.legend,
        )
        self.set_content(column_of_widgets(form, self.results, stretched=self.results))
        for choice in self.choices:
            choice.changed.connect(self.run)
            choice.run_wanted.connect(self.run)
        self.run_button.clicked.connect(self.run)
        self.setting_plot.picked.connect(self._on_picked)
        self.setting_plot.used.connect(self.use_point)
        self.table.current_changed.connect(self._on_current)
        self.table.opened.connect(self.use_point)
        self.use_button.clicked.connect(self.use_point)
        self.keeping_button.clicked.connect(self._on_use_keeping)
        self.metrics.chosen.connect(self._on_metric)

    def areas(self) -> tuple[QWidget, ...]:
        return (self.choices[0].picker, self.setting_plot, self.table, self.use_button)

    @property
    def point(self) -> TrialResult | None:
        if self.page is not None:
            points = self.page.points
        else:
            points = ()
        if 0 <= self.state.point_index < len(points):
            return points[self.state.point_index]
        return None

    def clear(self) -> None:
        super().clear()
        self.setting_plot.show_page(None)
        self.metrics.show_choice(_METRICS.index(self.state.metric))
        self.setting_plot.set_metric(self.state.metric)

    def request_pages(self) -> PendingCall[None]:
        return self.backend.call(self, SweepService.sweep, self.state.vary)

    def run(self) -> None:
        """Run what the form says."""
        for choice in self.choices:
            choice.accept()
        if vary := tuple(filter(None, (choice.vary for choice in self.choices))):
            self.state = replace(self.state, vary=vary, point_index=-1)
            self.start()

    def show_page(self, page: SweepPage) -> None:
        if self.page is not None and page.strategy != self.page.strategy:
            self.state = replace(self.state, vary=(), point_index=-1)
            if page.problem:  # the settings of another strategy
                self.page = page
                self.start()
                return
        self.show_step(page)
        for index, choice in enumerate(self.choices):
            choice.show_keys(
                page.keys,
                page.vary[index] if index < len(page.vary) else "",
                page.problem,
            )
        self.problem.setText(page.problem)
        self.results.setCurrentWidget(self.problem if page.problem else self.splitter)
        self.setting_plot.show_page(page)
        badge = tr("best trade-off")
        self.table.show_entries(
            [
                ResultEntry(
                    sweep_title(page, point),
                    point,
                    badge=badge if point.on_front else "",
                )
                for point in page.points
            ],
            page.mark,
        )
        self._show_keeping(page)
        for widget in (self.colours, self.metrics):
            widget.setVisible(len(page.axes) == 2)
        self.legend.show_shapes(_SHAPES[len(page.axes)])
        if not page.keys or not (page.vary or page.problem):
            self.show_empty(
                tr(
                    "This strategy has no setting to vary. Choose another one in the toolbar."
                )
            )
        self._show_point()

    def _show_keeping(self, page: SweepPage) -> None:
        """Say from which value on all texts that must survive stand, and offer it."""
        found = keeping_value(page)
        self.keeping_box.setVisible(found is not None)
        if found is None:
            return
        self.keeping.setText(found.sentence)
        self.keeping_cost.setText(found.cost)
        self.keeping_cost.setVisible(bool(found.cost))
        self.keeping_button.setVisible(found.point_index >= 0)
        if found.point_index >= 0:
            value = page.axes[0].values[found.point_index]
            self.keeping_button.setText(tr("Use {value}").format(value=value))
            self.keeping_button.setProperty("point_index", found.point_index)

    def _on_use_keeping(self) -> None:
        self._on_picked(self.keeping_button.property("point_index"))
        self.use_point()

    def _on_current(self, name: str) -> None:
        if self.page is not None:
            points = self.page.points
            titles = [sweep_title(self.page, point) for point in points]
        else:
            points = ()
            titles = []
        if name in titles:
            self.state = replace(self.state, point_index=titles.index(name))
            self._show_point()

    def _on_picked(self, index: int) -> None:
        self.state = replace(self.state, point_index=index)
        self._show_point()

    def _show_point(self) -> None:
        self.setting_plot.set_current(self.state.point_index)
        point, page = self.point, self.page
        self.use_button.setEnabled(point is not None and not point.error)
        if point is None or page is None:
            self.point_text.show_text(tr("Choose a value."))
            return
        self.table.select(sweep_title(page, point))
        self.point_text.show_text(
            f"{sweep_title(page, point)}: {sweep_text(page, point)}"
        )

    def use_point(self) -> None:
        point = self.point
        if point is not None and not point.error and self.page is not None:
            pairs = zip(self.page.axes, point.trial.setting_values, strict=True)
            self.backend.set_values(tuple((axis.key, value) for axis, value in pairs))
            self.inspect_wanted.emit()

    def _on_metric(self, index: int) -> None:
        self.state = replace(self.state, metric=_METRICS[index])
        self.setting_plot.set_metric(_METRICS[index])

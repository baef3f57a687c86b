"""The tab Over time: the session request by request, under each strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QWidget

from core.analysis.model import ReplayCompaction, ReplayTrack
from core.app.remote_methods import ReplayService, SideBySideService
from core.common import number_format
from core.presentation.compare.columns import REPLAY
from core.presentation.compare.model import ReplayPage, TableCell
from core.presentation.compare.results import lower_limit, request_facts, size_at
from gui.backend import BackendClient
from gui.compare.analysis_tab import AnalysisTab
from gui.compare.over_time_plot import PlaybackControls, ReplayPlot, track_colour
from gui.compare.results_table import ResultEntry, ResultsModel, ResultsTable
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.figure_list import FigureList
from gui.widgets.plot_frame import RING, PlotLegend
from gui.widgets.row_tree import RowTree
from gui.widgets.setting_editors import TokenBox
from gui.widgets.theme import SECONDARY, current_theme, resized_font, tabular_font
from gui.widgets.view_layout import (
    column_of,
    column_of_widgets,
    horizontal_splitter,
    line_of_widgets,
    vertical_splitter,
)

_MAX_PAID = 8
"""Rows of what was paid that have room beside the plot."""


@dataclass(frozen=True, slots=True)
class _State:
    """What is remembered of a transcript: the names, the request, the line, the limit; 0 and "" for
    the first."""

    names: tuple[str, ...] = ()
    turn: int = 0
    name: str = ""
    limit: int = 0


class _TracksModel(ResultsModel):
    """The first column is the size at the playhead."""

    turn = 1

    def cell(self, entry: ResultEntry, column: int) -> TableCell:
        if column == 1 and isinstance(entry.row, ReplayTrack):
            return TableCell(size_at(entry.row, self.turn))
        return super().cell(entry, column)

    def title(self, column: int) -> str:
        if column == 1:
            return f"{super().title(column)} {self.turn:,}"
        return super().title(column)

    def set_turn(self, turn: int) -> None:
        self.turn = turn
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 1), self.index(self.rowCount() - 1, 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 1, 1)


class CompactionList(RowTree):
    """The compactions of all lines by request. Emits ``chosen(turn, name)`` for a click and for
    keys."""

    chosen = Signal(int, str)

    def __init__(self) -> None:
        super().__init__(tr("Compactions"), 3, 1)
        self.runs: list[tuple[int, str, ReplayCompaction]] = []
        self.restyled.connect(self._fill)
        self.itemClicked.connect(self._on_chosen)
        self.currentItemChanged.connect(self._on_current)

    def show_page(self, page: ReplayPage | None) -> None:
        if page is not None:
            tracks = page.result.tracks
        else:
            tracks = ()
        names = page.names if page is not None else ()
        self.runs = [
            (names.index(one.name), one.name, run)
            for one in tracks
            for run in one.compactions
        ]
        self.runs.sort(key=lambda run: (run[2].turn, run[0]))
        self._fill()

    def _fill(self) -> None:
        theme = current_theme()
        row = self.row
        self.clear()
        small = tabular_font(resized_font(self.font(), SECONDARY))
        for line, name, run in self.runs:
            request = tr("request {turn:,}").format(turn=run.turn)
            sizes = f"{number_format.abbreviated(run.before)} → {number_format.abbreviated(run.after)}"
            spoken = f"{request}, {name}: {run.error or tr('{sizes} tokens').format(sizes=sizes)}"
            cells = request, name, run.error or sizes
            item = self.add_row(cells, spoken=spoken, fonts=(small, None, small))
            bar = QPixmap(4, 15)
            bar.fill(track_colour(theme, line))
            item.setIcon(1, QIcon(bar))
            item.setForeground(0, theme.text2)
            item.setForeground(2, theme.error if run.error else theme.fate_text[3])
        self.select_row(row)

    def _on_current(self) -> None:
        if self.hasFocus():
            self._on_chosen()

    def _on_chosen(self) -> None:
        if self.row >= 0:
            _, name, run = self.runs[self.row]
            self.chosen.emit(run.turn, name)


class LimitBar(QWidget):
    """What limit the replay uses. Emits ``limit_wanted(tokens)``, 0 for the model's."""

    limit_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.text = text_label("", "")
        self.lower_button = push_button("", "link")
        self.back_button = push_button("", "link")
        self.field = TokenBox()
        self.field.setRange(1, 100_000_000)
        self.field.setSingleStep(1_000)
        self.field.setGroupSeparatorShown(True)
        self.field.setKeyboardTracking(False)
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.field.setAccessibleName(tr("Limit in tokens"))
        self._lower = 0
        label = text_label(tr("Limit"), "secondary")
        parts = (
            self.text,
            self.lower_button,
            None,
            label,
            self.field,
            self.back_button,
        )
        self.setLayout(column_of(line_of_widgets(*parts)))
        self.lower_button.clicked.connect(self._on_lower)
        self.back_button.clicked.connect(self._on_back)
        self.field.valueChanged.connect(self.limit_wanted)

    def show_page(self, page: ReplayPage, limit: int) -> None:
        """Offer a lower limit where nothing would be compacted, and the way back from another
        one."""
        result, model_limit = page.result, page.model_limit
        is_idle = page.is_over and not any(track.compactions for track in result.tracks)
        self._lower = lower_limit(result)
        if result.limit is not None:
            shown = number_format.count(result.limit)
        else:
            shown = number_format.UNKNOWN
        if limit:
            text = tr("This replay uses a limit of {limit}.")
        else:
            text = tr("Nothing would be compacted within {limit}.")
        self.text.setText(text.format(limit=shown))
        self.lower_button.setVisible(is_idle and self._lower != result.limit)
        lower = number_format.abbreviated(self._lower)
        self.lower_button.setText(
            tr("Replay with a limit of {limit}").format(limit=lower)
        )
        self.back_button.setVisible(bool(limit) and model_limit is not None)
        self.back_button.setText(
            tr("Back to {limit}").format(limit=number_format.count(model_limit or 0))
        )
        self.field.blockSignals(True)
        self.field.setValue(result.limit or self._lower)
        self.field.blockSignals(False)
        self.setVisible(bool(limit) or is_idle)

    def _on_lower(self) -> None:
        self.limit_wanted.emit(self._lower)

    def _on_back(self) -> None:
        self.limit_wanted.emit(0)


class OverTimeTab(AnalysisTab):
    name, title = "replay", "Over time"
    state: _State
    page: ReplayPage | None

    def __init__(self, backend: BackendClient) -> None:
        self._tracks = _TracksModel(REPLAY)
        self.table = ResultsTable(
            tr("Strategies at the request"), self._tracks, has_samples=True
        )
        self.replay_plot = ReplayPlot()
        super().__init__(
            backend,
            save_table=ReplayService.save_table,
            tables=(self.table,),
            plot=self.replay_plot,
            state=_State(),
        )
        self.controls = PlaybackControls()
        self.compactions = CompactionList()
        self.limit_bar = LimitBar()
        self.count = text_label("", "secondary")
        self.heading = text_label("", "group")
        self.facts = FigureList(indent=12)
        self.paid_heading = text_label(
            tr("What was paid, as the file reports it"), "group"
        )
        self.paid_text = text_label("", "secondary", wraps=True)
        self.paid_heading.setContentsMargins(12, 6, 12, 0)
        self.paid_text.setContentsMargins(12, 0, 12, 8)
        self.empty_text = text_label("", "muted")
        self.empty_text.setContentsMargins(12, 8, 12, 8)
        self.heading.setContentsMargins(12, 6, 12, 0)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        name = text_label(tr("Context size, request by request"), "strong")
        title = line_of_widgets(
            name, None, PlotLegend(((RING, "compaction"),)), padding=6
        )
        upper = column_of_widgets(
            title, self.replay_plot, self.controls, stretched=self.replay_plot
        )
        left = vertical_splitter(upper, self.results_box, shares=(70, 30))
        head = line_of_widgets(
            text_label(tr("Compactions"), "strong"), None, self.count, padding=6
        )
        side = column_of_widgets(
            head,
            self.empty_text,
            self.compactions,
            self.heading,
            self.facts,
            column_of_widgets(self.paid_heading, self.paid_text),
            stretched=self.compactions,
        )
        side.setProperty("role", "pane")
        content = horizontal_splitter(left, side, shares=(74, 26))
        self.set_content(column_of_widgets(self.limit_bar, content, stretched=content))

    def _connect(self) -> None:
        self.limit_bar.limit_wanted.connect(self._on_limit)
        self.replay_plot.turn_wanted.connect(self.go_to)
        self.replay_plot.line_wanted.connect(self.table.select)
        self.replay_plot.play_wanted.connect(self.controls.toggle)
        self.replay_plot.compaction_wanted.connect(self._on_compaction_step)
        self.table.current_changed.connect(self._on_line)
        self.compactions.chosen.connect(self._on_compaction)
        self.controls.turn_wanted.connect(self.go_to)
        self.controls.inspect_button.clicked.connect(self._on_inspect)

    def areas(self) -> tuple[QWidget, ...]:
        return (self.replay_plot, self.controls.play, self.table, self.compactions)

    def clear(self) -> None:
        super().clear()
        self.controls.stop()
        self.replay_plot.show_result(None)
        self.compactions.show_page(None)
        self.facts.show_facts(())
        self._show_paid(())

    def request_pages(self) -> PendingCall[None]:
        return self.backend.call(
            self, ReplayService.replay, self.state.names, self.state.limit
        )

    def show_page(self, page: ReplayPage) -> None:
        self.show_step(page)
        tracks = {track.name: track for track in page.result.tracks}
        candidates = (self.state.name, self.strategy, *page.names[1:], *page.names)
        name = next(name for name in candidates if name in page.names)
        self.limit_bar.show_page(page, self.state.limit)
        self.replay_plot.show_result(page.result)
        self.table.show_entries(
            [ResultEntry(name, tracks.get(name)) for name in page.names], page.mark
        )
        self.compactions.show_page(page)
        count = len(self.compactions.runs)
        self.count.setText(number_format.count(count))
        self.empty_text.setVisible(not count)
        self.empty_text.setText(
            tr("Nothing would be compacted.") if page.is_over else tr("None so far.")
        )
        self._show_paid(page.paid)
        self.controls.set_turns(len(page.result.turns))
        self.table.select(name)
        self._on_line(name)
        self.go_to(self.state.turn or len(page.result.turns))

    def _show_paid(self, rows: Sequence[tuple[str, str]]) -> None:
        self.paid_heading.setVisible(bool(rows))
        self.paid_text.setVisible(bool(rows))
        lines = [f"{label}: {value}" for label, value in rows[:_MAX_PAID]]
        if len(rows) > _MAX_PAID:
            more = tr("… foldline inspect prints all")
        else:
            more = ""
        self.paid_text.setText("\n".join(filter(None, (*lines, more))))

    def go_to(self, turn: int) -> None:
        if self.page is None:
            return
        turn = max(1, min(len(self.page.result.turns), turn))
        self.state = replace(self.state, turn=turn)
        self.controls.show_turn(turn)
        self.replay_plot.set_turn(turn)
        self._tracks.set_turn(turn)
        self._show_facts()

    def _track(self) -> ReplayTrack | None:
        if self.page is not None:
            tracks = self.page.result.tracks
        else:
            tracks = ()
        return next((track for track in tracks if track.name == self.state.name), None)

    def _show_facts(self) -> None:
        state = self.state
        track = self._track()
        self.heading.setText(
            tr("{name} at request {turn:,}").format(name=state.name, turn=state.turn)
        )
        if self.page is not None:
            self.facts.show_facts(request_facts(track, state.turn) if track else ())

    def _on_line(self, name: str) -> None:
        self.state = replace(self.state, name=name)
        self.replay_plot.set_line(name)
        self._show_facts()

    def _on_compaction(self, turn: int, name: str) -> None:
        self.table.select(name)
        self.go_to(turn)

    def _on_compaction_step(self, step: int) -> None:
        """Go to the next or previous compaction of the chosen line."""
        track = self._track()
        turn = self.state.turn
        if track is not None:
            turns = [run.turn for run in track.compactions if not run.error]
        else:
            turns = []
        if step > 0:
            self.go_to(
                min(
                    (other for other in turns if other > turn),
                    default=self.controls.slider.maximum(),
                )
            )
        else:
            self.go_to(max((other for other in turns if other < turn), default=1))

    def _on_inspect(self) -> None:
        if self.page is not None:
            state = self.state
            self.backend.call(
                self, SideBySideService.turn, state.name, state.turn, state.limit
            )
            self.inspect_wanted.emit()

    def _on_limit(self, limit: int) -> None:
        self.state = replace(self.state, limit=limit)
        self.start()

    def choose_names(self, names: tuple[str, ...]) -> None:
        self.state = replace(self.state, names=names)
        self.start()

"""The Replay view: the session turn by turn, under each strategy."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from core.app.services.replay import ReplayService
from core.presentation.compare.model import WAITING
from core.presentation.replay.model import ReplayPage
from gui.backend import BackendClient
from gui.language import tr
from gui.remote_call import PendingCall
from gui.replay.controls import PlaybackControls
from gui.replay.plot import ReplayPlot
from gui.replay.side_panel import ReplaySidePane
from gui.replay.turn_table import ReplayTable
from gui.widgets.analysis_view import AnalysisView
from gui.widgets.names_button import NamesButton
from gui.widgets.plot_legend import RING, PlotLegend
from gui.widgets.theme import Theme
from gui.widgets.view_layout import column_of_widgets, horizontal_splitter, vertical_splitter
from gui.widgets.view_memory import PerTranscript


@dataclass(frozen=True, slots=True)
class _ReplayPageState:
    """What is remembered of a transcript: the replayed names, the turn, the line; 0 and "" for the first."""

    names: tuple[str, ...] = ()
    turn: int = 0
    name: str = ""


class ReplayView(AnalysisView):
    """Emits ``turn_opened`` when the state at a turn is opened."""

    turn_opened = Signal()

    def __init__(self, session: BackendClient, theme: Theme) -> None:
        super().__init__(session, theme, "replay", tr("Replay"), ReplayService.save_table)
        self._memory = _ReplayPageState()
        self._memories = PerTranscript(self._memory)
        self._page: ReplayPage | None = None
        self.plot, self.table, self.side = ReplayPlot(theme), ReplayTable(theme), ReplaySidePane(theme)
        self.controls = PlaybackControls()
        self.compactions = self.side.compactions
        self._legend = PlotLegend(theme, ((RING, "compaction"),))
        self._tick = QTimer(self)
        self._tick.timeout.connect(self._on_tick)
        self.strategies_button = NamesButton(tr("Strategies…"), tr("Choose what is replayed."))
        for widget in (self._legend, self.strategies_button, self.csv_button, self.png_button):
            self.head_row.addWidget(widget)
        self.shorteners += [self._legend.setHidden, self._shorten_title]
        self._lay_out()
        self._connect()
        self.set_theme(theme)

    def _shorten_title(self, is_short: bool) -> None:
        self.title_label.setText(tr("Context size") if is_short else tr("Context size, turn by turn"))

    def _lay_out(self) -> None:
        upper = column_of_widgets(self.plot, self.controls, stretched=self.plot)
        self.left_pane = vertical_splitter(upper, self.table, shares=(1, 0))
        self.set_content(horizontal_splitter(self.left_pane, self.side, shares=(72, 28)), self.plot)

    def _connect(self) -> None:
        self.strategies_button.chosen.connect(self._on_chosen)
        self.plot.turn_wanted.connect(self.go_to)
        self.plot.line_wanted.connect(self.table.select)
        self.plot.play_wanted.connect(self.toggle_playback)
        self.table.current_changed.connect(self._on_line)
        self.compactions.chosen.connect(self._on_mark)
        self.controls.slider.valueChanged.connect(self.go_to)
        self.controls.previous_compaction.clicked.connect(self._on_previous_compaction)
        self.controls.previous_turn.clicked.connect(self._on_previous_turn)
        self.controls.play.clicked.connect(self.toggle_playback)
        self.controls.next_turn.clicked.connect(self._on_next_turn)
        self.controls.next_compaction.clicked.connect(self._on_next_compaction)
        self.controls.speed.currentIndexChanged.connect(self._on_speed)
        self.controls.open_turn.clicked.connect(self._on_open)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        for part in (self.plot, self.table, self.side, self._legend):
            part.set_theme(theme)
        self.controls.set_theme(theme)

    def areas(self) -> tuple[QWidget, ...]:
        return (self.plot, self.controls.play, self.table, self.compactions)

    @property
    def page(self) -> ReplayPage | None:
        return self._page

    @property
    def turn(self) -> int:
        """The playhead's turn, from 1."""
        return self._memory.turn

    @property
    def line(self) -> str:
        return self._memory.name

    def begin(self, path: str) -> None:
        """Start with another transcript, and restore its turn and strategies."""
        self._memory = self._memories.switch_to(path, self._memory)
        self._page = None
        self._tick.stop()
        for part in (self.plot, self.table, self.side):
            part.show_page(None)
        super().begin(path)

    def request_pages(self) -> PendingCall[None]:
        return self.session.call(ReplayService.replay, self._memory.names)

    def show_page(self, page: ReplayPage) -> None:
        self._page = page
        name = self._chosen_line(page)
        self.about_label.show_text(page.about)
        for part in (self.plot, self.table, self.side):
            part.show_page(page)
        self.controls.set_turns(page.turns)
        self.table.select(name)
        self._on_line(name)
        done_count = sum(line.state != WAITING for line in page.lines)
        self.show_step(page, done_count, len(page.names))
        self.go_to(self._memory.turn or page.turns)
        self._fit_lower()
        self.strategies_button.set_choices(page.choices, page.names)

    def _chosen_line(self, page: ReplayPage) -> str:
        """Return the chosen line, else that of the session's strategy."""
        candidates = (self._memory.name, self.strategy, *page.names[1:])
        return next((name for name in candidates if name in page.names), page.names[0])

    def _fit_lower(self) -> None:
        height = self.left_pane.height()
        lower = min(self.table.sizeHint().height(), max(110, height - 320))
        if height > 0:
            self.left_pane.setSizes([height - lower, lower])

    def go_to(self, turn: int) -> None:
        page = self._page
        if page is None:
            return
        turn = max(1, min(page.turns, turn))
        self._memory = replace(self._memory, turn=turn)
        self.controls.show_turn(turn)
        self.plot.set_turn(turn)
        self.table.set_turn(turn)
        self._show_facts()

    def _show_facts(self) -> None:
        if self._page is not None:
            self.side.show_turn(self._page, self.line, self.turn)

    def _on_line(self, name: str) -> None:
        self._memory = replace(self._memory, name=name)
        self.plot.set_line(name)
        self._show_facts()

    def _on_mark(self, turn: int, name: str) -> None:
        self.table.select(name)
        self.go_to(turn)

    def toggle_playback(self) -> None:
        page = self._page
        if self._tick.isActive() or page is None:
            self._tick.stop()
        else:
            if self.turn >= page.turns:
                self.go_to(1)
            self._tick.start(1000 // self.controls.rate)
        self.controls.show_playing(self._tick.isActive())

    def _on_tick(self) -> None:
        if self._page is None or self.turn >= self._page.turns:
            self._tick.stop()
            self.controls.show_playing(self._tick.isActive())
        else:
            self.go_to(self.turn + 1)

    def _on_speed(self) -> None:
        self._tick.setInterval(1000 // self.controls.rate)

    def _on_previous_turn(self) -> None:
        self.go_to(self.turn - 1)

    def _on_next_turn(self) -> None:
        self.go_to(self.turn + 1)

    def _compaction_turns(self) -> tuple[int, ...]:
        lines = self._page.lines if self._page is not None else ()
        return next((line.compaction_turns for line in lines if line.name == self.line), ())

    def _on_previous_compaction(self) -> None:
        self.go_to(max((turn for turn in self._compaction_turns() if turn < self.turn), default=1))

    def _on_next_compaction(self) -> None:
        last_turn = self._page.turns if self._page is not None else 1
        self.go_to(min((turn for turn in self._compaction_turns() if turn > self.turn), default=last_turn))

    def _on_open(self) -> None:
        if self._page is not None:
            self.session.call(ReplayService.open_turn, self.line, self.turn)
            self.turn_opened.emit()

    def _on_chosen(self, names: tuple[str, ...]) -> None:
        self._memory = replace(self._memory, names=names)
        self.start()

"""The Replay view: the session turn by turn, as each strategy would have had it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from core.view import numbers
from core.view.compare_values import WAITING
from core.view.replay_values import ReplayPage
from gui.icons import icon
from gui.insight import saving
from gui.insight.legend import Legend
from gui.insight.names_menu import NamesMenu
from gui.insight.view import InsightView, Part
from gui.language import tr
from gui.parts import button
from gui.replay.lists import ReplayTable
from gui.replay.plot import ReplayPlot
from gui.replay.side import ReplaySide
from gui.session import Session
from gui.texts import tabular_feature
from gui.theme import Theme

SPEEDS = (1, 4, 16)
"""Turns per second."""


@dataclass(frozen=True, slots=True)
class _Memory:
    """What is remembered of a transcript: what is replayed, the turn, the line; 0 and "" for the first."""

    names: tuple[str, ...] = ()
    turn: int = 0
    name: str = ""


class ReplayView(InsightView):
    """Emits ``turn_opened`` where the state at a turn is asked for."""

    turn_opened = Signal()

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__(session, theme, tr("Replay"))
        self._path = ""
        self._memories: dict[str, _Memory] = {}
        self._memory = _Memory()
        self._page: ReplayPage | None = None
        self.plot, self.table, self.side = ReplayPlot(theme), ReplayTable(theme), ReplaySide(theme)
        self.marks = self.side.marks
        self._legend = Legend(theme, (("ring", "compaction"),))
        self._tick = QTimer(self)
        self._tick.timeout.connect(self._on_tick)
        self.add = button(tr("Strategies…"), "small")
        self.add.setToolTip(tr("Choose what is replayed."))
        self._menu = NamesMenu(self)
        self._menu.chosen.connect(self._on_chosen)
        self.add.setMenu(self._menu)
        self.csv, self.png = button(tr("Save as CSV…"), "small"), button(tr("Save plot as PNG…"), "small")
        self.csv.clicked.connect(self._on_csv)
        self.png.clicked.connect(self._on_png)
        for one in (self._legend, self.add, self.csv, self.png):
            self.row.addWidget(one)
        self._make_controls()
        self._lay_out()
        self._connect()
        self.set_theme(theme)

    def _make_controls(self) -> None:
        self.back = _glyph_button(tr("Previous compaction of this strategy"))
        self.before = _glyph_button(tr("One turn back"))
        self.play = button(tr("Play"))
        self.play.setToolTip(tr("Let the playhead run; Space in the plot does it too."))
        self.on = _glyph_button(tr("One turn on"))
        self.ahead = _glyph_button(tr("Next compaction of this strategy"))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("Turn"))
        self.slider.setMinimum(1)
        self.where = QLabel()
        self.where.setFont(tabular_feature())
        self.where.setProperty("role", "strong")
        self.speed = QComboBox()
        self.speed.setAccessibleName(tr("Speed"))
        for rate in SPEEDS:
            self.speed.addItem(f"{tr(numbers.plural(rate, 'turn'))}/s", rate)
        self.speed.setCurrentIndex(SPEEDS.index(4))
        self.open = button(tr("Open this turn"))
        self.open.setToolTip(
            tr("Show what the chosen strategy had made of the session by this turn, in Inspect.")
        )

    def _lay_out(self) -> None:
        controls = QWidget()
        controls.setProperty("role", "foot")
        row = QHBoxLayout(controls)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        for widget in (self.back, self.before, self.play, self.on, self.ahead):
            row.addWidget(widget)
        row.addWidget(self.slider, 1)
        row.addWidget(self.where)
        row.addWidget(self.speed)
        row.addWidget(self.open)
        left = QSplitter(Qt.Orientation.Vertical)
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.plot, 1)
        column.addWidget(controls)
        left.addWidget(upper)
        left.addWidget(self.table)
        left.setStretchFactor(0, 1)
        self.left = left
        parts = QSplitter(Qt.Orientation.Horizontal)
        for splitter in (left, parts):
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)
        parts.addWidget(left)
        parts.addWidget(self.side)
        parts.setStretchFactor(0, 72)
        parts.setStretchFactor(1, 28)
        parts.setSizes([720, 280])
        self.set_content(parts)

    def _connect(self) -> None:
        self.session.replay_page.connect(self._on_page)
        self.plot.turn_wanted.connect(self.go_to)
        self.plot.line_wanted.connect(self.table.select)
        self.plot.play_wanted.connect(self.toggle)
        self.table.line_wanted.connect(self._on_line)
        self.marks.chosen.connect(self._on_mark)
        self.slider.valueChanged.connect(self.go_to)
        self.back.clicked.connect(self._on_back)
        self.before.clicked.connect(self._on_before)
        self.play.clicked.connect(self.toggle)
        self.on.clicked.connect(self._on_on)
        self.ahead.clicked.connect(self._on_ahead)
        self.speed.currentIndexChanged.connect(self._on_speed)
        self.open.clicked.connect(self._on_open)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self.theme = theme
        for part in (self.plot, self.table, self.side, self._legend):
            part.set_theme(theme)
        glyphs = ("skip-back", "chevron-left", "chevron", "skip-on")
        for one, name in zip((self.back, self.before, self.on, self.ahead), glyphs, strict=True):
            one.setIcon(icon(name, theme.text, disabled=theme.text3))
        self._show_play()

    def areas(self) -> tuple[QWidget, ...]:
        """What F6 goes through."""
        return (self.plot, self.play, self.table, self.marks)

    @property
    def page(self) -> ReplayPage | None:
        """What is shown."""
        return self._page

    @property
    def turn(self) -> int:
        """Where the playhead stands, from 1."""
        return self._memory.turn

    @property
    def line(self) -> str:
        """The strategy that is chosen."""
        return self._memory.name

    @property
    def is_playing(self) -> bool:
        """True while the playhead runs."""
        return self._tick.isActive()

    def begin(self, path: str) -> None:
        """Another transcript is open; turn and strategies that were chosen for it hold again."""
        if self._path:
            self._memories[self._path] = self._memory
        self._path, self._memory = path, self._memories.get(path, _Memory())
        self._page = None
        self._tick.stop()
        for part in (self.plot, self.table, self.side):
            part.show_page(None)
        super().begin(path)

    def ask(self, part: Part | None) -> None:
        """The first answer names the lines, the others play them one by one."""
        names = part.names if isinstance(part, ReplayPage) else self._memory.names
        self.session.start_replay(names)

    def _on_page(self, page: ReplayPage) -> None:
        self._page = page
        name = self._chosen(page)
        self.title.setText(tr("Context size, turn by turn"))
        self.about.show_text(page.about)
        for part in (self.plot, self.table, self.side):
            part.show_page(page)
        with QSignalBlocker(self.slider):
            self.slider.setMaximum(page.turns)
        self.table.select(name)
        done = sum(line.state != WAITING for line in page.lines)
        self.take(page, done, len(page.names))
        self.go_to(self._memory.turn or page.turns)
        self._fit_lower()
        self._menu.offer(page.choices, page.names)

    def _chosen(self, page: ReplayPage) -> str:
        """The line that was chosen, else that of the session's strategy."""
        wanted = (self._memory.name, self.strategy, *page.names[1:])
        return next((name for name in wanted if name in page.names), page.names[0])

    def _fit_lower(self) -> None:
        """All lines of the table in sight where there is room for them and the plot."""
        high = self.left.height()
        lower = min(self.table.sizeHint().height(), max(110, high - 320))
        if high > 0:
            self.left.setSizes([high - lower, lower])

    def go_to(self, turn: int) -> None:
        """Move the playhead."""
        page = self._page
        if page is None:
            return
        turn = max(1, min(page.turns, turn))
        self._memory = replace(self._memory, turn=turn)
        with QSignalBlocker(self.slider):
            self.slider.setValue(turn)
        self.plot.set_turn(turn)
        self.table.set_turn(turn)
        self.where.setText(tr("turn {turn:,} of {turns:,}").format(turn=turn, turns=page.turns))
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

    def toggle(self) -> None:
        """Play, or stop playing; at the end it begins anew."""
        page = self._page
        if self._tick.isActive() or page is None:
            self._tick.stop()
        else:
            if self.turn >= page.turns:
                self.go_to(1)
            self._tick.start(1000 // self.speed.currentData())
        self._show_play()

    def _show_play(self) -> None:
        is_on = self._tick.isActive()
        self.play.setText(tr("Pause") if is_on else tr("Play"))
        self.play.setIcon(icon("pause" if is_on else "play", self.theme.text, disabled=self.theme.text3))

    def _on_tick(self) -> None:
        if self._page is None or self.turn >= self._page.turns:
            self._tick.stop()
            self._show_play()
        else:
            self.go_to(self.turn + 1)

    def _on_speed(self) -> None:
        self._tick.setInterval(1000 // self.speed.currentData())

    def _on_before(self) -> None:
        self.go_to(self.turn - 1)

    def _on_on(self) -> None:
        self.go_to(self.turn + 1)

    def _compacted(self) -> tuple[int, ...]:
        lines = self._page.lines if self._page is not None else ()
        return next((line.compacted for line in lines if line.name == self.line), ())

    def _on_back(self) -> None:
        self.go_to(max((turn for turn in self._compacted() if turn < self.turn), default=1))

    def _on_ahead(self) -> None:
        last = self._page.turns if self._page is not None else 1
        self.go_to(min((turn for turn in self._compacted() if turn > self.turn), default=last))

    def _on_open(self) -> None:
        if self._page is not None:
            self.session.open_turn(self.line, self.turn)
            self.turn_opened.emit()

    def _on_chosen(self, names: tuple[str, ...]) -> None:
        self._memory = replace(self._memory, names=names)
        self.start()

    def _on_csv(self) -> None:
        saving.ask_table(self, self._path)

    def _on_png(self) -> None:
        saving.ask_plot(self, self._path, self.plot)


def _glyph_button(name: str) -> QPushButton:
    result = button("")
    result.setToolTip(name)
    result.setAccessibleName(name)
    result.setIconSize(QSize(12, 12))
    return result

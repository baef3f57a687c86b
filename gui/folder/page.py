"""A folder compared: what is done and what is left, a row for each strategy, its files, and the plot."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QWidget

from core.desk_insight import LookFolder, SaveFolder, ShowFolder, StartFolder, StopFolder
from core.view.compare_values import BEATEN, FRONT, RECORDED
from core.view.folder_values import FILES, MEANS, FolderPage
from core.view.values import Screen
from gui.compare.plot import ComparePlot
from gui.insight.figures import FigureTable
from gui.insight.layout import beside, column, head, stacked
from gui.insight.legend import Legend
from gui.insight.names_menu import NamesMenu
from gui.insight.saving import save_plot
from gui.insight.view import InsightView, Part
from gui.language import tr
from gui.parts import button, label
from gui.session import Session
from gui.texts import ElidedLabel
from gui.theme import Theme, scaled

_MEANS_GIVE = tuple(map(MEANS.index, ("new errors", "no-ops", "later needs", "failed", "tokens after")))
_FILES_GIVE = tuple(map(FILES.index, ("messages", "lint", "later needs", "≈ cost", "tokens before")))
_ROOM = 1180
"""Pixels of the view below which the buttons that save say less."""


class FolderView(InsightView):
    """Emits ``opened(path, strategy)`` for a file that is to be looked at, ``back`` to what was before."""

    opened = Signal(str, str)
    back = Signal()

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__(session, theme, "Folder")
        self._path, self._model = "", ""
        self._names: tuple[str, ...] = ()
        self._page: FolderPage | None = None
        self._is_fresh = False
        self.means = FigureTable(tr("Strategies over the folder"), theme, _MEANS_GIVE, 150)
        self.files = FigureTable(tr("Files of the folder"), theme, _FILES_GIVE, 150)
        self.plot = ComparePlot(theme)
        self.legend = Legend(
            theme,
            ((FRONT, tr("on the front")), (BEATEN, tr("beaten by another")), (RECORDED, tr("recorded"))),
        )
        self.foot = ElidedLabel("", "secondary", least=12)
        self.shown = label("", "strong")
        self.add = button(tr("Strategies…"), "small")
        self.add.setToolTip(tr("Choose what is compared: strategies, presets, recorded compactions."))
        self._menu = NamesMenu(self)
        self._menu.chosen.connect(self._on_chosen)
        self.add.setMenu(self._menu)
        self.csv, self.png = button("CSV…", "small"), button("PNG…", "small")
        for one, words in ((self.csv, tr("Save as CSV…")), (self.png, tr("Save plot as PNG…"))):
            one.setToolTip(words)
            one.setAccessibleName(words)
        self.other, self.leave = button(tr("Another folder…"), "small"), button(tr("Back"), "small")
        for one in (self.add, self.csv, self.png, self.other, self.leave):
            self.row.addWidget(one)
        self._make_question()
        self._lay_out()
        self._connect()
        self.show_empty(tr("Choose a folder: File, Compare a folder."))

    def _make_question(self) -> None:
        self.question = QWidget()
        self.question.setProperty("role", "head")
        self.asked = label("", "strong")
        self.begin_button, self.anew = button(tr("Compare"), "primary"), button(tr("Begin anew"), "small")
        self.anew.setToolTip(tr("Forget what was done before, and do all files again."))
        row = QHBoxLayout(self.question)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(12)
        for one in (self.asked, self.begin_button, self.anew):
            row.addWidget(one)
        row.addStretch(1)

    def _lay_out(self) -> None:
        left = column(head(label(tr("Tokens against fidelity"), "strong"), None, self.legend), self.plot)
        right = column(head(self.shown, None, label(tr("Enter opens a file"), "quiet")), self.files)
        lower = beside(left, right)
        lower.setSizes([450, 550])
        self.foot.setContentsMargins(12, 4, 12, 4)
        self.parts = stacked(column(self.question, self.means, self.foot), lower, shares=(0, 1))
        self.parts.setSizes([320, 420])
        self.set_content(self.parts)

    def _connect(self) -> None:
        self.session.folder_page.connect(self._on_page)
        self.means.current_changed.connect(self._on_strategy)
        self.files.opened.connect(self._on_file)
        self.plot.picked.connect(self.means.select)
        self.begin_button.clicked.connect(self._on_begin)
        self.anew.clicked.connect(self._on_anew)
        self.csv.clicked.connect(self._on_csv)
        self.png.clicked.connect(self._on_png)
        self.other.clicked.connect(self.choose)
        self.leave.clicked.connect(self.back)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self.theme = theme
        for part in (self.means, self.files, self.plot, self.legend):
            part.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow view the buttons that save say their formats alone; their tooltips say all."""
        super().resizeEvent(event)
        is_roomy = self.width() >= scaled(_ROOM, self.font())
        for one, short in ((self.csv, "CSV…"), (self.png, "PNG…")):
            one.setText(one.toolTip() if is_roomy else short)

    def areas(self) -> tuple[QWidget, ...]:
        """What F6 goes through."""
        first = (self.begin_button,) if self.question.isVisible() else ()
        return (*first, self.means, self.plot, self.files)

    @property
    def page(self) -> FolderPage | None:
        """What is shown."""
        return self._page

    def choose(self) -> bool:
        """Ask for a folder and look what it holds; False where none was chosen."""
        path = QFileDialog.getExistingDirectory(self, tr("Compare a folder"), self._path)
        if path:
            self.look(path)
        return bool(path)

    def look(self, path: str) -> None:
        """Look what a folder holds, and what of it was done before."""
        if path != self._path:
            self._page = None
            self.show_empty(tr("Looking into the folder …"))
        self._path, self._is_fresh = path, False
        self._is_open = True
        self.session.ask_folder(LookFolder(path, self._names, self._model))

    def begin(self, path: str) -> None:
        """Another transcript is open: that is nothing to a folder."""

    def start(self) -> None:
        """Seen again: go on where the work was going on."""
        if self._page is not None and not self._page.is_over:
            super().start()

    def resume(self) -> None:
        """Go on after it was stopped."""
        self._on_begin()

    def ask(self, part: Part | None) -> None:
        """The next moment of the work."""
        fresh, self._is_fresh = self._is_fresh, False
        self.session.ask_folder(StartFolder(fresh))

    def _on_begin(self) -> None:
        super().start()

    def _on_anew(self) -> None:
        self._is_fresh = True
        super().start()

    def _on_page(self, page: FolderPage) -> None:
        self._page = page
        self.title.setText(page.title)
        self.about.show_text(page.about)
        self.question.setVisible(bool(page.question))
        self.asked.setText(page.question)
        self.begin_button.setVisible(page.done < page.total)
        self.begin_button.setText(tr("Go on") if page.done else tr("Compare"))
        self.anew.setVisible(page.done > 0)
        self.means.show_rows(MEANS, page.means)
        self.files.show_rows(FILES, page.files)
        self.means.select(page.shown)
        self.shown.setText(page.shown)
        self.plot.show_page(page)
        self.legend.show_shapes({point.shape for point in page.points})
        self.plot.set_marked(page.shown, "", "")
        self.foot.show_text(page.foot)
        self.foot.setVisible(bool(page.foot))
        self._menu.offer(page.choices, page.names)
        self.take(page, page.done, page.total)
        if page.is_over:
            self.go_on.hide()

    def _on_idle(self) -> None:
        was_asking = self._is_asking and self.isVisible()
        super()._on_idle()
        if was_asking:  # it was cancelled between two steps, while the crew went on
            self.session.ask_folder(StopFolder())

    def _on_screen(self, screen: Screen) -> None:
        """Settings changed: what was done with others does not count."""
        if self.isVisible() and not screen.draft and self._path:
            self.look(self._path)

    def _on_price(self, model: str) -> None:
        """Other prices are other figures: what is done for them is looked up."""
        self._model = model
        self.look(self._path)

    def _on_chosen(self, names: tuple[str, ...]) -> None:
        self._names = names
        self.look(self._path)

    def _on_strategy(self, name: str) -> None:
        if self._page is not None and name != self._page.shown:
            self.session.ask_folder(ShowFolder(name))

    def _on_file(self, name: str) -> None:
        page = self._page
        row = next((one for one in page.files if one.name == name), None) if page is not None else None
        if page is not None and row is not None:
            known = {one.value for one in page.choices} - {RECORDED}
            self.opened.emit(row.path, page.shown if page.shown in known else "")

    def _on_csv(self) -> None:
        if path := self._asked_for(tr("Save the table"), "csv"):
            self.session.ask_folder(SaveFolder(path))

    def _on_png(self) -> None:
        if path := self._asked_for(tr("Save the plot"), "png"):
            save_plot(self, path, self.plot)

    def _asked_for(self, title: str, suffix: str) -> str:
        folder = Path(self._path)
        name = str(folder.parent / f"{folder.name}-compared.{suffix}")
        return QFileDialog.getSaveFileName(self, title, name)[0]

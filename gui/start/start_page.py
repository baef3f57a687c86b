"""The start page: open, recent files, bundled samples, a place to drop a transcript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from core.app.samples import BundledSample
from core.common.paths import shown_name
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.theme import scaled_pixels

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

_SIDE_WIDTH, _BROWSING_SIDE_WIDTH, _INTRODUCTION_WIDTH = 268, 220, 560
"""Pixels at body size 13: the column of files, the same beside the sessions, and the words in the middle."""
_RING = 2
"""Space in pixels at the sides of a link for the focus ring."""
_SAMPLES_TITLE = "No transcript at hand?"
_FIRST_START_TITLE = "New here? Each of these shows one thing."
STEPS = "samples.md"
"""The page of the help about the samples."""
DROP_TEXT = "Drop a transcript here. The format is found by content."


def drop_area() -> QFrame:
    """Return a dashed frame with a sentence; the window itself handles the drop."""
    area = QFrame()
    area.setProperty("role", "drop")
    text = text_label(tr(DROP_TEXT))
    text.setProperty("alignment", "AlignCenter")
    text.setWordWrap(True)
    QVBoxLayout(area).addWidget(text)
    area.setMinimumHeight(120)
    return area


class StartPage(QFrame):
    open_requested = Signal()
    path_chosen = Signal(str)
    help_requested = Signal(str)  # the name of a page
    painted = Signal()  # once, after the first paint

    def __init__(self, samples: Sequence[BundledSample]) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self._was_painted = False
        self.is_browsing = False
        self._open = push_button(tr("Open…"), "primary")
        self._open.clicked.connect(self.open_requested)
        self._recent = QVBoxLayout()
        self._recent_head, self._samples_head = _text(tr("Recent"), "strong"), _text("", "strong")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.first_focus: QWidget = self._open  # no focus proxy: with one, Tab would skip the rest
        rule = QFrame()
        rule.setProperty("role", "upright")
        row.addWidget(self._side(samples))
        row.addWidget(rule)
        self._centre = self._middle()
        row.addWidget(self._centre, 1)
        self.fit()
        self.show_recent(())

    def fit(self) -> None:
        self._side_pane.setFixedWidth(
            scaled_pixels(_BROWSING_SIDE_WIDTH if self.is_browsing else _SIDE_WIDTH, self.font())
        )
        if not self.is_browsing:
            self._introduction.setMaximumWidth(scaled_pixels(_INTRODUCTION_WIDTH, self.font()))

    def _side(self, samples: Sequence[BundledSample]) -> QWidget:
        side = QFrame()
        side.setProperty("role", "side")
        self._side_pane = side
        self._column = column = QVBoxLayout(side)
        column.setContentsMargins(12 - _RING, 16, 12, 12)
        column.setSpacing(4)
        column.addWidget(self._recent_head)
        column.addLayout(self._recent)
        column.addSpacing(16)
        self._samples_head.setVisible(bool(samples))
        column.addWidget(self._samples_head)
        if samples:
            for sample in samples:
                column.addSpacing(4)
                link = self._link(tr("Open {name}").format(name=sample.path.stem), str(sample.path))
                column.addWidget(link)
                column.addWidget(_text(tr(sample.about), "quiet"))
            column.addSpacing(8)
            steps = push_button(tr("Show me, step by step"), "link")
            steps.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            steps.clicked.connect(self._on_steps)
            column.addWidget(steps)
        column.addStretch(1)
        return side

    def show_browser(self, agents: QWidget, browser: QWidget, table: QWidget) -> None:
        """Show the session browser in the middle and its agents above the recent files; focus ``table``."""
        self.is_browsing = True
        self.fit()
        self._column.insertWidget(0, _text(tr("Sessions found"), "strong"))
        agents_row = QHBoxLayout()
        agents_row.setContentsMargins(_RING, 0, 0, 0)
        agents_row.addWidget(agents)
        self._column.insertLayout(1, agents_row)
        agents.show()
        self._column.insertSpacing(2, 12)
        row = self.layout()
        if row is not None:
            row.replaceWidget(self._centre, browser)
        self._centre.hide()
        self._centre.deleteLater()
        self._centre = browser
        self.first_focus = table

    def _middle(self) -> QWidget:
        middle = QWidget()
        middle.setProperty("role", "pane")
        box = QVBoxLayout()
        box.setSpacing(12)
        title = text_label(tr("See where a conversation folds"), "figure")
        introduction = text_label(
            tr("Open a transcript of an agent to see what a compaction keeps, and why."), "secondary"
        )
        introduction.setWordWrap(True)
        keys = text_label(tr("Ctrl O opens, F1 explains. Nothing leaves this machine."), "quiet")
        self._open.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        box.addStretch(2)
        for widget in (title, introduction, self._open, drop_area(), keys):
            box.addWidget(widget)
        box.addStretch(3)
        column = QWidget()
        column.setLayout(box)
        self._introduction = column
        row = QHBoxLayout(middle)
        row.addStretch(1)
        row.addWidget(column, 8)
        row.addStretch(1)
        return middle

    def _link(self, text: str, path: str) -> QWidget:
        link = push_button(text, "link")
        link.setProperty("path", path)
        link.setToolTip(path)
        link.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        link.clicked.connect(self._on_link)
        return link

    def show_recent(self, paths: Sequence[str]) -> None:
        while (item := self._recent.takeAt(0)) is not None:
            if (old_widget := item.widget()) is not None:
                old_widget.hide()
                old_widget.deleteLater()
        for path in paths:
            self._recent.addWidget(self._link(shown_name(path), path))
        self._samples_head.setText(tr(_SAMPLES_TITLE if paths else _FIRST_START_TITLE))
        if not paths:
            self._recent.addWidget(_text(tr("Files that you open are listed here."), "quiet"))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            self.painted.emit()

    def _on_steps(self) -> None:
        self.help_requested.emit(STEPS)

    def _on_link(self) -> None:
        self.path_chosen.emit(self.sender().property("path"))


def _text(text: str, role: str) -> QLabel:
    result = text_label(text, role)
    result.setContentsMargins(_RING, 0, 0, 0)
    result.setWordWrap(True)
    return result

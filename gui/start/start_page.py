"""The start page: open, recent files and samples at the left; at the right the sessions on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from core.common.paths import BundledSample, shown_name
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.theme import scaled_pixels

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

_SIDE_WIDTH = 268
"""Width in pixels at body size 13 of the column of files."""
_RING = 2
"""Space in pixels at the sides of a link for the focus ring."""
STEPS = "samples.md"
"""The page of the help about the samples."""


class StartPage(QFrame):
    """The same layout from the first frame on; ``show_sessions`` puts the sessions into their place."""

    open_requested = Signal()
    path_chosen = Signal(str)
    help_requested = Signal(str)  # the name of a page
    painted = Signal()  # once, after the first paint

    def __init__(self, samples: Sequence[BundledSample]) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self._was_painted = False
        self._samples = samples
        self._recent, self._right = QVBoxLayout(), QVBoxLayout()
        self._side_pane, rule = self._side(), QFrame()
        rule.setProperty("role", "upright")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._side_pane)
        row.addWidget(rule)
        row.addLayout(self._right, 1)
        self._fill_right()
        self.fit()
        self.show_recent(())

    def fit(self) -> None:
        self._side_pane.setFixedWidth(scaled_pixels(_SIDE_WIDTH, self.font()))

    def _side(self) -> QWidget:
        side = QFrame()
        side.setProperty("role", "side")
        open_button = push_button(tr("Open transcript…  Ctrl O"), "primary")
        open_button.clicked.connect(self.open_requested)
        self.first_focus: QWidget = open_button  # no focus proxy: with one, Tab would skip the rest
        drop = QFrame()
        drop.setProperty("role", "drop")
        drop_text = _text(
            tr("or drop a file or folder anywhere here. Its format is recognised."), "secondary"
        )
        drop_text.setProperty("alignment", "AlignCenter")
        QVBoxLayout(drop).addWidget(drop_text)
        column = QVBoxLayout(side)
        column.setContentsMargins(12 - _RING, 12, 12, 12)
        column.setSpacing(4)
        for widget in (open_button, drop, _text(tr("Recent"), "strong")):
            column.addWidget(widget)
        column.addLayout(self._recent)
        column.addSpacing(16)
        if self._samples:
            column.addWidget(_text(tr("Samples"), "strong"))
        for sample in self._samples:
            column.addSpacing(4)
            column.addWidget(self._link(tr("Open {name}").format(name=sample.path.stem), str(sample.path)))
            column.addWidget(_text(tr(sample.about), "quiet"))
        if self._samples:
            steps = push_button(tr("Take the tour"), "link")
            steps.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            steps.clicked.connect(self._on_steps)
            column.addSpacing(8)
            column.addWidget(steps)
        column.addStretch(1)
        column.addWidget(_text(tr("Nothing leaves this machine unless you choose a paid model."), "quiet"))
        return side

    def _fill_right(self) -> None:
        head, texts = QFrame(), QVBoxLayout()
        head.setProperty("role", "pane")
        title = text_label(tr("See where a conversation folds"), "figure")
        introduction = text_label(
            tr(
                "Open an agent's transcript. Foldline shows what a compaction keeps, what it loses, and why "
                "– before your agent does it."
            ),
            "secondary",
        )
        introduction.setWordWrap(True)
        texts.setContentsMargins(24, 20, 24, 20)
        texts.setSpacing(6)
        texts.addWidget(title)
        texts.addWidget(introduction)
        head.setLayout(texts)
        self._placeholder = QWidget()
        sessions = QHBoxLayout(self._placeholder)
        sessions.setContentsMargins(12, 10, 12, 10)
        sessions.setSpacing(8)
        sessions.addWidget(text_label(tr("Sessions on this machine"), "strong"))
        sessions.addWidget(text_label(tr("Looking…"), "secondary"), 1)
        self._right.setContentsMargins(0, 0, 0, 0)
        self._right.setSpacing(0)
        self._right.addWidget(head)
        self._right.addWidget(self._placeholder)
        self._right.addStretch(1)

    def show_sessions(self, pane: QWidget, table: QWidget) -> None:
        """Put the sessions below the introduction; ``table`` gets the focus when the page is shown again."""
        self.first_focus = table
        self._placeholder.hide()
        self._right.takeAt(self._right.count() - 1)  # the stretch
        self._right.addWidget(pane, 1)

    def open_sample(self) -> None:
        """Open the first sample."""
        if self._samples:
            self.path_chosen.emit(str(self._samples[0].path))

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

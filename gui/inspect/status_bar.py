"""The status bar: context, how it is counted, validity, warnings."""

from __future__ import annotations

from itertools import accumulate

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStatusBar

from core.presentation.model import StatusPart
from gui.widgets.accessibility import announce_text
from gui.widgets.icons import ToneLabel
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.view_layout import panel_of, remove_widget, row_of

ANNOUNCEMENT_MS = 6000
"""Duration of an announcement."""
MARGIN, GAP = 12, 16
"""Pixels at both ends and between two texts."""


class StatusBar(QStatusBar):
    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.parts: tuple[StatusPart, ...] = ()
        self._labels: list[ToneLabel] = []
        self.announcement = ElidedLabel("", "secondary")
        self.announcement.hide()
        self._row = row_of(
            self.announcement, None, margins=(MARGIN, 0, MARGIN, 0), gap=GAP
        )
        self._announcement_timer = QTimer(
            self, singleShot=True, interval=ANNOUNCEMENT_MS
        )
        self._announcement_timer.timeout.connect(self._hide_announcement)
        self.addWidget(panel_of(self._row), 1)

    def show_parts(self, parts: tuple[StatusPart, ...]) -> None:
        self.parts = parts
        if [part.side for part in parts] != [
            label.property("side") for label in self._labels
        ]:
            self._rebuild()
        for part, label in zip(parts, self._labels, strict=True):
            label.show_text(
                part.text, part.tone, bold=part.is_share, with_glyph=not part.is_share
            )
            label.setToolTip(part.tip)
        self._fit()

    def announce(self, text: str) -> None:
        """Show for a while what a key has done; a screen reader says it too."""
        self.announcement.show_text(text)
        self.announcement.show()
        self._announcement_timer.start()
        self._fit()
        announce_text(self, text)

    def _hide_announcement(self) -> None:
        self.announcement.hide()
        self._fit()

    def _rebuild(self) -> None:
        for label in self._labels:
            remove_widget(self._row, label)
        self._labels = []
        position = 0
        for part in self.parts:
            label = ToneLabel(self)
            label.setProperty("side", part.side)
            if part.side == "left":
                self._row.insertWidget(position, label)
                position += 1
            else:
                self._row.addWidget(label)
            self._labels.append(label)

    def _fit(self) -> None:
        """Hide from the right the texts that do not fit."""
        widths = [label.sizeHint().width() + GAP for label in self._labels]
        available = self.width() - 2 * MARGIN
        if not self.announcement.isHidden():
            available -= self.announcement.sizeHint().width() + GAP
        for number, (label, end) in enumerate(
            zip(self._labels, accumulate(widths), strict=True)
        ):
            label.setVisible(not number or end <= available)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

"""The status bar: the texts of a screen, left and right, fewer of them in a narrow window."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStatusBar, QWidget

from core.presentation.model import StatusPart
from gui.inspect.size_popover import SizeLabel, SizePopover
from gui.widgets.accessibility import announce_text
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme, scaled_pixels
from gui.widgets.toned_label import ToneLabel

NARROW = 1400
"""Below this many pixels the optional texts are hidden."""
SAID_MS = 6000
"""Duration of an announcement."""
_MARGIN, _GAP = 12, 16


def _shape(part: StatusPart) -> str:
    return f"{part.side}{' sizes' if part.sizes is not None else ''}"


class StatusBar(QStatusBar):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self._theme = theme
        self._parts: tuple[StatusPart, ...] = ()
        self._labels: list[ToneLabel] = []
        self._row = QHBoxLayout()
        self._row.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        self._row.setSpacing(_GAP)
        self._announcement = ElidedLabel("", "secondary")
        self._announcement.hide()
        self._row.addWidget(self._announcement)
        self._row.addStretch(1)
        self._silence = QTimer(self, singleShot=True, interval=SAID_MS)
        self._silence.timeout.connect(self._on_silence)
        box = QWidget()
        box.setLayout(self._row)
        self.addWidget(box, 1)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.show_parts(self._parts)

    def show_parts(self, parts: tuple[StatusPart, ...]) -> None:
        self._parts = parts
        if [_shape(part) for part in parts] != [one.property("shape") for one in self._labels]:
            self._rebuild()
        for part, one in zip(parts, self._labels, strict=True):
            is_share = part.text.startswith("[ctx")
            one.show_text(part.text, part.tone, self._theme, bold=is_share, mark=not is_share)
            one.setToolTip(part.tip)
        self._fit()

    def show_sizes(self) -> SizePopover | None:
        """Open the popover of the part that has sizes; return None if none has."""
        for part, one in zip(self._parts, self._labels, strict=True):
            if part.sizes is not None:
                popover = SizePopover(part.sizes, self._theme, self)
                popover.show_above(one)
                return popover
        return None

    def announce(self, text: str) -> None:
        """Show for a while what a key has done; a screen reader says it too."""
        self._announcement.show_text(text)
        self._announcement.show()
        self._silence.start()
        self._fit()
        announce_text(self, text)

    @property
    def said(self) -> str:
        return "" if self._announcement.isHidden() else self._announcement.full_text

    def _on_silence(self) -> None:
        self._announcement.hide()
        self._fit()

    def _rebuild(self) -> None:
        for one in self._labels:
            self._row.removeWidget(one)
            one.hide()
            one.deleteLater()
        self._labels = []
        left = 0
        for part in self._parts:
            one = SizeLabel(self) if part.sizes is not None else ToneLabel(self)
            one.setProperty("shape", _shape(part))
            if isinstance(one, SizeLabel):
                one.requested.connect(self.show_sizes)
            if part.side == "left":
                self._row.insertWidget(left, one)
                left += 1
            else:
                self._row.addWidget(one)
            self._labels.append(one)

    def _fit(self) -> None:
        """Hide the optional texts in a narrow window, then from the right those that do not fit."""
        is_shown = [
            not part.optional or self.width() >= scaled_pixels(NARROW, self.font()) for part in self._parts
        ]
        widths = [label.sizeHint().width() + _GAP for label in self._labels]
        room = self.width() - 2 * _MARGIN
        if not self._announcement.isHidden():
            room -= self._announcement.sizeHint().width() + _GAP
        for number in reversed(range(1, len(widths))):
            if sum(width for width, shown in zip(widths, is_shown, strict=True) if shown) > room:
                is_shown[number] = False
        for label, shown in zip(self._labels, is_shown, strict=True):
            label.setVisible(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

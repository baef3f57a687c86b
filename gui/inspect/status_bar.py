"""The status bar: the texts of a screen, left and right, fewer of them in a narrow window."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStatusBar, QWidget

from core.presentation.model import StatusPart
from gui.inspect.size_popover import SizeButton, SizePopover
from gui.widgets.accessibility import announce_text
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme, scaled_pixels
from gui.widgets.toned_label import ToneLabel

NARROW = 1400
"""Below this many pixels the optional texts are hidden."""
ANNOUNCEMENT_MS = 6000
"""Duration of an announcement."""
_MARGIN, _GAP = 12, 16


def _label_kind(part: StatusPart) -> str:
    return f"{part.side}{' sizes' if part.sizes is not None else ''}"


class StatusBar(QStatusBar):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self._theme = theme
        self._parts: tuple[StatusPart, ...] = ()
        self._labels: list[ToneLabel | SizeButton] = []
        self._row = QHBoxLayout()
        self._row.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        self._row.setSpacing(_GAP)
        self._announcement = ElidedLabel("", "secondary")
        self._announcement.hide()
        self._row.addWidget(self._announcement)
        self._row.addStretch(1)
        self._announcement_timer = QTimer(self, singleShot=True, interval=ANNOUNCEMENT_MS)
        self._announcement_timer.timeout.connect(self._hide_announcement)
        box = QWidget()
        box.setLayout(self._row)
        self.addWidget(box, 1)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.show_parts(self._parts)

    def show_parts(self, parts: tuple[StatusPart, ...]) -> None:
        self._parts = parts
        if [_label_kind(part) for part in parts] != [label.property("shape") for label in self._labels]:
            self._rebuild()
        for part, label in zip(parts, self._labels, strict=True):
            is_share = part.text.startswith("[ctx")
            label.show_text(part.text, part.tone, bold=is_share, with_glyph=not is_share)
            label.setToolTip(part.tip)
        self._fit()

    def show_sizes(self) -> SizePopover | None:
        """Open the popover of the part that has sizes; return None if none has."""
        for part, label in zip(self._parts, self._labels, strict=True):
            if part.sizes is not None:
                popover = SizePopover(part.sizes, self._theme, self)
                popover.show_above(label)
                return popover
        return None

    def announce(self, text: str) -> None:
        """Show for a while what a key has done; a screen reader says it too."""
        self._announcement.show_text(text)
        self._announcement.show()
        self._announcement_timer.start()
        self._fit()
        announce_text(self, text)

    @property
    def announced_text(self) -> str:
        return "" if self._announcement.isHidden() else self._announcement.full_text

    def _hide_announcement(self) -> None:
        self._announcement.hide()
        self._fit()

    def _rebuild(self) -> None:
        for label in self._labels:
            self._row.removeWidget(label)
            label.hide()
            label.deleteLater()
        self._labels = []
        position = 0
        for part in self._parts:
            label = SizeButton(self) if part.sizes is not None else ToneLabel(self)
            label.setProperty("shape", _label_kind(part))
            if isinstance(label, SizeButton):
                label.clicked.connect(self.show_sizes)
            if part.side == "left":
                self._row.insertWidget(position, label)
                position += 1
            else:
                self._row.addWidget(label)
            self._labels.append(label)

    def _fit(self) -> None:
        """Hide the optional texts in a narrow window, then from the right those that do not fit."""
        is_shown = [
            not part.optional or self.width() >= scaled_pixels(NARROW, self.font()) for part in self._parts
        ]
        widths = [label.sizeHint().width() + _GAP for label in self._labels]
        available = self.width() - 2 * _MARGIN
        if not self._announcement.isHidden():
            available -= self._announcement.sizeHint().width() + _GAP
        for number in reversed(range(1, len(widths))):
            if (
                sum(width for width, is_label_shown in zip(widths, is_shown, strict=True) if is_label_shown)
                > available
            ):
                is_shown[number] = False
        for label, is_label_shown in zip(self._labels, is_shown, strict=True):
            label.setVisible(is_label_shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

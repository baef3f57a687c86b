"""The line at the right of the menus: the open file and its parts, with links to its other content."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from core.presentation.model import PickerChoice
from core.presentation.source_model import REPORT
from gui.widgets.basic_widgets import push_button
from gui.widgets.text_labels import ElidedLabel

_GAP, _NAME = 4, 12
_FIRST = 2  # place of the first part after the name; with a dot between them
MORE = " ▾"
"""Marks a part that opens a list."""


class FileChip(QWidget):
    """Emits ``clicked(value, place)`` for a part with a value. The first part is the file's name."""

    clicked = Signal(str, QPoint)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self._parts: list[QWidget] = []
        self._room = 0
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 2, 12, 0)
        self._row.setSpacing(_GAP)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    @property
    def text(self) -> str:
        return " ".join(one.accessibleName() for one in self._parts)

    @property
    def links(self) -> list[QPushButton]:
        return [one for one in self._parts if isinstance(one, QPushButton)]

    def link(self, value: str) -> QPushButton:
        """Return the link of a value; raises LookupError."""
        for one in self.links:
            if one.objectName() == value:
                return one
        raise LookupError(value)

    def show_parts(self, parts: Sequence[PickerChoice]) -> None:
        """Set these parts instead of the previous ones; the caller fits and shows them."""
        self.hide()
        for one in self._parts:
            self._row.removeWidget(one)
            one.hide()
            one.deleteLater()
        self._parts = []
        for number, part in enumerate(parts):
            if number:
                self._add(ElidedLabel("·", "secondary", least=1))
            self._add(self._part(part, is_name=not number))

    def fit(self, room: int) -> None:
        """Shrink to ``room`` pixels: hide plain parts from the right, elide the name, finally hide links."""
        self._room = room
        shown = list(self._parts)
        for one in shown:
            one.show()
        if shown:
            name = shown[0]
            least, full = name.minimumSizeHint().width(), name.sizeHint().width()
            self._hide_parts(ElidedLabel, room, _FIRST)
            self._hide_parts(QPushButton, room + full - least, _FIRST + 2)
            name.setFixedWidth(max(least, min(full, full - (self._needed_width() - room))))
        self.setFixedWidth(min(self._needed_width(named=True), max(room, 1)))

    def _hide_parts(self, kind: type[QWidget], room: int, first: int) -> None:
        """Hide parts of a kind with the dots before them, from the right down to the first."""
        for number in range(len(self._parts) - 1, first - 1, -2):
            if self._needed_width() <= room:
                break
            if isinstance(self._parts[number], kind):
                self._parts[number].hide()
                self._parts[number - 1].hide()

    def _needed_width(self, *, named: bool = False) -> int:
        visible = [part for part in self._parts if not part.isHidden()]
        width = sum(part.sizeHint().width() for part in visible) + _GAP * max(0, len(visible) - 1) + 20
        return width - visible[0].sizeHint().width() + visible[0].width() if named and visible else width

    def _add(self, widget: QWidget) -> None:
        self._parts.append(widget)
        self._row.addWidget(widget)

    def _part(self, part: PickerChoice, *, is_name: bool) -> QWidget:
        if not part.value:
            text = ElidedLabel(part.label, "secondary", least=_NAME if is_name else len(part.label))
            text.set_tip(part.hint)
            return text
        link = push_button(part.label if part.value == REPORT else f"{part.label}{MORE}", "link")
        link.setObjectName(part.value)
        link.setToolTip(part.hint)
        link.setAccessibleName(part.label)
        link.clicked.connect(self._on_clicked)
        return link

    def _on_clicked(self) -> None:
        link = self.sender()
        if isinstance(link, QPushButton):
            self.clicked.emit(link.objectName(), link.mapToGlobal(QPoint(0, link.height())))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

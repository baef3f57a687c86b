"""The line at the right of the menus: the open file and its parts, with links to its other content."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from core.presentation.model import PickerChoice
from core.presentation.opened_model import REPORT
from gui.widgets.basic_widgets import push_button
from gui.widgets.text_labels import ElidedLabel

_GAP, _NAME_CHARACTERS = 4, 12
_FIRST_PART = 2  # place of the first part after the name; with a dot between them
MENU_SIGN = " ▾"
"""Marks a part that opens a list."""


class FileChip(QWidget):
    """Emits ``clicked(value, place)`` for a part with a value. The first part is the file's name."""

    clicked = Signal(str, QPoint)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self._parts: list[QWidget] = []
        self._width = 0
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 2, 12, 0)
        self._row.setSpacing(_GAP)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    @property
    def text(self) -> str:
        return " ".join(part.accessibleName() for part in self._parts)

    @property
    def links(self) -> list[QPushButton]:
        return [part for part in self._parts if isinstance(part, QPushButton)]

    def link(self, value: str) -> QPushButton:
        """Return the link of a value; raises LookupError."""
        for link in self.links:
            if link.objectName() == value:
                return link
        raise LookupError(value)

    def show_parts(self, parts: Sequence[PickerChoice]) -> None:
        """Set these parts instead of the previous ones; the caller fits and shows them."""
        self.hide()
        for old_part in self._parts:
            self._row.removeWidget(old_part)
            old_part.hide()
            old_part.deleteLater()
        self._parts = []
        for number, part in enumerate(parts):
            if number:
                self._add(ElidedLabel("·", "secondary", min_chars=1))
            self._add(self._part(part, is_name=not number))

    def fit(self, width: int) -> None:
        """Shrink to ``width`` pixels: hide plain parts from the right, elide the name, finally hide links."""
        self._width = width
        parts = list(self._parts)
        for part in parts:
            part.show()
        if parts:
            name = parts[0]
            min_width, full_width = name.minimumSizeHint().width(), name.sizeHint().width()
            self._hide_parts(ElidedLabel, width, _FIRST_PART)
            self._hide_parts(QPushButton, width + full_width - min_width, _FIRST_PART + 2)
            name.setFixedWidth(max(min_width, min(full_width, full_width - (self._needed_width() - width))))
        self.setFixedWidth(min(self._needed_width(with_name_width=True), max(width, 1)))

    def _hide_parts(self, part_type: type[QWidget], width: int, first: int) -> None:
        """Hide parts of a kind with the dots before them, from the right down to the first."""
        for index in range(len(self._parts) - 1, first - 1, -2):
            if self._needed_width() <= width:
                break
            if isinstance(self._parts[index], part_type):
                self._parts[index].hide()
                self._parts[index - 1].hide()

    def _needed_width(self, *, with_name_width: bool = False) -> int:
        visible = [part for part in self._parts if not part.isHidden()]
        width = sum(part.sizeHint().width() for part in visible) + _GAP * max(0, len(visible) - 1) + 20
        return (
            width - visible[0].sizeHint().width() + visible[0].width()
            if with_name_width and visible
            else width
        )

    def _add(self, widget: QWidget) -> None:
        self._parts.append(widget)
        self._row.addWidget(widget)

    def _part(self, part: PickerChoice, *, is_name: bool) -> QWidget:
        if not part.value:
            text = ElidedLabel(
                part.label, "secondary", min_chars=_NAME_CHARACTERS if is_name else len(part.label)
            )
            text.set_tip(part.hint)
            return text
        link = push_button(part.label if part.value == REPORT else f"{part.label}{MENU_SIGN}", "link")
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

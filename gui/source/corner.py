"""The line at the right of the menus: what is open, part by part, with links to what else it holds."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from core.presentation.model import PickerChoice
from core.presentation.source_model import REPORT
from gui.widgets.basic_widgets import push_button
from gui.widgets.text_labels import ElidedLabel

_GAP, _NAME = 4, 12
_FIRST = 2  # place of the first part behind the name; a dot is between them
MORE = " ▾"
"""Stands behind what opens a list."""


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
        """All parts, those that have no room, too."""
        return " ".join(one.accessibleName() for one in self._parts)

    @property
    def links(self) -> list[QPushButton]:
        """The parts that lead somewhere."""
        return [one for one in self._parts if isinstance(one, QPushButton)]

    def link(self, value: str) -> QPushButton:
        """The link of a value; LookupError where no part has it."""
        for one in self.links:
            if one.objectName() == value:
                return one
        raise LookupError(value)

    def show_parts(self, parts: Sequence[PickerChoice]) -> None:
        """Hold these parts instead of the former; whoever gives them fits them in and shows them."""
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
        """Take at most so many pixels: plain parts go from the right, the name is cut short, and at
        last links go, too; the menus hold what they open."""
        self._room = room
        shown = list(self._parts)
        for one in shown:
            one.show()
        if shown:
            name = shown[0]
            least, whole = name.minimumSizeHint().width(), name.sizeHint().width()
            self._let_go(ElidedLabel, room, _FIRST)
            self._let_go(QPushButton, room + whole - least, _FIRST + 2)
            name.setFixedWidth(max(least, min(whole, whole - (self._wanted() - room))))
        self.setFixedWidth(min(self._wanted(named=True), max(room, 1)))

    def _let_go(self, kind: type[QWidget], room: int, first: int) -> None:
        """Hide parts of a kind with the dots before them, from the right down to the first."""
        for number in range(len(self._parts) - 1, first - 1, -2):
            if self._wanted() <= room:
                break
            if isinstance(self._parts[number], kind):
                self._parts[number].hide()
                self._parts[number - 1].hide()

    def _wanted(self, *, named: bool = False) -> int:
        seen = [one for one in self._parts if not one.isHidden()]
        width = sum(one.sizeHint().width() for one in seen) + _GAP * max(0, len(seen) - 1) + 20
        return width - seen[0].sizeHint().width() + seen[0].width() if named and seen else width

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
        """It gives way."""
        return QSize(0, super().minimumSizeHint().height())

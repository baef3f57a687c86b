"""What is open, beside the menus: the file, which of its conversations and branches, which part,
which model. Each part is a button with a popup of its own."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFormLayout, QFrame, QPushButton, QSizePolicy, QWidget

from core.presentation.dialog_model import BRANCHES, CONVERSATIONS, FORMAT, REPORT, FileOpenedEvent
from core.presentation.model import PickerChoice
from core.presentation.screen_model import Screen
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.pickers import ModelPicker, ScopePicker
from gui.widgets.view_layout import row_of

_PART_LABELS = {
    CONVERSATIONS: "Conversation",
    BRANCHES: "Branch",
    FORMAT: "Format",
    REPORT: "Reading",
}
_FIXED_ROWS = 2
"""Rows above the parts of the file."""
_LEAST_NAME = 96
_PART_FRAME = 38
"""Pixels of a part beside its text."""


class FilePopup(QFrame):
    """What the name opens: sizes and limit, and links to what else the file holds."""

    link_clicked = Signal(str, QPoint)  # value of a part of the file, and where its menu opens

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "popup")
        self.setAccessibleName(tr("File"))
        self.sizes, self.limit = text_label("", "secondary"), text_label("", "secondary")
        self._form = form = QFormLayout(self)
        form.setContentsMargins(12, 10, 12, 10)
        form.addRow(tr("Size"), self.sizes)
        form.addRow(tr("Limit"), self.limit)

    def show_sizes(self, sizes: Sequence[str]) -> None:
        """Show the tokens of the shown part and of the current context; no row where they are the
        same."""
        self.sizes.setText(" · ".join(sizes))
        self._form.setRowVisible(self.sizes, bool(sizes))

    def show_parts(self, parts: Sequence[PickerChoice]) -> None:
        """Show a row per part of the file; one with a value is a link."""
        while self._form.rowCount() > _FIXED_ROWS:
            self._form.removeRow(_FIXED_ROWS)
        for part in parts:
            if not part.value:
                self._form.addRow(text_label(part.label, "secondary"))
                continue
            link = push_button(part.label, "link")
            link.setObjectName(part.value)
            link.setToolTip(part.hint)
            link.clicked.connect(self._on_link)
            self._form.addRow(tr(_PART_LABELS.get(part.value, "")), link)
            self._form.setAlignment(link, Qt.AlignmentFlag.AlignLeft)

    def _on_link(self) -> None:
        link = self.sender()
        assert isinstance(link, QPushButton)
        self.hide()
        self.link_clicked.emit(link.objectName(), link.mapToGlobal(QPoint(0, link.height())))

    def open_below(self, button: QWidget) -> None:
        self.adjustSize()
        self.move(button.mapToGlobal(QPoint(0, button.height() + 2)))
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)


class NameButton(QPushButton):
    """A file's name, elided in its middle, never to less than 96 pixels."""

    def __init__(self) -> None:
        super().__init__()
        self.full_text = ""
        self.setProperty("role", "name")
        self.setAutoDefault(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_name(self, name: str) -> None:
        self.full_text = name
        self.setAccessibleName(name)
        self.setToolTip(
            "\n".join((name, tr("What else the file holds, its format and how it was read")))
        )
        self.updateGeometry()
        self._fit()

    @property
    def is_elided(self) -> bool:
        return self.text() != self.full_text.replace("&", "&&")

    def _fit(self) -> None:
        room = self.width() - 12
        text = self.fontMetrics().elidedText(
            self.full_text, Qt.TextElideMode.ElideMiddle, max(0, room)
        )
        self.setText(text.replace("&", "&&"))

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        return QSize(
            self.fontMetrics().horizontalAdvance(self.full_text) + 14, super().sizeHint().height()
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(min(_LEAST_NAME, self.sizeHint().width()), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class ContextChip(QWidget):
    """The name and the parts in a row. The parts never go; they are shortened together, the name
    first."""

    link_clicked = Signal(str, QPoint)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Context"))
        self.name = NameButton()
        self.popup = FilePopup(self)
        self.scope = ScopePicker(
            tr("Part of the session"), tr("Which part of the transcript is compacted")
        )
        self.model = ModelPicker(tr("Model"), tr("Whose context limit and prices count"))
        self._links = {value: push_button("", "part") for value in (CONVERSATIONS, BRANCHES)}
        self._labels = dict.fromkeys(self._links, "")
        for value, link in self._links.items():
            link.setObjectName(value)
            link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            link.clicked.connect(self._on_link)
        for picker in (self.scope, self.model):
            picker.setProperty("role", "part")
            picker.is_bold, picker.frame_width = False, _PART_FRAME
            picker.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        parts = (self.name, *self._links.values(), self.scope, self.model)
        self.setLayout(row_of(*parts, margins=(0, 3, 8, 3), gap=4))
        self.name.clicked.connect(self._on_name)
        self.popup.link_clicked.connect(self.link_clicked)

    def text(self) -> str:
        """All that the parts say."""
        links = [
            link.text().removesuffix(" ▾") for link in self._links.values() if not link.isHidden()
        ]
        return " · ".join(filter(None, (*links, self.scope.shown_text, self.model.shown_text)))

    def show_opened(self, file: FileOpenedEvent) -> None:
        self.name.show_name(file.name)
        self.popup.show_parts(file.title_parts[1:])
        self._labels = {value: "" for value in self._links}
        self._labels |= {
            one.value: one.label for one in file.title_parts if one.value in self._links
        }
        for value, link in self._links.items():
            tip = next((one.hint for one in file.title_parts if one.value == value), "")
            link.setToolTip(tip)
            link.setVisible(bool(self._labels[value]))
        self.scope.set_choices(file.scopes)
        self.model.set_choices(file.models)
        self._shorten(is_short=False)

    def show_screen(self, screen: Screen) -> None:
        if screen.heading.scopes:
            self.scope.set_choices(screen.heading.scopes)
        if (
            self.scope.findData(screen.heading.scope) >= 0
        ):  # two results side by side have no scope of their own
            self.scope.set_value(screen.heading.scope)
        self.model.set_value(screen.heading.model)
        self.model.set_limit(screen.ruler.totals.limit)
        self.popup.limit.setText(next(iter(screen.ruler.totals.limit_labels), tr("not known")))
        self.popup.show_sizes(screen.heading.sizes)

    def fit(self, width: int) -> None:
        """Take at most ``width`` pixels: the name becomes shorter first, then all parts
        together."""
        for is_short in (False, True):
            self._shorten(is_short=is_short)
            if self.minimumSizeHint().width() <= width:
                break
        self.setMaximumWidth(max(1, width))

    def _shorten(self, *, is_short: bool) -> None:
        for value, link in self._links.items():
            label = self._labels[value]
            shown = label.partition(" ")[2] if is_short else label
            link.setText(f"{shown} ▾")
            link.setAccessibleName(label)
        for picker in (self.scope, self.model):
            picker.is_short = is_short
            picker.updateGeometry()
            picker.update()

    def minimumSizeHint(self) -> QSize:
        """Return the least name and all parts: pickers that give way would end in an ellipsis."""
        parts = [
            one for one in (*self._links.values(), self.scope, self.model) if not one.isHidden()
        ]
        width = (
            self.name.minimumSizeHint().width()
            + sum(one.sizeHint().width() + 4 for one in parts)
            + 8
        )
        return QSize(width, super().minimumSizeHint().height())

    def _on_name(self) -> None:
        self.popup.open_below(self.name)

    def _on_link(self) -> None:
        link = self.sender()
        assert isinstance(link, QPushButton)
        self.link_clicked.emit(link.objectName(), link.mapToGlobal(QPoint(0, link.height())))

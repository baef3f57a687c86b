"""The size that a person aims for: one value, typed in the cards, in Compare or in Tuning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from core.common import number_format
from core.settings.schema import aim_value
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import scaled_pixels
from gui.widgets.view_layout import column_of, row_of

if TYPE_CHECKING:
    from core.presentation.compare.model import StrategyCard

_TYPING_MS = 400  # a pause after which an aim is complete


class Aim(QObject):
    """Emits ``changed`` while it is typed, and ``settled`` after a pause or at Enter."""

    changed = Signal()
    settled = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.text = ""
        self._typed = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._typed.timeout.connect(self.settled)

    @property
    def value(self) -> float:
        """A share of the limit up to 1, tokens above it; 0 for none, and for what is no size."""
        return aim_value(self.text) or 0.0

    @property
    def is_wrong(self) -> bool:
        return bool(self.text) and not self.value

    @property
    def is_typed(self) -> bool:
        """Whether it may still change: it is being typed."""
        return self._typed.isActive()

    def type(self, text: str) -> None:
        if text.strip() != self.text:
            self.text = text.strip()
            self._typed.start()
            self.changed.emit()

    def settle(self) -> None:
        """It is complete: there is no need to wait for a pause."""
        self._typed.stop()
        self.settled.emit()


class AimField(QLineEdit):
    """A field of the aim; all show the same text."""

    def __init__(self, aim: Aim) -> None:
        super().__init__(placeholderText=tr("20k, 10 %"))
        self._aim = aim
        self.setAccessibleName(tr("Aim for"))
        self.setToolTip(
            tr("The size of a whole request, in tokens or in percent of the limit.")
        )
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._show()
        self.textChanged.connect(aim.type)
        aim.changed.connect(self._show)

    def sizeHint(self) -> QSize:
        return QSize(scaled_pixels(96, self.font()), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()  # narrower, its example would be cut

    def _show(self) -> None:
        if self.text().strip() != self._aim.text:
            self.setText(self._aim.text)


class AimRow(QWidget):
    """The first row of Tuning; emits ``entered`` for an aim that is to set the controls."""

    entered = Signal()

    def __init__(self, aim: Aim) -> None:
        super().__init__()
        self._aim = aim
        self.field = AimField(aim)
        self._found: StrategyCard | None = None
        self.note = ElidedLabel("", "secondary", min_chars=12)
        first = row_of(text_label(tr("Aim for")), None, self.field)
        self.setLayout(column_of(first, self.note, margins=(20, 6, 8, 2), gap=2))
        self.field.returnPressed.connect(self._on_return)
        aim.changed.connect(self._on_changed)
        self._show_note()

    def _on_changed(self) -> None:
        self._found = None
        self._show_note()

    def _show_note(self) -> None:
        if self._aim.is_wrong:
            self.note.show_text(wrong_size())
        elif self._aim.value:
            self.note.show_text(tr("Enter sets the controls below"))
        else:
            self.note.show_text(tr("no aim: the controls below decide"))

    def _on_return(self) -> None:
        self._aim.settle()
        if self._aim.value:
            self.entered.emit()

    def show_card(self, card: StrategyCard) -> None:
        """Say what the controls reach; they are being set."""
        self._found = card
        self._show_figures(card)

    def show_result(self, strategy: str, tokens: int) -> None:
        """Say what the controls reach only while the shown result is that one."""
        found = self._found
        if found is None:
            return
        is_shown = bool(found.no_result) or found.tokens == tokens
        if found.name == strategy and is_shown:
            self._show_figures(found)
        else:
            self._show_note()

    def _show_figures(self, card: StrategyCard) -> None:
        text = card.no_result
        if not text and card.tokens is not None:
            size = number_format.count(card.tokens)
            text = tr("reached: {tokens} tokens").format(tokens=size)
        self.note.show_text(text)


def wrong_size() -> str:
    """Return what is said of an aim that is no size."""
    return tr("Write a size: 20k or 35 %.")

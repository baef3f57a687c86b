"""The form of a sweep: one setting or two, each with its values."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from core.presentation.sweep.model import SweepKey
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.text_labels import set_style_property

_FIELD = 150


class SweepChoice(QWidget):
    """Emits ``sweep_requested(vary)`` for Run or Enter in a field: "KEY=VALUES" once or twice."""

    sweep_requested = Signal(tuple)

    def __init__(self) -> None:
        super().__init__()
        self._keys: dict[str, SweepKey] = {}
        self.pickers = [QComboBox(), QComboBox()]
        self.fields = [QLineEdit(), QLineEdit()]
        self.run_button = push_button(tr("Run it"), "small")
        self.run_button.setToolTip(tr("Run the strategy once for each of these values."))
        self.run_button.clicked.connect(self.request_sweep)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for word, picker, field in zip((tr("Vary"), tr("and")), self.pickers, self.fields, strict=True):
            picker.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            picker.setMaximumWidth(220)
            field.setMinimumWidth(_FIELD)
            field.setToolTip(tr("FROM:TO:STEP, or values with commas between. Enter runs it."))
            field.returnPressed.connect(self.request_sweep)
            for widget in (text_label(word, "secondary"), picker, field):
                row.addWidget(widget)
        row.addWidget(self.run_button)
        for picker, name in zip(self.pickers, (tr("First setting"), tr("Second setting")), strict=True):
            picker.setAccessibleName(name)
        for field, name in zip(
            self.fields, (tr("Values of the first"), tr("Values of the second")), strict=True
        ):
            field.setAccessibleName(name)
        self.pickers[0].activated.connect(self._on_first)
        self.pickers[1].activated.connect(self._on_second)

    def show_keys(self, keys: tuple[SweepKey, ...], vary: tuple[str, ...], problem: str) -> None:
        """Offer these settings; show the swept ones, unless the user is typing."""
        self._keys = {sweep_key.key: sweep_key for sweep_key in keys}
        offered = [self.pickers[0].itemData(row) for row in range(self.pickers[0].count())]
        if offered != list(self._keys):
            self._fill_pickers(keys)
        if not any(field.hasFocus() and field.isModified() for field in self.fields):
            for index in (0, 1):
                key, _, values = vary[index].partition("=") if index < len(vary) else ("", "", "")
                self.pickers[index].setCurrentIndex(self.pickers[index].findData(key))
                self.fields[index].setText(values)
                self.fields[index].setEnabled(bool(key))
        for field in self.fields:
            set_style_property(field, "state", "error" if problem and field.isEnabled() else "")

    def _fill_pickers(self, keys: tuple[SweepKey, ...]) -> None:
        for index, picker in enumerate(self.pickers):
            picker.clear()
            if index:
                picker.addItem(tr("nothing else"), "")
            for key in keys:
                picker.addItem(key.label, key.key)
                picker.setItemData(picker.count() - 1, key.about, Qt.ItemDataRole.ToolTipRole)

    def vary(self) -> tuple[str, ...]:
        """The form's content."""
        pairs = zip(self.pickers, self.fields, strict=True)
        return tuple(
            f"{picker.currentData()}={field.text().strip()}"
            for picker, field in pairs
            if picker.currentData()
        )

    def request_sweep(self) -> None:
        for field in self.fields:
            field.setModified(False)
        if vary := self.vary():
            self.sweep_requested.emit(vary)

    def _on_first(self) -> None:
        self._fill_values(0)

    def _on_second(self) -> None:
        self._fill_values(1)

    def _fill_values(self, index: int) -> None:
        """Fill in the first values of a chosen setting."""
        key = self._keys.get(self.pickers[index].currentData())
        self.fields[index].setText(key.values if key is not None else "")
        self.fields[index].setEnabled(key is not None)
        self.request_sweep()

"""A combo box with entries grouped under headings that cannot be chosen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox

from core.presentation.opened_model import ExportChoice


def fill_grouped(box: QComboBox, choices: Sequence[ExportChoice]) -> None:
    """Fill in the choices, each group under its heading; the first choice becomes current."""
    model = QStandardItemModel(box)
    for group, members in groupby(choices, key=lambda choice: choice.group):
        model.appendRow(_heading(group))
        for choice in members:
            item = QStandardItem(choice.label)
            item.setData(choice.value, Qt.ItemDataRole.UserRole)
            item.setToolTip(choice.about)
            model.appendRow(item)
    box.setModel(model)
    box.setMaxVisibleItems(24)
    box.setCurrentIndex(1 if choices else -1)


def _heading(text: str) -> QStandardItem:
    item = QStandardItem(text)
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    font = item.font()
    font.setBold(True)
    item.setFont(font)
    return item

"""Renders a widget as a picture."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtWidgets import QWidget


def widget_png(widget: QWidget) -> bytes:
    data = QBuffer()
    data.open(QIODevice.OpenModeFlag.WriteOnly)
    widget.grab().save(data, "PNG")
    return bytes(data.data().data())

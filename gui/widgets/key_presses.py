"""What a key press asks for, wherever it is pressed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def is_enter(event: QKeyEvent, *, or_shifted: bool = False) -> bool:
    """True for Enter alone, that of the keypad too; ``or_shifted``: for Shift Enter as well."""
    beside = Qt.KeyboardModifier.KeypadModifier
    if or_shifted:
        beside |= Qt.KeyboardModifier.ShiftModifier
    return event.key() in _ENTER and not event.modifiers() & ~beside

"""Recognizes key presses."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def is_enter(event: QKeyEvent, *, or_shifted: bool = False) -> bool:
    """True for Enter without modifiers, on the keypad too; ``or_shifted``: also for Shift Enter."""
    allowed_modifiers = Qt.KeyboardModifier.KeypadModifier
    if or_shifted:
        allowed_modifiers |= Qt.KeyboardModifier.ShiftModifier
    return event.key() in _ENTER and not event.modifiers() & ~allowed_modifiers

"""The field of the command bar, which handles keys before the window's shortcuts."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from gui.language import tr

_SIGNAL_OF_KEY = {
    Qt.Key.Key_Escape: "escaped",
    Qt.Key.Key_Return: "entered",
    Qt.Key.Key_Enter: "entered",
    Qt.Key.Key_Tab: "completed",
    Qt.Key.Key_Up: "moved_up",
    Qt.Key.Key_Down: "moved_down",
}


class CommandField(QLineEdit):
    escaped = Signal()
    entered = Signal()
    completed = Signal()
    moved_up = Signal()
    moved_down = Signal()
    focus_left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.setPlaceholderText(tr("Do something, or type / for a line: /set, /profile, /compact"))
        self.setAccessibleName(tr("Command"))

    def event(self, event: QEvent) -> bool:
        """Handles its keys before shortcuts and the focus chain do."""
        if isinstance(event, QKeyEvent) and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            name = _SIGNAL_OF_KEY.get(Qt.Key(event.key()), "")
            if name and event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if name and event.type() == QEvent.Type.KeyPress:
                getattr(self, name).emit()
                return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Emits ``left``, unless a menu or another window has the focus."""
        super().focusOutEvent(event)
        passing = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
        if event.reason() not in passing:
            self.focus_left.emit()

"""Labels and buttons with a role, how a dialog is opened, and pictures of widgets.

The first paint waits for this module and its imports, and Qt's enum namespace takes 20 ms to build;
enums needed before that paint are set by name, as a property.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtWidgets import QFrame, QLabel, QPushButton

if TYPE_CHECKING:
    from PySide6.QtGui import QEnterEvent
    from PySide6.QtWidgets import QDialog, QWidget

TONE_GLYPHS = {
    "ok": "ok",
    "warn": "warning",
    "warning": "warning",
    "error": "error",
    "info": "info",
}
"""Glyph names by tone or severity."""


MENU_TITLES = ("File", "Edit", "View", "Conversation", "Compaction", "Help")


def with_mnemonics(titles: Sequence[str]) -> list[str]:
    """Return ``titles`` with an & before the first letter that is free as an Alt key."""
    used_letters = set()
    result = []
    for title in titles:
        position = next(
            number
            for number, letter in enumerate(title)
            if letter.lower() not in used_letters
        )
        used_letters.add(title[position].lower())
        result.append(f"{title[:position]}&{title[position:]}")
    return result


def text_label(text: str, role: str = "", *, wraps: bool = False) -> QLabel:
    """Return a plain-text label; roles are listed in gui.widgets.theme."""
    result = QLabel(text)
    result.setProperty("textFormat", "PlainText")
    result.setWordWrap(wraps)
    if role:
        result.setProperty("role", role)
    return result


def rule() -> QFrame:
    """Return a thin line between two groups."""
    result = QFrame()
    result.setProperty("role", "rule")
    return result


def push_button(text: str, role: str = "", *, tip: str = "") -> QPushButton:
    """Return a push button; roles are listed in gui.widgets.theme."""
    result = LinkButton(text) if role == "link" else QPushButton(text)
    result.setAutoDefault(False)
    result.setToolTip(tip)
    if role:
        result.setProperty("role", role)
    return result


class LinkButton(QPushButton):
    """A button that looks like a link, with a hand pointer."""

    def enterEvent(self, event: QEnterEvent) -> None:
        from PySide6.QtCore import Qt  # late, see above

        self.setCursor(Qt.CursorShape.PointingHandCursor)
        super().enterEvent(event)


def bring_up(dialog: QDialog) -> None:
    """Show a dialog in front, with the focus."""
    dialog.show()
    dialog.raise_()
    dialog.activateWindow()


def show_dialog(dialog: QDialog) -> None:
    """Open a dialog over its window, and delete it when it closes."""
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def widget_png(widget: QWidget) -> bytes:
    """Render a widget as a picture."""
    data = QBuffer()
    data.open(QIODevice.OpenModeFlag.WriteOnly)
    widget.grab().save(data, "PNG")
    return bytes(data.data().data())

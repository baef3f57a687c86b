"""Small widgets with a role, labels and buttons, and how a dialog is opened.

The first paint waits for this module and all that it imports, and Qt's own namespace of enums
takes 20 ms to build; what needs one of them before that paint says it by name, as a property.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QPushButton

if TYPE_CHECKING:
    from PySide6.QtGui import QEnterEvent
    from PySide6.QtWidgets import QDialog

TONE_GLYPHS = {"ok": "ok", "warn": "warning", "warning": "warning", "error": "error", "info": "info"}
"""Glyph names by tone or severity."""


MENUS = ("File", "Edit", "View", "Conversation", "Compaction", "Help")
"""The names of the menus."""


def with_keys(titles: Sequence[str]) -> list[str]:
    """``titles`` with an & before the letter that opens each with Alt: the first that no other has."""
    taken, result = set(), []
    for title in titles:
        at = next(place for place, letter in enumerate(title) if letter.lower() not in taken)
        taken.add(title[at].lower())
        result.append(f"{title[:at]}&{title[at:]}")
    return result


def text_label(text: str, role: str = "") -> QLabel:
    """A plain-text label; roles are listed in gui.widgets.style_sheet."""
    result = QLabel(text)
    result.setProperty("textFormat", "PlainText")
    if role:
        result.setProperty("role", role)
    return result


def push_button(text: str, role: str = "") -> QPushButton:
    """A push button; roles are listed in gui.widgets.style_sheet."""
    result = LinkButton(text) if role == "link" else QPushButton(text)
    result.setAutoDefault(False)
    if role:
        result.setProperty("role", role)
    return result


class LinkButton(QPushButton):
    """A button that reads as a link, with a hand for a pointer."""

    def enterEvent(self, event: QEnterEvent) -> None:
        from PySide6.QtCore import Qt  # late, see above

        self.setCursor(Qt.CursorShape.PointingHandCursor)
        super().enterEvent(event)


def show_dialog(dialog: QDialog) -> None:
    """Open a dialog over its window; closed, it is gone."""
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()

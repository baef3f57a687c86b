"""A line over the text: something to check, or a question with its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from gui.language import tr
from gui.widgets.basic_widgets import TONE_GLYPHS, push_button, text_label
from gui.widgets.icons import glyph_pixmap
from gui.widgets.theme import Theme, theme


@dataclass(frozen=True, slots=True)
class StripAction:
    """A link, or a button that answers a question."""

    name: str
    text: str
    role: str = "link"


@dataclass(frozen=True, slots=True)
class StripMessage:
    """The content of a strip. ``tone`` is "info", "warn" or "error"."""

    title: str
    text: str = ""
    tone: str = "warn"
    actions: tuple[StripAction, ...] = ()


class MessageStrip(QFrame):
    """Hidden without a message. ``action_chosen`` carries the name of the answer."""

    action_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._theme = theme("light")
        self._message: StripMessage | None = None
        self._icon, self._title, self._text = QLabel(), text_label("", "strong"), text_label("")
        self._text.setWordWrap(True)
        self._buttons: list[QPushButton] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 4, 12, 4)
        self._row.setSpacing(8)
        self._row.addWidget(self._icon)
        self._row.addWidget(self._title)
        self._row.addWidget(self._text, 1)
        self.setMinimumHeight(32)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.hide()

    @property
    def message(self) -> StripMessage | None:
        return self._message

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """The answers, in order."""
        return tuple(self._buttons)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._paint()

    def show_message(self, message: StripMessage | None) -> None:
        """Show a message instead of the previous one; None for nothing."""
        if message == self._message:
            return
        has_focus = any(button.hasFocus() for button in self._buttons)
        previous_answers = self._message.actions if self._message is not None else ()
        self._message = message
        self.setVisible(message is not None)
        if message is not None:
            headline, text = tr(message.title), tr(message.text)
            self._title.setText(headline)
            self._text.setText(text)
            self.setAccessibleName(f"{headline} {text}".strip())
            self._paint()
        answers = message.actions if message is not None else ()
        if answers != previous_answers:
            self._set_answers(answers)
            if has_focus and self._buttons:
                self._buttons[0].setFocus()

    def focus_answer(self, name: str) -> None:
        for button in self._buttons:
            if button.property("answer") == name:
                button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _paint(self) -> None:
        if self._message is None:
            return
        theme, tone = self._theme, self._message.tone
        back = {"warn": theme.bar_warn, "error": theme.bar_error}.get(tone, theme.bar_info)
        line = f"border: none; border-bottom: 1px solid {theme.hairline.name()};"
        self.setStyleSheet(f"Strip {{ background: {back.name()}; {line} }}")
        colour = theme.accent_text if tone == "info" else theme.tone(tone)
        self._icon.setPixmap(glyph_pixmap(TONE_GLYPHS[tone], colour, 14, self.devicePixelRatioF()))

    def _set_answers(self, answers: Sequence[StripAction]) -> None:
        for old_button in self._buttons:
            self._row.removeWidget(old_button)
            old_button.hide()
            old_button.deleteLater()
        self._buttons = []
        for answer in answers:
            button = push_button(tr(answer.text), answer.role)
            button.setProperty("answer", answer.name)
            button.clicked.connect(self._on_clicked)
            self._row.addWidget(button)
            self._buttons.append(button)

    def _on_clicked(self) -> None:
        self.action_chosen.emit(self.sender().property("answer"))


def hairline() -> QWidget:
    rule = QFrame()
    rule.setProperty("role", "rule")
    return rule

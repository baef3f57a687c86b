"""The foot of the session table: details of the current session, Open and Compare."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from core.presentation.sessions.model import SessionRow
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme, theme
from gui.widgets.toned_label import ToneLabel

_LINES, _PROMPT_LINES, _GAP = 5, 2, 4
"""Fixed number of lines, so that the table above never moves; those of the prompt among them."""


class SessionFooter(QFrame):
    """First prompt, path, last message and distance to the trigger; emits ``open_requested`` and
    ``compare_requested``."""

    open_requested = Signal()
    compare_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "foot")
        self._theme = theme("light")
        self._row: SessionRow | None = None
        self._last_message = ""
        self._prompt, self._about = text_label("", "strong"), ElidedLabel("", "secondary")
        self._prompt.setWordWrap(True)
        self._trigger_distance = ToneLabel(wraps=True)
        self._compare, self._open = (
            push_button(tr("Compare strategies")),
            push_button(tr("Open  Enter"), "primary"),
        )
        self._compare.setToolTip(tr("Open this session and compare what each strategy makes of it."))
        self._open.setToolTip(tr("Open this session (Enter)."))
        self._compare.clicked.connect(self.compare_requested)
        self._open.clicked.connect(self.open_requested)
        button_row = QHBoxLayout()
        button_row.setSpacing(12)
        button_row.addWidget(self._trigger_distance, 1)
        for button in (self._compare, self._open):
            button_row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 8)
        column.setSpacing(_GAP)
        for widget in (self._prompt, self._about):
            column.addWidget(widget)
        column.addStretch(1)
        column.addLayout(button_row)
        self._measure()
        self.show_session(None)

    def _measure(self) -> None:
        line = self.fontMetrics().lineSpacing()
        self._prompt.setMaximumHeight(_PROMPT_LINES * line + 2)
        self.setMinimumHeight(_LINES * line + 3 * _GAP + 20)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.show_session(self._row, self._last_message)

    def show_session(self, row: SessionRow | None, last_message: str = "") -> None:
        """Show a session with its last message, "" if unknown; None for no session."""
        self._row, self._last_message = row, last_message
        prompt = row.prompt if row else tr("No session fits.")
        self._prompt.setText(prompt)
        self._prompt.setToolTip(prompt)
        about = (
            " · ".join(filter(None, (row.about, last_message)))
            if row
            else tr("Clear the search, or choose all agents.")
        )
        self._about.show_text(tr(about))
        self._trigger_distance.show_text(*_trigger_distance(row), self._theme)
        for button in (self._compare, self._open):
            button.setEnabled(row is not None)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()


def _trigger_distance(row: SessionRow | None) -> tuple[str, str]:
    """Return a sentence and its tone: why a session cannot be read, or how far it is from the trigger."""
    if row is None:
        return "", ""
    return (tr(row.problem), "error") if row.problem else (tr(row.trigger_distance), row.tone)

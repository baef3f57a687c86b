"""Below the table: the marked session in words, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from core.view.session_order import warning
from core.view.session_values import SessionRow
from gui.language import tr
from gui.parts import button
from gui.texts import ElidedLabel
from gui.theme import Theme, theme
from gui.toned import TonedLabel


class SessionFoot(QFrame):
    """First prompt, place and a warning; emits ``opened``."""

    opened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "foot")
        self._theme = theme("light")
        self._row: SessionRow | None = None
        self._prompt, self._about = ElidedLabel("", "strong"), ElidedLabel("", "secondary")
        self._warning = TonedLabel()
        self._open = button(tr("Open"), "primary")
        self._open.setToolTip(tr("Open this session (Enter)."))
        self._open.clicked.connect(self.opened)
        column = QVBoxLayout()
        column.setSpacing(4)
        for widget in (self._prompt, self._about, self._warning):
            column.addWidget(widget)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 10, 12, 10)
        row.setSpacing(12)
        row.addLayout(column, 1)
        row.addWidget(self._open)
        self.show_session(None)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self._theme = theme
        self.show_session(self._row)

    def show_session(self, row: SessionRow | None) -> None:
        """Show a session, or that there is none."""
        self._row = row
        self._prompt.show_text(row.prompt if row else tr("No session fits."))
        self._about.show_text(row.about if row else tr("Clear the search, or choose all agents."))
        said = warning(row) if row else ""
        tone = "" if not row else "error" if row.problem else row.tone
        self._warning.show_text(said, tone, self._theme)
        self._open.setEnabled(row is not None)

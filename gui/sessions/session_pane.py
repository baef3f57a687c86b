"""The session browser: search, table, drop area and foot, with the list of agents."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from core.presentation.model import Notice
from core.presentation.sessions.model import SessionRow, SessionRows
from core.presentation.sessions.session_order import agent_counts, count_with_recorded, sessions_heading
from gui.language import tr
from gui.sessions.session_foot import SessionFooter
from gui.sessions.session_table import SessionTable
from gui.start.start_page import drop_area
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.side_list import SideList
from gui.widgets.theme import Theme

_NAVIGATION_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_KEY_EVENTS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
_PAUSE_MS = 150  # ms that a session must stay current before its end is read
SEARCH = "Search first prompts, projects, file names"


class SessionsPane(QFrame):
    """Emits ``path_chosen`` and ``compare_chosen``; ``last_message_requested`` with a session's path."""

    path_chosen = Signal(str)
    compare_chosen = Signal(str)
    open_requested = Signal()
    folder_requested = Signal()
    last_message_requested = Signal(str)
    hidden = Signal()
    notice = Signal(object)  # Notice

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self._total, self._is_over = 0, True
        self._problems: tuple[str, ...] = ()
        self._last_messages: dict[str, str] = {}  # last messages of the sessions that were current
        self._last_message_timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._last_message_timer.timeout.connect(self._load_last_message)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr(SEARCH))
        self.search.setAccessibleName(tr(SEARCH))
        self.search.setClearButtonEnabled(True)
        self.search.setProperty("role", "field")
        self.search.setToolTip(tr("All words must be there (Ctrl F)."))
        self.recorded = QCheckBox(tr("only with a recorded compaction"))
        self._count, self._state = text_label("", "strong"), text_label("", "secondary")
        self.table, self.footer, self.agents = SessionTable(), SessionFooter(), SideList(tr("Agents"))
        self._folders_label = text_label("", "quiet")
        self._details = push_button(tr("details"), "link")
        self.agents.setParent(self)
        self.agents.hide()  # until it is placed beside the pane
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        drop = drop_area()
        drop.setMinimumHeight(48)
        drop.setMaximumHeight(64)
        drop_frame = QWidget()
        inside = QHBoxLayout(drop_frame)
        inside.setContentsMargins(12, 8, 12, 8)
        inside.addWidget(drop)
        for widget in (self._bar(), self._head()):
            column.addWidget(widget)
        column.addWidget(self.table, 1)
        for widget in (drop_frame, self.footer, self._bottom()):
            column.addWidget(widget)

    def _bar(self) -> QWidget:
        open_button, folder_button = push_button(tr("Open…"), "primary"), push_button(tr("Open folder…"))
        folder_button.setToolTip(tr("Look for transcripts in another folder."))
        open_button.clicked.connect(self.open_requested)
        folder_button.clicked.connect(self.folder_requested)
        return _row("head", (open_button, folder_button, self.search), (8, 6, 8, 6), stretch=2)

    def _head(self) -> QWidget:
        gap = QLabel()
        return _row("head", (self._count, self._state, gap, self.recorded), (12, 4, 12, 4), stretch=2)

    def _bottom(self) -> QWidget:
        gap = QLabel()
        privacy_note = text_label(tr("Nothing leaves this machine."), "quiet")
        return _row(
            "foot", (privacy_note, gap, self._folders_label, self._details), (12, 2, 12, 2), stretch=1
        )

    def _connect(self) -> None:
        self.search.textChanged.connect(self._on_filter_changed)
        self.recorded.toggled.connect(self._on_filter_changed)
        self.agents.chosen.connect(self._on_filter_changed)
        self.table.chosen.connect(self.path_chosen)
        self.table.horizontalHeader().sortIndicatorChanged.connect(self._refresh)
        self.table.session_changed.connect(self._on_session_changed)
        self.footer.open_requested.connect(self._on_open)
        self.footer.compare_requested.connect(self._on_compare)
        self._details.clicked.connect(self._on_details)
        shortcut = QShortcut(QKeySequence("Ctrl+F"), self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self.search.setFocus)
        self.search.returnPressed.connect(self._on_open)
        self.search.installEventFilter(self)

    def set_theme(self, theme: Theme) -> None:
        for part in (self.table, self.footer, self.agents):
            part.set_theme(theme)

    def show_part(self, part: SessionRows) -> None:
        if part.is_new:
            self._last_messages.clear()
        self._total, self._is_over = part.total, part.is_over
        self.table.put(part.start, part.rows, begins=part.is_new)
        self._problems = part.problems
        self._folders_label.setText(part.foot)
        self._details.setVisible(bool(part.problems))
        self._refresh()
        if part.is_over and self._last_message_timer.isActive():  # nothing else is to be read
            self._last_message_timer.stop()
            self._load_last_message()

    def show_last_message(self, path: str, text: str) -> None:
        self._last_messages[path] = text
        row = self.table.current()
        if row is not None and row.path == path:
            self.footer.show_session(row, text)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.hidden.emit()

    def _on_session_changed(self, row: SessionRow | None) -> None:
        last_message = self._last_messages.get(row.path) if row is not None else ""
        self.footer.show_session(row, last_message or "")
        if last_message is None:
            self._last_message_timer.start()

    def _load_last_message(self) -> None:
        row = self.table.current()
        if row is not None and row.path not in self._last_messages and self.isVisible():
            self._last_messages[row.path] = ""  # requested
            self.last_message_requested.emit(row.path)

    def _refresh(self) -> None:
        rows = self.table.sessions.rows
        counts = agent_counts(rows)
        names = [name for name, _ in counts]
        sort_order = self.table.sessions.sort_order
        current = names.index(sort_order.agent) if sort_order.agent in names else 0
        self.agents.show_entries([(name or tr("All agents"), count, True) for name, count in counts], current)
        self.agents.fit()
        shown = self.table.sessions.rowCount()
        heading, state = sessions_heading(
            shown, max(len(rows), self._total), self.table.sessions.sort_order, self._is_over
        )
        self._count.setText(tr(heading))
        self._state.setText(tr(state))
        self.recorded.setText(
            tr("only with a recorded compaction ({count:,})").format(count=count_with_recorded(rows))
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys in the search field move in the table; Esc there first clears the search."""
        if not isinstance(event, QKeyEvent) or event.type() not in _KEY_EVENTS:
            return super().eventFilter(watched, event)
        if event.key() in _NAVIGATION_KEYS and event.type() == QEvent.Type.KeyPress:
            self.table.keyPressEvent(event)
            return True
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self.search.clear()
            return True
        return super().eventFilter(watched, event)

    def _on_filter_changed(self) -> None:
        counts = agent_counts(self.table.sessions.rows)
        row = self.agents.currentRow()
        agent = counts[row][0] if 0 <= row < len(counts) else ""
        sort_order = self.table.sessions.sort_order
        self.table.set_sort_order(
            replace(
                sort_order, agent=agent, search=self.search.text(), only_recorded=self.recorded.isChecked()
            )
        )
        self._refresh()

    def _on_open(self) -> None:
        if (row := self.table.current()) is not None:
            self.path_chosen.emit(row.path)

    def _on_compare(self) -> None:
        if (row := self.table.current()) is not None:
            self.compare_chosen.emit(row.path)

    def _on_details(self) -> None:
        headline = tr("{count:,} could not be read.").format(count=len(self._problems))
        self.notice.emit(
            Notice(
                "warning", headline, self._problems[0], details="\n".join(self._problems), topic="sessions"
            )
        )


def _row(
    role: str, widgets: tuple[QWidget, ...], margins: tuple[int, int, int, int], *, stretch: int
) -> QWidget:
    """Return widgets side by side; the one at ``stretch`` takes the remaining width."""
    frame = QFrame()
    frame.setProperty("role", role)
    row = QHBoxLayout(frame)
    row.setContentsMargins(*margins)
    row.setSpacing(8)
    for index, widget in enumerate(widgets):
        row.addWidget(widget, 1 if index == stretch else 0)
    return frame

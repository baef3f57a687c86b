"""The sessions on this machine: search, agents, table, and what is known of the current one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QCheckBox,
    QFileDialog,
    QFrame,
    QLayout,
    QLineEdit,
    QStackedWidget,
    QWidget,
)

from core.app.services.sessions import SessionService
from core.presentation.dialog_model import SessionRow, SessionRows
from core.presentation.model import Notice, NoticeAction
from gui.backend import BackendClient
from gui.language import tr
from gui.remote_call import PendingCall
from gui.sessions.session_table import SessionTable
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import ToneLabel
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.view_layout import column_of, line_of_widgets, panel_of, row_of

_NAVIGATION_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_KEY_EVENTS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
_PAUSE_MS = 150  # ms that a session must stay current before its end is read
LIVE_MS = 2_000
"""ms between two looks at the sessions that agents write."""
_MAX_AGENTS, _CHIP_GAP = 6, 4
_SEARCH = "Search prompts, projects, files"


class AgentChips(QWidget):
    """A button for each agent with the number of its sessions, as many as fit; one is pressed. ""
    stands for all."""

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        self._names: list[str] = []
        self._row = row_of(gap=_CHIP_GAP)
        self._row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self.setLayout(self._row)
        self._group.idClicked.connect(self.chosen)

    @property
    def agent(self) -> str:
        number = self._group.checkedId()
        return self._names[number] if 0 <= number < len(self._names) else ""

    def choose(self, agent: str) -> None:
        if agent in self._names:
            self._group.button(self._names.index(agent)).click()
            self._fit()

    def show_counts(self, counts: list[tuple[str, int]], total: int) -> None:
        agent, buttons = self.agent, self._group.buttons()
        self._names = ["", *(name for name, _ in counts[:_MAX_AGENTS])]
        while len(buttons) < len(self._names):
            button = push_button("", "small")
            button.setCheckable(True)
            self._group.addButton(button, len(buttons))
            self._row.addWidget(button)
            buttons = self._group.buttons()
        texts = [f"{tr('All agents')} {total:,}", *(f"{name} {count:,}" for name, count in counts)]
        for shown, text in zip(buttons, texts, strict=False):
            shown.setText(text)
        self._group.button(self._names.index(agent) if agent in self._names else 0).setChecked(True)
        self.updateGeometry()
        self._fit()

    def sizeHint(self) -> QSize:
        widths = [button.sizeHint().width() for button in self._group.buttons()[: len(self._names)]]
        return QSize(sum(widths) + _CHIP_GAP * len(widths), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show the pressed button, and of the others the first that fit whole."""
        pressed, room = self._group.checkedButton(), self.width()
        room -= 0 if pressed is None else pressed.sizeHint().width()
        for number, button in enumerate(self._group.buttons()):
            room -= 0 if button is pressed else _CHIP_GAP + button.sizeHint().width()
            button.setVisible(button is pressed or (number < len(self._names) and room >= 0))


class SessionsPane(QFrame):
    """Emits ``path_chosen`` and ``compare_chosen`` with a session's path."""

    path_chosen = Signal(str)
    compare_chosen = Signal(str)
    notice = Signal(object)  # Notice

    def __init__(self, client: BackendClient) -> None:
        super().__init__()
        self._client = client
        self.setProperty("role", "pane")
        self._folders: tuple[str, ...] = ()
        self._listing: PendingCall[None] | None = None
        self._total, self._is_over = 0, False
        self._problems: tuple[str, ...] = ()
        self._last_messages: dict[str, str] = {}  # of the sessions that were current
        self._last_message_timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._last_message_timer.timeout.connect(self._load_last_message)
        self.search = QLineEdit(placeholderText=f"{tr(_SEARCH)}   Ctrl F", clearButtonEnabled=True)
        self.search.setAccessibleName(tr(_SEARCH))
        self.search.setMinimumWidth(270)
        self.search.setToolTip(tr("All words must be there (Ctrl F)."))
        self.compacted = QCheckBox()
        self.notify = QCheckBox(tr("notify at the trigger"))
        self.notify.setToolTip(
            tr("Say so when a session that an agent writes reaches its trigger.")
        )
        self._at_trigger: set[str] = set()  # sessions that were already reported
        self._live_timer = QTimer(self, interval=LIVE_MS)
        self.state_label = text_label(tr("Looking…"), "secondary")
        self.table, self.agents, self._stack = SessionTable(), AgentChips(), QStackedWidget()
        self.prompt, self.about = ElidedLabel("", "strong"), ElidedLabel("", "secondary")
        self.trigger_distance = ToneLabel()
        self.compare = push_button(tr("Compare strategies"))
        self.open = push_button(tr("Open  Enter"), "primary")
        self._folders_label, self._details = (
            text_label("", "quiet"),
            push_button(tr("details"), "link"),
        )
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.compare.setToolTip(tr("Open this session and compare what each strategy makes of it."))
        self.open.setToolTip(tr("Open this session (Enter)."))
        title = text_label(tr("Sessions on this machine"), "strong")
        head = line_of_widgets(title, self.state_label, None, self.search, gap=8, padding=6)
        self._filters = line_of_widgets(
            self.agents, None, self.notify, self.compacted, gap=8, padding=6
        )
        texts, self._footer = (
            column_of(self.prompt, self.about, self.trigger_distance, gap=2),
            QFrame(),
        )
        self._footer.setProperty("role", "foot")
        foot = row_of(texts, self.compare, self.open, margins=(12, 8, 12, 8), stretched=texts)
        self._footer.setLayout(foot)
        other_folder = push_button(tr("Look in another folder…"), "link")
        other_folder.clicked.connect(self.open_folder)
        bottom = line_of_widgets(
            self._folders_label, self._details, None, other_folder, role="foot", gap=8, padding=2
        )
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty())
        self.setLayout(
            column_of(head, self._filters, self._stack, self._footer, bottom, stretched=self._stack)
        )
        self._details.hide()
        self._filters.hide()
        self._footer.hide()

    def _empty(self) -> QWidget:
        """Return what is shown while no session is known."""
        self.empty_label = text_label("", "secondary", wraps=True)
        folder = push_button(tr("Look in another folder…"))
        self.sample_button = push_button(tr("Open a sample"))
        folder.clicked.connect(self.open_folder)
        buttons = row_of(folder, self.sample_button, None)
        return panel_of(
            column_of(self.empty_label, buttons, None, margins=(12, 12, 12, 12), gap=12)
        )

    def _connect(self) -> None:
        self.search.textChanged.connect(self._on_filter_changed)
        self._live_timer.timeout.connect(self._look_at_live)
        self._live_timer.start()
        self.compacted.toggled.connect(self._on_filter_changed)
        self.agents.chosen.connect(self._on_filter_changed)
        self.table.chosen.connect(self.path_chosen)
        self.table.horizontalHeader().sortIndicatorChanged.connect(self._refresh)
        self.table.session_changed.connect(self._on_session_changed)
        self.open.clicked.connect(self._on_open)
        self.compare.clicked.connect(self._on_compare)
        self._details.clicked.connect(self._on_details)
        self.search.returnPressed.connect(self._on_open)
        self.search.installEventFilter(self)

    # Listing

    def list_sessions(self) -> None:
        """Search for sessions again."""
        self._is_over = False
        self._listing = self._client.call(self, SessionService.sessions, self._folders).progress(
            self.show_part
        )
        self._refresh()

    def list_once(self) -> None:
        """Search for sessions unless that was done."""
        if self._listing is None:
            self.list_sessions()

    def list_folder(self, folder: str) -> None:
        if folder not in self._folders:
            self._folders = (*self._folders, folder)
        self.list_sessions()

    def open_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, tr("Look for transcripts in a folder"))
        if folder:
            self.list_folder(folder)

    def show_part(self, part: SessionRows) -> None:
        if part.is_new:
            self._last_messages.clear()
        self._total, self._is_over, self._problems = part.total, part.is_over, part.problems
        self.table.put(part.start, part.rows, begins=part.is_new)
        self._folders_label.setText(part.foot)
        self._details.setVisible(bool(part.problems))
        self.empty_label.setText(part.searched)
        self._refresh()
        if part.is_over and self._last_message_timer.isActive():  # nothing else is to be read
            self._last_message_timer.stop()
            self._load_last_message()

    def _look_at_live(self) -> None:
        """Measure the sessions that agents write, while they are shown or a notice is wanted."""
        if (self.isVisible() or self.notify.isChecked()) and self._client.is_up_to_date:
            self._client.call(self, SessionService.live, self._folders).progress(self.show_live)

    def show_live(self, row: SessionRow) -> None:
        self.table.put_live(row)
        self._refresh()
        if row.trigger.is_reached and row.path not in self._at_trigger and self.notify.isChecked():
            title = tr("{project} has reached its trigger.").format(
                project=row.project or row.agent
            )
            action = NoticeAction(tr("Open"), "open", row.path)
            self.notice.emit(
                Notice("warning", title, row.trigger.distance, (action,), topic=row.path)
            )
            QApplication.alert(self.window())
        (self._at_trigger.add if row.trigger.is_reached else self._at_trigger.discard)(row.path)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._listing is not None:
            self._listing.stop()

    def _refresh(self) -> None:
        model = self.table.sessions
        self.agents.show_counts(model.agent_counts, len(model.rows))
        compacted = sum(row.has_recorded for row in model.rows)
        self.compacted.setText(tr("only compacted ones ({count:,})").format(count=compacted))
        for widget in (self._filters, self._footer):
            widget.setVisible(bool(model.rows))
        self._stack.setCurrentIndex(int(not model.rows))
        shown, total = model.rowCount(), max(len(model.rows), self._total)
        count = (
            f"{shown:,}"
            if shown == total
            else tr("{shown:,} of {total:,}").format(shown=shown, total=total)
        )
        if model.rows:
            reading = "" if self._is_over else tr("still reading")
            self.state_label.setText(", ".join(filter(None, (count, model.order_text, reading))))
        else:
            self.state_label.setText(tr("none found") if self._is_over else tr("Looking…"))
        if not self._is_over and not model.rows:
            self.empty_label.setText("")

    # The current session

    def show_last_message(self, path: str, text: str) -> None:
        self._last_messages[path] = text
        row = self.table.current()
        if row is not None and row.path == path:
            self._on_session_changed(row)

    def _on_session_changed(self, row: SessionRow | None) -> None:
        last_message = self._last_messages.get(row.path) if row is not None else ""
        if last_message is None:
            self._last_message_timer.start()
        if row is None:
            self.prompt.show_text(tr("No session fits."))
            self.about.show_text(tr("Clear the search, or choose all agents."))
            self.trigger_distance.show_text("", "")
        else:
            self.prompt.show_text(row.prompt)
            self.about.show_text(" · ".join(filter(None, (row.about, last_message))))
            text, tone = (
                (row.problem, "error") if row.problem else (row.trigger.distance, row.context.tone)
            )
            self.trigger_distance.show_text(text, tone)
        for button in (self.compare, self.open):
            button.setEnabled(row is not None)

    def _load_last_message(self) -> None:
        row = self.table.current()
        if row is not None and row.path not in self._last_messages and self.isVisible():
            self._last_messages[row.path] = ""  # requested
            call = self._client.call(self, SessionService.last_message, row.path)
            call.done(partial(self.show_last_message, row.path))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys in the search field move in the table; Esc there first clears the search."""
        if not isinstance(event, QKeyEvent) or event.type() not in _KEY_EVENTS:
            return super().eventFilter(watched, event)
        is_press = event.type() == QEvent.Type.KeyPress
        if event.key() in _NAVIGATION_KEYS and is_press:
            self.table.keyPressEvent(event)
            return True
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            event.accept()
            if is_press:
                self.search.clear()
            return True
        return super().eventFilter(watched, event)

    def _on_filter_changed(self) -> None:
        self.table.filter(
            self.agents.agent, self.search.text(), only_compacted=self.compacted.isChecked()
        )
        self._refresh()

    def _on_open(self) -> None:
        if (row := self.table.current()) is not None:
            self.path_chosen.emit(row.path)

    def _on_compare(self) -> None:
        if (row := self.table.current()) is not None:
            self.compare_chosen.emit(row.path)

    def _on_details(self) -> None:
        title = tr("{count:,} could not be read.").format(count=len(self._problems))
        details = "\n".join(self._problems)
        self.notice.emit(
            Notice("warning", title, self._problems[0], details=details, topic="sessions")
        )

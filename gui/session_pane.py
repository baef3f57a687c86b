"""The sessions on this machine: search, agents, table, and what is known of the current one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QRect,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QCheckBox,
    QFileDialog,
    QFrame,
    QLayout,
    QLineEdit,
    QStackedWidget,
    QStyleOptionViewItem,
    QWidget,
)

from core.app.remote_methods import SessionService
from core.presentation.dialog_model import SessionRow, SessionRows
from core.presentation.model import Notice, NoticeAction
from gui.backend import BackendClient
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.events import Index
from gui.widgets.icons import ToneLabel
from gui.widgets.result_table import (
    LEFT_MIDDLE,
    RIGHT_MIDDLE,
    PlainTable,
    RowPainter,
)
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import (
    SECONDARY,
    SMALL,
    resized_font,
    scaled_pixels,
    tabular_font,
)
from gui.widgets.view_layout import column_of, line_of_widgets, panel_of, row_of

COLUMNS = (
    *(
        "first message",
        "project",
        "agent",
        "changed",
        "size",
        "messages",
        "tokens",
        "compacted",
    ),
    "context used",
    "trigger in",
)
"""Column titles, in the order of ``SessionRow.texts``."""
_WIDTHS = (0, 136, 92, 96, 72, 76, 84, 76, 112, 108)
_FIRST_NUMBER = 4
_CHANGED = COLUMNS.index("changed")
_COMPACTED = COLUMNS.index("compacted")
_CONTEXT = COLUMNS.index("context used")
_TRIGGER = COLUMNS.index("trigger in")
_OPTIONAL_COLUMNS = tuple(map(COLUMNS.index, ("size", "messages", "project", "agent")))
"""Columns that are hidden, in this order, if the first message would have less space than
``_PROMPT``."""
_PROMPT = 200
_PAD, _BAR_WIDTH, _BAR_HEIGHT = 8, 48, 8


class SessionTableModel(QAbstractTableModel):
    """The rows of one agent ("": all) with every word of ``search``, sorted by a column."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[SessionRow] = []
        self.agent, self.search, self.only_compacted = "", "", False
        self.column, self.is_descending = _CHANGED, True
        self._order: list[int] = []

    def put(self, start: int, rows: Sequence[SessionRow], *, begins: bool) -> None:
        """Add rows from ``start`` on; ``begins`` drops the previous ones."""
        if begins:
            self.rows = []
        self.rows[start : start + len(rows)] = rows
        self.arrange()

    def arrange(self) -> None:
        """Filter and sort; ties keep the newest first."""
        self.beginResetModel()
        words = self.search.lower().split()
        self._order = [
            index for index, row in enumerate(self.rows) if self._is_wanted(row, words)
        ]
        self._order.sort(
            key=lambda index: self._sort_key(self.rows[index]),
            reverse=self.is_descending,
        )
        self.endResetModel()

    def put_live(self, row: SessionRow) -> None:
        """Replace the row of a session, or add it."""
        paths = [known.path for known in self.rows]
        if row.path in paths:
            at = paths.index(row.path)
        else:
            at = len(paths)
        self.put(at, [row], begins=False)

    def _sort_key(self, row: SessionRow) -> str | float:
        if self.column < len(row.sort_keys):
            return row.sort_keys[self.column]
        if row.trigger.requests:
            return -row.context.share
        return 1.0  # the fullest is the nearest to its trigger

    def _is_wanted(self, row: SessionRow, words: Sequence[str]) -> bool:
        if (self.agent and row.agent != self.agent) or (
            self.only_compacted and not row.has_recorded
        ):
            return False
        if words:
            text = f"{row.prompt} {row.project} {row.agent} {row.path}".lower()
        else:
            text = ""
        return all(word in text for word in words)

    @property
    def agent_counts(self) -> list[tuple[str, int]]:
        """The agents with their sessions, most first."""
        counts = Counter(row.agent for row in self.rows if row.agent)
        return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))

    @property
    def order_text(self) -> str:
        if (self.column, self.is_descending) == (_CHANGED, True):
            return tr("newest first")
        return tr("by {column}").format(column=COLUMNS[self.column])

    def session_at(self, row: int) -> SessionRow | None:
        """Return the session of a row, None if there is none."""
        if 0 <= row < len(self._order):
            return self.rows[self._order[row]]
        return None

    def row_of(self, path: str) -> int:
        """Return the row of a session, -1 if it is not shown."""
        return next(
            (
                row
                for row, index in enumerate(self._order)
                if self.rows[index].path == path
            ),
            -1,
        )

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if parent.isValid():
            return 0
        return len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if parent.isValid():
            return 0
        return len(COLUMNS)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        if (
            orientation == Qt.Orientation.Horizontal
            and role == Qt.ItemDataRole.DisplayRole
        ):
            return tr(COLUMNS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.session_at(index.row())
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return row.texts[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole and index.column() < 2:
            return row.prompt
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            return ", ".join(filter(None, row.texts))
        return None


def _cell_font(font: QFont, column: int) -> QFont:
    return tabular_font(resized_font(font, SECONDARY if column else 13))


def _side(column: int) -> int:
    return RIGHT_MIDDLE if column >= _FIRST_NUMBER else LEFT_MIDDLE


class _SessionCellDelegate(RowPainter):
    """Paints a cell: text at its side, the last column with a bar."""

    def paint_cell(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: Index,
        *,
        is_current: bool,
    ) -> None:
        model = index.model()
        row = (
            model.session_at(index.row())
            if isinstance(model, SessionTableModel)
            else None
        )
        if row is None:
            return
        rect = QRect(option.rect)
        column = index.column()
        inside = rect.adjusted(_PAD, 0, -_PAD, -1)
        if column == _CONTEXT and row.context.share >= 0:
            self._bar(painter, inside, row)
        painter.setFont(_cell_font(option.font, column))
        painter.setPen(self._text_colour(row, column))
        metrics = painter.fontMetrics()
        text = metrics.elidedText(
            str(index.data() or ""), Qt.TextElideMode.ElideRight, inside.width()
        )
        painter.drawText(inside, _side(column), text)
        is_last = column == _CONTEXT
        if (
            is_current and is_last and option.widget.hasFocus()
        ):  # the ring round the row ends here
            painter.fillRect(
                rect.right() - 1, rect.top(), 2, rect.height(), self.theme.accent_text
            )

    def _text_colour(self, row: SessionRow, column: int) -> QColor:
        theme = self.theme
        if column == 0:
            return theme.error if row.problem else theme.text
        if column == _COMPACTED and row.has_recorded:
            return theme.fate_text[3]
        return theme.text2

    def _bar(self, painter: QPainter, inside: QRect, row: SessionRow) -> None:
        theme = self.theme
        box = QRect(
            inside.left(),
            inside.center().y() - _BAR_HEIGHT // 2,
            _BAR_WIDTH,
            _BAR_HEIGHT,
        )
        painter.fillRect(box, theme.free)
        painter.setPen(QPen(theme.hairline, 1))
        painter.drawRect(box.adjusted(0, 0, -1, -1))
        part = max(2, round(_BAR_WIDTH * min(1.0, row.context.share)))
        if row.context.tone:
            colour = theme.tone(row.context.tone)
        else:
            colour = theme.text2
        painter.fillRect(QRect(box.left(), box.top(), part, box.height()), colour)


class SessionTable(PlainTable):
    """Emits ``chosen(path)`` for Enter and double click, ``session_changed(row)`` for the current
    one."""

    chosen = Signal(str)
    session_changed = Signal(object)  # SessionRow or None

    def __init__(self) -> None:
        self.sessions = SessionTableModel()
        self._path = ""
        super().__init__(tr("Sessions"), self.sessions, _SessionCellDelegate())
        header = self.horizontalHeader()
        with QSignalBlocker(header):  # the model is sorted so
            header.setSortIndicator(self.sessions.column, Qt.SortOrder.DescendingOrder)

    def fit(self) -> None:
        header_metrics = QFontMetrics(resized_font(self.font(), SMALL))
        heads = (header_metrics.horizontalAdvance(tr(title)) + 24 for title in COLUMNS)
        least = (scaled_pixels(width, self.font()) for width in _WIDTHS)
        widths = [max(pair) for pair in zip(heads, least, strict=True)]
        is_live = any(row.trigger.requests for row in self.sessions.rows)
        self.fit_columns(
            widths if is_live else widths[:_TRIGGER], _OPTIONAL_COLUMNS, _PROMPT
        )
        self.setColumnHidden(_TRIGGER, not is_live)

    def put(self, start: int, rows: Sequence[SessionRow], *, begins: bool) -> None:
        """Add rows; the current session and the scroll position stay."""
        scroll_position = self.verticalScrollBar().value()
        self.sessions.put(start, rows, begins=begins)
        self._reselect()
        self.verticalScrollBar().setValue(scroll_position)

    def put_live(self, row: SessionRow) -> None:
        self.sessions.put_live(row)
        self._reselect()
        self.fit()

    def filter(self, agent: str, search: str, *, only_compacted: bool) -> None:
        model = self.sessions
        model.agent, model.search, model.only_compacted = agent, search, only_compacted
        model.arrange()
        self._reselect()

    def current(self) -> SessionRow | None:
        return self.sessions.session_at(self.currentIndex().row())

    def _reselect(self) -> None:
        if self._path:
            row = self.sessions.row_of(self._path)
        else:
            row = -1
        self.setCurrentIndex(self.sessions.index(max(0, row), 0))
        self.session_changed.emit(self.current())

    def on_sorted(self, column: int, direction: Qt.SortOrder) -> None:
        self.sessions.column = column
        self.sessions.is_descending = direction == Qt.SortOrder.DescendingOrder
        self.sessions.arrange()
        self._reselect()

    def on_current(self, current: QModelIndex) -> None:
        row = self.sessions.session_at(current.row())
        if row is not None:
            self._path = row.path
            self.session_changed.emit(row)

    def on_opened(self) -> None:
        if (row := self.current()) is not None:
            self.chosen.emit(row.path)


_NAVIGATION_KEYS = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
)
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
        if 0 <= number < len(self._names):
            return self._names[number]
        return ""

    def choose(self, agent: str) -> None:
        if agent in self._names:
            self._group.button(self._names.index(agent)).click()
            self._fit()

    def show_counts(self, counts: list[tuple[str, int]], total: int) -> None:
        agent = self.agent
        buttons = self._group.buttons()
        self._names = ["", *(name for name, _ in counts[:_MAX_AGENTS])]
        while len(buttons) < len(self._names):
            button = push_button("", "small")
            button.setCheckable(True)
            self._group.addButton(button, len(buttons))
            self._row.addWidget(button)
            buttons = self._group.buttons()
        texts = [
            f"{tr('All agents')} {total:,}",
            *(f"{name} {count:,}" for name, count in counts),
        ]
        for shown, text in zip(buttons, texts, strict=False):
            shown.setText(text)
        self._group.button(
            self._names.index(agent) if agent in self._names else 0
        ).setChecked(True)
        self.updateGeometry()
        self._fit()

    def sizeHint(self) -> QSize:
        widths = [
            button.sizeHint().width()
            for button in self._group.buttons()[: len(self._names)]
        ]
        return QSize(sum(widths) + _CHIP_GAP * len(widths), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show the pressed button, and of the others the first that fit whole."""
        pressed = self._group.checkedButton()
        room = self.width()
        room -= 0 if pressed is None else pressed.sizeHint().width()
        for number, button in enumerate(self._group.buttons()):
            room -= 0 if button is pressed else _CHIP_GAP + button.sizeHint().width()
            button.setVisible(
                button is pressed or (number < len(self._names) and room >= 0)
            )


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
        self.search = QLineEdit(
            placeholderText=f"{tr(_SEARCH)}   Ctrl F", clearButtonEnabled=True
        )
        self.search.setAccessibleName(tr(_SEARCH))
        self.search.setMinimumWidth(270)
        self.search.setToolTip(
            tr("Shows the sessions that have all these words (Ctrl F).")
        )
        self.compacted = QCheckBox()
        self.notify = QCheckBox(tr("notify at the trigger"))
        self.notify.setToolTip(
            tr("Tells you when a session that an agent is writing reaches its trigger.")
        )
        self._at_trigger: set[str] = set()  # sessions that were already reported
        self._live_timer = QTimer(self, interval=LIVE_MS)
        self.state_label = text_label(tr("Looking…"), "secondary")
        self.table = SessionTable()
        self.agents = AgentChips()
        self._stack = QStackedWidget()
        self.prompt = ElidedLabel("", "strong")
        self.about = ElidedLabel("", "secondary")
        self.trigger_distance = ToneLabel()
        self.compare = push_button(tr("Compare strategies"))
        self.open = push_button(tr("Open  Enter"), "primary")
        self._folders_label = text_label("", "quiet")
        self._details = push_button(tr("details"), "link")
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.compare.setToolTip(
            tr("Open this session and compare what each strategy makes of it.")
        )
        self.open.setToolTip(tr("Open this session (Enter)."))
        title = text_label(tr("Sessions on this machine"), "strong")
        head = line_of_widgets(
            title, self.state_label, None, self.search, gap=8, padding=6
        )
        self._filters = line_of_widgets(
            self.agents, None, self.notify, self.compacted, gap=8, padding=6
        )
        texts = column_of(self.prompt, self.about, self.trigger_distance, gap=2)
        self._footer = QFrame()
        self._footer.setProperty("role", "foot")
        foot = row_of(
            texts, self.compare, self.open, margins=(12, 8, 12, 8), stretched=texts
        )
        self._footer.setLayout(foot)
        other_folder = push_button(tr("Look in another folder…"), "link")
        other_folder.clicked.connect(self.open_folder)
        bottom = line_of_widgets(
            self._folders_label,
            self._details,
            None,
            other_folder,
            role="foot",
            gap=8,
            padding=2,
        )
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty())
        self.setLayout(
            column_of(
                head,
                self._filters,
                self._stack,
                self._footer,
                bottom,
                stretched=self._stack,
            )
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
        self._listing = self._client.call(
            self, SessionService.sessions, self._folders
        ).progress(self.show_part)
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
        folder = QFileDialog.getExistingDirectory(
            self, tr("Look for transcripts in a folder")
        )
        if folder:
            self.list_folder(folder)

    def show_part(self, session_rows: SessionRows) -> None:
        if session_rows.is_new:
            self._last_messages.clear()
        self._total = session_rows.total
        self._is_over = session_rows.is_over
        self._problems = session_rows.problems
        self.table.put(
            session_rows.start, session_rows.rows, begins=session_rows.is_new
        )
        self._folders_label.setText(session_rows.foot)
        self._details.setVisible(bool(session_rows.problems))
        self.empty_label.setText(session_rows.searched)
        self._refresh()
        if (
            session_rows.is_over and self._last_message_timer.isActive()
        ):  # nothing else is to be read
            self._last_message_timer.stop()
            self._load_last_message()

    def _look_at_live(self) -> None:
        """Measure the sessions that agents write, while they are shown or a notice is wanted."""
        if (self.isVisible() or self.notify.isChecked()) and self._client.is_up_to_date:
            self._client.call(self, SessionService.live, self._folders).progress(
                self.show_live
            )

    def show_live(self, row: SessionRow) -> None:
        self.table.put_live(row)
        self._refresh()
        if (
            row.trigger.is_reached
            and row.path not in self._at_trigger
            and self.notify.isChecked()
        ):
            title = tr("{project} has reached its trigger.").format(
                project=row.project or row.agent
            )
            action = NoticeAction(tr("Open"), "open", row.path)
            self.notice.emit(
                Notice(
                    "warning", title, row.trigger.distance, (action,), topic=row.path
                )
            )
            QApplication.alert(self.window())
        (self._at_trigger.add if row.trigger.is_reached else self._at_trigger.discard)(
            row.path
        )

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._listing is not None:
            self._listing.stop()

    def _refresh(self) -> None:
        model = self.table.sessions
        self.agents.show_counts(model.agent_counts, len(model.rows))
        compacted = sum(row.has_recorded for row in model.rows)
        self.compacted.setText(
            tr("only compacted ones ({count:,})").format(count=compacted)
        )
        for widget in (self._filters, self._footer):
            widget.setVisible(bool(model.rows))
        self._stack.setCurrentIndex(int(not model.rows))
        shown = model.rowCount()
        total = max(len(model.rows), self._total)
        if shown == total:
            count = f"{shown:,}"
        else:
            count = tr("{shown:,} of {total:,}").format(shown=shown, total=total)
        if model.rows:
            if self._is_over:
                reading = ""
            else:
                reading = tr("still reading")
            self.state_label.setText(
                ", ".join(filter(None, (count, model.order_text, reading)))
            )
        else:
            self.state_label.setText(
                tr("none found") if self._is_over else tr("Looking…")
            )
        if not self._is_over and not model.rows:
            self.empty_label.setText("")

    # The current session

    def show_last_message(self, path: str, text: str) -> None:
        self._last_messages[path] = text
        row = self.table.current()
        if row is not None and row.path == path:
            self._on_session_changed(row)

    def _on_session_changed(self, row: SessionRow | None) -> None:
        if row is not None:
            last_message = self._last_messages.get(row.path)
        else:
            last_message = ""
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
                (row.problem, "error")
                if row.problem
                else (row.trigger.distance, row.context.tone)
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
            self.agents.agent,
            self.search.text(),
            only_compacted=self.compacted.isChecked(),
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
            Notice(
                "warning", title, self._problems[0], details=details, topic="sessions"
            )
        )

"""The command bar over the top of the window: actions and choices by name, and lines with completion."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.presentation.settings.model import CompletionList
from gui.actions import ActionSet
from gui.language import tr
from gui.palette.command_field import CommandField
from gui.palette.command_history import CommandHistory
from gui.palette.offer_list import SuggestionList
from gui.palette.offers import CommandFinder, Suggestion, completed_text, is_line, line_suggestions
from gui.widgets.basic_widgets import text_label
from gui.widgets.dialog_messages import SentenceList
from gui.widgets.icons import glyph_pixmap
from gui.widgets.pickers import ChoiceSource
from gui.widgets.theme import Theme, scaled_pixels

PROBLEM_MS = 250
"""Pause before an unfinished line is marked as wrong."""
_BAR_WIDTH, _TOP, _MARGIN = 680, 56, 24


class CommandBar(QFrame):
    """Enter runs, Tab completes, Up and Down move and browse the history, Esc closes."""

    action_chosen = Signal(str)
    picked = Signal(str, str)  # kind of a ChoiceSource, and the value
    line_entered = Signal(str)
    complete_requested = Signal(str, int)
    closed = Signal()

    def __init__(self, window: QWidget, actions: ActionSet, theme: Theme) -> None:
        super().__init__(window)
        self.setProperty("role", "bar")
        self.setAccessibleName(tr("Command bar"))
        self._window, self._finder = window, CommandFinder(actions)
        self._history = CommandHistory()
        self._completions = CompletionList("", 0, ())
        self._previous_focus: QWidget | None = None
        self._icon, self.field, self.list = QLabel(), CommandField(self), SuggestionList(self)
        self.message_list = SentenceList()
        self._key_hint = text_label(
            tr("Enter does it · Tab completes · ↑ ↓ move, and go through the history"), "quiet"
        )
        self._problem_timer = QTimer(self, singleShot=True, interval=PROBLEM_MS)
        self._problem_timer.timeout.connect(self._show_problem)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.hide()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(14, 6, 14, 6)
        top.setSpacing(10)
        top.addWidget(self._icon)
        top.addWidget(self.field, 1)
        rule, lower = QFrame(), QVBoxLayout()
        rule.setProperty("role", "rule")
        lower.setContentsMargins(14, 6, 14, 8)
        lower.addWidget(self.message_list)
        lower.addWidget(self._key_hint)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(rule)
        column.addWidget(self.list)
        column.addLayout(lower)

    def _connect(self) -> None:
        self.field.textEdited.connect(self._on_edited)
        self.field.cursorPositionChanged.connect(self._on_cursor)
        self.field.escaped.connect(self.close_bar)
        self.field.focus_left.connect(self._on_focus_left)
        self.field.entered.connect(self._on_entered)
        self.field.completed.connect(self._on_completed)
        self.field.moved_up.connect(self._on_up)
        self.field.moved_down.connect(self._on_down)
        self.list.suggestion_chosen.connect(self._choose)
        self._window.installEventFilter(self)

    def set_theme(self, theme: Theme) -> None:
        self._icon.setPixmap(glyph_pixmap("search", theme.text2, 14, self.devicePixelRatioF()))
        self.list.set_theme(theme)
        self.message_list.set_theme(theme)

    def open_bar(self, text: str = "", picks: tuple[ChoiceSource, ...] = ()) -> None:
        """Show the bar with a text in its field and the current choices; if it is open, close it."""
        if self.isVisible():
            self.close_bar()
            return
        self._previous_focus, self._finder.choice_sources = self._window.focusWidget(), picks
        self._history.stop_browsing()
        self.show()
        self.raise_()
        self.show_text(text)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_bar(self) -> None:
        if self.isVisible():
            with QSignalBlocker(self.field):
                self.hide()
            if self._previous_focus is not None:
                self._previous_focus.setFocus(Qt.FocusReason.OtherFocusReason)
            self._previous_focus = None
            self.closed.emit()

    def show_text(self, text: str) -> None:
        with QSignalBlocker(self.field):
            self.field.setText(text)
        self._refresh()

    def show_completions(self, completions: CompletionList) -> None:
        """List the completions at the cursor; answers to an older text are dropped."""
        text = self.field.text()
        if not self.isVisible() or completions.text != text:
            return
        self._completions = completions
        if is_line(text):
            self.list.show_offers(line_suggestions(completions), mark=False)
            self._problem_timer.start()
            if not completions.problem:
                self._show_problem()
        elif not text:
            self._list_actions()
        self._fit_to_window()

    def _refresh(self) -> None:
        text = self.field.text()
        self._completions = CompletionList("", 0, ())
        self._problem_timer.stop()
        if not is_line(text):
            self._show_message("")
            self._list_actions()
        if is_line(text) or not text:
            self.complete_requested.emit(text, self.field.cursorPosition())
        self._fit_to_window()

    def _list_actions(self) -> None:
        """List actions; before anything is typed, the commands of lines first."""
        text = self.field.text()
        offers = self._finder.find(text)
        if not text:
            offers = (*line_suggestions(self._completions), *offers)
        self.list.show_offers(offers, mark=bool(text))
        if text.strip() and not offers:
            self._show_message(self._finder.no_match_reason(text), "info")

    def _show_problem(self) -> None:
        self._show_message(self._completions.problem, "error")

    def _show_message(self, text: str, tone: str = "") -> None:
        self.message_list.show_sentences(((tone, text, ""),) if text else ())
        self._key_hint.setVisible(not text)
        self._fit_to_window()

    def _on_edited(self) -> None:
        self._history.stop_browsing()
        self._refresh()

    def _on_cursor(self, before: int, now: int) -> None:
        """The cursor moved inside a line: request its completions."""
        if is_line(self.field.text()) and self._completions.text == self.field.text():
            self.complete_requested.emit(self.field.text(), now)

    def _on_focus_left(self) -> None:
        self._previous_focus = None
        self.close_bar()

    def _on_entered(self) -> None:
        text, offer = self.field.text().strip(), self.list.current
        if offer is not None:
            self._choose(offer)
        elif is_line(text):
            self._send_line(text)

    def _send_line(self, text: str) -> None:
        """Send a line; if it is known to be wrong, show why and stay open."""
        if self._completions.text.strip() == text and self._completions.problem:
            self._problem_timer.stop()
            self._show_problem()
            return
        self._history.add(text)
        self.close_bar()
        self.line_entered.emit(text)

    def _choose(self, offer: Suggestion) -> None:
        if not offer.action and offer.pick is None:
            self._insert(offer)
            return
        self.close_bar()
        if offer.pick is not None:
            self.picked.emit(*offer.pick)
        else:
            self.action_chosen.emit(offer.action)

    def _insert(self, offer: Suggestion) -> None:
        text, cursor = self.field.text(), self.field.cursorPosition()
        new_text, position = completed_text(text, cursor, self._completions.start, offer.insert)
        with QSignalBlocker(self.field):
            self.field.setText(new_text)
            self.field.setCursorPosition(position)
        self._history.stop_browsing()
        self._refresh()
        self.field.setFocus()

    def _on_completed(self) -> None:
        """Insert the marked completion, else the first one."""
        offers = [offered for offered in self.list.offers if offered.insert]
        offer = self.list.current or (offers[0] if offers else None)
        if offer is not None and offer.insert:
            self._insert(offer)
        elif offer is not None:
            self.show_text(offer.title)

    def _on_up(self) -> None:
        if self.list.currentRow() > 0 and not self._history.is_browsing:
            self.list.setCurrentRow(self.list.currentRow() - 1)
        elif self.list.currentRow() == 0 and is_line(self.field.text()) and not self._history.is_browsing:
            self.list.setCurrentRow(-1)
        elif (line := self._history.previous_line(self.field.text())) is not None:
            self.show_text(line)

    def _on_down(self) -> None:
        if (line := self._history.next_line()) is not None:
            self.show_text(line)
        elif self.list.currentRow() + 1 < len(self.list.offers):
            self.list.setCurrentRow(self.list.currentRow() + 1)

    def _fit_to_window(self) -> None:
        width = min(scaled_pixels(_BAR_WIDTH, self.font()), self._window.width() - 2 * _MARGIN)
        self.setFixedWidth(max(1, width))
        height = self.heightForWidth(width)  # adjustSize would make messages as narrow as possible
        self.resize(width, height if height > 0 else self.sizeHint().height())
        self.move((self._window.width() - width) // 2, _TOP)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._fit_to_window()
        return super().eventFilter(watched, event)

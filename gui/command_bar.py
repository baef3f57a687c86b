"""The command bar over the top of the window: everything by its visible name, and lines with
completion."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QHeaderView, QLineEdit, QWidget

from core.app.remote_methods import SettingsService
from core.presentation.dialog_model import CompletionList, SettingsPage
from core.presentation.model import Notice, PickerChoice
from gui.actions import ACTIONS, ActionSet
from gui.backend import BackendClient
from gui.language import tr
from gui.widgets.basic_widgets import rule, text_label
from gui.widgets.icons import GlyphLabel, glyph_icon
from gui.widgets.message_row import NoticeList
from gui.widgets.pickers import ChoiceSource
from gui.widgets.row_tree import RowTree
from gui.widgets.theme import current_theme, mono_font_for, scaled_pixels
from gui.widgets.view_layout import column_of, row_of

# What the command bar lists: actions and choices that match the text, and completions of a line.


ACTION, MESSAGE = "action", "message"
"""Kinds of what can be picked, besides those of the sources."""
_OWN_ACTION = "command"
"""The action that opens the bar."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One row: ``pick`` is a kind and a value; without it ``insert`` completes the line. ``is_on``:
    it is chosen already."""

    title: str
    about: str
    note: str = ""
    insert: str = ""
    pick: tuple[str, str] | None = None
    is_on: bool = False


def is_line(text: str) -> bool:
    """True for a line of the core; other texts are searched for."""
    return text.lstrip().startswith("/")


def suggestions(
    text: str,
    enabled: Iterable[str],
    checked: Collection[str] = (),
    sources: Iterable[ChoiceSource] = (),
) -> tuple[Suggestion, ...]:
    """Return the enabled actions, and for a non-empty text the choices, that contain every word of
    ``text``; exact and prefix matches first."""
    words = text.casefold().split()
    matches = [
        *_actions(words, set(enabled), checked),
        *(_choices(words, sources) if words else ()),
    ]
    matches.sort(
        key=lambda match: _rank(match[0].casefold(), match[1].title.casefold(), words)
    )
    return tuple(offer for _, offer in matches)


def _rank(name: str, title: str, words: list[str]) -> int:
    """Rank exact names first, then prefixes, then titles that contain the words, then the rest."""
    typed = " ".join(words)
    if name == typed:
        return 0
    if name.startswith(typed) or title.startswith(typed):
        return 1
    return 2 if all(word in title for word in words) else 3


def _actions(
    words: list[str], enabled: set[str], checked: Collection[str]
) -> Iterator[tuple[str, Suggestion]]:
    """Yield the matching actions, each with its bare name."""
    for row in ACTIONS:
        name = tr(row.text).removesuffix("…").rstrip()
        tip = tr(row.tip)
        if row.group:
            title = f"{tr(row.group)}: {name}"
        else:
            title = name
        if row.id in enabled and _contain_words((title, tip, tr(row.menu)), words):
            if row.keys:
                key = row.keys[0]
            else:
                key = ""
            yield (
                name,
                Suggestion(
                    title, tip, key, pick=(ACTION, row.id), is_on=row.id in checked
                ),
            )


def _choices(
    words: list[str], sources: Iterable[ChoiceSource]
) -> Iterator[tuple[str, Suggestion]]:
    """Yield the matching choices, each with its bare name."""
    for source in sources:
        for choice in source.choices:
            title = f"{source.name}: {choice.label}"
            if _contain_words((title, choice.value, choice.hint, source.kind), words):
                pick = (source.kind, choice.value)
                is_on = choice.value == source.current
                yield (
                    choice.label,
                    Suggestion(title, choice.hint, pick=pick, is_on=is_on),
                )


def _contain_words(texts: Iterable[str], words: list[str]) -> bool:
    text = " ".join(texts).casefold()
    return all(word in text for word in words)


def line_suggestions(completions: CompletionList) -> tuple[Suggestion, ...]:
    return tuple(
        Suggestion(title, about, insert=insert)
        for insert, title, about in completions.entries
    )


def completed_text(text: str, cursor: int, start: int, insert: str) -> tuple[str, int]:
    """Replace the word at the cursor by ``insert``; return the text and the cursor's place."""
    end = cursor
    while end < len(text) and not text[end].isspace():
        end += 1
    if insert.endswith(" ") and text[end : end + 1] == " ":
        end += 1
    return text[:start] + insert + text[end:], start + len(insert)


class CommandFinder:
    """Searches a window's actions in their current state, the messages by number, and choices."""

    def __init__(self, actions: ActionSet) -> None:
        self._actions = actions
        self.sources: tuple[ChoiceSource, ...] = ()
        self.message_count = 0

    def find(self, text: str) -> tuple[Suggestion, ...]:
        """Return the enabled actions and the choices that match; all actions for an empty text."""
        shown = [
            (row.id, self._actions[row.id]) for row in ACTIONS if row.id != _OWN_ACTION
        ]
        enabled = [id for id, action in shown if action.isEnabled()]
        checked = [id for id, action in shown if action.isChecked()]
        return (
            *self._message(text),
            *suggestions(text, enabled, checked, self.sources),
        )

    def _message(self, text: str) -> tuple[Suggestion, ...]:
        match = re.fullmatch(r"#?(\d{1,9})", text.strip())
        if match is None or not 1 <= int(match[1]) <= self.message_count:
            return ()
        number = str(int(match[1]))
        about = tr("The message with this number.")
        return (
            Suggestion(
                tr("Go to #{number}").format(number=number),
                about,
                pick=(MESSAGE, number),
            ),
        )

    def no_match_reason(self, text: str) -> str:
        disabled = [row.id for row in ACTIONS if not self._actions[row.id].isEnabled()]
        matches = suggestions(text, disabled)
        if matches and (pick := matches[0].pick) is not None:
            reason = self._actions.disabled_reason(pick[1])
            return tr("{title}: not now. {why}").format(
                title=matches[0].title, why=reason
            )
        return tr("No match for “{text}”").format(text=text.strip())


class CommandHistory:
    """Browses older lines; the text being typed follows the newest."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._position = 0
        self._typed = ""

    @property
    def is_browsing(self) -> bool:
        return self._position < len(self._lines)

    def add(self, line: str) -> None:
        """Add an entered line as the newest of at most a hundred."""
        self._lines = [*(older for older in self._lines if older != line), line][-100:]
        self.stop_browsing()

    def stop_browsing(self) -> None:
        self._position = len(self._lines)

    def previous_line(self, typed_text: str) -> str | None:
        """Return the previous line; None at the oldest."""
        if not self.is_browsing:
            self._typed = typed_text
        if self._position == 0:
            return None
        self._position -= 1
        return self._lines[self._position]

    def next_line(self) -> str | None:
        """Return the next line, finally the typed text; None if nothing is browsed."""
        if not self.is_browsing:
            return None
        self._position += 1
        return self._lines[self._position] if self.is_browsing else self._typed


# The command bar over the top of the window: everything by its visible name, and lines with
# completion.


PROBLEM_MS = 250
"""Pause before an unfinished line is marked as wrong."""
_MAX_ROWS, _TITLE_SHARE = 10, 0.3
_BAR_WIDTH, _TOP, _MARGIN = 680, 56, 24
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_KEYS = (Qt.Key.Key_Tab, Qt.Key.Key_Up, Qt.Key.Key_Down)


class CommandField(QLineEdit):
    """Handles its keys before the window's shortcuts and the focus chain do."""

    key_pressed = Signal(int)
    focus_left = Signal()
    focus_taken = Signal()  # by the program, not by the user

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.setPlaceholderText(
            tr("Search actions, settings, messages; / begins a command")
        )
        self.setAccessibleName(tr("Command"))

    def event(self, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        ):
            is_own = event.key() in (Qt.Key.Key_Escape, *_ENTER, *_KEYS)
            if is_own and event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if is_own and event.type() == QEvent.Type.KeyPress:
                self.key_pressed.emit(event.key())
                return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Emits ``focus_left``, unless a menu or another window has the focus."""
        super().focusOutEvent(event)
        if event.reason() == Qt.FocusReason.OtherFocusReason:
            self.focus_taken.emit()
            return
        passing = (
            Qt.FocusReason.PopupFocusReason,
            Qt.FocusReason.ActiveWindowFocusReason,
        )
        if event.reason() not in passing:
            self.focus_left.emit()


class SuggestionList(RowTree):
    """Title, description and key of each suggestion. It never has the focus: the field moves
    through it."""

    suggestion_chosen = Signal(object)  # Suggestion

    def __init__(self) -> None:
        super().__init__(tr("Actions and completions"), 3, 1, role="")
        self.offers: tuple[Suggestion, ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        self.itemClicked.connect(self._on_clicked)

    @property
    def current(self) -> Suggestion | None:
        if self.row >= 0:
            return self.offers[self.row]
        return None

    def show_offers(self, offers: tuple[Suggestion, ...], *, mark: bool) -> None:
        """List these offers; ``mark`` marks the first."""
        self.clear()
        self.offers = offers
        theme = current_theme()
        mono = mono_font_for(self.font())
        for offer in offers:
            key = (
                QKeySequence(offer.note).toString(
                    QKeySequence.SequenceFormat.NativeText
                )
                or offer.note
            )
            if offer.is_on:
                title = tr("{title} (chosen)").format(title=offer.title)
            else:
                title = offer.title
            spoken = f"{title}: {offer.about}"
            font = mono if offer.insert else None
            item = self.add_row(
                (offer.title, offer.about, key), spoken=spoken, fonts=(font,)
            )
            item.setForeground(1, theme.text2)
            if offer.is_on:
                item.setIcon(2, glyph_icon("ok", theme.accent_text))
            for column in range(3):
                item.setToolTip(column, spoken)
        self.select_row(0 if mark and offers else -1)
        title_width = max(round(self.width() * _TITLE_SHARE), self.sizeHintForColumn(0))
        self.setColumnWidth(0, min(title_width, self.width() // 2))
        self.setFixedHeight(
            min(_MAX_ROWS, len(offers)) * (self.fontMetrics().height() + 10)
        )
        self.setVisible(bool(offers))

    def _on_clicked(self) -> None:
        self.suggestion_chosen.emit(self.current)


class CommandBar(QFrame):
    """Enter runs, Tab completes, Up and Down move and browse the history, Esc closes."""

    picked = Signal(str, str)  # kind and value of a choice that is no action
    closed = Signal()

    def __init__(
        self,
        window: QWidget,
        client: BackendClient,
        actions: ActionSet,
        help_pages: tuple[PickerChoice, ...] = (),
    ) -> None:
        super().__init__(window)
        self.setProperty("role", "bar")
        self.setAccessibleName(tr("Command bar"))
        self._window, self._client, self._actions = window, client, actions
        self._finder = CommandFinder(actions)
        self._history = CommandHistory()
        self._help = ChoiceSource("help", tr("Help"), help_pages, None)
        self._completions = CompletionList("", 0, ())
        self._previous_focus: QWidget | None = None
        self.field = CommandField(self)
        self.list = SuggestionList()
        self.message_list = NoticeList()
        self._key_hint = text_label(
            tr("Enter chooses · Tab completes · ↑ ↓ move, and go through the history"),
            "quiet",
        )
        self._problem_timer = QTimer(self, singleShot=True, interval=PROBLEM_MS)
        self._problem_timer.timeout.connect(self._show_problem)
        self._focus_timer = QTimer(self, singleShot=True, interval=0)
        self._focus_timer.timeout.connect(self._take_focus_back)
        self._lay_out()
        self._connect()
        self.hide()

    def _lay_out(self) -> None:
        search = GlyphLabel("search", size=14)
        top = row_of(
            search, self.field, margins=(14, 6, 14, 6), gap=10, stretched=self.field
        )
        lower = column_of(
            self.message_list, self._key_hint, margins=(14, 6, 14, 8), gap=6
        )
        self.setLayout(column_of(top, rule(), self.list, lower, margins=(1, 1, 1, 1)))

    def _connect(self) -> None:
        self.field.textEdited.connect(self._on_edited)
        self.field.cursorPositionChanged.connect(self._on_cursor)
        self.field.key_pressed.connect(self._on_key)
        self.field.focus_left.connect(self._on_focus_left)
        self.field.focus_taken.connect(self._focus_timer.start)
        self.list.suggestion_chosen.connect(self._choose)
        self._window.installEventFilter(self)

    def open_bar(
        self, text: str = "", sources: tuple[ChoiceSource, ...] = (), messages: int = 0
    ) -> None:
        """Show the bar with a text in its field, the current choices and the number of messages; if
        it is open, close it."""
        if self.isVisible():
            self.close_bar()
            return
        self._previous_focus = self._window.focusWidget()
        self._finder.sources = (*sources, self._help)
        self._finder.message_count = messages
        self._history.stop_browsing()
        self.show()
        self.raise_()
        self.show_text(text)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._client.call(self, SettingsService.page).done(self._on_settings)

    def _on_settings(self, page: SettingsPage) -> None:
        """Offer the settings by their labels, too."""
        controls = (control for group in page.groups for control in group.controls)
        choices = tuple(
            PickerChoice(control.key, control.label, control.help)
            for control in controls
        )
        self._finder.sources = (
            *self._finder.sources,
            ChoiceSource("setting", tr("Setting"), choices, None),
        )
        if self.isVisible() and self.field.text() and not is_line(self.field.text()):
            self._list_actions()

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

    def _complete(self, cursor: int) -> None:
        call = self._client.call(
            self, SettingsService.completions, self.field.text(), cursor
        )
        call.done(self.show_completions)

    def _refresh(self) -> None:
        text = self.field.text()
        self._completions = CompletionList("", 0, ())
        self._problem_timer.stop()
        if not is_line(text):
            self._list_actions()
        if is_line(text) or not text:
            self._complete(self.field.cursorPosition())
        self._fit_to_window()

    def _list_actions(self) -> None:
        """List what matches; before anything is typed, the commands of lines first."""
        text = self.field.text()
        offers = self._finder.find(text)
        if not text:
            offers = (*line_suggestions(self._completions), *offers)
        self.list.show_offers(offers, mark=bool(text))
        self._show_message(
            self._finder.no_match_reason(text) if text.strip() and not offers else "",
            "info",
        )

    def _show_problem(self) -> None:
        self._show_message(self._completions.problem, "error")

    def _show_message(self, text: str, severity: str) -> None:
        self.message_list.show_notices((Notice(severity, "", text),) if text else ())
        self._key_hint.setVisible(not text)
        self._fit_to_window()

    def _on_edited(self) -> None:
        self._history.stop_browsing()
        self._refresh()

    def _on_cursor(self, before: int, now: int) -> None:
        """The cursor moved inside a line: request its completions."""
        if is_line(self.field.text()) and self._completions.text == self.field.text():
            self._complete(now)

    def _take_focus_back(self) -> None:
        """Keep the focus while a file is opened behind the bar; what got it has it once the bar
        closes."""
        focused = self._window.focusWidget()
        if self.isVisible() and focused is not self.field:
            self._previous_focus = focused
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_focus_left(self) -> None:
        self._previous_focus = None
        self.close_bar()

    def _on_key(self, key: int) -> None:
        if key in _ENTER:
            self._on_entered()
        else:
            slots = (self._on_completed, self._on_up, self._on_down)
            dict(zip(_KEYS, slots, strict=True)).get(Qt.Key(key), self.close_bar)()

    def _on_entered(self) -> None:
        text = self.field.text().strip()
        offer = self.list.current
        if offer is not None:
            self._choose(offer)
        elif is_line(text):
            self._send_line(text)

    def _send_line(self, text: str) -> None:
        """Send a line, completed where one completion is offered; if it is known to be wrong, show
        why and stay open."""
        is_answered = self._completions.text.strip() == text
        if is_answered and self._completions.problem:
            self._problem_timer.stop()
            self._show_problem()
            return
        if is_answered and len(self.list.offers) == 1:
            self._insert(self.list.offers[0])
            if self.field.text().endswith(" "):  # a value is still missing
                return
            text = self.field.text().strip()
        self._history.add(text)
        self.close_bar()
        self._client.call(self, SettingsService.run_line, text).done(
            self._client.tell_aimed
        )

    def _choose(self, offer: Suggestion) -> None:
        if offer.pick is None:
            self._insert(offer)
            return
        self.close_bar()
        kind, value = offer.pick
        if kind == ACTION:
            self._actions.trigger(value)
        else:
            self.picked.emit(kind, value)

    def _insert(self, offer: Suggestion) -> None:
        text = self.field.text()
        cursor = self.field.cursorPosition()
        new_text, position = completed_text(
            text, cursor, self._completions.start, offer.insert
        )
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
        row, is_browsing = self.list.row, self._history.is_browsing
        if not is_browsing and (row > 0 or (row == 0 and is_line(self.field.text()))):
            self.list.select_row(row - 1)
        elif (line := self._history.previous_line(self.field.text())) is not None:
            self.show_text(line)

    def _on_down(self) -> None:
        if (line := self._history.next_line()) is not None:
            self.show_text(line)
        elif self.list.row + 1 < len(self.list.offers):
            self.list.select_row(self.list.row + 1)

    def _fit_to_window(self) -> None:
        width = min(
            scaled_pixels(_BAR_WIDTH, self.font()), self._window.width() - 2 * _MARGIN
        )
        self.setFixedWidth(max(1, width))
        height = self.heightForWidth(
            width
        )  # adjustSize would make messages as narrow as possible
        self.resize(width, height if height > 0 else self.sizeHint().height())
        self.move((self._window.width() - width) // 2, _TOP)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._fit_to_window()
        return super().eventFilter(watched, event)

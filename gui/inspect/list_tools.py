"""Actions on messages: marks, pins, copies, filter, going from change to change, and the row's
menu."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from contextlib import suppress
from typing import Any, Protocol

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit, QTextEdit

from core.app.remote_methods import MessageListService, MustService
from core.common.errors import InputError
from core.common.number_format import span
from core.presentation.filter_query import (
    USER_MARK_KEYS,
    FilterMatches,
    UserMarks,
    carried_mask,
    parse_filter,
    tool_at,
    tool_term,
)
from core.presentation.lists.row_plan import (
    MessageCopy,
    RowFlag,
    adjacent_change,
    change_words,
    matches_words,
    stretch_query,
    stretch_words,
)
from core.presentation.model import Notice
from core.presentation.screen_model import Screen
from gui.backend import BackendClient
from gui.inspect.lists.aligned_list import AlignedList
from gui.inspect.lists.row_parts import NO_MATCH, MatchedText
from gui.inspect.ruler.ruler_widget import Ruler
from gui.language import tr


class FilterController(QObject):
    """Requests the matches of the query, and again if the preview changes."""

    needle_changed = Signal(str)  # what is looked for, "" for nothing

    def __init__(
        self, backend: BackendClient, lists: AlignedList, ruler: Ruler
    ) -> None:
        super().__init__(lists)
        self._backend, self._lists, self._ruler = backend, lists, ruler
        self._bar = lists.filter_bar
        self._query = ""
        self._before_mask = b""
        self.masks: tuple[bytes, bytes] = (b"", b"")
        self._stretch = (-1, -1)
        self._bar.filter_requested.connect(self._on_query)
        self._bar.stretch_closed.connect(self._on_stretch_closed)
        ruler.stretch_changed.connect(self._on_stretch)
        self._bar.closed.connect(self._focus_list)
        self._bar.entered.connect(self._focus_list)
        backend.screen.connect(self._on_screen)

    def open_bar(self, text: str | None = None) -> None:
        """Show the bar; ``text`` is searched at once."""
        self._bar.open_bar(text)

    def clear(self) -> None:
        self._ruler.select_stretch(-1, -1)
        self._bar.clear()

    def _on_stretch(self, first: int, end: int) -> None:
        """Show only the messages of a stretch, among them those that the query lets through."""
        self._stretch = (first, end)
        if end > first:
            name = span(first, end)
        else:
            name = ""
        rows = self._lists.rows
        self._bar.show_stretch(
            name, tr(stretch_words(rows, first, end)) if name else ""
        )
        self._on_query(self._bar.text)

    def _on_stretch_closed(self) -> None:
        self._ruler.select_stretch(-1, -1)

    def _on_query(self, text: str) -> None:
        first, end = self._stretch
        if end > first:
            text = stretch_query(text, first, end)
        self._query = text
        if text:
            self._request()
        else:
            self._show(b"", b"")
            self._show_match(NO_MATCH)

    def _show_match(self, match: MatchedText) -> None:
        self._lists.set_match(match)
        self.needle_changed.emit(match.needle)

    def _request(self) -> None:
        call = self._backend.call(self, MessageListService.filter, self._query)
        call.done(self._on_matches).failed(self._on_refused)

    def _on_screen(self, screen: Screen) -> None:
        """Show the previous matches of source messages until those of the new preview arrive."""
        if not self._query:
            return
        if len(self._before_mask) == len(screen.source.rows):
            self._show(
                self._before_mask, carried_mask(self._before_mask, screen.result.origin)
            )
        if not screen.provisional:
            self._request()

    def _on_matches(self, matches: FilterMatches) -> None:
        if self._query:
            self._show(matches.before, matches.after)
            self._show_match(MatchedText(matches.needle, matches.begins))
            words = matches_words(matches.before, matches.after, matches.needle)
            self._bar.show_matches(tr(words), matches.tools)

    def _on_refused(self, notice: Notice) -> None:
        if self._query:
            self._bar.show_reason(notice.title, notice.text)

    def on_marks_changed(self) -> None:
        """Marks, pins or notes changed, which the query may ask for."""
        with suppress(InputError):  # an invalid query matches none of them
            if any(
                term.key in USER_MARK_KEYS for term in parse_filter(self._query).terms
            ):
                self._request()

    def _show(self, before: bytes, after: bytes) -> None:
        self._before_mask, self.masks = before, (before, after)
        self._lists.set_masks(before, after)
        self._ruler.set_matches(before)

    def _focus_list(self) -> None:
        self._lists.setFocus()


ROW_MENU = (
    "copy-json",
    "copy-markdown",
    "",
    "mark",
    "pin-keep",
    "pin-drop",
    "must-keep",
    "note",
    "put-back",
    "other-end",
    "",
    "filter-tool",
)
"""Actions of a row's menu by id; an empty id is a separator."""


class MessagePage(Protocol):
    """The page whose messages the tools work on."""

    lists: AlignedList
    ruler: Ruler
    selection_changed: Any  # a signal without arguments

    @property
    def preview(self) -> Screen | None:
        """The screen that is shown."""

    @property
    def selected(self) -> tuple[str, int]:
        """Side and index of the selected message; -1 for none."""

    def go_to(self, side: str, index: int) -> None:
        """Select a message and bring it into sight."""


def selected_words() -> str:
    """Return the words that are selected in the text that has the focus, "" for none."""
    focused = QApplication.focusWidget()
    if isinstance(focused, QTextEdit | QPlainTextEdit):
        return focused.textCursor().selectedText().replace("\u2029", "\n").strip()
    return ""


class MessageTools(QObject):
    """Works on the selected message of a page. ``announced`` emits a sentence about what
    happened."""

    announced = Signal(str)
    marks_changed = Signal(object)  # UserMarks

    def __init__(self, page: MessagePage, backend: BackendClient) -> None:
        super().__init__(page.lists)
        self._page, self._backend, self._lists = page, backend, page.lists
        self._marks = UserMarks()
        self.filter_controller = FilterController(backend, page.lists, page.ruler)
        self.menu = QMenu(page.lists)
        backend.screen.connect(self._on_screen)
        page.selection_changed.connect(self._show_change_number)
        self._lists.change_steps.stepped.connect(self.step_change)
        self._lists.list.view.menu_requested.connect(self._show_menu)

    def clear(self) -> None:
        self.filter_controller.clear()
        self.show_marks(UserMarks())

    def _on_screen(self) -> None:
        self._show_change_number()

    # Changes

    def step_change(self, step: int) -> None:
        """Go to the next (1) or previous (-1) run of messages that are not kept, in the list."""
        screen = self._page.preview
        if screen is None:
            return
        side, index = self._starting_point(step)
        change = adjacent_change(screen.ruler.runs, side, index, step)
        if change is None:
            self.announced.emit(
                tr("No change after this one.")
                if step > 0
                else tr("No change before this one.")
            )
            return
        run = change.run
        if run.before[1] > run.before[0]:
            target = ("before", run.before[0])
        else:
            target = ("after", run.after[0])
        self._page.go_to(*target)
        self._lists.align_run(run)
        self.announced.emit(tr(change_words(change)))

    def step_match(self, step: int) -> None:
        """Go to the next (1) or previous (-1) message that the filter lets through, round the
        end; without a filter open its field."""
        if not any(self.filter_controller.masks):
            self.filter_controller.open_bar()
            return
        side, index = self._starting_point(step)
        mask = self.filter_controller.masks[side == "after"]
        if index < 0:
            if step > 0:
                index = -1
            else:
                index = len(mask)
        if step > 0:
            place = mask.find(1, index + 1)
        else:
            place = mask.rfind(1, 0, max(0, index))
        if place < 0:
            if step > 0:
                place = mask.find(1)
            else:
                place = mask.rfind(1)
        if place >= 0:
            self._page.go_to(side, place)

    def _starting_point(self, step: int) -> tuple[str, int]:
        """Return the starting point: the selected message, else the edge of the visible rows."""
        side, index = self._lists.list.current
        if index >= 0:
            return side, index
        model = self._lists.list.model
        start, end = self._lists.list.view.visible_range()
        return model.main.side, start - 1 if step > 0 else end

    def _show_change_number(self) -> None:
        screen = self._page.preview
        if screen is None:
            return
        side, index = self._lists.list.current
        if index >= 0:
            current_change = adjacent_change(screen.ruler.runs, side, index + 1, -1)
        else:
            current_change = None
        any_change = current_change or adjacent_change(
            screen.ruler.runs, "before", -1, 1
        )
        self._lists.change_steps.show_position(
            current_change.number if current_change else 0,
            any_change.total if any_change else 0,
        )

    # Marks

    def toggle_mark(self) -> None:
        side, index = self._page.selected
        if index >= 0:
            self._backend.call(self, MessageListService.toggle_mark, side, index).done(
                self.show_marks
            )

    def step_mark(self, step: int) -> None:
        """Go to the next (1) or previous (-1) marked message."""
        marked = sorted(self._lists.flagged_messages(RowFlag.MARK))
        side, index = self._starting_point(step)
        current = self._lists.source_of(side, index)
        if step > 0:
            position = bisect_right(marked, current)
        else:
            position = bisect_left(marked, current) - 1
        if 0 <= position < len(marked):
            self._page.go_to("before", marked[position])
            self.announced.emit(
                tr("Mark {place} of {count}").format(
                    place=position + 1, count=len(marked)
                )
            )
        else:
            self.announced.emit(
                tr("No mark there; M marks a message.")
                if marked
                else tr("No marks yet; M makes one.")
            )

    def show_marks(self, marks: UserMarks) -> None:
        if marks == self._marks:
            return
        self._marks = marks
        self._lists.set_flag(RowFlag.MARK, marks.marked)
        self._lists.set_flag(RowFlag.KEEP, marks.keep)
        self._lists.set_flag(RowFlag.DROP, marks.drop)
        self._lists.set_flag(RowFlag.NOTE, tuple(index for index, _ in marks.notes))
        self.filter_controller.on_marks_changed()
        self.marks_changed.emit(marks)

    # Pins

    def toggle_pin(self, kind: str) -> None:
        """Pin the selected message to be kept or to be dropped, or unpin it."""
        side, index = self._page.selected
        if index >= 0:
            self._set_pin(side, index, kind)

    def note(self) -> str | None:
        """The note of the selected message, "" for none; None if nothing is selected."""
        side, index = self._page.selected
        if index < 0:
            return None
        source = self._lists.source_of(side, index)
        return dict(self._marks.notes).get(source, "")

    def set_note(self, text: str) -> None:
        side, index = self._page.selected
        if index >= 0:
            self._set_pin(side, index, "note", text)

    def keep_source(self, message: int) -> None:
        """Pin a source message to be kept, or unpin it."""
        self._set_pin("before", message, "keep")

    def must_keep(self) -> None:
        """Judge results by the selected words, or by the selected message."""
        if words := selected_words():
            self.keep_text(words)
        else:
            self.keep_message()

    def keep_message(self) -> None:
        """Judge results by the sentences of the selected message."""
        side, index = self._page.selected
        if index >= 0:
            source = self._lists.source_of(side, index)
            self._backend.call(self, MustService.add_message, source).done(
                self._on_kept
            )

    def keep_text(self, text: str) -> None:
        self._backend.call(self, MustService.add, text).done(self._on_kept)

    def remove_must(self, text: str) -> None:
        self._backend.call(self, MustService.remove, text)

    def _on_kept(self, _: None) -> None:
        self.announced.emit(
            tr("Must keep: every result is checked for it. Ctrl Z takes this back.")
        )

    def pin_messages(self) -> None:
        """Pin every message of the person and every instruction."""
        self._backend.call(self, MessageListService.pin_messages).progress(
            self.show_marks
        )

    def _set_pin(self, side: str, index: int, kind: str, note: str = "") -> None:
        self._backend.call(
            self, MessageListService.set_pin, side, index, kind, note
        ).progress(self.show_marks)

    # Copies and the menu

    def copy(self, copy_format: str) -> None:
        side, index = self._page.selected
        if index >= 0:
            self._backend.call(
                self, MessageListService.copy, side, index, copy_format
            ).done(self._on_copied)

    def _on_copied(self, copied: MessageCopy) -> None:
        QGuiApplication.clipboard().setText(copied.text)
        self.announced.emit(copied.description)

    def filter_tool(self) -> None:
        """Show only calls and results of the selected message's tool."""
        side, index = self._page.selected
        if index < 0:
            return
        content = self._lists.list.model.side(side)
        name = tool_at(content.rows, content.pair_messages(index))
        if name:
            self.filter_controller.open_bar(tool_term(name))
        else:
            self.announced.emit(
                tr("This message neither calls a tool nor is the result of one.")
            )

    def _show_menu(self, position: QPoint) -> None:
        actions = {action.objectName(): action for action in self._lists.actions()}
        self.menu.clear()
        for name in ROW_MENU:
            if not name:
                self.menu.addSeparator()
            elif name in actions:
                self.menu.addAction(actions[name])
        if not self.menu.isEmpty():
            self.menu.popup(position)

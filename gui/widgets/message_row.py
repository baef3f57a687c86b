"""The row of messages above the status bar: one message at the left, running work at the right. It
is always there and always as high, so that nothing moves when something is said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QIntValidator,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QDialog,
    QFrame,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from core.common.crash_report import without_secrets
from core.presentation.model import Notice, NoticeAction
from gui.language import tr
from gui.widgets.basic_widgets import TONE_GLYPHS, push_button, show_dialog, text_label
from gui.widgets.icons import GlyphButton, GlyphLabel
from gui.widgets.text_labels import set_style_property
from gui.widgets.theme import current_theme, fit_dialog, mono_font_for, scaled_pixels
from gui.widgets.view_layout import column_of, remove_widget, row_of

# A notice as a strip of glyph, title, text and links; a column of them.


class NoticeFrame(QFrame):
    """A glyph, the words of a notice, and the links of its actions; a subclass lays out ``row``."""

    action_requested = Signal(str, str)  # name and argument of a NoticeAction
    row: QBoxLayout

    def __init__(self, role: str, link_role: str) -> None:
        super().__init__()
        self.setProperty("role", role)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.notice: Notice | None = None
        self.links: list[QPushButton] = []
        self._link_role = link_role
        self._icon = GlyphLabel(size=14)

    def set_links(self, actions: Sequence[NoticeAction], place: int) -> None:
        """Put the links of actions into the row from ``place`` on, before the former ones; keep the
        focus on the first where one of those had it."""
        had_focus = any(link.hasFocus() for link in self.links)
        for link in self.links:
            remove_widget(self.row, link)
        self.links = [push_button(one.label, self._link_role) for one in actions]
        for number, link in enumerate(self.links):
            link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            link.setProperty("number", number)
            link.clicked.connect(self._on_link)
            self.row.insertWidget(place + number, link)
        if had_focus and self.links:
            self.links[0].setFocus()

    def _on_link(self) -> None:
        if self.notice is not None:
            self.request(self.notice.actions[self.sender().property("number")])

    def request(self, action: NoticeAction) -> None:
        """Ask for what a link stands for."""
        self.action_requested.emit(action.action, action.argument)


class NoticeStrip(NoticeFrame):
    """Hidden without a notice. ``role`` "notice" has the ground of its severity, "" has none."""

    def __init__(self, role: str = "notice", *, link_role: str = "link") -> None:
        super().__init__(role, link_role)
        self._title = text_label("", "strong")
        self._text = text_label("")
        for label in (self._title, self._text):
            label.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._words = column_of(self._title, self._text)
        if role:
            margins = (12, 3, 8, 3)
        else:
            margins = (0, 0, 0, 0)
        self.row = row_of(
            self._icon, self._words, margins=margins, stretched=self._words
        )
        self.setLayout(column_of(self.row))
        if role:
            self.setMinimumHeight(32)
        self.hide()

    def show_notice(self, notice: Notice | None) -> None:
        """Show a notice in place of the former one; None for nothing."""
        if self.notice is not None:
            actions = self.notice.actions
        else:
            actions = ()
        self.notice = notice
        self.setVisible(notice is not None)
        place = self.row.indexOf(self._words) + 1
        if notice is None:
            self.set_links((), place)
            return
        has_both = bool(notice.title and notice.text)
        self._title.setText(notice.title)
        self._title.setVisible(has_both)
        self._text.setText(notice.text if has_both else notice.title or notice.text)
        set_style_property(
            self._text, "weight", "bold" if notice.title and not notice.text else ""
        )
        self._icon.show_glyph(TONE_GLYPHS.get(notice.severity, ""), notice.severity)
        set_style_property(self, "severity", notice.severity)
        self.setAccessibleName(f"{notice.severity}: {notice_text(notice)}")
        if notice.actions != actions or len(self.links) != len(actions):
            self.set_links(notice.actions, place)


class NoticeList(QWidget):
    """The notices of a dialog, one below the other; hidden while there are none."""

    action_requested = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.notices: tuple[Notice, ...] = ()
        self._strips: list[NoticeStrip] = []
        self._column = column_of(gap=4)
        self.setLayout(self._column)
        self.hide()

    @property
    def text(self) -> str:
        return "\n".join(map(notice_text, self.notices))

    def show_notices(self, notices: Sequence[Notice]) -> None:
        self.notices = tuple(notices)
        while len(self._strips) < len(self.notices):
            strip = NoticeStrip("")
            strip.action_requested.connect(self.action_requested)
            self._column.addWidget(strip)
            self._strips.append(strip)
        for number, strip in enumerate(self._strips):
            strip.show_notice(
                self.notices[number] if number < len(self.notices) else None
            )
        self.setVisible(bool(self.notices))


def notice_text(notice: Notice) -> str:
    return f"{notice.title} {notice.text}".strip()


HEIGHT = 28
INFO_MS = 8_000
"""An info without links and details is hidden after this time; other notices stay until they are
closed."""
_WORK_WIDTH, _NARROW_WORK_WIDTH, _NARROW, _MAX_WORK_SHARE = 380, 260, 1180, 0.37
"""Pixels kept for work, less in a row narrower than _NARROW, and at most this share of it."""
_GAP = 6
_LEAST_CHARS = 12
"""A text of which less fits behind its title is left to the tooltip."""


class NoticeWords(QWidget):
    """Title in bold and text in one line, or their short form where they do not fit; what does not
    fit is elided, and all of it in the tooltip."""

    def __init__(self) -> None:
        super().__init__()
        self._title = self._text = ""
        self._short = ("", "")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def show_words(
        self, title: str, text: str, short: tuple[str, str] = ("", "")
    ) -> None:
        self._title, self._text, self._short = title, text, short
        self.setAccessibleName(f"{title} {text}".strip())
        self.setToolTip(f"{title} {text}".strip())
        self.updateGeometry()
        self.update()

    def _bold(self) -> QFont:
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        return bold

    def displayed_words(self) -> tuple[str, str]:
        """Return the title and the text that are painted, whole or short, before they are
        elided."""
        is_whole = self.width() >= self.sizeHint().width() or not any(self._short)
        if is_whole:
            return (self._title, self._text)
        return self._short

    def _title_width(self, title: str, text: str) -> int:
        width = QFontMetrics(self._bold()).horizontalAdvance(title)
        return width + (_GAP if title and text else 0)

    def sizeHint(self) -> QSize:
        width = (
            self._title_width(self._title, self._text)
            + self.fontMetrics().horizontalAdvance(self._text)
            + 2
        )
        return QSize(width, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(60, self.sizeHint().width()), self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        left = 0
        painter.setPen(current_theme().text)
        words = self.displayed_words()
        for text, font in zip(words, (self._bold(), self.font()), strict=True):
            room = self.width() - left
            if not text or room <= 0:
                continue
            metrics = QFontMetrics(font)
            painter.setFont(font)
            whole = _fitting_clauses(text, metrics, room)
            shown = metrics.elidedText(whole, Qt.TextElideMode.ElideRight, room)
            if left and shown != whole and len(shown) < _LEAST_CHARS:
                continue  # a word or two say nothing
            painter.drawText(
                left, 0, room, self.height(), int(Qt.AlignmentFlag.AlignVCenter), shown
            )
            left += self._title_width(*words)


def _fitting_clauses(text: str, metrics: QFontMetrics, room: int) -> str:
    """Return the beginning of a text that fits and ends with a clause, of a sentence that goes on
    with "…"; the text where none does."""
    ends = [found.start() for found in _CLAUSE_END.finditer(text)]
    for end in (len(text), *reversed(ends)):
        goes_on = text[end : end + 1] in tuple(",;:")
        shown = text[:end] + "…" * goes_on
        if metrics.horizontalAdvance(shown) <= room:
            return shown
    return text


_CLAUSE_END = re.compile(r"[.,;:] | · | \(")


class DetailsDialog(QDialog):
    """The details of a notice, which can be copied without secrets."""

    def __init__(self, parent: QWidget, notice: Notice) -> None:
        super().__init__(parent)
        self._notice = notice
        self.setWindowTitle(tr("Details"))
        text = QPlainTextEdit(notice.details, readOnly=True)
        text.setFont(mono_font_for(self.font()))
        text.setAccessibleName(tr("Details"))
        words = NoticeWords()
        words.show_words(notice.title, notice.text)
        self.copy_button = push_button(tr("Copy details"))
        close = push_button(tr("Close"))
        self.copy_button.setToolTip(
            tr("Copy the details; keys, access tokens and mail addresses are hidden")
        )
        self.copy_button.clicked.connect(self._copy)
        close.clicked.connect(self.accept)
        row = row_of(None, self.copy_button, close)
        self.setLayout(
            column_of(words, text, row, margins=(12, 12, 12, 12), gap=8, stretched=text)
        )
        fit_dialog(self, 640, 320)

    def _copy(self) -> None:
        parts = (notice_text(self._notice), self._notice.details)
        QApplication.clipboard().setText(
            without_secrets("\n".join(filter(None, parts)))
        )
        self.copy_button.setText(tr("Copied"))


class MessageRow(NoticeFrame):
    """Shows the first of its notices: errors, then what a step said, then warnings of what is
    shown, then what the last change did, then the others. ``work`` is shown in the space at the
    right, kept for it."""

    def __init__(self, work: QWidget | None = None) -> None:
        super().__init__("message-row", "link")
        self._notices: list[Notice] = []  # the newest first, the last change among them
        self._at = 0  # the shown one of ``notices``
        self._screen_notices: tuple[Notice, ...] = ()
        self._step_notices: tuple[Notice, ...] = ()  # of these, what the step said
        self._change: Notice | None = None
        self._previous_focus: QWidget | None = (
            None  # the focused widget before the row got the focus
        )
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.timer = QTimer(self, singleShot=True, interval=INFO_MS)
        self.timer.timeout.connect(self.dismiss)
        self.words = NoticeWords()
        self.value_field = QLineEdit(placeholderText=tr("tokens"))
        self.value_field.setMaximumWidth(90)
        self.value_field.setValidator(QIntValidator(1, 1_000_000_000, self))
        self.value_field.setAccessibleName(tr("tokens"))
        self._details_button = push_button(tr("Details"), "link")
        self._more_button = push_button("", "link")
        self.close_button = GlyphButton("close", tr("Close this message"))
        self.close_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._work = work
        self._lay_out()
        self._refresh()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def _lay_out(self) -> None:
        self.value_field.returnPressed.connect(self._on_field)
        self._details_button.clicked.connect(self._show_details)
        self._more_button.clicked.connect(self._show_next)
        self.close_button.clicked.connect(self.dismiss)
        ends = (self._details_button, None, self._more_button, self.close_button)
        work = () if self._work is None else (self._work,)
        parts = (self._icon, self.words, self.value_field, *ends, *work)
        self.row = row_of(*parts, margins=(12, 0, 8, 0))
        self.setLayout(self.row)
        self._fit()

    def _fit(self) -> None:
        height = scaled_pixels(HEIGHT, self.font())
        if self.minimumHeight() != height:
            self.setFixedHeight(height)
        if self._work is not None:
            is_narrow = self.width() < scaled_pixels(_NARROW, self.font())
            width = scaled_pixels(
                _NARROW_WORK_WIDTH if is_narrow else _WORK_WIDTH, self.font()
            )
            self._work.setFixedWidth(min(width, round(_MAX_WORK_SHARE * self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(1, scaled_pixels(HEIGHT, self.font()))

    @property
    def notices(self) -> tuple[Notice, ...]:
        """All of them, the shown one first."""
        change = self._change
        if change in self._notices:
            before_change = self._notices.index(change)
        else:
            before_change = len(self._notices)

        def rank(at: int) -> int:
            notice = self._notices[at]
            if notice is change or notice.severity == "error":
                return 3 if notice is change else 0
            if notice in self._step_notices:
                return 1
            if notice in self._screen_notices or (notice.topic and at > before_change):
                return 2 if notice.severity == "warning" else 4
            return 1

        return tuple(
            self._notices[at] for at in sorted(range(len(self._notices)), key=rank)
        )

    def add(self, notice: Notice) -> None:
        """Show a notice and remove those of the same topic; an empty notice only removes."""
        if notice.topic:
            self._notices = [
                other for other in self._notices if other.topic != notice.topic
            ]
        if notice.title or notice.text:
            self._notices = [
                notice,
                *(other for other in self._notices if other != notice),
            ]
        self._refresh()

    def set_screen(self, notices: Sequence[Notice], step_notices: int = 0) -> None:
        """Show the notices of a new screen and remove those that only the previous screen had.

        The first ``step_notices`` are said of the step that led to it. A notice of both that the
        user closed stays closed.
        """
        self._step_notices = tuple(notices[:step_notices])
        removed = [notice for notice in self._screen_notices if notice not in notices]
        added = [notice for notice in notices if notice not in self._screen_notices]
        self._screen_notices = tuple(notices)
        if removed or added:
            self._notices = added + [
                notice for notice in self._notices if notice not in removed
            ]
            self._refresh()

    def set_change(self, change: Notice | None) -> None:
        """Say what the last change did, None where there is none."""
        if change != self._change:
            self._notices = [
                notice for notice in self._notices if notice is not self._change
            ]
            self._change = change
            self._notices = [*([change] if change is not None else []), *self._notices]
            self._refresh()

    def clear(self) -> None:
        self._notices, self._screen_notices, self._change = [], (), None
        self._refresh()

    def keep_errors(self) -> None:
        """Remove all notices but errors, as for a file that could not be opened."""
        self._notices = [
            notice for notice in self._notices if notice.severity == "error"
        ]
        self._screen_notices, self._change = (), None
        self._refresh()

    def dismiss(self) -> None:
        """Remove the shown notice."""
        if self.notice is not None and self.notice is not self._change:
            self._notices.remove(self.notice)
        self._refresh()

    def _show_next(self) -> None:
        self._at = (self._at + 1) % len(self._notices)
        self._show_current()

    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        if (
            new is not None
            and self.isAncestorOf(new)
            and not (old is not None and self.isAncestorOf(old))
        ):
            self._previous_focus = old

    def _refresh(self) -> None:
        focused = QApplication.focusWidget()
        was_in_field = focused is self.value_field
        had_focus = focused is not None and self.isAncestorOf(focused)
        self._at = 0
        self._show_current()
        is_left = had_focus and not self._notices
        is_left |= was_in_field and self.value_field.isHidden()
        if is_left and self._previous_focus:
            with suppress(RuntimeError):  # the previous widget may be destroyed
                self._previous_focus.setFocus()  # Qt passed the focus on

    def _show_current(self) -> None:
        self._show(self.notices[self._at] if self._notices else None)
        self.timer.stop()
        notice = self.notice
        if notice is None or notice is self._change:
            return
        if notice.severity == "info" and not notice.actions and not notice.details:
            self.timer.start()

    def _show(self, notice: Notice | None) -> None:
        former = self.notice.actions if self.notice is not None else ()
        self.notice = notice
        title, text = ("", "") if notice is None else (notice.title, notice.text)
        severity = "" if notice is None or notice is self._change else notice.severity
        self._icon.show_glyph(TONE_GLYPHS.get(severity, ""), severity)
        self.words.show_words(title, text, ("", "") if notice is None else notice.short)
        set_style_property(self, "severity", severity)
        self.setAccessibleName(_spoken(notice, severity))
        actions = self._actions()
        if actions != former or len(self.links) != len(actions):
            self.set_links(actions, self.row.indexOf(self.value_field) + 1)
        self.value_field.clear()
        self.value_field.setVisible(any(map(_needs_value, actions)))
        self._details_button.setVisible(bool(notice is not None and notice.details))
        self._more_button.setVisible(len(self._notices) > 1)
        self._more_button.setText(
            tr("{at} of {count} ›").format(at=self._at + 1, count=len(self._notices))
        )
        self._more_button.setAccessibleName(
            tr("Next of {count} messages").format(count=len(self._notices))
        )
        self.close_button.setVisible(notice is not None and notice is not self._change)

    def _on_field(self) -> None:
        self.request(next(action for action in self._actions() if _needs_value(action)))

    def _actions(self) -> Sequence[NoticeAction]:
        if self.notice is not None:
            return self.notice.actions
        return ()

    def request(self, action: NoticeAction) -> None:
        """Ask for what a link stands for, with the value of the field where it needs one."""
        if not _needs_value(action):
            super().request(action)
        elif self.value_field.hasAcceptableInput():
            self.action_requested.emit(
                action.action, action.argument + self.value_field.text()
            )
        else:
            self.value_field.setFocus()

    def _show_details(self) -> None:
        if self.notice is not None:
            show_dialog(DetailsDialog(self, self.notice))


def _spoken(notice: Notice | None, severity: str) -> str:
    """Return the name of the row for a screen reader."""
    if notice is None:
        return tr("Message")
    return f"{severity or tr('Message')}: {notice.title} {notice.text}".strip()


def _needs_value(action: NoticeAction) -> bool:
    """True for "set" with a key and no value: the field beside it gives the value."""
    return action.action == "set" and action.argument.endswith("=")

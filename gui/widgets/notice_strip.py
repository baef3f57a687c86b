"""A notice as a strip of glyph, title, text and links; a column of them; the message of the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from core.common.crash_report import without_secrets
from core.presentation.model import Notice, NoticeAction
from gui.language import tr
from gui.widgets.basic_widgets import TONE_GLYPHS, push_button, text_label
from gui.widgets.icons import GlyphButton, GlyphLabel
from gui.widgets.text_labels import set_style_property
from gui.widgets.view_layout import column_of, remove_widget, row_of


class NoticeStrip(QFrame):
    """Hidden without a notice. ``role`` "notice" has the ground of its severity, "" has none."""

    action_requested = Signal(str, str)  # name and argument of a NoticeAction

    def __init__(self, role: str = "notice", *, link_role: str = "link") -> None:
        super().__init__()
        self.setProperty("role", role)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.notice: Notice | None = None
        self.links: list[QPushButton] = []
        self._link_role = link_role
        self._icon, self._title, self._text = GlyphLabel(size=14), text_label("", "strong"), text_label("")
        for label in (self._title, self._text):
            label.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._words = column_of(self._title, self._text)
        margins = (12, 3, 8, 3) if role else (0, 0, 0, 0)
        self.row = row_of(self._icon, self._words, margins=margins, stretched=self._words)
        self.setLayout(column_of(self.row))
        if role:
            self.setMinimumHeight(32)
        self.hide()

    def show_notice(self, notice: Notice | None) -> None:
        """Show a notice in place of the former one; None for nothing."""
        actions = self.notice.actions if self.notice is not None else ()
        self.notice = notice
        self.setVisible(notice is not None)
        if notice is None:
            self._set_links(())
            return
        has_both = bool(notice.title and notice.text)
        self._title.setText(notice.title)
        self._title.setVisible(has_both)
        self._text.setText(notice.text if has_both else notice.title or notice.text)
        set_style_property(self._text, "weight", "bold" if notice.title and not notice.text else "")
        self._icon.show_glyph(TONE_GLYPHS.get(notice.severity, ""), notice.severity)
        set_style_property(self, "severity", notice.severity)
        self.setAccessibleName(f"{notice.severity}: {notice_text(notice)}")
        if notice.actions != actions or len(self.links) != len(actions):
            self._set_links(notice.actions)

    def _set_links(self, actions: Sequence[NoticeAction]) -> None:
        had_focus = any(link.hasFocus() for link in self.links)
        for old_link in self.links:
            remove_widget(self.row, old_link)
        self.links = []
        for number, action in enumerate(actions):
            link = push_button(action.label, self._link_role)
            link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            link.setProperty("number", number)
            link.clicked.connect(self._on_link)
            self.row.insertWidget(self.row.indexOf(self._words) + 1 + number, link)
            self.links.append(link)
        if had_focus and self.links:
            self.links[0].setFocus()

    def _on_link(self) -> None:
        if self.notice is not None:
            self.request(self.notice.actions[self.sender().property("number")])

    def request(self, action: NoticeAction) -> None:
        """Ask for what a link stands for."""
        self.action_requested.emit(action.action, action.argument)


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
            strip.show_notice(self.notices[number] if number < len(self.notices) else None)
        self.setVisible(bool(self.notices))


def notice_text(notice: Notice) -> str:
    return f"{notice.title} {notice.text}".strip()


INFO_MS = 8_000
"""An info without links and details is hidden after this time; other notices stay until they are closed."""
_MARGIN = 8


class MessageBar(NoticeStrip):
    """Shows a notice at the bottom of ``area()``, a widget inside ``parent``, above those of ``buttons()``
    that it would cover."""

    def __init__(
        self,
        parent: QWidget | None = None,
        area: Callable[[], QWidget] | None = None,
        buttons: Callable[[], Sequence[QWidget]] = tuple,
    ) -> None:
        super().__init__()
        self.setParent(parent)
        self._area, self._buttons = area, buttons
        self._notices: list[Notice] = []  # the newest first
        self._screen_notices: tuple[Notice, ...] = ()
        self._previous_focus: QWidget | None = None  # the focused widget before the message got the focus
        self._timer = QTimer(self, singleShot=True, interval=INFO_MS)
        self._timer.timeout.connect(self.dismiss)
        self._value_field = QLineEdit(placeholderText=tr("tokens"))
        self._value_field.setMaximumWidth(90)
        self._value_field.setValidator(QIntValidator(1, 1_000_000_000, self))
        self._value_field.setAccessibleName(tr("tokens"))
        self._details_button, self._more_button = push_button(tr("Details"), "link"), push_button("", "link")
        self._copy_button = push_button("", "link")
        self._copy_button.setToolTip(tr("Copy the details; keys, tokens and mail addresses are written over"))
        self._close_button = GlyphButton("close", tr("Close this message"))
        self._close_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._details_text = QPlainTextEdit(readOnly=True)
        self._details_text.setMaximumHeight(180)
        self._lay_out()
        self._refresh()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def _lay_out(self) -> None:
        self._value_field.returnPressed.connect(self._on_field)
        self._details_button.clicked.connect(self._toggle_details)
        self._copy_button.clicked.connect(self._copy_details)
        self._more_button.clicked.connect(self._show_next)
        self._close_button.clicked.connect(self.dismiss)
        buttons = (self._details_button, self._copy_button, self._more_button, self._close_button)
        for widget in (self._value_field, *buttons):
            self.row.addWidget(widget)
        if (column := self.layout()) is not None:
            column.addWidget(self._details_text)

    @property
    def notices(self) -> tuple[Notice, ...]:
        return tuple(self._notices)

    def follow_size(self, *widgets: QWidget) -> None:
        """Stay at the bottom when one of these widgets changes its size."""
        for widget in widgets:
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Move):
            self.place()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        """Grow once the links have their widths: the text may need another line."""
        is_handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.place()
        return is_handled

    def place(self) -> None:
        """Move to the bottom of the area."""
        parent, layout = self.parentWidget(), self.layout()
        if self.isHidden() or self._area is None or parent is None or layout is None:
            return
        area = self._area()
        width = max(1, area.width() - 2 * _MARGIN)
        height = max(self.minimumHeight(), layout.totalHeightForWidth(width))
        corner = area.mapTo(parent, QPoint(_MARGIN, max(0, area.height() - height - _MARGIN)))
        box = QRect(corner.x(), corner.y(), width, height)
        for button in self._buttons():
            place = QRect(button.mapTo(parent, QPoint()), button.size()) if button.isVisible() else QRect()
            if box.intersects(place):
                box.moveBottom(max(height, place.top() - _MARGIN))
        self.setGeometry(box)
        self.raise_()

    def add(self, notice: Notice) -> None:
        """Show a notice and remove those of the same topic; an empty notice only removes."""
        if notice.topic:
            self._notices = [other for other in self._notices if other.topic != notice.topic]
        if notice.title or notice.text:
            self._notices = [notice, *(other for other in self._notices if other != notice)]
        self._refresh()

    def set_screen(self, notices: Sequence[Notice]) -> None:
        """Show the notices of a new screen and remove those that only the previous screen had.

        A notice of both that the user closed stays closed.
        """
        removed = [notice for notice in self._screen_notices if notice not in notices]
        added = [notice for notice in notices if notice not in self._screen_notices]
        self._screen_notices = tuple(notices)
        if removed or added:
            self._notices = added + [notice for notice in self._notices if notice not in removed]
            self._refresh()

    def clear(self) -> None:
        self._notices, self._screen_notices = [], ()
        self._refresh()

    def keep_errors(self) -> None:
        """Remove all notices but errors, as for a file that could not be opened."""
        self._notices = [notice for notice in self._notices if notice.severity == "error"]
        self._screen_notices = ()
        self._refresh()

    def dismiss(self) -> None:
        del self._notices[:1]
        self._refresh()

    def _show_next(self) -> None:
        self._notices.append(self._notices.pop(0))
        self._refresh()

    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        if new is not None and self.isAncestorOf(new) and not (old is not None and self.isAncestorOf(old)):
            self._previous_focus = old

    def _refresh(self) -> None:
        focused = QApplication.focusWidget()
        if not self._notices and focused is not None and self.isAncestorOf(focused) and self._previous_focus:
            with suppress(RuntimeError):  # the previous widget may be destroyed
                self._previous_focus.setFocus()  # Qt would pass the focus on
        notice = self._notices[0] if self._notices else None
        self.show_notice(notice)
        self._timer.stop()
        self._details_text.hide()
        if notice is None:
            return
        self._value_field.clear()
        self._value_field.setVisible(any(map(_needs_value, notice.actions)))
        self._copy_button.setText(tr("Copy details"))
        for button in (self._details_button, self._copy_button):
            button.setVisible(bool(notice.details))
        self._more_button.setVisible(len(self._notices) > 1)
        self._more_button.setText(tr("{count} more").format(count=len(self._notices) - 1))
        if notice.severity == "info" and not notice.actions and not notice.details:
            self._timer.start()
        self.place()

    def _on_field(self) -> None:
        self.request(next(action for action in self._notices[0].actions if _needs_value(action)))

    def request(self, action: NoticeAction) -> None:
        if not _needs_value(action):
            super().request(action)
        elif self._value_field.hasAcceptableInput():
            self.action_requested.emit(action.action, action.argument + self._value_field.text())
        else:
            self._value_field.setFocus()

    def _toggle_details(self) -> None:
        self._details_text.setPlainText(self._notices[0].details)
        self._details_text.setVisible(not self._details_text.isVisible())
        self.place()

    def _copy_details(self) -> None:
        notice = self._notices[0]
        text = "\n".join(part for part in (notice_text(notice), notice.details) if part)
        QApplication.clipboard().setText(without_secrets(text))
        self._copy_button.setText(tr("Copied"))


def _needs_value(action: NoticeAction) -> bool:
    """True for "set" with a key and no value: the field beside it gives the value."""
    return action.action == "set" and action.argument.endswith("=")

"""The message of the window: lies over the last rows, so that nothing moves; the newest notice first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget

from core.common.crash_report import without_secrets
from core.presentation.model import Notice, NoticeAction
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.notice_strip import NoticeStrip, notice_text
from gui.widgets.toned_label import GlyphButton

INFO_MS = 8_000
"""An info without links and details is hidden after this time; other notices stay until they are closed."""
_MARGIN = 8


class MessageBar(NoticeStrip):
    """Shows a notice at the bottom of ``area()``, a widget inside ``parent``."""

    def __init__(self, parent: QWidget | None = None, area: Callable[[], QWidget] | None = None) -> None:
        super().__init__()
        self.setParent(parent)
        self._area = area
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
        self.setGeometry(corner.x(), corner.y(), width, height)
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

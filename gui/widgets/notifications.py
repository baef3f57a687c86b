"""The message bar: shows the newest notice, with a link to the next."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from core.common.crash_report import without_secrets
from core.presentation.model import Notice, NoticeAction
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import glyph_icon, glyph_pixmap
from gui.widgets.theme import Theme
from gui.widgets.toned_label import TONE_GLYPHS

INFO_MS = 8_000
"""An info is hidden after this time; warnings and errors stay."""


class MessageBar(QWidget):
    """Shows notices. A link emits ``action_requested(name, argument)``."""

    action_requested = Signal(str, str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._notices: list[Notice] = []  # the newest first
        self._screen_notices: tuple[Notice, ...] = ()
        self._links: list[QWidget] = []
        self._previous_focus: QWidget | None = None  # the focused widget before the bar got the focus
        self._timer = QTimer(self, singleShot=True, interval=INFO_MS)
        self._timer.timeout.connect(self.dismiss)
        self._build()
        self._lay_out()
        self._refresh()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def _build(self) -> None:
        self._icon, self._headline, self._text = QLabel(), text_label("", "strong"), text_label("")
        self._text.setWordWrap(True)
        self._value_field = QLineEdit(placeholderText=tr("tokens"))
        self._value_field.setMaximumWidth(90)
        self._value_field.setValidator(QIntValidator(1, 1_000_000_000, self))
        self._value_field.setAccessibleName(tr("tokens"))
        self._value_field.returnPressed.connect(self._on_field)
        self._details_button = push_button(tr("Details"), "link")
        self._details_button.clicked.connect(self._toggle_details)
        self._copy_button = push_button("", "link")
        self._copy_button.setToolTip(tr("Copy the details; keys, tokens and mail addresses are written over"))
        self._copy_button.clicked.connect(self._copy_details)
        self._more_button = push_button("", "link")
        self._more_button.clicked.connect(self._show_next)
        self._close_button = push_button("", "flat")
        self._close_button.setToolTip(tr("Close this message"))
        self._close_button.setAccessibleName(tr("Close this message"))
        self._close_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._close_button.clicked.connect(self.dismiss)
        self._details_text = QPlainTextEdit(readOnly=True)
        self._details_text.setMaximumHeight(180)

    def _lay_out(self) -> None:
        self._row = QHBoxLayout()
        self._row.setContentsMargins(12, 2, 8, 2)
        self._row.setSpacing(8)
        self._row.addWidget(self._icon)
        self._row.addWidget(self._headline)
        self._row.addWidget(self._text, 1)
        for widget in (
            self._value_field,
            self._details_button,
            self._copy_button,
            self._more_button,
            self._close_button,
        ):
            self._row.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._row)
        column.addWidget(self._details_text)
        self.setMinimumHeight(32)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    @property
    def notices(self) -> tuple[Notice, ...]:
        return tuple(self._notices)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._refresh()

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
            remaining = [notice for notice in self._notices if notice not in removed]
            self._notices = added + remaining
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

    def _restore_focus(self) -> None:
        """Return the focus to where it was before; Qt would pass it on."""
        focused, previous_widget = QApplication.focusWidget(), self._previous_focus
        if focused is not None and self.isAncestorOf(focused) and previous_widget is not None:
            with suppress(RuntimeError):  # the previous widget may be destroyed
                previous_widget.setFocus()

    def _refresh(self) -> None:
        if not self._notices:
            self._restore_focus()
        self.setVisible(bool(self._notices))
        self._timer.stop()
        self._details_text.hide()
        if not self._notices:
            return
        notice = self._notices[0]
        self._paint(notice)
        self._set_links(notice.actions)
        self._details_button.setVisible(bool(notice.details))
        self._copy_button.setText(tr("Copy details"))
        self._copy_button.setVisible(bool(notice.details))
        self._more_button.setVisible(len(self._notices) > 1)
        self._more_button.setText(tr("{count} more").format(count=len(self._notices) - 1))
        if notice.severity == "info":
            self._timer.start()

    def _paint(self, notice: Notice) -> None:
        theme = self._theme
        background = {"warning": theme.bar_warn, "error": theme.bar_error}.get(
            notice.severity, theme.bar_info
        )
        border_style = f"border-bottom: 1px solid {theme.hairline.name()};"
        self.setStyleSheet(f"MessageBar {{ background: {background.name()}; {border_style} }}")
        colour = theme.accent_text if notice.severity == "info" else theme.tone(notice.severity)
        self._icon.setPixmap(glyph_pixmap(TONE_GLYPHS[notice.severity], colour, 14, self.devicePixelRatioF()))
        self._close_button.setIcon(glyph_icon("close", theme.text2))
        self._headline.setText(notice.title)
        self._text.setText(notice.text)
        self._text.setToolTip(notice.text)
        self.setAccessibleName(f"{notice.severity}: {notice.title} {notice.text}")

    def _set_links(self, actions: Sequence[NoticeAction]) -> None:
        for old_link in self._links:
            self._row.removeWidget(old_link)
            old_link.deleteLater()
        self._links = []
        place = self._row.indexOf(self._details_button)
        for number, action in enumerate(actions):
            link = push_button(action.label, "link")
            link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            link.setProperty("number", number)
            link.clicked.connect(self._on_link)
            self._row.insertWidget(place + number, link)
            self._links.append(link)
        self._value_field.clear()
        self._value_field.setVisible(any(_needs_value(old_link) for old_link in actions))

    def _on_link(self) -> None:
        action = self._notices[0].actions[self.sender().property("number")]
        self._request(action)

    def _on_field(self) -> None:
        self._request(next(action for action in self._notices[0].actions if _needs_value(action)))

    def _request(self, action: NoticeAction) -> None:
        if not _needs_value(action):
            self.action_requested.emit(action.action, action.argument)
        elif self._value_field.hasAcceptableInput():
            self.action_requested.emit(action.action, action.argument + self._value_field.text())
        else:
            self._value_field.setFocus()

    def _toggle_details(self) -> None:
        self._details_text.setPlainText(self._notices[0].details)
        self._details_text.setVisible(not self._details_text.isVisible())

    def _copy_details(self) -> None:
        notice = self._notices[0]
        text = "\n".join(part for part in (f"{notice.title} {notice.text}".strip(), notice.details) if part)
        QApplication.clipboard().setText(without_secrets(text))
        self._copy_button.setText(tr("Copied"))


def _needs_value(action: NoticeAction) -> bool:
    """True for "set" with a key and no value: the field beside it gives the value."""
    return action.action == "set" and action.argument.endswith("=")

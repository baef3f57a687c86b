"""A notice as a strip of glyph, title, text and links; a column of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from core.presentation.model import Notice, NoticeAction
from gui.widgets.basic_widgets import TONE_GLYPHS, push_button, text_label
from gui.widgets.icons import GlyphLabel
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
        self._icon, self._title, self._text = (
            GlyphLabel(size=14),
            text_label("", "strong"),
            text_label(""),
        )
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
        if notice is None:
            self._set_links(())
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
            strip.show_notice(
                self.notices[number] if number < len(self.notices) else None
            )
        self.setVisible(bool(self.notices))


def notice_text(notice: Notice) -> str:
    return f"{notice.title} {notice.text}".strip()

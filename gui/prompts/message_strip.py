"""Lines over the text of the editor: something to check, or a question with its answers."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from core.presentation.model import Notice, NoticeAction
from core.presentation.prompts.model import PromptPage
from gui.language import tr
from gui.prompts.edit_state import PromptEdits
from gui.widgets.basic_widgets import TONE_GLYPHS, push_button, text_label
from gui.widgets.icons import glyph_pixmap
from gui.widgets.theme import Theme, theme

CLOSE, DELETE = "close", "delete"
"""Questions that wait for their answer."""


class MessageStrip(QFrame):
    """Hidden without a message. ``action_chosen`` carries the name of the chosen action."""

    action_chosen = Signal(str)

    def __init__(self, button_role: str = "link") -> None:
        """``button_role`` is that of a warning's buttons; others have links."""
        super().__init__()
        self._theme, self._button_role = theme("light"), button_role
        self._message: Notice | None = None
        self._icon, self._title, self._text = QLabel(), text_label("", "strong"), text_label("")
        self._text.setWordWrap(True)
        self._buttons: list[QPushButton] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 4, 12, 4)
        self._row.setSpacing(8)
        self._row.addWidget(self._icon)
        self._row.addWidget(self._title)
        self._row.addWidget(self._text, 1)
        self.setMinimumHeight(32)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.hide()

    @property
    def message(self) -> Notice | None:
        return self._message

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """The answers, in order."""
        return tuple(self._buttons)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._paint()

    def show_message(self, message: Notice | None) -> None:
        """Show a message instead of the previous one; None for nothing."""
        if message == self._message:
            return
        has_focus = any(button.hasFocus() for button in self._buttons)
        previous_actions = self._message.actions if self._message is not None else ()
        self._message = message
        self.setVisible(message is not None)
        if message is not None:
            self._title.setText(message.title)
            self._text.setText(message.text)
            self.setAccessibleName(f"{message.title} {message.text}".strip())
            self._paint()
        actions = message.actions if message is not None else ()
        if actions != previous_actions:
            self._set_buttons(actions)
            if has_focus and self._buttons:
                self._buttons[0].setFocus()

    def focus_answer(self, name: str) -> None:
        for button in self._buttons:
            if button.property("answer") == name:
                button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _paint(self) -> None:
        if self._message is None:
            return
        theme, severity = self._theme, self._message.severity
        back = theme.bar_error if severity == "error" else theme.bar_warn
        line = f"border: none; border-bottom: 1px solid {theme.hairline.name()};"
        self.setStyleSheet(f"MessageStrip {{ background: {back.name()}; {line} }}")
        picture = glyph_pixmap(TONE_GLYPHS[severity], theme.tone(severity), 14, self.devicePixelRatioF())
        self._icon.setPixmap(picture)

    def _set_buttons(self, actions: tuple[NoticeAction, ...]) -> None:
        for old_button in self._buttons:
            self._row.removeWidget(old_button)
            old_button.hide()
            old_button.deleteLater()
        self._buttons = []
        is_warning = self._message is not None and self._message.severity == "warning"
        for action in actions:
            button = push_button(action.label, self._button_role if is_warning else "link")
            button.setProperty("answer", action.action)
            button.clicked.connect(self._on_clicked)
            self._row.addWidget(button)
            self._buttons.append(button)

    def _on_clicked(self) -> None:
        self.action_chosen.emit(self.sender().property("answer"))


class QuestionStrip(MessageStrip):
    """The most urgent question, or an error; both stay until the user's next action."""

    def __init__(self, edits: PromptEdits) -> None:
        super().__init__(button_role="")
        self._edits = edits
        self._asking = self._error = ""

    def ask(self, asking: str, text: str, answer: str) -> None:
        """Ask CLOSE or DELETE while the editor holds ``text``; ``answer`` gets the focus."""
        self._asking = asking
        self.refresh(text)
        self.focus_answer(answer)

    def fail(self, error: str, text: str) -> None:
        """Show why something was not done; a question comes first."""
        self._error = error
        self.refresh(text)

    def forget_error(self) -> None:
        self._error = ""

    def resolve(self) -> None:
        self._asking = self._error = ""

    def refresh(self, text: str) -> None:
        """Show the question or error while the editor holds ``text``."""
        page, unsaved = self._edits.page, self._edits.unsaved_count(text)
        if self._asking == CLOSE and unsaved:
            self.show_message(_closing_question(unsaved))
        elif self._asking == DELETE:
            self.show_message(_delete_question())
        elif page is not None and page.changed_outside and self._edits.is_edited(text):
            answers = NoticeAction(tr("Keep mine"), "mine"), NoticeAction(tr("Take theirs"), "theirs")
            detail = tr("Your text differs from it.")
            self.show_message(Notice("warning", page.changed_outside, detail, answers))
        elif self._error:
            self.show_message(Notice("error", self._error, "", (NoticeAction(tr("Close"), "close"),)))
        else:
            self.show_message(None)


def _delete_question() -> Notice:
    answers = NoticeAction(tr("Delete it"), "delete"), NoticeAction(tr("Keep it"), "keep")
    detail = tr("The next level that exists is used then.")
    return Notice("warning", tr("Delete the override of this level?"), detail, answers)


def _closing_question(unsaved: int) -> Notice:
    headline = tr("This text is not saved.")
    if unsaved > 1:
        headline = tr("{unsaved} texts are not saved.").format(unsaved=unsaved)
    answers = NoticeAction(tr("Go on editing"), "stay"), NoticeAction(tr("Close without saving"), "discard")
    return Notice("warning", headline, tr("Levels with one say so in the list."), answers)


def notice_message(page: PromptPage) -> Notice | None:
    """Return what to check in the text of a page."""
    if not page.notice and not page.detail:
        return None
    go = NoticeAction(tr("Go to line {line}").format(line=page.line), str(page.line))
    cannot = any(row.shown and row.tone == "error" for row in page.chain)
    actions = (go,) if page.line else ()
    return Notice("error" if cannot else "warning", page.notice, page.detail, actions)


def hairline() -> QWidget:
    rule = QFrame()
    rule.setProperty("role", "rule")
    return rule

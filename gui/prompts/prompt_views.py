"""The middle of the editor: the text and its unsaved edits, its changes or the request, under a
header."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QComboBox, QLineEdit, QStackedWidget, QWidget

from core.common.atomic_file import FileSignature
from core.presentation.dialog_model import PromptLocation, PromptPage, RequestPage
from core.presentation.model import Notice, NoticeAction
from gui.inspect.inspector.text_view import TextReader, TextRun, char_format
from gui.language import tr
from gui.prompts.prompt_text_edit import ChangesView, CodeView
from gui.widgets.basic_widgets import text_label
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import SECONDARY, current_theme, mono_font_for, resized_font, scaled_pixels
from gui.widgets.view_layout import column_of, fill_panel, line_of_widgets, panel_of, row_of


class PromptEdits:
    """Decides how an answer changes the text in the editor. No unsaved text is ever lost here.

    ``page`` is the newest answer, ``loaded_page`` the one that the saved text was taken from.
    """

    def __init__(self) -> None:
        self.page: PromptPage | None = None
        self.loaded_page: PromptPage | None = None
        self.saved_text = ""
        self.unsaved: dict[str, tuple[str, PromptPage]] = {}
        """Unsaved texts that are not in the editor now, each with the page of its file, by path."""

    def is_edited(self, text: str) -> bool:
        """Return whether the editor's text differs from the saved one."""
        return self.loaded_page is not None and text != self.saved_text

    def unsaved_count(self, text: str) -> int:
        return len(self.unsaved) + self.is_edited(text)

    def text(self, text: str) -> str:
        """Return the text that would be used: the file's own if nothing was typed."""
        return (
            text
            if self.loaded_page is None or self.is_edited(text)
            else self.loaded_page.content.text
        )

    def receive(self, page: PromptPage, text: str) -> str | None:
        """Take in an answer while the editor holds ``text``; return the text to show, None to keep
        it."""
        if self.page is None or self.page.content.path != page.content.path:
            return self._other_file(page, text)
        self.page = page
        if page.content.edited or (
            self.is_edited(text) and editor_lines(page.content.text) != text
        ):
            return None  # an answer about a typed text, which may be outdated
        self.saved_text, self.loaded_page = editor_lines(page.content.text), page
        return None if self.saved_text == text else self.saved_text

    def _other_file(self, page: PromptPage, text: str) -> str:
        if self.loaded_page is not None and self.is_edited(text):
            self.unsaved[self.loaded_page.content.path] = text, self.loaded_page
        self.page = page
        self.saved_text = editor_lines(page.content.text)
        text, self.loaded_page = self.unsaved.pop(page.content.path, (self.saved_text, page))
        return text

    def overwrite_outside_change(self) -> None:
        """Let the next save replace a file that was changed outside."""
        self.loaded_page = self.page

    def discard(self, text: str) -> None:
        """Let the next answer replace the text."""
        self.saved_text = text

    def forget_all(self, text: str) -> None:
        self.unsaved.clear()
        self.discard(text)

    def page_request(self, text: str) -> tuple[PromptLocation, str | None, FileSignature | None]:
        """Return place, text and file signature to ask about; no text if nothing was typed."""
        if self.page is None or self.loaded_page is None:
            return PromptLocation(), None, None
        if not self.is_edited(text):
            return self.page.location, None, None
        return self.page.location, text, self.loaded_page.content.signature


def editor_lines(text: str) -> str:
    """Return the text with the editor's line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_notice(page: PromptPage) -> Notice | None:
    """Return what to check in the text of a page."""
    if not page.notice.text and not page.notice.detail:
        return None
    go = NoticeAction(tr("Go to line {line}").format(line=page.notice.line), str(page.notice.line))
    cannot = any(row.shown and row.tone == "error" for row in page.chain)
    return Notice(
        "error" if cannot else "warning",
        page.notice.text,
        page.notice.detail,
        (go,) if page.notice.line else (),
    )


TABS = (
    ("text", "Text", "The text of this level."),
    ("changes", "Changes", "What it changes against the level below."),
    ("request", "Request", "What a model would be sent for this conversation."),
)
"""Names, labels and tooltips of the views, in order."""


class PromptViews(QWidget):
    """Three views of one page; a request may be long and is laid out only while it is visible."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.changes = CodeView(tr("Text of the prompt")), ChangesView(tr("Changes"))
        self.request = TextReader(tr("Request"))
        self.request.set_wrapped(True)
        self.text.set_editable(False)
        self._page: PromptPage | None = None
        self._shown_request: RequestPage | None = None
        self._is_edited = False
        self._title, self._added, self._removed = (
            text_label("", role) for role in ("strong", "", "")
        )
        self._added.setProperty("tone", "ok")
        self._removed.setProperty("tone", "error")
        self.state = ElidedLabel("", "secondary", min_chars=8)
        self.state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._stack = QStackedWidget()
        for view in (self.text, self.changes, self.request):
            self._stack.addWidget(view)
        head = line_of_widgets(
            self._title, self._added, self._removed, self.state, gap=8, stretched=self.state
        )
        head.setMinimumHeight(28)
        fill_panel(self, "pane", column_of(head, self._stack, stretched=self._stack))
        self.text.cursorPositionChanged.connect(self._show_head)

    @property
    def tab(self) -> str:
        return TABS[self._stack.currentIndex()][0]

    def show_tab(self, name: str) -> None:
        self._stack.setCurrentIndex([tab for tab, _, _ in TABS].index(name))
        self._show_view()
        (self.text, self.changes, self.request)[self._stack.currentIndex()].setFocus(
            Qt.FocusReason.OtherFocusReason
        )

    def show_page(self, page: PromptPage) -> None:
        """Show a page's information; the text itself is set by the editor."""
        self._page = page
        self.text.set_editable(page.content.editable)
        self._show_view()

    def set_edited(self, edited: bool) -> None:
        self._is_edited = edited
        self._show_head()

    def _show_view(self) -> None:
        if (page := self._page) is None:
            return
        if self.tab == "changes":
            self.changes.show_changes(page.changes.rows)
        elif self.tab == "request" and page.request != self._shown_request:
            self._shown_request = page.request
            self.request.show_runs(_request_runs(page.request, self.font()))
        self._show_head()

    def _show_head(self) -> None:
        if (page := self._page) is None:
            return
        is_request = self.tab == "request"
        no_title = tr("No level is below.") if self.tab == "changes" else page.file
        self._title.setText(tr("Request") if is_request else page.changes.title or no_title)
        for label, text in (
            (self._added, page.changes.added),
            (self._removed, page.changes.removed),
        ):
            label.setText(text)
            label.setVisible(bool(page.changes.title) and not is_request)
        if is_request:
            self.state.show_text(
                tr("not sent until you press Compact or try it") if page.request.parts else ""
            )
        elif not page.content.editable:
            self.state.show_text(tr("read-only; the button at the left begins an override"))
        else:
            line = tr("line {line} · ").format(line=self.text.line) if self.tab == "text" else ""
            exists = any(row.shown and row.exists for row in page.chain)
            state = tr("saved") if exists else tr("no file")
            if self._is_edited:
                state = tr("not saved")
            self.state.show_text(f"{line}UTF-8 · {state}")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self._shown_request is not None:
            self._shown_request = None
            self._show_view()


def _request_runs(page: RequestPage, font: QFont) -> list[TextRun]:
    """Return each message under its role, place and tokens, or the reason why there is none."""
    theme = current_theme()
    if not page.parts:
        return [TextRun(page.reason, char_format(font, theme.text2))]
    plain_font, bold_font = resized_font(font, SECONDARY), resized_font(font, SECONDARY, bold=True)
    code = mono_font_for(font)
    runs: list[TextRun] = []
    for number, part in enumerate(page.parts):
        title = f"  {part.title} · {tr('{tokens} tokens').format(tokens=part.tokens)}\n"
        runs += [
            TextRun("\n\n" if number else "", char_format(font, theme.text)),
            TextRun(part.role, char_format(bold_font, theme.text), heading=True),
            TextRun(title, char_format(plain_font, theme.text3)),
            TextRun(part.text, char_format(code, theme.text)),
        ]
    return runs


def editor_head(
    name: QComboBox, provider: QLineEdit, model: QLineEdit, buttons: Sequence[QWidget], font: QFont
) -> QWidget:
    """Return the row over an editor: which prompt, seen by which model, and its buttons."""
    name.setAccessibleName(tr("Prompt"))
    name.setMinimumWidth(scaled_pixels(130, font))
    tip = tr("{name} whose levels are shown. Another one can be looked at before it is used.")
    for field, label, width, hint in (
        (provider, tr("Provider"), 100, tr("any provider")),
        (model, tr("Model"), 170, tr("any model")),
    ):
        field.setAccessibleName(label)
        field.setPlaceholderText(hint)
        field.setMinimumWidth(60)
        field.setMaximumWidth(scaled_pixels(width, font))
        field.setMinimumHeight(28)
        field.setToolTip(tip.format(name=label))
    labels = [text_label(text, "secondary") for text in (tr("Prompt"), tr("as seen by"), "/")]
    parts = (labels[0], name, labels[1], provider, labels[2], model, None, *buttons)
    return panel_of(row_of(*parts, margins=(12, 6, 12, 6), stretched=model), "head")

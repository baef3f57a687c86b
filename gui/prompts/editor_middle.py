"""The middle of the editor: the text, its changes or the request, under a header."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QStackedWidget, QVBoxLayout, QWidget

from core.presentation.prompts.model import PromptPage
from gui.language import tr
from gui.prompts.editor_head import TABS
from gui.prompts.prompt_text_edit import CodeView
from gui.prompts.request_view import NOTE, RequestView
from gui.prompts.text_changes import ChangesView
from gui.widgets.basic_widgets import text_label
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.theme import Theme
from gui.widgets.view_layout import line_of_widgets

_READ_ONLY = "read-only: choose a level above it to override it"


def pane_head(*parts: QWidget, grows: QWidget) -> QWidget:
    """Return a pane's header of 28 pixels; ``grows`` takes the remaining width."""
    head = line_of_widgets(*parts, gap=8, stretched=grows)
    head.setMinimumHeight(28)
    return head


class MiddlePane(QWidget):
    """Three views of one page; only the visible one is laid out."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.text = CodeView(tr("Text of the prompt"))
        self.changes, self.request = ChangesView(tr("Changes")), RequestView()
        self.text.set_editable(False)
        self._page: PromptPage | None = None
        self._is_edited = False
        self._title, self._added, self._removed = text_label("", "strong"), text_label(""), text_label("")
        self.side = ElidedLabel("", "secondary", min_chars=8)
        self.side.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._stack = QStackedWidget()
        self._views = (self.text, self.changes, self.request)
        for view in self._views:
            self._stack.addWidget(view)
        head = pane_head(self._title, self._added, self._removed, self.side, grows=self.side)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addWidget(self._stack, 1)
        self.text.cursorPositionChanged.connect(self._show_head)

    @property
    def tab(self) -> str:
        return TABS[self._stack.currentIndex()][0]

    def set_theme(self, theme: Theme) -> None:
        for view in self._views:
            view.set_theme(theme)

    def show_tab(self, name: str) -> None:
        self._stack.setCurrentIndex([tab for tab, _, _ in TABS].index(name))
        self._show_views()
        self._views[self._stack.currentIndex()].setFocus(Qt.FocusReason.OtherFocusReason)

    def show_page(self, page: PromptPage) -> None:
        """Show a page's information; the text itself is set by the editor."""
        self._page = page
        self.text.set_editable(page.editable)
        self._show_views()

    def set_edited(self, edited: bool) -> None:
        self._is_edited = edited
        self._show_head()

    def _show_views(self) -> None:
        if (page := self._page) is None:
            return
        if self.tab == "changes":
            self.changes.show_changes(page.changes)
        self.request.show_request(page.request)
        self._show_head()

    def _show_head(self) -> None:
        if (page := self._page) is None:
            return
        is_text, has_changes = self.tab == "text", bool(page.changes_title) and self.tab != "request"
        titles = {
            "text": page.changes_title or page.file,
            "changes": page.changes_title or tr("No level is below."),
        }
        self._title.setText(titles.get(self.tab, tr("Request")))
        _tone(self._added, page.added if has_changes else "", "ok")
        _tone(self._removed, page.removed if has_changes else "", "error")
        if self.tab == "request":
            self.side.show_text(tr(NOTE) if page.request.parts else "")
        elif not page.editable:
            self.side.show_text(tr(_READ_ONLY))
        else:
            line = tr("line {line} · ").format(line=self.text.line) if is_text else ""
            self.side.show_text(f"{line}UTF-8 · {self._state(page)}")

    def _state(self, page: PromptPage) -> str:
        if self._is_edited:
            return tr("not saved")
        is_there = any(row.shown and row.exists for row in page.chain)
        return tr("saved") if is_there else tr("no file yet")


def _tone(shown: QLabel, text: str, tone: str) -> None:
    shown.setText(text)
    shown.setVisible(bool(text))
    set_style_property(shown, "tone", tone)

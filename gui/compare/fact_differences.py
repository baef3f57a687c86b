"""What each of two results lost and the other keeps, with links to the messages."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from core.common import number_format
from core.presentation.compare.model import PairPage
from gui.compare.lost_facts import LostFactTable
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme
from gui.widgets.view_layout import line_of_widgets

_FILTERS = ("a", "b")


class ComparePairPane(QWidget):
    """Emits ``message_wanted(scope, index)``, ``open_wanted`` (A and B side by side)."""

    message_wanted = Signal(str, int)
    open_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._page: PairPage | None = None
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.open_button = push_button(tr("Open A | B as before and after"), "small")
        self.open_button.setToolTip(tr("Show the result of A beside that of B in Inspect."))
        self.open_button.clicked.connect(self.open_wanted)
        self._names = ElidedLabel("", "", min_chars=12)
        self._kinds = ElidedLabel("", "secondary", min_chars=4)
        self.filters = [push_button("", "small") for _ in _FILTERS]
        for button in self.filters:
            button.setCheckable(True)
            button.setChecked(True)
            button.clicked.connect(self._show_rows)
        self.facts = LostFactTable(theme)
        self.facts.opened.connect(self._on_go)
        self.facts.row_changed.connect(self._on_row_changed)
        self.go_button = push_button("", "small")
        self.go_button.clicked.connect(self._on_go)
        self._text = text_label("", "muted")
        self._text.setWordWrap(True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._text.setContentsMargins(16, 8, 16, 8)
        self._pages = QStackedWidget()
        self._pages.setProperty("role", "pane")
        self._pages.addWidget(self._text)
        self._pages.addWidget(self.facts)
        self._lay_out()
        self.show_page(None)

    def _lay_out(self) -> None:
        hint = ElidedLabel(tr("Enter in the table opens a row as the current view"), "quiet")
        self._chips = line_of_widgets(*self.filters, None, self._kinds, role="pane", gap=8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(line_of_widgets(self._names, None, self.open_button, gap=8))
        column.addWidget(self._chips)
        column.addWidget(self._pages, 1)
        column.addWidget(line_of_widgets(self.go_button, None, hint, role="foot", gap=8))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.facts.set_theme(theme)

    @property
    def page(self) -> PairPage | None:
        return self._page

    def show_page(self, page: PairPage | None, a: str = "", b: str = "") -> None:
        self._page = page
        if page is not None:
            a, b = page.a, page.b
        is_pair = bool(a and b)
        self._names.show_text(
            tr("A  {a}  against  B  {b}").format(a=a, b=b) if is_pair else tr("No pair is marked")
        )
        self.open_button.setEnabled(is_pair and a != b)
        has_rows = page is not None and bool(page.rows)
        self._chips.setVisible(has_rows)
        self.go_button.setVisible(has_rows)
        if page is None:
            hint = (
                tr("Working …")
                if is_pair
                else tr("Mark two rows: click the letters A and B before a name, or press A and B.")
            )
            self._show_text(hint)
        elif page.trouble:
            self._show_text(page.trouble)
        elif not page.rows:
            self._show_text(tr("{a} and {b} keep the same facts.").format(a=a, b=b))
        else:
            self._show_facts(page)

    def _show_text(self, text: str) -> None:
        self._text.setText(text)
        self._text.setAccessibleName(text)
        self._pages.setCurrentWidget(self._text)

    def _show_facts(self, page: PairPage) -> None:
        for button, letters, count in zip(
            self.filters, ("AB", "BA"), (page.lost_in_a, page.lost_in_b), strict=True
        ):
            button.setText(
                tr("{count} lost in {letters}, kept in {others}").format(
                    count=number_format.count(count), letters=letters[0], others=letters[1]
                )
            )
            button.setToolTip(tr("A click shows or hides these facts."))
        self._kinds.show_text(page.kinds)
        self._pages.setCurrentWidget(self.facts)
        self._show_rows()

    def _show_rows(self) -> None:
        if self._page is None:
            return
        sides = {side for side, button in zip(_FILTERS, self.filters, strict=True) if button.isChecked()}
        self.facts.put(tuple(row for row in self._page.rows if row.side in sides))

    def _on_row_changed(self) -> None:
        row = self.facts.current
        self.go_button.setEnabled(row is not None)
        self.go_button.setText(
            tr("Go to the message")
            if row is None
            else tr("Go to {message}").format(message=number_format.message_number(row.source))
        )

    def _on_go(self) -> None:
        row = self.facts.current
        if row is not None and self._page is not None:
            self.message_wanted.emit(self._page.scope, row.source)

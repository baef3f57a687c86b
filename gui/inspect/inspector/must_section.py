"""The first section of the Losses tab: the texts that must survive, and the field that takes one."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from core.common.excerpts import one_line_text
from core.presentation.inspector_model import MustPage, TextSpan
from gui.inspect.inspector.fact_list import FactListView, fit_to_rows
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import GlyphLabel
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import SECONDARY
from gui.widgets.view_layout import column_of, fill_panel, panel_of, row_of

_PAD = 12
_MAX_ROWS = 12


class MustSection(QWidget):
    """Enter adds what was typed. The selected row has links: to its message, to what comes near it
    in the result, pin, and remove."""

    added = Signal(str)
    removed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._page = MustPage()
        self.head = text_label("", "strong")
        self.copy_button = push_button(tr("Copy list"), "link", tip=_COPY_TIP)
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Add a rule, a file, a number…"))
        self.field.setAccessibleName(tr("Text that must survive"))
        self.list = FactListView()
        self.list.setAccessibleName(tr("Texts that must survive"))
        self.empty_words = text_label(tr("Type it, or take one of your rules:"), "secondary")
        self.suggestions = SpanText(SECONDARY, "text2")
        shield = GlyphLabel("shield", size=14)
        head = row_of(shield, self.head, None, self.copy_button, gap=6, stretched=self.head)
        self._empty = panel_of(column_of(self.empty_words, self.suggestions, gap=2))
        top = column_of(head, self.field, self._empty, margins=(_PAD, 8, _PAD, 4), gap=6)
        fill_panel(self, "pane", column_of(top, self.list))
        self.field.returnPressed.connect(self._on_typed)
        self.copy_button.clicked.connect(self._on_copy)
        self.list.remove_requested.connect(self.removed)
        self.suggestions.link_activated.connect(self._on_suggested)
        self.show_page(MustPage())

    def show_page(self, page: MustPage) -> None:
        self._page = page
        title = tr("Must keep") if page.rows else tr("What must survive?")
        self.head.setText(f"{title}   {page.head}".rstrip())
        self.list.show_rows(page.rows)
        fit_to_rows(self.list, len(page.rows), _MAX_ROWS)
        self.copy_button.setVisible(bool(page.rows))
        self._empty.setVisible(bool(page.suggestions) and not page.rows)
        spans: list[TextSpan] = []
        for number, text in enumerate(page.suggestions):
            if number:
                spans.append(TextSpan("\n"))
            spans.append(TextSpan(one_line_text(text, _MAX_SUGGESTION), str(number)))
        self.suggestions.set_spans(tuple(spans))

    def _on_typed(self) -> None:
        if text := self.field.text().strip():
            self.field.clear()
            self.added.emit(text)

    def _on_suggested(self, number: str) -> None:
        self.added.emit(self._page.suggestions[int(number)])

    def _on_copy(self) -> None:
        """Copy the list as a file of such texts has it: one a line."""
        lines = [" ".join(row.must.split()) for row in self._page.rows]
        QGuiApplication.clipboard().setText("\n".join(lines))


_COPY_TIP = tr("Copy the texts, one a line, as .foldline-must.txt holds them")
_MAX_SUGGESTION = 120  # characters

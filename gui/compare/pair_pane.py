"""What results A and B lost, with links to the messages."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QButtonGroup, QStackedWidget, QStyleOptionViewItem, QVBoxLayout, QWidget

from core.analysis.compare.model import CompareRow, LostFact, RecordedComparison
from core.common import number_format
from core.presentation.compare.model import PairPage
from core.presentation.compare.results import lost_fact_cells
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import paint_glyph
from gui.widgets.key_presses import is_enter
from gui.widgets.result_table import LEFT_MIDDLE, RIGHT_MIDDLE, Index, PlainTable, RowPainter, RowsModel
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import SECONDARY, Theme, mono_font, resized_font, scaled_pixels
from gui.widgets.view_layout import line_of_widgets


class _LostFactModel(RowsModel):
    def __init__(self) -> None:
        super().__init__()
        self.facts: tuple[LostFact, ...] = ()

    def show_facts(self, facts: tuple[LostFact, ...]) -> None:
        self.facts = facts
        self.set_row_count(len(facts))

    def text(self, row: int) -> str:
        return lost_fact_cells(self.facts[row])[1]

    def accessible_text(self, row: int) -> str:
        kind, text, location, _ = lost_fact_cells(self.facts[row])
        return tr("lost: {kind}, {text}, {location}").format(kind=kind, text=text, location=location)


class _LostFactPainter(RowPainter):
    def paint_cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        if not isinstance(model, _LostFactModel):
            return
        kind, text, location, is_code = lost_fact_cells(model.facts[index.row()])
        inside, theme = QRect(option.rect).adjusted(8, 0, -12, -1), self.theme
        glyph = QRect(inside.left(), inside.center().y() - 5, 11, 11)
        paint_glyph(painter, "close", glyph.toRectF(), theme.error)
        small = resized_font(option.font, SECONDARY)
        metrics = QFontMetrics(small)
        kind_width = scaled_pixels(110, option.font)
        location_width = min(metrics.horizontalAdvance(location) + 4, inside.width() // 3)
        painter.setFont(small)
        painter.setPen(theme.text2)
        elide = Qt.TextElideMode.ElideRight
        kind_box = QRect(inside.left() + 18, inside.top(), kind_width - 24, inside.height())
        painter.drawText(kind_box, LEFT_MIDDLE, metrics.elidedText(kind, elide, kind_box.width()))
        painter.drawText(inside, RIGHT_MIDDLE, metrics.elidedText(location, elide, location_width))
        box = inside.adjusted(kind_width, 0, -location_width - 12, 0)
        painter.setPen(theme.text)
        painter.setFont(
            mono_font(option.fontMetrics.height() / 16) if is_code else resized_font(option.font, 13)
        )
        painter.drawText(box, LEFT_MIDDLE, painter.fontMetrics().elidedText(text, elide, box.width()))


class LostFactTable(PlainTable):
    """Emits ``opened(message)`` for Enter and double click."""

    opened = Signal(int)

    def __init__(self, theme: Theme) -> None:
        self.lost = _LostFactModel()
        painter = _LostFactPainter(self.lost, theme)
        super().__init__(tr("Facts that were lost"), self.lost, painter, has_header=False)
        self.lost.setParent(self)
        self.doubleClicked.connect(self._open)
        self.set_theme(theme)

    def show_facts(self, facts: tuple[LostFact, ...]) -> None:
        self.lost.show_facts(facts)
        if facts:
            self.setCurrentIndex(self.lost.index(0, 0))

    def _open(self) -> None:
        row = self.currentIndex().row()
        if 0 <= row < len(self.lost.facts):
            self.opened.emit(self.lost.facts[row].fact.messages[0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_enter(event):
            self._open()
        else:
            super().keyPressEvent(event)


class PairPane(QWidget):
    """Emits ``message_wanted(scope, index)``, ``open_wanted`` (A and B side by side)."""

    message_wanted = Signal(str, int)
    open_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.page: PairPage | None = None
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._names = ElidedLabel("", "strong", min_chars=12)
        self.open_button = push_button(tr("Open side by side"), "small")
        self.open_button.setToolTip(tr("Show the result of A beside that of B in Inspect."))
        self.open_button.clicked.connect(self.open_wanted)
        self.filters = [push_button("", "small") for _ in range(3)]
        group = QButtonGroup(self)
        for button in self.filters:
            button.setCheckable(True)
            group.addButton(button)
        group.buttonClicked.connect(self._show_rows)
        self.facts = LostFactTable(theme)
        self.facts.opened.connect(self._on_opened)
        self._text, self.agent_text = text_label("", "muted"), text_label("", "secondary")
        for label in (self._text, self.agent_text):
            label.setWordWrap(True)
            label.setContentsMargins(12, 6, 12, 6)
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.removed_text = ElidedLabel("", "secondary", min_chars=12)
        self._pages = QStackedWidget()
        for widget in (self._text, self.facts):
            self._pages.addWidget(widget)
        hint = ElidedLabel(tr("Enter opens the row in Inspect"), "quiet", min_chars=6)
        self._chips = line_of_widgets(*self.filters, None, hint, role="pane", gap=8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(line_of_widgets(self._names, None, self.open_button, gap=8))
        column.addWidget(self._chips)
        column.addWidget(self.agent_text)
        column.addWidget(self._pages, 1)
        column.addWidget(line_of_widgets(self.removed_text, role="foot", stretched=self.removed_text))
        self.show_page(None)

    def set_theme(self, theme: Theme) -> None:
        self.facts.set_theme(theme)

    def show_page(self, page: PairPage | None, a: str = "", b: str = "") -> None:
        """Show what two results lost; without a page that it is computed, or how to mark two."""
        self.page = page
        a, b = (page.a, page.b) if page is not None else (a, b)
        is_pair = bool(a and b)
        self._names.show_text(
            tr("A {a}  and  B {b}").format(a=a, b=b) if is_pair else tr("No two rows are marked")
        )
        self.open_button.setEnabled(is_pair and a != b)
        self.agent_text.hide()
        self.removed_text.show_text("")
        has_losses = page is not None and page.losses is not None
        self._chips.setVisible(has_losses)
        self._pages.setCurrentWidget(self.facts if has_losses else self._text)
        hint = tr("Mark two rows: click A or B before a name, or press A and B.")
        text = page.trouble if page is not None else tr("Working …") if is_pair else hint
        self._text.setText(text)
        self._text.setAccessibleName(text)
        if page is None or page.losses is None:
            return
        losses = page.losses
        texts = (tr("{count} lost only in A"), tr("{count} lost only in B"), tr("{count} lost in both"))
        self._lists = (losses.lost_in_a, losses.lost_in_b, losses.lost_in_both)
        for button, label, facts in zip(self.filters, texts, self._lists, strict=True):
            button.setText(label.format(count=number_format.count(len(facts))))
        first = next((index for index, facts in enumerate(self._lists) if facts), 0)
        self.filters[first].setChecked(True)
        self._show_rows()

    def show_results(self, rows: Sequence[CompareRow], comparisons: Sequence[RecordedComparison]) -> None:
        """Show how much text both removed, and what is known of a recorded compaction and its preset."""
        if self.page is None:
            return
        names = (self.page.a, self.page.b)
        removed = {row.name: number_format.count(max(0, row.before_tokens - row.tokens)) for row in rows}
        parts = [
            f"{letter} {removed[name]}" for letter, name in zip("AB", names, strict=True) if name in removed
        ]
        self.removed_text.show_text(tr("Tokens removed: {parts}").format(parts=", ".join(parts)))
        sentences = [
            " ".join(comparison.sentences)
            for comparison in comparisons
            if f"recorded {comparison.number}" in names and comparison.preset in names
        ]
        self.agent_text.setText("\n".join(sentences))
        self.agent_text.setVisible(bool(sentences))

    def _show_rows(self) -> None:
        self.facts.show_facts(
            next(facts for button, facts in zip(self.filters, self._lists, strict=True) if button.isChecked())
        )

    def _on_opened(self, message: int) -> None:
        if self.page is not None:
            self.message_wanted.emit(self.page.scope, message)

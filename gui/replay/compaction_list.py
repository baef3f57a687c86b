"""The list of a replay's compactions."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from core.common import number_format
from core.presentation.replay.model import ReplayCompactionMark, ReplayPage
from gui.language import tr
from gui.replay.line_style import track_colour
from gui.widgets.result_table import LEFT_MIDDLE, RIGHT_MIDDLE, Index, PlainTable, RowPainter, RowsModel
from gui.widgets.theme import SECONDARY, Theme, resized_font, tabular_font


class _CompactionModel(RowsModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.page: ReplayPage | None = None

    def show_page(self, page: ReplayPage | None) -> None:
        self.page = page
        self.set_row_count(len(page.marks) if page is not None else 0)

    def mark_at(self, row: int) -> ReplayCompactionMark | None:
        return self.page.marks[row] if self.page is not None and 0 <= row < len(self.page.marks) else None

    def text(self, row: int) -> str:
        mark = self.mark_at(row)
        if mark is None or self.page is None:
            return ""
        return tr("turn {turn:,}, {name}: {text}").format(
            turn=mark.turn, name=self.page.lines[mark.line].name, text=mark.text
        )


class _CompactionDelegate(RowPainter):
    """Paints turn, a bar in the line's colour, name, and the context's sizes."""

    def paint_cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        mark = model.mark_at(index.row()) if isinstance(model, _CompactionModel) else None
        if mark is None or not isinstance(model, _CompactionModel) or model.page is None:
            return
        theme, rect = self.theme, QRect(option.rect)
        inside = rect.adjusted(12, 0, -8, -1)
        painter.setFont(tabular_font(resized_font(option.font, SECONDARY)))
        painter.setPen(theme.text2)
        turn = tr("turn {turn:,}").format(turn=mark.turn)
        painter.drawText(inside, LEFT_MIDDLE, turn)
        widest = tr("turn {turn:,}").format(turn=model.page.turns)  # so that all bars are aligned
        turn_width = max(62, painter.fontMetrics().horizontalAdvance(widest) + 10)
        painter.fillRect(
            inside.left() + turn_width, inside.center().y() - 7, 4, 15, track_colour(theme, mark.line)
        )
        text_rect = inside.adjusted(turn_width + 10, 0, 0, 0)
        painter.setFont(resized_font(option.font, 13))
        painter.setPen(theme.text)
        small_metrics = QFontMetrics(resized_font(option.font, SECONDARY))
        min_size_width = 0 if mark.failed else small_metrics.horizontalAdvance(_size_forms(mark)[-1]) + 10
        metrics, name = painter.fontMetrics(), model.page.lines[mark.line].name
        name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, text_rect.width() - min_size_width)
        painter.drawText(text_rect, LEFT_MIDDLE, name)
        text_rect.setLeft(text_rect.left() + metrics.horizontalAdvance(name) + 10)
        painter.setFont(resized_font(option.font, SECONDARY))
        painter.setPen(theme.error if mark.failed else theme.fate_text[3])
        painter.drawText(text_rect, RIGHT_MIDDLE, shortened_size(mark, small_metrics, text_rect.width()))


def _size_forms(mark: ReplayCompactionMark) -> tuple[str, ...]:
    """Return the change of the context's size in ever shorter forms."""
    if mark.failed:
        return (mark.text,)
    sizes = {"before": number_format.abbreviated(mark.before), "after": number_format.abbreviated(mark.after)}
    return mark.text, tr("{before} → {after} tokens").format(**sizes), "{before} → {after}".format(**sizes)


def shortened_size(mark: ReplayCompactionMark, metrics: QFontMetrics, width: int) -> str:
    """Return the change of the context's size in the given pixels; sizes are never cut within the forms."""
    forms = _size_forms(mark)
    fitting = (text for text in forms if metrics.horizontalAdvance(text) <= width)
    return next(fitting, metrics.elidedText(forms[-1], Qt.TextElideMode.ElideRight, width))


class CompactionTable(PlainTable):
    """Emits ``chosen(turn, name)`` for a compaction that is clicked or reached by keys."""

    chosen = Signal(int, str)

    def __init__(self, theme: Theme) -> None:
        self.compactions = _CompactionModel()
        super().__init__(
            tr("Compactions"),
            self.compactions,
            _CompactionDelegate(self.compactions, theme),
            has_header=False,
        )
        self.compactions.setParent(self)
        self.clicked.connect(self._on_chosen)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    def show_page(self, page: ReplayPage | None) -> None:
        self.compactions.show_page(page)

    def _on_current(self, current: QModelIndex) -> None:
        if self.hasFocus():
            self._on_chosen(current)

    def _on_chosen(self, index: QModelIndex) -> None:
        mark = self.compactions.mark_at(index.row())
        if mark is not None and self.compactions.page is not None:
            self.chosen.emit(mark.turn, self.compactions.page.lines[mark.line].name)

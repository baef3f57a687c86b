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
        self.renew(len(page.marks) if page is not None else 0)

    def at(self, row: int) -> ReplayCompactionMark | None:
        return self.page.marks[row] if self.page is not None and 0 <= row < len(self.page.marks) else None

    def text(self, row: int) -> str:
        mark = self.at(row)
        if mark is None or self.page is None:
            return ""
        return tr("turn {turn:,}, {name}: {text}").format(
            turn=mark.turn, name=self.page.lines[mark.line].name, text=mark.text
        )


class _CompactionDelegate(RowPainter):
    """Paints turn, a bar in the line's colour, name, and the context's sizes."""

    def cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        mark = model.at(index.row()) if isinstance(model, _CompactionModel) else None
        if mark is None or not isinstance(model, _CompactionModel) or model.page is None:
            return
        shade, rect = self.theme, QRect(option.rect)
        inside = rect.adjusted(12, 0, -8, -1)
        painter.setFont(tabular_font(resized_font(option.font, SECONDARY)))
        painter.setPen(shade.text2)
        turn = tr("turn {turn:,}").format(turn=mark.turn)
        painter.drawText(inside, LEFT_MIDDLE, turn)
        widest = tr("turn {turn:,}").format(turn=model.page.turns)  # so that all bars are aligned
        left = max(62, painter.fontMetrics().horizontalAdvance(widest) + 10)
        painter.fillRect(inside.left() + left, inside.center().y() - 7, 4, 15, track_colour(shade, mark.line))
        room = inside.adjusted(left + 10, 0, 0, 0)
        painter.setFont(resized_font(option.font, 13))
        painter.setPen(shade.text)
        small = QFontMetrics(resized_font(option.font, SECONDARY))
        least = 0 if mark.failed else small.horizontalAdvance(_size_forms(mark)[-1]) + 10
        metrics, name = painter.fontMetrics(), model.page.lines[mark.line].name
        name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room.width() - least)
        painter.drawText(room, LEFT_MIDDLE, name)
        room.setLeft(room.left() + metrics.horizontalAdvance(name) + 10)
        painter.setFont(resized_font(option.font, SECONDARY))
        painter.setPen(shade.error if mark.failed else shade.fate_text[3])
        painter.drawText(room, RIGHT_MIDDLE, shortened_size(mark, small, room.width()))


def _size_forms(mark: ReplayCompactionMark) -> tuple[str, ...]:
    """Return the change of the context's size in ever shorter forms."""
    if mark.failed:
        return (mark.text,)
    sizes = {"before": number_format.short(mark.before), "after": number_format.short(mark.after)}
    return mark.text, tr("{before} → {after} tokens").format(**sizes), "{before} → {after}".format(**sizes)


def shortened_size(mark: ReplayCompactionMark, metrics: QFontMetrics, room: int) -> str:
    """Return the change of the context's size in the given pixels; sizes are never cut within the forms."""
    forms = _size_forms(mark)
    fitting = (text for text in forms if metrics.horizontalAdvance(text) <= room)
    return next(fitting, metrics.elidedText(forms[-1], Qt.TextElideMode.ElideRight, room))


class CompactionTable(PlainTable):
    """Emits ``chosen(turn, name)`` for a compaction that is clicked or reached by keys."""

    chosen = Signal(int, str)

    def __init__(self, theme: Theme) -> None:
        self.marks = _CompactionModel()
        super().__init__(tr("Compactions"), self.marks, _CompactionDelegate(self.marks, theme), heads=False)
        self.marks.setParent(self)
        self.clicked.connect(self._on_chosen)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    def show_page(self, page: ReplayPage | None) -> None:
        self.marks.show_page(page)

    def _on_current(self, current: QModelIndex) -> None:
        if self.hasFocus():
            self._on_chosen(current)

    def _on_chosen(self, index: QModelIndex) -> None:
        mark = self.marks.at(index.row())
        if mark is not None and self.marks.page is not None:
            self.chosen.emit(mark.turn, self.marks.page.lines[mark.line].name)

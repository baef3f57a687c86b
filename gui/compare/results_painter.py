"""Paints the rows of results: headings, marks A and B, names with chip and note, figures, errors."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionViewItem

from gui.compare.over_time_picture import line_sample
from gui.compare.results_model import ResultEntry, ResultsModel
from gui.widgets.result_table import LEFT_MIDDLE, Index, RowPainter
from gui.widgets.theme import SECONDARY, SMALL, Theme, resized_font

SLOT_WIDTH = 16
"""Width of a mark; A is in the first slot, B in the second."""
_PAD, _SAMPLE_WIDTH, _CHIP_PAD = 8, 40, 6
_SHORT_NOTE = 40  # characters of a note that is never elided


class ResultsPainter(RowPainter):
    """``has_marks``: rows can be marked A and B; ``has_samples``: a sample of its line begins each name."""

    def __init__(self, model: ResultsModel, theme: Theme, *, has_marks: bool, has_samples: bool) -> None:
        super().__init__(model, theme)
        self._model, self.has_marks, self._has_samples = model, has_marks, has_samples
        self.marked: tuple[str, str] = ("", "")
        self.hovered = -1

    def is_marked(self, index: Index, *, is_current: bool) -> bool:
        entry = self._model.entry_at(index.row())
        return is_current if not self.has_marks else entry is not None and entry.name in self.marked

    @property
    def _left(self) -> int:
        """Pixels before a name."""
        return _PAD + (2 * SLOT_WIDTH if self.has_marks else 0) + (_SAMPLE_WIDTH if self._has_samples else 0)

    def paint_cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        entry, rect = self._model.row_at(index.row()), QRect(option.rect)
        inside = rect.adjusted(_PAD, 0, -_PAD, -1)
        if isinstance(entry, str):
            painter.fillRect(rect.adjusted(0, 0, 0, -1), self.theme.surface2)
            painter.setFont(resized_font(option.font, SECONDARY, bold=True))
            painter.setPen(self.theme.text2)
            painter.drawText(inside, LEFT_MIDDLE, entry)
        elif index.column() == 0:
            self._paint_name(
                painter, rect, option.font, entry, is_hovered=is_current or index.row() == self.hovered
            )
            if is_current:
                painter.fillRect(rect.left(), rect.top(), 3, rect.height(), self.theme.accent_text)
        elif error := self._model.error(entry):
            self.paint_text(painter, inside, option.font, error, failed=entry.row is not None)
        else:
            cell = self._model.cell(entry, index.column())
            self.paint_figure(painter, inside, option.font, cell, glyph=not cell.text[:1].isdecimal())

    def name_width(self, font: QFont, entry: ResultEntry) -> int:
        """Return the pixels of a name with its chip and note."""
        name = QFontMetrics(resized_font(font, 13, bold=True)).horizontalAdvance(entry.name)
        metrics = QFontMetrics(resized_font(font, SMALL))
        chip = metrics.horizontalAdvance(entry.badge) + 3 * _CHIP_PAD if entry.badge else 0
        note = self._model.note(entry)
        return (
            self._left + name + chip + (metrics.horizontalAdvance(note) + 16 if len(note) < 40 else 0) + _PAD
        )

    def _paint_name(
        self, painter: QPainter, rect: QRect, font: QFont, entry: ResultEntry, *, is_hovered: bool
    ) -> None:
        theme, left = self.theme, rect.left() + self._left
        if self.has_marks:
            self._paint_letters(painter, rect, font, entry.name, shows_all=is_hovered)
        if self._has_samples:
            line = [other.name for other in self._model.entries].index(entry.name)
            box = QRect(left - _SAMPLE_WIDTH, rect.top(), _SAMPLE_WIDTH - 8, rect.height())
            line_sample(painter, theme, line, box.toRectF())
        box = QRect(left, rect.top(), rect.right() - left - 4, rect.height() - 1)
        painter.setFont(resized_font(font, 13, bold=entry.name in self.marked))
        painter.setPen(theme.text3 if entry.row is None else theme.text)
        metrics = painter.fontMetrics()
        painter.drawText(
            box, LEFT_MIDDLE, metrics.elidedText(entry.name, Qt.TextElideMode.ElideMiddle, box.width())
        )
        box.setLeft(left + metrics.horizontalAdvance(entry.name) + _CHIP_PAD)
        painter.setFont(resized_font(font, SMALL))
        if entry.badge:
            self._paint_chip(painter, box, entry.badge)
        note = painter.fontMetrics().elidedText(
            self._model.note(entry), Qt.TextElideMode.ElideRight, box.width()
        )
        if box.width() > 24:
            painter.setPen(theme.text3)
            painter.drawText(box, LEFT_MIDDLE, note)

    def _paint_letters(
        self, painter: QPainter, rect: QRect, font: QFont, name: str, *, shows_all: bool
    ) -> None:
        for index, letter in enumerate("AB"):
            is_set = self.marked[index] == name
            if is_set or shows_all:
                painter.setFont(resized_font(font, SECONDARY, bold=is_set))
                painter.setPen(self.theme.accent_text if is_set else self.theme.text3)
                slot = QRect(rect.left() + 4 + index * SLOT_WIDTH, rect.top(), SLOT_WIDTH, rect.height() - 1)
                painter.drawText(slot, int(Qt.AlignmentFlag.AlignCenter), letter)

    def _paint_chip(self, painter: QPainter, box: QRect, text: str) -> None:
        """Paint a chip that fits, and move ``box`` behind it."""
        width = painter.fontMetrics().horizontalAdvance(text) + 2 * _CHIP_PAD
        if width > box.width():
            return
        chip = QRect(box.left(), box.center().y() - 8, width, 17)
        painter.setPen(QPen(self.theme.ok, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(chip, 3, 3)
        painter.drawText(chip, int(Qt.AlignmentFlag.AlignCenter), text)
        box.setLeft(chip.right() + _CHIP_PAD)

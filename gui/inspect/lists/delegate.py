"""The delegate of the lists: paints rows."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.presentation.lists.model import RowFlag
from core.presentation.lists.row_plan import RowKind
from core.presentation.lists.row_wording import token_figure
from core.presentation.model import FATES
from gui.inspect.lists import separator_rows
from gui.inspect.lists.column_layout import ColumnLayout, ListFonts, column_layout, list_fonts
from gui.inspect.lists.message_row import HIGHLIGHT_OPACITY, MessageRow, RowAppearance, glyph_slots
from gui.inspect.lists.painting import with_opacity
from gui.inspect.lists.table_model import MessageListModel
from gui.language import tr
from gui.widgets.theme import Theme, theme

_INITIAL_WIDTH = 480  # assumed width of a list until it is shown
_SUMMARISED = FATES.index("summarised")
_SOURCE_BAR_WIDTH, _SOURCE_OPACITY = 3, 0.16  # pixels of the bar at a source row, opacity over the row


class MessageRowDelegate(QStyledItemDelegate):
    """Paints whole rows. ``current_row`` is a row; ``partners``, ``sources`` and ``highlighted_range``
    [start, end) are messages."""

    def __init__(self, model: MessageListModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self.theme: Theme = theme("light")
        self.flags: Mapping[int, RowFlag] = {}  # by source message
        self.fonts: ListFonts = list_fonts(parent.font())
        self.columns: ColumnLayout = self._columns(_INITIAL_WIDTH)
        self.current_row = -1
        self.focused = False
        self.partners: frozenset[int] = frozenset()
        self.sources: frozenset[int] = frozenset()
        self.highlighted_range: tuple[int, int] = (0, 0)
        self.is_outdated = False

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.lay_out_columns(self.columns.width)

    def set_font(self, font: QFont) -> None:
        self.fonts = list_fonts(font)
        self.lay_out_columns(self.columns.width)

    def lay_out_columns(self, width: int) -> None:
        """Lay out the columns for a list of ``width`` pixels."""
        self.columns = self._columns(width)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(self.columns.width, self.fonts.row_pixels)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row, rect = index.row(), QRect(option.rect)
        kind, place = self._model.plan.kind_and_index(row)
        appearance = self._appearance(row)
        painter.save()
        painter.setClipRect(rect)
        painter.fillRect(rect, self.theme.surface)
        if kind == RowKind.MESSAGE:
            content = self._model.content
            MessageRow(
                painter, rect, self.theme, self.fonts, self.columns, content, place, appearance
            ).paint()
        else:
            self._paint_separator(painter, rect, row, appearance)
        painter.setOpacity(1)
        if appearance.is_source:
            painter.fillRect(
                QRect(rect.topLeft(), QSize(_SOURCE_BAR_WIDTH, rect.height())), self.theme.accent_text
            )
            painter.fillRect(rect, with_opacity(self.theme.accent_text, _SOURCE_OPACITY))
        if appearance.ring_width:
            painter.setPen(QPen(self.theme.accent_text, appearance.ring_width, j=Qt.PenJoinStyle.MiterJoin))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inset = appearance.ring_width / 2
            painter.drawRect(QRectF(rect).adjusted(inset, inset, -inset, -inset))
        painter.restore()

    def _columns(self, width: int) -> ColumnLayout:
        rows = self._model.content.rows
        return column_layout(
            self.fonts,
            width,
            with_tokens_before=self._model.content.side == "after",
            number=str(max(len(rows), 1)),
            tokens=token_figure(self._model.max_tokens),
            gutter_word=tr(FATES[_SUMMARISED]) if self.theme.high_contrast else "",
            flags=glyph_slots(self.flags.values()),
        )

    def _appearance(self, row: int) -> RowAppearance:
        kind, index = self._model.plan.kind_and_index(row)
        ring = 0 if row != self.current_row else 2 if self.focused else 1
        is_message = kind == RowKind.MESSAGE
        return RowAppearance(
            ring_width=ring,
            is_hovered=self._is_highlighted(kind, index),
            is_partner=is_message and index in self.partners,
            is_source=bool(self.sources) and self._holds_source(kind, index),
            is_outdated=self.is_outdated,
            is_stale=self._model.content.draft or self._model.content.stale,
            flags=self._model.content.row_flags(index, self.flags) if is_message else RowFlag.NONE,
        )

    def _is_highlighted(self, kind: int, index: int) -> bool:
        start, end = self.highlighted_range
        if kind == RowKind.MESSAGE:
            return start <= index < end
        if kind in (RowKind.FOLD, RowKind.OPEN_FOLD):
            fold = self._model.plan.folded_runs[index]
            return start < fold.end and fold.start < end
        return False

    def _holds_source(self, kind: int, index: int) -> bool:
        if kind == RowKind.MESSAGE:
            return index in self.sources
        if kind in (RowKind.FOLD, RowKind.OPEN_FOLD):
            fold = self._model.plan.folded_runs[index]
            return any(fold.start <= source < fold.end for source in self.sources)
        return False

    def _paint_separator(self, painter: QPainter, rect: QRect, row: int, appearance: RowAppearance) -> None:
        """Paint a row that is no message."""
        kind, index = self._model.plan.kind_and_index(row)
        content, theme, fonts = self._model.content, self.theme, self.fonts
        if kind == RowKind.SUMMARY:
            separator_rows.paint_summary(painter, rect, theme, fonts, content.recorded[index].summary)
            return
        painter.fillRect(rect, theme.surface2)
        if appearance.is_hovered:
            painter.fillRect(rect, with_opacity(theme.text, HIGHLIGHT_OPACITY))
        if kind == RowKind.CUT:
            separator_rows.paint_cut(painter, rect, theme, fonts, content.cuts[index].text)
        elif kind == RowKind.COMPACTED:
            separator_rows.paint_compacted(painter, rect, theme, fonts, content.cuts[index].text)
        elif kind == RowKind.RECORDED:
            is_open = self._model.is_open(row)
            separator_rows.paint_recorded(painter, rect, theme, fonts, content.recorded[index], is_open)
        else:
            is_open = kind == RowKind.OPEN_FOLD
            separator_rows.paint_folded_run(
                painter, rect, theme, fonts, self._model.plan.folded_runs[index], is_open=is_open
            )

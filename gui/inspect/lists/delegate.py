"""The delegate of the lists: paints rows and caches their pictures."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.presentation.lists.model import RowFlag
from core.presentation.lists.row_plan import RowKind
from core.presentation.lists.row_wording import token_figure
from core.presentation.model import FATES
from gui.inspect.lists import separator_rows
from gui.inspect.lists.column_layout import ColumnLayout, ListFonts, column_layout, list_fonts
from gui.inspect.lists.message_row import GLOW, MessageRow, RowAppearance, glyph_slots
from gui.inspect.lists.painted_rows import PICTURES
from gui.inspect.lists.painting import see_through
from gui.inspect.lists.table_model import MessageListModel
from gui.language import tr
from gui.widgets.theme import Theme, theme

_GUESS = 480  # assumed width of a list until it is shown
_SUMMARISED = FATES.index("summarised")
_SOURCE, _SHADE = 3, 0.16  # pixels of the bar at a source row, opacity over the row


class MessageRowDelegate(QStyledItemDelegate):
    """Paints whole rows. ``current`` is a row; ``partners``, ``sources`` and ``glow`` [start, end) are
    messages."""

    def __init__(self, model: MessageListModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self.theme: Theme = theme("light")
        self.flags: Mapping[int, RowFlag] = {}  # by source message
        self.fonts: ListFonts = list_fonts(parent.font())
        self.columns: ColumnLayout = self._columns(_GUESS)
        self.current = -1
        self.focused = False
        self.partners: frozenset[int] = frozenset()
        self.sources: frozenset[int] = frozenset()
        self.glow: tuple[int, int] = (0, 0)
        self.old = False

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self._model.forget_pictures()
        self.lay_out(self.columns.width)

    def set_font(self, font: QFont) -> None:
        self.fonts = list_fonts(font)
        self._model.forget_pictures()
        self.lay_out(self.columns.width)

    def lay_out(self, width: int) -> None:
        """Lay out the columns for a list of ``width`` pixels."""
        page, basis = self._model.page, (width, glyph_slots(self.flags.values()), self.theme.high_contrast)
        if page.columns is None or page.basis != basis:
            page.lay_out(self._columns(width), basis)
        self.columns = page.columns or self.columns

    def renew(self, start: int, end: int) -> None:
        """Drop the pictures of the rows [start, end), and all if the columns have to move."""
        page = self._model.page
        page.lay_out(self._columns(self.columns.width), page.basis)
        self.columns = page.columns or self.columns
        pictures = page.pictures
        for key in [key for key in pictures if start <= key[0] < end]:
            del pictures[key]

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(self.columns.width, self.fonts.row)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint a row, from its cached picture if there is one: scrolling shows most rows again."""
        row, rect = index.row(), QRect(option.rect)
        device = painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        key = (row, rect.width(), ratio, self._appearance(row))
        page = self._model.page
        pictures = page.pictures
        if key not in pictures:
            if len(pictures) >= PICTURES:
                pictures.clear()
            pictures[key] = page.same_picture(row, key, self._model.former) or self._picture(*key)
        painter.drawPixmap(rect.topLeft(), pictures[key])

    def _columns(self, width: int) -> ColumnLayout:
        rows = self._model.content.rows
        return column_layout(
            self.fonts,
            width,
            with_was=self._model.content.side == "after",
            number=str(max(len(rows), 1)),
            tokens=token_figure(self._model.most),
            gutter_word=tr(FATES[_SUMMARISED]) if self.theme.high_contrast else "",
            flags=glyph_slots(self.flags.values()),
        )

    def _appearance(self, row: int) -> RowAppearance:
        kind, place = self._model.plan.at(row)
        ring = 0 if row != self.current else 2 if self.focused else 1
        is_message = kind == RowKind.MESSAGE
        return RowAppearance(
            ring=ring,
            is_hovered=self._glows(kind, place),
            partner=is_message and place in self.partners,
            source=bool(self.sources) and self._holds_source(kind, place),
            is_outdated=self.old,
            stale=self._model.content.draft or self._model.content.stale,
            flags=self._model.content.flag(place, self.flags) if is_message else RowFlag.NONE,
        )

    def _glows(self, kind: int, place: int) -> bool:
        start, end = self.glow
        if kind == RowKind.MESSAGE:
            return start <= place < end
        if kind in (RowKind.FOLD, RowKind.OPEN_FOLD):
            fold = self._model.plan.folded_runs[place]
            return start < fold.end and fold.start < end
        return False

    def _holds_source(self, kind: int, place: int) -> bool:
        if kind == RowKind.MESSAGE:
            return place in self.sources
        if kind in (RowKind.FOLD, RowKind.OPEN_FOLD):
            fold = self._model.plan.folded_runs[place]
            return any(fold.start <= one < fold.end for one in self.sources)
        return False

    def _picture(self, row: int, width: int, ratio: float, look: RowAppearance) -> QPixmap:
        height = self.fonts.row
        picture = QPixmap(round(width * ratio), round(height * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(self.theme.surface)
        painter = QPainter(picture)
        rect = QRect(0, 0, width, height)
        kind, place = self._model.plan.at(row)
        if kind == RowKind.MESSAGE:
            content = self._model.content
            MessageRow(painter, rect, self.theme, self.fonts, self.columns, content, place, look).paint()
        else:
            self._between(painter, rect, row, look)
        painter.setOpacity(1)
        if look.source:
            painter.fillRect(QRect(0, 0, _SOURCE, height), self.theme.accent_text)
            painter.fillRect(rect, see_through(self.theme.accent_text, _SHADE))
        if look.ring:
            painter.setPen(QPen(self.theme.accent_text, look.ring, j=Qt.PenJoinStyle.MiterJoin))
            inset = look.ring / 2
            painter.drawRect(QRectF(rect).adjusted(inset, inset, -inset, -inset))
        painter.end()
        return picture

    def _between(self, painter: QPainter, rect: QRect, row: int, look: RowAppearance) -> None:
        """Paint a row that is no message."""
        kind, place = self._model.plan.at(row)
        content, theme, faces = self._model.content, self.theme, self.fonts
        if kind == RowKind.SUMMARY:
            separator_rows.paint_summary(painter, rect, theme, faces, content.recorded[place].summary)
            return
        painter.fillRect(rect, theme.surface2)
        if look.is_hovered:
            painter.fillRect(rect, see_through(theme.text, GLOW))
        if kind == RowKind.CUT:
            separator_rows.paint_cut(painter, rect, theme, faces, content.cuts[place].text)
        elif kind == RowKind.COMPACTED:
            separator_rows.paint_compacted(painter, rect, theme, faces, content.cuts[place].text)
        elif kind == RowKind.RECORDED:
            is_open = self._model.is_open(row)
            separator_rows.paint_recorded(painter, rect, theme, faces, content.recorded[place], is_open)
        else:
            is_open = kind == RowKind.OPEN_FOLD
            separator_rows.paint_folded_run(
                painter, rect, theme, faces, self._model.plan.folded_runs[place], is_open=is_open
            )

"""Paints the cells of the list: one text over the right halves of all rows that it stands for."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QPainter,
    QPalette,
    QPen,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)

from core.common.number_format import count, plural
from core.presentation.dialog_model import USE_OFFLINE
from core.presentation.lists.aligned_rows import Block, CellSizes, CellText
from core.presentation.lists.row_texts import (
    CellLine,
    LineKind,
    cell_lines,
    line_parts,
)
from core.presentation.model import SUMMARISED, Notice, NoticeAction
from core.presentation.screen_model import Screen
from gui.inspect.lists.delegate import OUTDATED_OPACITY, MessageRowPainter
from gui.inspect.lists.row_parts import (
    LINE_HEIGHT,
    paint_gutter_glyph,
    paint_right_text,
    paint_text,
)
from gui.inspect.lists.table_model import MessageListModel
from gui.language import tr
from gui.widgets.icons import FATE_GLYPHS
from gui.widgets.theme import with_opacity


@dataclass(frozen=True, slots=True)
class CellLink:
    """A painted link; without an action it shows the whole summary, or less of it again."""

    rect: QRect
    result: int
    label: str
    action: NoticeAction | None


@dataclass(frozen=True, slots=True)
class CellStates:
    """What the cells of a preview offer: whether a model writes summaries and what it costs,
    whether the settings may be changed now; ``failure`` is why the last run has no summary."""

    asks_model: bool = False
    price: str = ""
    is_provisional: bool = False
    is_outdated: bool = False
    failure: Notice | None = None

    @staticmethod
    def of(screen: Screen) -> CellStates:
        asks_model = screen.request.calls_model and not screen.is_beside
        return CellStates(
            asks_model, screen.request.price, screen.provisional, screen.request.stale
        )

    def actions(self, cell: CellText) -> tuple[NoticeAction, ...]:
        """Return the ways out of the state of a cell, the most useful first."""
        if self.is_provisional:
            return ()
        if not cell.state:
            if self.asks_model:
                return (NoticeAction(tr("Edit prompt…"), "prompts"),)
            return ()
        if self.failure is not None:
            return self.failure.actions
        if self.price:
            price = f" · {self.price}"
        else:
            price = ""
        if self.is_outdated:
            return (
                NoticeAction(tr("Compact again") + price, "compact"),
                NoticeAction(tr("Put it back"), "undo"),
            )
        return (
            NoticeAction(tr("Compact") + price, "compact"),
            NoticeAction(tr(USE_OFFLINE), "compact-offline"),
            NoticeAction(tr("Show request"), "request"),
        )

    def words(self, cell: CellText) -> str:
        """Return what stands in a cell whose summary is not written: why, under a head."""
        if cell.state and self.failure is not None:
            return f"**{tr(self.failure.title).replace('*', '')}**\n{tr(self.failure.text)}"
        if cell.text or not cell.state:
            return cell.text
        return f"**{tr('Not written yet')}**\n{tr(cell.state)}"


_MOST_DOCUMENTS, _MOST_MARKS = 8, 60
_MARK_OPACITY = 0.16
_LEAST_WITH_FOOT = (
    5  # rows in sight below which the text has the place of a foot that is out of sight
)
_PAD, _EDGE, _INDENT = 10, 3, 12  # at body size 13


class CellPainter:
    """Keeps the documents of the last few cells; ``links`` are those that were painted last."""

    def __init__(self, rows: MessageRowPainter, model: MessageListModel) -> None:
        self._rows, self._model = rows, model
        self._documents: dict[tuple[object, ...], QTextDocument] = {}
        self.links: list[CellLink] = []
        self.marked: tuple[
            str, ...
        ] = ()  # names of the selected message that the result has
        self.states = CellStates()

    def rows_of(self, result: int) -> int:
        """Return the rows that a cell needs to show all of its text."""
        cell = self._model.aligned.cells.get(result)
        rows = self._rows
        if cell is None:
            return 0
        height = (
            self._document(self.states.words(cell), self._text_width()).size().height()
        )
        return -(-round(height) // rows.fonts.row_pixels) + 2

    def _text_width(self) -> int:
        columns = self._rows.columns
        return columns.message_end - columns.after

    def link_at(self, position: QPoint) -> CellLink | None:
        return next((link for link in self.links if link.rect.contains(position)), None)

    # Painting

    def paint(
        self, painter: QPainter, block: Block, rect: QRect, visible: QRect
    ) -> None:
        """Paint a cell; where a part of it is out of sight, title, text and foot stick to what is
        visible."""
        shown = self._shown(rect, visible)
        painter.save()
        painter.setClipRect(rect.intersected(visible))
        theme, fonts = self._rows.theme, self._rows.fonts
        if block.result < 0:
            self._paint_removed(painter, block, rect, shown)
        else:
            painter.fillRect(rect, theme.surface)
            is_low = (
                shown.bottom() < rect.bottom()
                and shown.height() < _LEAST_WITH_FOOT * fonts.row_pixels
            )
            self._paint_summary(
                painter, block, shown, shown.y() - rect.y(), has_foot=not is_low
            )
        painter.setOpacity(1)
        edge = theme.fate_fill[block.fate if block.result < 0 else SUMMARISED]
        painter.fillRect(rect.x(), rect.y(), fonts.px(_EDGE), rect.height(), edge)
        painter.fillRect(
            rect.x(), rect.bottom(), rect.width(), 1, with_opacity(theme.hairline, 0.6)
        )
        if self._rows.current_cell >= 0 and self._rows.current_cell == block.result:
            painter.setPen(QPen(theme.accent_text, 2, j=Qt.PenJoinStyle.MiterJoin))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(rect).adjusted(1, 1, -1, -1))
        painter.restore()

    def paint_recorded(self, painter: QPainter, summary: str, rect: QRect) -> None:
        """Paint the summary of a recorded compaction down to its last whole line."""
        painter.save()
        painter.setClipRect(rect)
        painter.setOpacity(1)
        rows = self._rows
        painter.fillRect(rect, rows.theme.surface)
        inset = rect.adjusted(rows.columns.gutter, 0, 0, 0)
        edge = QRect(inset.x(), inset.y(), rows.fonts.px(_EDGE), inset.height())
        painter.fillRect(edge, rows.theme.fate_fill[SUMMARISED])
        self._paint_text(painter, inset, summary)
        painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, rows.theme.hairline)
        painter.restore()

    def _shown(self, rect: QRect, visible: QRect) -> QRect:
        """Return what is visible of a cell, with room for its title and its foot."""
        shown = rect.intersected(visible)
        missing = min(2 * self._rows.fonts.row_pixels, rect.height()) - shown.height()
        if missing > 0:
            is_cut_above = rect.top() < visible.top()
            shown.adjust(
                0, -missing if is_cut_above else 0, 0, 0 if is_cut_above else missing
            )
        return shown

    def _row(self, shown: QRect, top: int) -> QRect:
        return QRect(shown.x(), top, shown.width(), self._rows.fonts.row_pixels)

    def _inset(self, shown: QRect) -> tuple[int, int]:
        """Return left and right edge of the texts."""
        columns = self._rows.columns
        left = shown.x() + columns.after - columns.split
        return left, shown.right() - self._rows.fonts.px(_PAD)

    def _paint_removed(
        self, painter: QPainter, block: Block, rect: QRect, shown: QRect
    ) -> None:
        rows, model = self._rows, self._model
        rows.paint_hatch(painter, rect, rows.theme.text3)
        (start, end), fonts, (left, right) = (
            block.sources,
            rows.fonts,
            self._inset(shown),
        )
        figures = model.before.rows.tokens[start:end]
        if figures and min(figures) >= 0:
            freed = sum(figures)
        else:
            freed = 0
        title = removed_title(end - start, freed)
        reason = model.aligned.reason(start)
        wide = max(
            fonts.small_bold.metrics.horizontalAdvance(title),
            fonts.small.metrics.horizontalAdvance(reason),
        )
        box = QRect(
            left - fonts.px(6),
            shown.y() + fonts.px(6),
            round(wide) + fonts.px(12),
            2 * fonts.row_pixels,
        )
        painter.fillRect(box, rows.theme.surface)
        top = box.y()
        for text, face, ink in (
            (title, fonts.small_bold, rows.theme.text),
            (reason, fonts.small, rows.theme.text2),
        ):
            paint_text(
                painter, self._row(shown, top), face, tr(text), ink, (left, right)
            )
            top += fonts.row_pixels

    def _paint_summary(
        self,
        painter: QPainter,
        block: Block,
        shown: QRect,
        hidden: int,
        *,
        has_foot: bool,
    ) -> None:
        """Paint a summary in what is visible of its cell, below ``hidden`` pixels of it."""
        rows = self._rows
        cell = self._model.aligned.cells.get(block.result) or self._plain_cell(
            block.result
        )
        height, ground = rows.fonts.row_pixels, rows.theme.fate_tint[SUMMARISED]
        title = self._row(shown, shown.y())
        painter.fillRect(
            title, rows.theme.surface if rows.theme.high_contrast else ground
        )
        has_failed = bool(cell.state) and self.states.failure is not None
        is_stale = self._model.after.stale and bool(cell.state) and not has_failed
        painter.setOpacity(OUTDATED_OPACITY if rows.is_outdated else 1.0)
        self._paint_title(painter, title, cell, is_stale=is_stale)
        foot = self._row(shown, shown.bottom() + 1 - height)
        body = shown.adjusted(0, height, 0, -height)
        if has_failed or (cell.state and not cell.text):
            bottom = self._paint_state(
                painter, shown.adjusted(0, height, 0, 0), body, cell
            )
            foot.moveTop(min(bottom, foot.top()))  # the ways out stand below the words
            painter.fillRect(foot, rows.theme.surface)
            self._paint_foot(painter, foot, cell, block, is_cut=False)
            return
        if not has_foot:
            body.setBottom(shown.bottom())
        is_faded = rows.is_outdated or (is_stale and not rows.theme.high_contrast)
        painter.setOpacity(OUTDATED_OPACITY if is_faded else 1.0)
        skipped = hidden if block.result in self._model.state.least_rows else 0
        _, is_cut = self._paint_text(
            painter, body, self.states.words(cell), skipped=skipped
        )
        painter.setOpacity(OUTDATED_OPACITY if rows.is_outdated else 1.0)
        if has_foot:
            self._paint_foot(painter, foot, cell, block, is_cut=is_cut)

    def _paint_state(
        self, painter: QPainter, area: QRect, body: QRect, cell: CellText
    ) -> int:
        """Paint why there is no summary over a hatched ``area``; return the bottom of the words."""
        rows = self._rows
        has_failed = self.states.failure is not None
        rows.paint_hatch(
            painter,
            area,
            rows.theme.error if has_failed else rows.theme.fate_fill[SUMMARISED],
        )
        return self._paint_text(painter, body, self.states.words(cell), is_state=True)[
            0
        ]

    def _plain_cell(self, result: int) -> CellText:
        """Return a cell of the message's line, where its text is not known."""
        rows = self._model.after.rows
        return CellText(
            tr("summary"),
            CellSizes("", count(max(rows.tokens[result], 0))),
            rows.text[result],
            "",
        )

    def _paint_title(
        self, painter: QPainter, row: QRect, cell: CellText, *, is_stale: bool
    ) -> None:
        rows, fonts, (left, right) = self._rows, self._rows.fonts, self._inset(row)
        colour = rows.theme.fate_text[SUMMARISED]
        centre = (left - row.x()) / fonts.scale + 6
        paint_gutter_glyph(painter, row, fonts, FATE_GLYPHS[SUMMARISED], colour, centre)
        start = left + fonts.px(18)
        end = paint_text(
            painter, row, fonts.small_bold, cell.title, rows.theme.text, (start, right)
        )
        if is_stale:
            end = rows.paint_tag(
                painter, row, tr("out of date"), end + fonts.px(10), rows.theme.warn
            )
        parts = [
            (tr(" tokens"), fonts.figure),
            (cell.sizes.after, fonts.figure_bold),
            (cell.sizes.lead, fonts.figure),
        ]
        room = right - end - fonts.px(10)
        while (
            parts
            and sum(face.metrics.horizontalAdvance(text) for text, face in parts) > room
        ):
            parts.pop()  # the size before goes first
        place: float = right
        for text, face in parts if len(parts) > 1 else ():
            place = paint_right_text(painter, row, face, text, rows.theme.text, place)

    def _paint_text(
        self,
        painter: QPainter,
        body: QRect,
        text: str,
        *,
        is_state: bool = False,
        skipped: int = 0,
    ) -> tuple[int, bool]:
        """Paint the text down to its last whole line; return its bottom, and whether some is left
        out. The first ``skipped`` pixels of it are not painted, unless it then ended above the
        bottom."""
        fonts, (left, right) = self._rows.fonts, self._inset(body)
        line = round(LINE_HEIGHT * 13 * fonts.scale)
        top = body.y() + fonts.px(3)
        lines = max(0, (body.height() - fonts.px(3)) // line)
        document = self._document(
            text, right - left, has_failed=is_state and self.states.failure is not None
        )
        height = round(document.size().height())
        area = QRect(left, top, right - left, min(lines * line, height))
        painter.save()
        painter.setClipRect(area, Qt.ClipOperation.IntersectClip)
        if is_state:
            painter.fillRect(area, self._rows.theme.surface)
        above = min(skipped, max(0, height - area.height())) // line * line
        painter.translate(area.x(), area.y() - above)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette.setColor(QPalette.ColorRole.Text, self._rows.theme.text)
        context.clip = QRectF(0, above, area.width(), area.height())
        context.selections = self._marks(document)
        document.documentLayout().draw(painter, context)
        painter.restore()
        return area.bottom() + 1, lines * line < height

    def _marks(
        self, document: QTextDocument
    ) -> list[QAbstractTextDocumentLayout.Selection]:
        """Return where the marked names stand in a text."""
        marks: list[QAbstractTextDocumentLayout.Selection] = []
        look = QTextCharFormat()
        look.setBackground(with_opacity(self._rows.theme.accent_text, _MARK_OPACITY))
        look.setFontUnderline(True)
        for name in self.marked:
            cursor = document.find(name, 0, QTextDocument.FindFlag.FindCaseSensitively)
            while not cursor.isNull() and len(marks) < _MOST_MARKS:
                mark = QAbstractTextDocumentLayout.Selection()
                mark.cursor, mark.format = cursor, look
                marks.append(mark)
                cursor = document.find(
                    name, cursor, QTextDocument.FindFlag.FindCaseSensitively
                )
        return marks

    def _paint_foot(
        self,
        painter: QPainter,
        row: QRect,
        cell: CellText,
        block: Block,
        *,
        is_cut: bool,
    ) -> None:
        rows, fonts, (left, right) = self._rows, self._rows.fonts, self._inset(row)
        shown: list[tuple[str, NoticeAction | None]] = [
            (one.label, one) for one in self.states.actions(cell)
        ]
        shown += self._whole_link(block, is_cut=is_cut)
        advance = fonts.small.metrics.horizontalAdvance
        gap = fonts.px(14)
        if cell.note:
            least = advance(tr(cell.note)) + gap
        else:
            least = 0
        widths = [advance(label) + gap for label, _ in shown]
        while len(shown) > 1 and sum(widths) + least > right - left:
            # Of a state the first way out matters most, of a summary the last link.
            dropped = -1 if cell.state else 0
            del shown[dropped], widths[dropped]
        if cell.note:
            end = float(right)
        else:
            end = float(left + sum(widths) - gap)
        for label, action in reversed(shown):
            start = end - advance(label)
            rows.paint_link(painter, row, label, start)
            link = QRect(round(start), row.y(), round(end - start), row.height())
            self.links.append(CellLink(link, block.result, label, action))
            end = start - gap
        if cell.note:
            paint_text(
                painter, row, fonts.small, tr(cell.note), rows.theme.text2, (left, end)
            )

    def _whole_link(
        self, block: Block, *, is_cut: bool
    ) -> list[tuple[str, NoticeAction | None]]:
        """Return the link that shows more or less of a summary, if there is more or less."""
        if block.result in self._model.state.least_rows:
            return [(tr("Show less"), None)]
        if is_cut:
            return [(tr("Show whole summary"), None)]
        return []

    # Documents

    def _document(
        self, text: str, width: int, *, has_failed: bool = False
    ) -> QTextDocument:
        rows = self._rows
        if has_failed:
            ink = rows.theme.error
        else:
            ink = rows.theme.fate_text[SUMMARISED]
        key = (text, width, rows.fonts.body.font.key(), rows.theme.name, has_failed)
        document = self._documents.pop(key, None)
        if document is None:
            document = self._new_document(cell_lines(text), width, ink)
            while len(self._documents) >= _MOST_DOCUMENTS:
                del self._documents[next(iter(self._documents))]
        self._documents[key] = document
        return document

    def _new_document(
        self, lines: tuple[CellLine, ...], width: int, ink: QColor
    ) -> QTextDocument:
        fonts = self._rows.fonts
        document = QTextDocument()
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        document.setDefaultFont(fonts.body.font)
        document.setTextWidth(width)
        cursor = QTextCursor(document)
        for number, line in enumerate(lines):
            block = QTextBlockFormat()
            char = QTextCharFormat()
            fixed = QTextBlockFormat.LineHeightTypes.FixedHeight.value
            block.setLineHeight(round(LINE_HEIGHT * 13 * fonts.scale), fixed)
            char.setFont(
                fonts.small_bold.font if line.kind == LineKind.HEAD else fonts.body.font
            )
            if line.kind == LineKind.HEAD:
                char.setForeground(ink)
            if line.kind == LineKind.BULLET:
                block.setLeftMargin(fonts.px(_INDENT))
                block.setTextIndent(-fonts.px(_INDENT) + 2)
            if number:
                cursor.insertBlock(block, char)
            else:
                cursor.setBlockFormat(block)
                cursor.setBlockCharFormat(char)
            code = QTextCharFormat(char)
            code.setFont(fonts.mono.font)
            cursor.insertText("• " if line.kind == LineKind.BULLET else "", char)
            for part, is_code in line_parts(line.text):
                cursor.insertText(part, code if is_code else char)
        return document


def removed_title(count: int, tokens: int) -> str:
    """Return "31 messages removed · −27,435 tokens"."""
    if tokens > 0:
        freed = f" · −{plural(tokens, 'token')}"
    else:
        freed = ""
    return f"{plural(count, 'message')} removed{freed}"

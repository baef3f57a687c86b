"""Facts as a list: what they say, where they were said, and links to their source and to the result."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from core.view.fidelity_values import FLIPPED, INVENTED, NEEDED, STATUSES, FactRow
from gui.icons import paint_glyph
from gui.inspector.fidelity_bars import LOST, colours
from gui.theme import SECONDARY, Theme, mono_font, resized, theme

WORST = (NEEDED, FLIPPED, STATUSES[LOST], INVENTED)
"""What is listed while no category is chosen."""
_HEADS = {NEEDED: "Used again later, but lost", INVENTED: "In the summary, but nowhere in the source"}
_GLYPHS = {NEEDED: "dropped", FLIPPED: "warning", STATUSES[LOST]: "dropped", INVENTED: "inserted"}
_PROSE = ("constraint", "todo", "decision", "user message")
_PATHS = ("path", "file modified", "url")
_PAD, _TEXT, _GAP = 12, 32, 8
_Index = QModelIndex | QPersistentModelIndex


class FactModel(QAbstractListModel):
    """Facts, with a heading over those that are no lost facts of the source."""

    def __init__(self) -> None:
        super().__init__()
        self._items: list[str | FactRow] = []

    def show_rows(self, rows: Sequence[FactRow], hidden: int = 0) -> None:
        """Show these rows; ``hidden`` more are only counted."""
        self.beginResetModel()
        self._items = []
        former = ""
        for row in rows:
            head = _HEADS.get(row.status, "Lost" if former else "")
            if head != former and head:
                count = sum(_HEADS.get(one.status, "Lost") == head for one in rows)
                self._items.append(f"{head} · {count:,}")
            former = head or former
            self._items.append(row)
        if hidden:
            self._items.append(f"{hidden:,} more are not listed")
        self.endResetModel()

    def item(self, index: _Index) -> str | FactRow:
        """What stands in a row."""
        return self._items[index.row()]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        """Headings and facts."""
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Texts for screen readers and for the tooltip."""
        item = self._items[index.row()]
        if isinstance(item, str):
            return item if role == Qt.ItemDataRole.DisplayRole else None
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.DisplayRole):
            return f"{item.status}, {item.label}: {item.text}, {item.note}"
        return f"{item.text}\n{item.note}" if role == Qt.ItemDataRole.ToolTipRole else None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Headings cannot be chosen."""
        if isinstance(self._items[index.row()], str):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


def links(row: FactRow) -> tuple[tuple[str, str], ...]:
    """What the links of a row say and where they lead: ("Go to #89", "before:88")."""
    found = [("Go to ", "before", row.source), ("result ", "after", row.place)]
    return tuple((f"{say}#{at + 1}", f"{side}:{at}") for say, side, at in found if at >= 0)


class FactDelegate(QStyledItemDelegate):
    """Two lines: glyph, category and text; below them where it was said, and on the right the links."""

    link_activated = Signal(str)

    def __init__(self, view: QListView, model: FactModel) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self._theme = theme("light")
        self._column = 0

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Two lines, one for a heading."""
        height = option.fontMetrics.height()
        return QSize(40, height + 12 if isinstance(self._model.item(index), str) else 2 * height + 9)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """A heading or a fact."""
        item = self._model.item(index)
        painter.save()
        if isinstance(item, str):
            painter.setFont(resized(option.font, SECONDARY, bold=True))
            painter.setPen(self._theme.text2)
            box = option.rect.adjusted(_PAD, 4, -_PAD, 0)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, item)
        else:
            self._paint_fact(painter, option, item)
        painter.restore()

    def _paint_fact(self, painter: QPainter, option: QStyleOptionViewItem, row: FactRow) -> None:
        shade, rect = self._theme, option.rect
        small = resized(option.font, SECONDARY)
        state: QStyle.StateFlag = option.state
        lively = bool(state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver))
        if lively:
            painter.fillRect(rect, shade.selection)
        line = QRect(rect.left() + _TEXT, rect.top() + 4, rect.width() - _TEXT - _PAD, rect.height() // 2 - 4)
        self._paint_mark(painter, QRectF(rect.left() + _PAD, line.center().y() - 5, 11, 11), row.status)
        label = QFontMetrics(small).horizontalAdvance(row.label) + _GAP
        _write(painter, small, shade.text2, line, row.label)
        face = option.font if row.kind in _PROSE else mono_font(size=small.pixelSize())
        ends = Qt.TextElideMode.ElideMiddle if row.kind in _PATHS else Qt.TextElideMode.ElideRight
        _write(painter, face, shade.text, line.adjusted(label, 0, 0, 0), row.text, ends)
        below = line.translated(0, line.height())
        taken = 0
        for text, _, box in self._links(option, row) if lively else ():
            look = QFont(small)
            look.setUnderline(True)
            _write(painter, look, shade.accent_text, box, text)
            taken = max(taken, below.right() - box.left() + _GAP)
        _write(painter, small, shade.text3, below.adjusted(0, 0, -taken, 0), row.note)
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, shade.hairline)
        if state & QStyle.StateFlag.State_HasFocus and self._view.hasFocus():
            painter.setPen(QPen(shade.accent_text, 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))

    def _paint_mark(self, painter: QPainter, box: QRectF, status: str) -> None:
        if status in _GLYPHS:
            colour = self._theme.warn if status == INVENTED else self._theme.error
            paint_glyph(painter, _GLYPHS[status], box, colour)
        elif status in STATUSES:
            number = [one.value for one in STATUSES].index(status)
            painter.fillRect(box.adjusted(1, 1, -1, -1), colours(self._theme)[number])

    def _links(self, option: QStyleOptionViewItem, row: FactRow) -> list[tuple[str, str, QRect]]:
        """Text, target and place of each link, the last one at the right edge."""
        rect, metrics = option.rect, QFontMetrics(resized(option.font, SECONDARY))
        found, right = [], rect.right() - _PAD
        height = rect.height() // 2 - 4
        for text, target in reversed(links(row)):
            width = metrics.horizontalAdvance(text)
            found.append((text, target, QRect(right - width, rect.top() + 4 + height, width + 1, height)))
            right -= width + _GAP + 2
        return found

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: _Index
    ) -> bool:
        """Follow the link under the pointer; elsewhere in the row, the first one."""
        item = self._model.item(index)
        if (
            isinstance(item, str)
            or not isinstance(event, QMouseEvent)
            or event.type() != QEvent.Type.MouseButtonRelease
            or event.button() != Qt.MouseButton.LeftButton
        ):
            return super().editorEvent(event, model, option, index)
        spot = event.position().toPoint()
        hit = [
            target for _, target, box in self._links(option, item) if box.adjusted(-2, 0, 2, 3).contains(spot)
        ]
        targets = hit or [target for _, target in links(item)]
        if targets:
            self.link_activated.emit(targets[0])
        return True


def _write(
    painter: QPainter,
    font: QFont,
    colour: QColor,
    box: QRect,
    text: str,
    ends: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    painter.setFont(font)
    painter.setPen(colour)
    shown = QFontMetrics(font).elidedText(text, ends, box.width())
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, shown)


class FactView(QListView):
    """The list itself: Enter goes to the source, O to where a fact stands in the result."""

    link_activated = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.facts = FactModel()
        self._delegate = FactDelegate(self, self.facts)
        self._delegate.link_activated.connect(self.link_activated)
        self.setModel(self.facts)
        self.setItemDelegate(self._delegate)
        self.setMouseTracking(True)
        self.setProperty("role", "reader")
        self.setAccessibleName("Facts")
        self.setUniformItemSizes(False)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(96)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self._delegate.set_theme(theme)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Follow a link of the current fact."""
        sides = {Qt.Key.Key_Return: "before", Qt.Key.Key_Enter: "before", Qt.Key.Key_O: "after"}
        side = sides.get(Qt.Key(event.key()))
        index = self.currentIndex()
        item = self.facts.item(index) if index.isValid() else ""
        targets = [] if isinstance(item, str) else [target for _, target in links(item)]
        found = [target for target in targets if side and target.startswith(side)]
        if found:
            self.link_activated.emit(found[0])
        else:
            super().keyPressEvent(event)

"""The list of facts, with links to their source and to the result."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QListView, QMenu, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from core.presentation.fidelity.model import FLIPPED, INVENTED, NEEDED, STATUSES, FidelityFactRow
from gui.inspect.inspector.fidelity_bars import LOST_INDEX, status_colours
from gui.language import tr
from gui.widgets.icons import paint_glyph
from gui.widgets.key_presses import is_enter
from gui.widgets.theme import SECONDARY, Theme, mono_font, resized_font, theme

WORST_STATUSES = (NEEDED, FLIPPED, STATUSES[LOST_INDEX], INVENTED)
"""The statuses listed while no category is chosen."""
_HEADINGS = {
    NEEDED: "Used again later, but lost",
    INVENTED: "In the summary, but nowhere in the source",
}
_LOST_HEADING = "Lost"
_GLYPHS = {NEEDED: "dropped", FLIPPED: "warning", STATUSES[LOST_INDEX]: "dropped", INVENTED: "inserted"}
_PROSE_KINDS = ("constraint", "todo", "decision", "user message")
_PATH_KINDS = ("path", "file modified", "url")
PIN_GLYPH = "pin-keep"
_PAD, _TEXT_LEFT, _GAP, _PIN_SIZE = 12, 32, 8, 11
_Index = QModelIndex | QPersistentModelIndex


class FactListModel(QAbstractListModel):
    """Facts under headings; lost facts of the source have none."""

    def __init__(self) -> None:
        super().__init__()
        self._items: list[str | FidelityFactRow] = []
        self._pinned: frozenset[int] = frozenset()

    def set_pinned(self, messages: Collection[int]) -> None:
        if self._pinned != frozenset(messages):
            self._pinned = frozenset(messages)
            self.dataChanged.emit(self.index(0), self.index(self.rowCount() - 1))

    def is_pinned(self, row: FidelityFactRow) -> bool:
        """Return whether the message that first states a fact is pinned."""
        return row.source_index in self._pinned

    def show_rows(self, rows: Sequence[FidelityFactRow], hidden: int = 0) -> None:
        """Show these rows; ``hidden`` more are only counted."""
        self.beginResetModel()
        self._items = []
        last_heading = ""
        for row in rows:
            heading = _HEADINGS.get(row.status, _LOST_HEADING if last_heading else "")
            if heading != last_heading and heading:
                count = sum(_HEADINGS.get(other.status, _LOST_HEADING) == heading for other in rows)
                self._items.append(f"{tr(heading)} · {count:,}")
            last_heading = heading or last_heading
            self._items.append(row)
        if hidden:
            self._items.append(tr("{hidden:,} more are not listed").format(hidden=hidden))
        self.endResetModel()

    def item(self, index: _Index) -> str | FidelityFactRow:
        return self._items[index.row()]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Return texts for screen readers and the tooltip."""
        item = self._items[index.row()]
        if isinstance(item, str):
            return item if role == Qt.ItemDataRole.DisplayRole else None
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.DisplayRole):
            pinned = ", " + tr("pinned") if self.is_pinned(item) else ""
            return f"{item.status}, {item.label}: {item.text}, {item.note}{pinned}"
        return f"{item.text}\n{item.note}" if role == Qt.ItemDataRole.ToolTipRole else None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if isinstance(self._items[index.row()], str):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


def row_links(row: FidelityFactRow) -> tuple[tuple[str, str], ...]:
    """Return texts and targets of a row's links: ("Go to #89", "before:88")."""
    candidates = [(tr("Go to "), "before", row.source_index), ("result ", "after", row.result_index)]
    return tuple(
        (f"{label}#{index + 1}", f"{side}:{index}") for label, side, index in candidates if index >= 0
    )


class FactDelegate(QStyledItemDelegate):
    """Paints two lines: glyph, category, text and pin; below them the source and the links."""

    link_activated = Signal(str)
    pin_requested = Signal(int)  # message of the source

    def __init__(self, view: QListView, model: FactListModel) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self._theme = theme("light")
        self._column = 0

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        height = option.fontMetrics.height()
        return QSize(40, height + 12 if isinstance(self._model.item(index), str) else 2 * height + 9)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        item = self._model.item(index)
        painter.save()
        if isinstance(item, str):
            painter.setFont(resized_font(option.font, SECONDARY, bold=True))
            painter.setPen(self._theme.text2)
            box = option.rect.adjusted(_PAD, 4, -_PAD, 0)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, item)
        else:
            self._paint_fact(painter, option, item)
        painter.restore()

    def _paint_fact(self, painter: QPainter, option: QStyleOptionViewItem, row: FidelityFactRow) -> None:
        theme, rect = self._theme, option.rect
        small_font = resized_font(option.font, SECONDARY)
        state: QStyle.StateFlag = option.state
        is_active = bool(state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver))
        if is_active:
            painter.fillRect(rect, theme.selection)
        text_rect = QRect(
            rect.left() + _TEXT_LEFT, rect.top() + 4, rect.width() - _TEXT_LEFT - _PAD, rect.height() // 2 - 4
        )
        self._paint_mark(painter, QRectF(rect.left() + _PAD, text_rect.center().y() - 5, 11, 11), row.status)
        label_width = QFontMetrics(small_font).horizontalAdvance(row.label) + _GAP
        _draw_elided(painter, small_font, theme.text2, text_rect, row.label)
        is_pinned = self._model.is_pinned(row)
        if is_pinned or (is_active and row.source_index >= 0):
            paint_glyph(
                painter, PIN_GLYPH, self._pin_rect(rect), theme.accent_text if is_pinned else theme.text3
            )
            text_rect.setRight(text_rect.right() - _PIN_SIZE - _GAP)
        text_font = option.font if row.kind in _PROSE_KINDS else mono_font(size=small_font.pixelSize())
        elide_mode = Qt.TextElideMode.ElideMiddle if row.kind in _PATH_KINDS else Qt.TextElideMode.ElideRight
        _draw_elided(
            painter, text_font, theme.text, text_rect.adjusted(label_width, 0, 0, 0), row.text, elide_mode
        )
        note_rect = text_rect.translated(0, text_rect.height())
        note_rect.setRight(rect.right() - _PAD)
        links_width = 0
        for text, _, box in self._links(option, row) if is_active else ():
            link_font = QFont(small_font)
            link_font.setUnderline(True)
            _draw_elided(painter, link_font, theme.accent_text, box, text)
            links_width = max(links_width, note_rect.right() - box.left() + _GAP)
        _draw_elided(painter, small_font, theme.text3, note_rect.adjusted(0, 0, -links_width, 0), row.note)
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, theme.hairline)
        if state & QStyle.StateFlag.State_HasFocus and self._view.hasFocus():
            painter.setPen(QPen(theme.accent_text, 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))

    def _paint_mark(self, painter: QPainter, box: QRectF, status: str) -> None:
        if status in _GLYPHS:
            colour = self._theme.warn if status == INVENTED else self._theme.error
            paint_glyph(painter, _GLYPHS[status], box, colour)
        elif status in STATUSES:
            number = [known_status.value for known_status in STATUSES].index(status)
            painter.fillRect(box.adjusted(1, 1, -1, -1), status_colours(self._theme)[number])

    def _pin_rect(self, rect: QRect) -> QRectF:
        top = rect.top() + 4 + (rect.height() // 2 - 4 - _PIN_SIZE) / 2
        return QRectF(rect.right() - _PAD - _PIN_SIZE, top, _PIN_SIZE, _PIN_SIZE)

    def _links(self, option: QStyleOptionViewItem, row: FidelityFactRow) -> list[tuple[str, str, QRect]]:
        """Return text, target and rectangle of each link, the last one at the right edge."""
        rect, metrics = option.rect, QFontMetrics(resized_font(option.font, SECONDARY))
        links, right = [], rect.right() - _PAD
        height = rect.height() // 2 - 4
        for text, target in reversed(row_links(row)):
            width = metrics.horizontalAdvance(text)
            links.append((text, target, QRect(right - width, rect.top() + 4 + height, width + 1, height)))
            right -= width + _GAP + 2
        return links

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: _Index
    ) -> bool:
        """Pin, or follow the link under the pointer; elsewhere in the row, the first link."""
        item = self._model.item(index)
        if (
            isinstance(item, str)
            or not isinstance(event, QMouseEvent)
            or event.type() != QEvent.Type.MouseButtonRelease
            or event.button() != Qt.MouseButton.LeftButton
        ):
            return super().editorEvent(event, model, option, index)
        position = event.position().toPoint()
        if item.source_index >= 0 and self._pin_rect(option.rect).adjusted(-4, -4, 4, 3).contains(
            event.position()
        ):
            self.pin_requested.emit(item.source_index)
            return True
        hit_targets = [
            target
            for _, target, box in self._links(option, item)
            if box.adjusted(-2, 0, 2, 3).contains(position)
        ]
        targets = hit_targets or [target for _, target in row_links(item)]
        if targets:
            self.link_activated.emit(targets[0])
        return True


def _draw_elided(
    painter: QPainter,
    font: QFont,
    colour: QColor,
    box: QRect,
    text: str,
    elide_mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    painter.setFont(font)
    painter.setPen(colour)
    elided = QFontMetrics(font).elidedText(text, elide_mode, box.width())
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, elided)


class FactListView(QListView):
    """The list view: Enter goes to the source, O to the fact in the result, P pins."""

    link_activated = Signal(str)
    pin_requested = Signal(int)  # message of the source

    def __init__(self) -> None:
        super().__init__()
        self.fact_model = FactListModel()
        self._delegate = FactDelegate(self, self.fact_model)
        self._delegate.link_activated.connect(self.link_activated)
        self._delegate.pin_requested.connect(self.pin_requested)
        self.menu = QMenu(self)
        self.menu.triggered.connect(self._on_menu)
        self.setModel(self.fact_model)
        self.setItemDelegate(self._delegate)
        self.setMouseTracking(True)
        self.setProperty("role", "reader")
        self.setAccessibleName(tr("Facts"))
        self.setUniformItemSizes(False)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def set_min_rows(self, count: int) -> None:
        """Set the least height so that the first ``count`` rows stay visible."""
        shown_rows = min(count, self.fact_model.rowCount())
        self.setMinimumHeight(
            sum(self.sizeHintForRow(row) for row in range(shown_rows)) + 2 * self.frameWidth()
        )

    def set_theme(self, theme: Theme) -> None:
        self._delegate.set_theme(theme)
        self.viewport().update()

    def _fact_row(self, index: _Index) -> FidelityFactRow | None:
        item = self.fact_model.item(index) if index.isValid() else ""
        return None if isinstance(item, str) else item

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Opens the menu of the fact under the pointer, or by key of the current one."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        self.fill_menu(index)
        if not self.menu.isEmpty():
            below = self.visualRect(index).bottomLeft() + QPoint(_TEXT_LEFT, 0)
            self.menu.popup(self.viewport().mapToGlobal(below if by_key else event.pos()))

    def fill_menu(self, index: _Index) -> None:
        """Fill the menu with a fact's links and its pin; headings have none."""
        self.menu.clear()
        row = self._fact_row(index)
        for text, target in () if row is None else row_links(row):
            self.menu.addAction(text[:1].upper() + text[1:]).setData(target)
        if row is not None and row.source_index >= 0:
            label = tr("Unpin {message}") if self.fact_model.is_pinned(row) else tr("Pin {message}: keep")
            action = self.menu.addAction(label.format(message=f"#{row.source_index + 1:,}"))
            action.setData(row.source_index)

    def _on_menu(self, action: QAction) -> None:
        target = action.data()
        if isinstance(target, int):
            self.pin_requested.emit(target)
        else:
            self.link_activated.emit(target)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self._fact_row(self.currentIndex())
        is_plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.key() == Qt.Key.Key_P and is_plain and row is not None and row.source_index >= 0:
            self.pin_requested.emit(row.source_index)
            return
        side = "before" if is_enter(event) else "after" if event.key() == Qt.Key.Key_O else ""
        targets = [] if row is None else [target for _, target in row_links(row)]
        matching = [target for target in targets if side and target.startswith(side)]
        if matching:
            self.link_activated.emit(matching[0])
        else:
            super().keyPressEvent(event)

"""Lists of facts and of texts that must survive: glyph, text, place, and the links of the current
row."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import cast

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QIcon,
    QKeyEvent,
    QPainter,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QListView,
    QMenu,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from core.common.number_format import message_number
from core.presentation.inspector_model import (
    MUST_IN_PART,
    MUST_NOT_SAID,
    MUST_NOT_WRITTEN,
    NEEDED,
    NOWHERE,
    REMOVED,
    UNSAID,
    LossRow,
    WordPart,
)
from core.presentation.losses_words import STATUS_WORDS
from core.presentation.model import FATES
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.events import Index, is_enter, menu_position
from gui.widgets.icons import glyph_icon
from gui.widgets.theme import (
    SECONDARY,
    current_theme,
    difference_tints,
    mono_font_for,
    resized_font,
    scaled_pixels,
)
from gui.widgets.view_layout import panel_of, row_of

_WORD_FOR_WORD, REWORDED, _GONE = STATUS_WORDS
WORST_STATUSES = (NEEDED, _GONE, REWORDED, REMOVED)
"""The statuses listed while no kind is chosen."""
MADE_UP_STATUSES = (UNSAID, NOWHERE)
"""The statuses of what only the result says."""
_ROW = Qt.ItemDataRole.UserRole
"""The row itself."""


class FactListModel(QAbstractListModel):
    """A fact per row: its text, and below it kind and messages."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[LossRow] = ()
        self._pinned: frozenset[int] = frozenset()

    def set_pinned(self, messages: Collection[int]) -> None:
        if self._pinned != frozenset(messages):
            self._pinned = frozenset(messages)
            self.dataChanged.emit(self.index(0), self.index(self.rowCount() - 1))

    def is_pinned(self, row: LossRow) -> bool:
        """Return whether the message that first states a fact is pinned."""
        return row.source_index in self._pinned

    def show_rows(self, rows: Sequence[LossRow]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        if parent.isValid():
            return 0
        return len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return the text of a row that is dragged."""
        data = QMimeData()
        data.setText("\n".join(self.rows[index.row()].text for index in indexes))
        return data

    def data(
        self, index: Index, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | QIcon | LossRow | None:
        row = self.rows[index.row()]
        if self.is_pinned(row):
            pinned = tr("pinned")
        else:
            pinned = ""
        place = " · ".join(filter(None, (tr(row.kind or row.label), row.note, pinned)))
        if row.nearest:
            nearest = tr("nearest: {sentence}").format(sentence=row.nearest)
        else:
            nearest = ""
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{row.text}\n{place}"
        if role == _ROW:
            return row
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(filter(None, (row.text, place, nearest)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (row.status, row.text, place, nearest)))
        if role == Qt.ItemDataRole.DecorationRole:
            return _fact_icon(row)
        return None


def _fact_icon(row: LossRow) -> QIcon:
    theme = current_theme()
    if row.line:
        return glyph_icon("dropped", theme.text2)
    if row.fate in FATES:
        return glyph_icon(row.fate, theme.fate_text[FATES.index(row.fate)])
    if row.must and row.status == _WORD_FOR_WORD:
        return glyph_icon("ok", theme.ok)
    by_status = {
        NOWHERE: ("inserted", theme.warn),
        UNSAID: ("inserted", theme.warn),
        MUST_NOT_WRITTEN: ("unknown", theme.text2),
        MUST_NOT_SAID: ("dash", theme.text3),
        MUST_IN_PART: ("half", theme.warn),
        REWORDED: ("edited", theme.warn),
    }
    if row.status in by_status:
        return glyph_icon(*by_status[row.status])
    is_lost = row.status in WORST_STATUSES
    if is_lost:
        return glyph_icon("dropped", theme.error)
    return glyph_icon("kept", theme.ok)


def row_links(row: LossRow) -> tuple[tuple[str, str], ...]:
    """Return texts and targets of a row's links: ("Go to #89", "before:88")."""
    candidates = (
        (tr("Go to"), "before", row.source_index),
        (tr("Result"), "after", row.result_index),
    )
    links = [
        (f"{label} {message_number(index)}", f"{side}:{index}")
        for label, side, index in candidates
        if index >= 0
    ]
    if row.line:
        links.append((tr("Put back"), f"line:{row.source_index}:{row.line}"))
    return tuple(links)


_GAP_BEFORE_LINKS = 6
_TEXT_MARGIN = 3
"""Pixels that the style leaves between the edge of a text's box and the text."""


class _FactDelegate(QStyledItemDelegate):
    """Leaves out the middle of a name that is too long: the ends tell one path from another. A row
    is as wide as the list, so that its links are in sight; the second line ends before them."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        is_name = " " not in str(index.data()).partition("\n")[0]
        if is_name:
            mode = Qt.TextElideMode.ElideMiddle
        else:
            mode = Qt.TextElideMode.ElideRight
        option.textElideMode = mode
        first, _, place = option.text.partition("\u2028")
        right = Qt.TextElideMode.ElideRight
        room = self._room_for_place(option, index)
        place = QFontMetrics(option.font).elidedText(place, right, room)
        option.text = f"{first}\u2028{place}"

    def _room_for_place(self, option: QStyleOptionViewItem, index: Index) -> int:
        """Return the pixels for the second line of a row: up to its links, if it has any."""
        view = self.parent()
        assert isinstance(view, FactListView)
        part = QStyle.SubElement.SE_ItemViewItemText
        box = view.style().subElementRect(part, option, view)
        links = cast(QWidget | None, view.indexWidget(index))
        if links is None:
            return box.width() - 2 * _TEXT_MARGIN
        end = option.rect.right() - links.sizeHint().width() - _GAP_BEFORE_LINKS
        return max(0, end - box.left())

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, super().sizeHint(option, index).height())

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        editor.setGeometry(option.rect)


class FactListView(QListView):
    """A click or Enter goes to the source, O to the fact in the result, P pins; the current row has
    links."""

    link_activated = Signal(str)
    pin_requested = Signal(int)  # message of the source
    remove_requested = Signal(str)  # a text that must survive

    def __init__(self) -> None:
        super().__init__()
        self.fact_model = FactListModel()
        self.menu = QMenu(self)
        self.setModel(self.fact_model)
        self.setProperty("role", "reader")
        self.setAccessibleName(tr("Facts"))
        self.setItemDelegate(_FactDelegate(self))
        self.setUniformItemSizes(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setSpacing(2)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDragEnabled(True)  # onto Must keep
        self.clicked.connect(self._on_clicked)

    def show_rows(self, rows: Sequence[LossRow]) -> None:
        place = self.verticalScrollBar().value()
        self.fact_model.show_rows(rows)
        self.verticalScrollBar().setValue(place)
        for number, row in enumerate(rows):
            if row.line:
                self._show_links(self.fact_model.index(number), self._line_links(row))

    def show_pinned(self, messages: Collection[int]) -> None:
        """Say of each row whether its message is pinned."""
        self.fact_model.set_pinned(messages)
        if (row := self._row(self.currentIndex())) is not None:
            self._show_links(self.currentIndex(), self._links(row))

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        previous_row = self._row(previous)
        row = self._row(current)
        if previous_row is not None:
            self._show_links(previous, self._line_links(previous_row))
        if row is not None:
            self._show_links(current, self._links(row))

    def _show_links(self, index: Index, links: list[QPushButton]) -> None:
        """Show the links of a row, at its lower right, as high as the line that they end."""
        for link in links:
            link.setProperty("inline", True)
        layout = row_of(None, *links, margins=(0, 0, 8, 2), gap=6)
        for link in links:
            layout.setAlignment(link, Qt.AlignmentFlag.AlignBottom)
        if links:
            widget = panel_of(layout)
        else:
            widget = None
        self.setIndexWidget(index, widget)  # type: ignore[arg-type]

    def _line_links(self, row: LossRow) -> list[QPushButton]:
        """Return what every line that can be put back has, also while it is not the current row."""
        if row.line:
            return [self._link(*row_links(row)[-1])]
        return []

    def _link(self, text: str, target: str) -> QPushButton:
        link = push_button(text, "link")
        link.setProperty("target", target)
        link.clicked.connect(self._on_link)
        return link

    def _links(self, row: LossRow) -> list[QPushButton]:
        links = [self._link(text, target) for text, target in row_links(row)]
        return [*links, *self._pin_link(row)]

    def _pin_link(self, row: LossRow) -> list[QPushButton]:
        """Return the link that pins the message of a row, none where it has no message."""
        if row.source_index < 0:
            return []
        text = tr("Unpin") if self.fact_model.is_pinned(row) else tr("Pin")
        link = push_button(text, "link")
        link.clicked.connect(self._on_pin)
        return [link]

    def _row(self, index: Index) -> LossRow | None:
        if index.isValid():
            return self.fact_model.rows[index.row()]
        return None

    def _on_clicked(self, index: QModelIndex) -> None:
        links = row_links(self.fact_model.rows[index.row()])
        if links:
            self.link_activated.emit(links[0][1])

    def _on_link(self) -> None:
        self.link_activated.emit(self.sender().property("target"))

    def _on_pin(self) -> None:
        if (row := self._row(self.currentIndex())) is not None:
            self.pin_requested.emit(row.source_index)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Opens the menu of the fact under the pointer, or by key of the current one."""
        index, place = menu_position(self, event)
        self.fill_menu(index)
        if not self.menu.isEmpty():
            self.menu.popup(place)

    def fill_menu(self, index: Index) -> None:
        """Fill the menu with a fact's links and its pin."""
        self.menu.clear()
        row = self._row(index)
        if row is None:
            return
        for text, target in row_links(row):
            self.menu.addAction(text, partial(self.link_activated.emit, target))
        if row.source_index >= 0:
            if self.fact_model.is_pinned(row):
                label = tr("Unpin {message}")
            else:
                label = tr("Pin {message}: keep")
            text = label.format(message=message_number(row.source_index))
            self.menu.addAction(
                text, partial(self.pin_requested.emit, row.source_index)
            )
        if row.must:
            remove = partial(self.remove_requested.emit, row.must)
            self.menu.addAction(_remove_text(row), remove)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self._row(self.currentIndex())
        if row is None or not self._act(row, event):
            super().keyPressEvent(event)

    def _act(self, row: LossRow, event: QKeyEvent) -> bool:
        """Pin a row's message or follow its link, as the key says; False if it says neither."""
        is_plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.key() == Qt.Key.Key_P and is_plain and row.source_index >= 0:
            self.pin_requested.emit(row.source_index)
            return True
        side = "after" if event.key() == Qt.Key.Key_O else ""
        if is_enter(event):
            side = "before"
        if not side:
            return False
        for _, target in row_links(row):
            if target.startswith(side):
                self.link_activated.emit(target)
                return True
        return False


class _MustDelegate(QStyledItemDelegate):
    """Paints a text with its place at the right, and below it what comes near. One that is gone or
    there in part shows all its words; those that differ are marked."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        view = self.parent()
        if not isinstance(view, MustListView):
            return QSize()
        row: LossRow = index.data(_ROW)
        font = view.font()
        heights = [text.boundingRect().height() for text in self._texts(row, view)]
        links = _LINKS_HEIGHT if index == view.currentIndex() else 0
        pixels = scaled_pixels(2 * _ROW_PAD + links, font)
        return QSize(0, round(sum(heights)) + pixels)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        view = self.parent()
        theme = current_theme()
        if not isinstance(view, MustListView):
            return
        row: LossRow = index.data(_ROW)
        rect = QRect(option.rect)
        pad = scaled_pixels(_ROW_PAD, view.font())
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.selection)
        size = scaled_pixels(_GLYPH, view.font())
        top = rect.top() + pad
        box = QRect(rect.left() + _EDGE, top + 2, size, size)
        index.data(Qt.ItemDataRole.DecorationRole).paint(painter, box)
        self._paint_place(painter, rect.adjusted(0, pad, -_EDGE, 0), row, view)
        colours = theme.text, theme.text2
        if row.status in (_WORD_FOR_WORD, MUST_NOT_SAID):
            colours = theme.text2, theme.text2
        y = float(top)
        left = float(rect.left() + view.text_left)
        for text, colour in zip(self._texts(row, view), colours, strict=False):
            painter.setPen(colour)
            text.draw(painter, QPointF(left, y))
            y += text.boundingRect().height()
        painter.restore()

    def _paint_place(
        self, painter: QPainter, rect: QRect, row: LossRow, view: MustListView
    ) -> None:
        painter.setFont(resized_font(view.font(), SECONDARY))
        painter.setPen(current_theme().text2)
        painter.drawText(rect, Qt.AlignmentFlag.AlignRight, _place(row))

    def _texts(self, row: LossRow, view: MustListView) -> list[QTextLayout]:
        """Return the text and the line below it, laid out in the width that they have."""
        font = view.font()
        small = resized_font(font, SECONDARY)
        place = QFontMetrics(small).horizontalAdvance(_place(row))
        width = view.viewport().width() - view.text_left - _EDGE
        parts = row.parts or (WordPart(row.text),)
        wraps = row.status in (_GONE, MUST_IN_PART)
        is_name = " " not in row.text
        face = mono_font_for(font) if is_name else font
        missing = QTextCharFormat()
        added = QTextCharFormat()
        for style, tint in zip((missing, added), difference_tints(), strict=True):
            style.setBackground(tint)
        missing.setFontUnderline(True)
        texts = [_text(parts, face, width - place - _EDGE, missing, wraps=wraps)]
        if row.detail:
            texts.append(_text(row.detail, small, width, added, wraps=True))
        return texts


_GLYPH, _ROW_PAD, _EDGE, _LINKS_HEIGHT = 14, 5, 8, 22
"""Pixels at body size 13: of a glyph, above and below a row, at its ends, of its links."""


def _text(
    parts: Sequence[WordPart],
    font: QFont,
    width: int,
    differing: QTextCharFormat,
    *,
    wraps: bool,
) -> QTextLayout:
    """Return parts laid out in ``width`` pixels, in one elided line unless it ``wraps``."""
    words = "".join(part.text for part in parts)
    if not wraps:
        mode = Qt.TextElideMode.ElideRight
        words = QFontMetrics(font).elidedText(words, mode, width)
    layout = QTextLayout(words, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    if wraps:
        layout.setFormats(list(_differing_ranges(parts, differing)))
    layout.beginLayout()
    y = 0.0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(1, width))
        line.setPosition(QPointF(0, y))
        y += line.height() + 1
    layout.endLayout()
    return layout


def _differing_ranges(
    parts: Sequence[WordPart], style: QTextCharFormat
) -> Iterator[QTextLayout.FormatRange]:
    at = 0
    for part in parts:
        if part.differs:
            found = QTextLayout.FormatRange()
            found.start = at
            found.length = len(part.text)
            found.format = style
            yield found
        at += len(part.text)


def _place(row: LossRow) -> str:
    """Return the number of the message that says a text, "file" of one that a file holds."""
    if row.is_from_file:
        return tr("file")
    return "" if row.source_index < 0 else message_number(row.source_index)


class MustListView(FactListView):
    """The current row has links below its text: to its sentences, put back, pin, and remove."""

    heights_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setItemDelegate(_MustDelegate(self))
        self.setUniformItemSizes(False)
        self.setDragEnabled(False)
        self.setSpacing(0)

    @property
    def text_left(self) -> int:
        """The pixels before the text of a row."""
        return scaled_pixels(_GLYPH, self.font()) + 2 * _EDGE

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.heights_changed.emit()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.scheduleDelayedItemsLayout()  # the links take a line of their own
        self.heights_changed.emit()

    def _show_links(self, index: Index, links: list[QPushButton]) -> None:
        """Show the links in the last line of a row, that which removes it at the right."""
        if not links:
            super()._show_links(index, links)
            return
        margins = (self.text_left - 2, 0, _EDGE, 3)
        layout = row_of(*links[:-1], None, links[-1], margins=margins, gap=10)
        for link in links:
            layout.setAlignment(link, Qt.AlignmentFlag.AlignBottom)
        self.setIndexWidget(index, panel_of(layout))

    def _links(self, row: LossRow) -> list[QPushButton]:
        links = []
        if row.source_index >= 0:
            links.append(self._link(tr("Sentences"), f"sentences:{row.source_index}"))
            if row.status in (_GONE, MUST_IN_PART):
                links.append(self._link(tr("Put back"), f"put-back:{row.source_index}"))
            links += self._pin_link(row)
        remove = push_button(_remove_text(row), "link")
        remove.clicked.connect(self._on_remove)
        return [*links, remove]

    def _on_remove(self) -> None:
        if (row := self._row(self.currentIndex())) is not None:
            self.remove_requested.emit(row.must)


def _remove_text(row: LossRow) -> str:
    """Return the words that take a text out; one of a file stays in the file."""
    if row.is_from_file:
        return tr("Ignore here")
    return tr("Remove")


def fit_to_rows(view: FactListView, count: int, most: int) -> None:
    """Make a list as high as its rows, at most as ``most`` of them; hide an empty one."""
    view.setVisible(bool(count))
    places = range(min(count, most))
    if view.uniformItemSizes():
        heights = view.sizeHintForRow(0) * len(places)
    else:
        heights = sum(map(view.sizeHintForRow, places))
    heights += 2 * view.spacing() * len(places)
    view.setFixedHeight(heights + view.spacing() + 2 * view.frameWidth())

"""The popup of the strategy picker: every strategy as a card with its figures for this
conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from core.app.remote_methods import CompareService
from core.common import number_format
from core.common.excerpts import one_line_text
from core.presentation.losses_words import MUST_KEEP
from core.presentation.model import Notice
from core.settings.schema import STRATEGY
from gui.aim_field import Aim, AimField, wrong_size
from gui.backend import BackendClient
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.events import Index
from gui.widgets.result_table import paint_marks, paint_numbers
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.theme import (
    BODY,
    SECONDARY,
    Theme,
    current_theme,
    resized_font,
    scaled_pixels,
    tabular_font,
)
from gui.widgets.view_layout import column_of, row_of

if TYPE_CHECKING:
    from core.presentation.compare.model import StrategyCard, StrategyCards

CARD_ROLE, IN_USE_ROLE, MARKED_ROLE = (
    Qt.ItemDataRole.UserRole + number for number in (1, 2, 3)
)
_CARD_HEIGHT, CARD_PAD = 52, 10  # pixels at body size 13
CARD_COLUMNS = (50, 44, 98)
"""Pixels at body size 13: tokens after, saved, the glyphs of must keep."""
COLUMN_GAP = 12


def card_text(card: StrategyCard, labels: tuple[str, str] = ("", "")) -> str:
    """Return a card as one text, for the filter and for screen readers; ``labels`` are those of
    its last two figures, "" for one that is not shown."""
    figures = card.no_result
    if card.tokens is not None and not card.no_result:
        saved = number_format.reduction_percent(card.reduction)
        figures = f"{card.tokens:,} tokens after, {saved} saved"
        cells = zip(labels, (card.musts, card.needed_later), strict=True)
        kept = [f"{label} {cell.text}" for label, cell in cells if label]
        figures = ", ".join(filter(None, (figures, *kept, card.standing.text)))
    if card.is_recommended:
        name = f"{card.name}, {tr('recommended')}"
    else:
        name = card.name
    parts = (name, card.program, card.calls, card.about, figures, card.changes)
    return ". ".join(filter(None, parts))


def card_widths(
    cards: Sequence[StrategyCard], labels: tuple[str, str], font: QFont
) -> tuple[int, ...]:
    """Return the pixels of the four columns, so that no figure of a card reaches into the next."""
    least = [scaled_pixels(width, font) for width in CARD_COLUMNS]
    figures = QFontMetrics(tabular_font(resized_font(font, BODY)))
    heads = QFontMetrics(resized_font(font, SECONDARY))
    widths = []
    columns = ([card.musts for card in cards], [card.needed_later for card in cards])
    for label, cells in zip(labels, columns, strict=True):
        words = [heads.horizontalAdvance(word) for word in label.split()]
        texts = [figures.horizontalAdvance(cell.text) for cell in cells]
        # Glyphs have a column of their own width; words have only what they need.
        has_marks = any(cell.marks for cell in cells)
        widths.append(max((*words, *texts, least[2] if has_marks else 0)))
    return (*least[:2], *widths)


class CardDelegate(QStyledItemDelegate):
    """``is_waiting``: figures that are missing are being computed. ``labels`` are those of must
    keep and backtest, "" for one that is not shown."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self.is_waiting = True
        self.labels = ("", "")
        self.widths: tuple[int, ...] = (0, 0, 0, 0)

    @property
    def theme(self) -> Theme:
        return current_theme()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(
            scaled_pixels(300, option.font), scaled_pixels(_CARD_HEIGHT, option.font)
        )

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        card: StrategyCard = index.data(CARD_ROLE)
        painter.save()
        is_current = bool(option.state & QStyle.StateFlag.State_Selected)
        # A frame of two pixels must lie inside of the card.
        frame = option.rect.adjusted(1, 1, -2, -2)
        if is_current:
            painter.fillRect(frame, self.theme.selection)
        if is_current or index.data(MARKED_ROLE):
            painter.setPen(
                QPen(self.theme.accent_text, 2 if index.data(MARKED_ROLE) else 1)
            )
            painter.drawRoundedRect(frame, 4, 4)
        pad = scaled_pixels(CARD_PAD, option.font)
        inner = frame.adjusted(pad, pad // 2, -pad, -pad // 2)
        line = inner.height() // 2
        top = QRect(inner.left(), inner.top(), inner.width(), line)
        end = self._paint_figures(painter, top, card, option.font)
        is_used = bool(index.data(IN_USE_ROLE))
        marks = ((card.is_recommended, tr("recommended")), (is_used, tr("in use")))
        notes = " · ".join([*(text for is_set, text in marks if is_set), card.calls])
        self._paint_words(painter, top, end, (card.name, notes), option.font)
        small = resized_font(option.font, SECONDARY)
        painter.setFont(small)
        painter.setPen(self.theme.text2)
        bottom = top.translated(0, line)
        metrics = QFontMetrics(small)
        if card.changes:
            _paint_right(painter, bottom, card.changes, small, self.theme.text)
            taken = metrics.horizontalAdvance(card.changes) + scaled_pixels(
                COLUMN_GAP, option.font
            )
            bottom.setRight(bottom.right() - taken)
        painter.setPen(self.theme.text2)
        about = metrics.elidedText(
            card.about, Qt.TextElideMode.ElideRight, bottom.width()
        )
        painter.drawText(bottom, Qt.AlignmentFlag.AlignVCenter, about)
        painter.restore()

    def _paint_words(
        self,
        painter: QPainter,
        rect: QRect,
        end: int,
        words: tuple[str, str],
        font: QFont,
    ) -> None:
        """Paint name and note from the left; the note ends before the figures."""
        bold = resized_font(font, BODY, bold=True)
        small = resized_font(font, SECONDARY)
        painter.setFont(bold)
        painter.setPen(self.theme.text)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, words[0])
        left = (
            rect.left()
            + QFontMetrics(bold).horizontalAdvance(words[0])
            + scaled_pixels(8, font)
        )
        painter.setFont(small)
        painter.setPen(self.theme.text2)
        metrics = QFontMetrics(small)
        note = words[1]
        if metrics.horizontalAdvance(note) > end - left:  # after a long name
            # The word is the least important one of the note.
            note = metrics.elidedText(
                note.removesuffix(" offline"), Qt.TextElideMode.ElideRight, end - left
            )
        painter.drawText(
            QRect(left, rect.top(), end - left, rect.height()),
            Qt.AlignmentFlag.AlignVCenter,
            note,
        )

    def _paint_figures(
        self, painter: QPainter, rect: QRect, card: StrategyCard, font: QFont
    ) -> int:
        """Paint the figures from the right; return where they begin."""
        bold = tabular_font(resized_font(font, BODY, bold=True))
        if card.tokens is None or card.no_result:
            text = card.no_result or ("…" if self.is_waiting else "")
            # Some reasons are long; half of the card stays for the name.
            small = resized_font(font, SECONDARY)
            width = min(
                QFontMetrics(small).horizontalAdvance(text) + 2, rect.width() // 2
            )
            text = QFontMetrics(small).elidedText(
                text, Qt.TextElideMode.ElideRight, width
            )
            _paint_right(painter, rect, text, small, self.theme.text2)
            return rect.right() - width - scaled_pixels(12, font)
        plain = tabular_font(resized_font(font, BODY))
        edge = QRect(rect)
        gap = scaled_pixels(COLUMN_GAP, font)
        kept = zip(
            self.labels, (card.musts, card.needed_later), self.widths[2:], strict=True
        )
        for label, cell, width in reversed(list(kept)):
            if not label:
                continue
            if cell.marks:
                paint_marks(painter, edge, cell.marks, font)
            else:
                _paint_right(painter, edge, cell.text, plain, self.theme.text)
            edge.setRight(edge.right() - width - gap)
        _paint_right(
            painter,
            edge,
            number_format.reduction_percent(card.reduction),
            plain,
            self.theme.text,
        )
        edge.setRight(edge.right() - self.widths[1] - gap)
        if card.standing.tone == "ok":
            colour = self.theme.text
        else:
            colour = self.theme.tone(card.standing.tone)
        _paint_right(painter, edge, f"{card.tokens:,}", bold, colour)
        edge.setRight(edge.right() - self.widths[0] - gap)
        return edge.right()


def _paint_right(
    painter: QPainter, rect: QRect, text: str, font: QFont, colour: QColor
) -> None:
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(
        rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text
    )


ONE_COLUMN_BELOW = 1180
"""Pixels: in a narrower window the two lists are one below the other."""
_WIDTH, _HEIGHT = 1090, 628  # at body size 13


class StrategyPopup(QFrame):
    """Emits ``picked(changes)``, the strategy with the settings of the aim, and
    ``compare_wanted(names)`` for the marked strategies."""

    picked = Signal(tuple)
    compare_wanted = Signal(tuple)
    help_wanted = Signal(str)

    def __init__(self, backend: BackendClient, aim: Aim, parent: QWidget) -> None:
        # A popup closes by itself when something else is clicked.
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "popup")
        self.setAccessibleName(tr("Strategies"))
        self._backend, self._used = backend, ""
        self._call: PendingCall[None] | None = None
        self._order = "name"
        self.page: StrategyCards | None = None
        self.filter = QLineEdit(
            placeholderText=tr("Type to filter: name, agent, “no model”")
        )
        self.filter.setAccessibleName(tr("Filter strategies"))
        self._aim = aim
        self.aim = AimField(aim)
        self._is_of_aim = True
        self.hides_others = QCheckBox()
        self.about = ElidedLabel("", "muted", min_chars=20)
        self.compare = push_button("", "link")
        self._compute = push_button(tr("Compute the figures"), "link")
        self.lists = (CardList(tr("General")), CardList(tr("As an agent does it")))
        self.details = text_label("", "secondary", wraps=True)
        self.more = push_button(tr("Read more"), "link")
        self._hint = text_label(
            tr("↑ ↓ ← → choose   Enter use   Space mark to compare   Esc close"),
            "muted",
        )
        self.sorts = {
            name: push_button(text, "link") for name, text in _orders().items()
        }
        self.must_texts = ElidedLabel("", "secondary", min_chars=20)
        self.keeping = text_label("", "secondary")
        self._lay_out()
        for field in (self.filter, self.aim):
            field.installEventFilter(self)
        self.filter.textChanged.connect(self._show)
        aim.changed.connect(self._on_aim)
        aim.settled.connect(self._on_settled)
        self.hides_others.toggled.connect(self._show)
        self.compare.clicked.connect(self._on_compare)
        self._compute.clicked.connect(self._on_compute)
        self.more.clicked.connect(self._on_more)
        for button in self.sorts.values():
            button.clicked.connect(self._on_sort)
        for one in self.lists:
            one.view.clicked.connect(self._pick)
            one.view.selectionModel().currentChanged.connect(self._show_details)

    def _lay_out(self) -> None:
        label = text_label(tr("Aim for"))
        ends = (self._compute, self.hides_others, self.compare)
        head = row_of(
            self.filter, label, self.aim, self.about, *ends, stretched=self.about
        )
        self._columns = row_of(*self.lists)
        details = row_of(self.details, self.more, stretched=self.details)
        foot = row_of(
            self._hint, None, text_label(tr("Sort by"), "muted"), *self.sorts.values()
        )
        musts = row_of(self.must_texts, self.keeping, stretched=self.must_texts)
        parts = (head, self._columns, musts, details, foot)
        self.setLayout(
            column_of(*parts, margins=(12, 12, 12, 8), gap=6, stretched=self._columns)
        )

    def open_below(self, widget: QWidget, used: str) -> None:
        """Open under a widget of the window; ``used`` is the strategy in use."""
        window = widget.window()
        # Two lists side by side do not fit into a narrow window.
        is_narrow = window.width() < scaled_pixels(ONE_COLUMN_BELOW, self.font())
        self._columns.setDirection(
            QBoxLayout.Direction.TopToBottom
            if is_narrow
            else QBoxLayout.Direction.LeftToRight
        )
        self._used = used
        self.filter.setFixedWidth(scaled_pixels(300, self.font()))
        self.filter.clear()
        width = min(scaled_pixels(_WIDTH, self.font()), window.width() - 16)
        self.resize(
            width, min(scaled_pixels(_HEIGHT, self.font()), window.height() - 80)
        )
        corner = widget.mapToGlobal(QPoint(0, widget.height() + 4))
        left = window.mapToGlobal(QPoint(8, 0)).x()
        right = window.mapToGlobal(QPoint(window.width(), 0)).x()
        # Within the window: a popup may otherwise reach beyond the screen.
        self.move(max(left, min(corner.x(), right - width - 8)), corner.y())
        self.show()
        self.filter.setFocus()
        # The figures are computed when they are looked at, since that takes seconds.
        self._request()

    def hideEvent(self, event: object) -> None:
        """What is not computed yet is computed when the popup opens again."""
        self._abandon()

    def _abandon(self) -> None:
        if self._call is not None:
            self._call.abandon()
            self._call = None

    def clear(self) -> None:
        """Another file is opened: the figures are of the former one."""
        self.page = None
        self.about.show_text("")
        labels = ("", "")
        widths = card_widths((), labels, self.font())
        for one in self.lists:
            one.set_cards([], "", labels, widths, is_waiting=True)

    def _on_aim(self) -> None:
        """Look for settings once nothing more is typed; until then no card is of the aim."""
        self._is_of_aim = False

    def _on_settled(self) -> None:
        if self.isVisible():
            self._request()

    def _request(self, *, is_asked: bool = False) -> None:
        if self._aim.is_wrong:
            self._abandon()
            self.about.show_text(wrong_size())
            return
        aim = self._aim.value
        call = self._backend.call(self, CompareService.cards, is_asked, aim)
        self._call = (
            call.progress(self.show_page).done(self._on_done).failed(self._on_failed)
        )

    def show_page(self, page: StrategyCards) -> None:
        """Show the cards so far; the current card stays current."""
        self.page, self._is_of_aim = page, not self._aim.is_typed
        self._show()

    def _show(self) -> None:
        page = self.page
        if page is None:
            return
        if self._is_of_aim:
            self.about.show_text(*_about_texts(page))
        self._compute.setVisible(page.is_capped)
        others = sum(card.misses_aim for card in page.cards)
        self.hides_others.setText(tr("Hide the {count} others").format(count=others))
        self.hides_others.setVisible(bool(others))
        self._show_cards(page)
        for name, label in (
            ("musts", page.must_label),
            ("kept", page.needed_later_label),
        ):
            self.sorts[name].setText(tr(label))
            self.sorts[name].setVisible(bool(label))
        self._show_must_texts(page)
        self.lists[1].note.show_text(f"{tr('as of')} {page.as_of}")
        if not self._current().isValid():
            self._select_first()
        self._show_marks()

    def _show_cards(self, page: StrategyCards) -> None:
        """Show the cards with all words of the filter: our own strategies, then those of agents."""
        words = self.filter.text().lower().split()
        labels = tr(page.must_label), tr(page.needed_later_label)
        found = [card for card in page.cards if self._is_shown(card, words)]
        widths = card_widths(page.cards, labels, self.font())
        ours = [card for card in found if not card.program]
        agents = [card for card in found if card.program]
        for one, cards in zip(self.lists, (ours, agents), strict=True):
            one.set_cards(
                sorted(cards, key=self._sort_key),
                self._used,
                labels,
                widths,
                # Capped figures are computed only when they are asked for: nothing is waited for.
                is_waiting=not page.is_capped,
            )

    def _is_shown(self, card: StrategyCard, words: Sequence[str]) -> bool:
        if card.misses_aim and self.hides_others.isChecked():
            return False
        text = card_text(card).lower()
        return all(word in text for word in words)

    def _select_first(self) -> None:
        for one in self.lists:
            if one.model.rowCount():
                one.view.setCurrentIndex(one.model.index(0, 0))
                return

    def _show_must_texts(self, page: StrategyCards) -> None:
        """Say what the glyphs stand for, from left to right, and how many strategies keep all."""
        texts = page.must_texts
        room = max(_LEAST_WORDS, _MOST_WORDS // max(1, len(texts)))
        numbered = "   ".join(
            f"{number} {one_line_text(text, room)}"
            for number, text in enumerate(texts, 1)
        )
        marks = [card.musts.marks for card in page.cards if card.musts.marks]
        keeping = sum(all(mark.tone == "ok" for mark in one) for one in marks)
        verb = tr("strategy keeps") if keeping == 1 else tr("strategies keep")
        self.keeping.setText(f"{keeping} {verb} {_all_words(len(texts))}")
        self.keeping.setVisible(bool(texts and marks))
        self.must_texts.show_text(f"{tr('Must keep, left to right:')}   {numbered}")
        self.must_texts.setToolTip("\n".join(texts))
        self.must_texts.setVisible(bool(texts))

    def _show_details(self) -> None:
        current = self._current()
        if current.isValid():
            card = current.data(CARD_ROLE)
        else:
            card = None
        self.details.setText(f"{card.name} {card.details}" if card is not None else "")
        self.more.setVisible(card is not None)

    def _on_more(self) -> None:
        self.help_wanted.emit(f"strategies/{self._current().data(CARD_ROLE).name}.md")
        self.hide()

    def _sort_key(self, card: StrategyCard) -> tuple[bool, float]:
        if self._order == "name":
            return not card.is_recommended, 0.0
        if self._order == "tokens":
            return card.tokens is None, card.tokens or 0
        cell = card.musts if self._order == "musts" else card.needed_later
        # The key of a list of texts is lowest for the best; of a share it is highest.
        sign = 1 if cell.marks else -1
        return cell.key is None, sign * (cell.key or 0.0)

    def _current(self) -> QModelIndex:
        return next(
            (
                one.view.currentIndex()
                for one in self.lists
                if one.view.currentIndex().isValid()
            ),
            NONE,
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A field has the focus; arrows, Enter and Space go to the cards."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._on_key(
                event.key(), self.aim if watched is self.aim else self.filter
            )
        return super().eventFilter(watched, event)

    def _on_key(self, key: int, field: QLineEdit) -> bool:
        current = self._current()
        text = field.text()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and current.isValid():
            self._move(current.row() + (1 if key == Qt.Key.Key_Down else -1))
        elif (
            key in (Qt.Key.Key_Left, Qt.Key.Key_Right)
            # In a text that is typed the arrows move the cursor.
            and not text
            and current.isValid()
        ):
            self._change_list(1 if key == Qt.Key.Key_Right else 0, current.row())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current.isValid():
            self._pick(current)
        elif key == Qt.Key.Key_Space and not text and current.isValid():
            self._toggle_mark(current)
        else:
            return False
        return True

    def _move(self, row: int) -> None:
        one = next(one for one in self.lists if one.view.currentIndex().isValid())
        if 0 <= row < one.model.rowCount():
            one.view.setCurrentIndex(one.model.index(row, 0))

    def _change_list(self, index: int, row: int) -> None:
        target = self.lists[index]
        other = self.lists[1 - index]
        if target.model.rowCount():
            # Only one card of the two lists is current.
            other.view.setCurrentIndex(NONE)
            target.view.setCurrentIndex(
                target.model.index(min(row, target.model.rowCount() - 1), 0)
            )

    def _pick(self, index: QModelIndex) -> None:
        """Use a card; one whose settings are still looked for is not used yet."""
        card: StrategyCard = index.data(CARD_ROLE)
        if not self._is_of_aim:
            self._aim.settle()
            return
        is_known = card.tokens is not None or bool(card.no_result)
        # Its values are not known yet and would be those of the default.
        if self.page is not None and self.page.aim and not is_known:
            return
        self.picked.emit(((STRATEGY, card.name), *card.values))
        self.hide()

    def _toggle_mark(self, index: QModelIndex) -> None:
        one = next(one for one in self.lists if one.model is index.model())
        one.model.setData(index, not index.data(MARKED_ROLE), MARKED_ROLE)
        self._show_marks()

    def marked(self) -> tuple[str, ...]:
        return tuple(name for one in self.lists for name in one.marked())

    def _show_marks(self) -> None:
        self._show_details()
        for name, button in self.sorts.items():
            set_style_property(
                button, "role", "flat" if name == self._order else "link"
            )
        count = len(self.marked())
        self.compare.setText(f"{tr('Compare')} {count}" if count else tr("Compare all"))

    def _on_compare(self) -> None:
        self.compare_wanted.emit(self.marked())
        self.hide()

    def _on_compute(self) -> None:
        self._request(is_asked=True)

    def _on_sort(self) -> None:
        self._order = next(
            name for name, button in self.sorts.items() if button is self.sender()
        )
        self._show()

    def _on_done(self, _: object) -> None:
        self._call = None

    def _on_failed(self, notice: Notice) -> None:
        self._call = None
        self.about.show_text(f"{notice.title} {notice.text}")


class _MustHead(QLabel):
    """The title of the glyphs, with a number above each of them."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "secondary")
        self.count = 0

    def show_count(self, count: int) -> None:
        self.count = count
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.count:
            super().paintEvent(event)
            return
        painter = QPainter(self)
        line = self.fontMetrics().height()
        painter.setPen(self.palette().color(self.foregroundRole()))
        foot = QRect(0, self.height() - line, self.width(), line)
        title = foot.translated(0, -line)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(title, right, self.text())
        paint_numbers(painter, foot, self.count, self.window().font())
        painter.end()


class CardList(QWidget):
    """A heading over a list of cards."""

    def __init__(self, heading: str) -> None:
        super().__init__()
        self.heading = ElidedLabel(heading, "strong", min_chars=7)
        self.note = ElidedLabel("", "secondary", min_chars=0)
        self.model, self.view = QStandardItemModel(self), QListView(self)
        self.delegate = CardDelegate(self.view)
        self.view.setAccessibleName(heading)
        self.view.setItemDelegate(self.delegate)
        self.view.setModel(self.model)
        self.view.setUniformItemSizes(True)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        # Both lists have equal columns only if both have the bar.
        self.view.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAlwaysOn
        )  # both have equal columns
        bar = self.view.verticalScrollBar()
        bar.setEnabled(False)  # until there is more than fits
        bar.rangeChanged.connect(self._on_range)
        # The filter keeps the focus, so that typing filters at any time.
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.must_head = _MustHead()
        self.must_head.setText(tr(MUST_KEEP))
        self._labels: list[QLabel] = [
            text_label(tr("tokens after"), "secondary"),
            text_label(tr("saved"), "secondary"),
            self.must_head,
            text_label("", "secondary"),
        ]
        for label in self._labels:
            label.setAlignment(
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
            )
            label.setWordWrap(True)
        # One line, as low as that of the columns: both lists begin at one height.
        for part in (self.heading, self.note):
            part.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
        self._head = row_of(
            *(self.heading, self.note), *self._labels, stretched=self.note
        )
        self.setLayout(
            column_of(
                self._head, self.view, margins=(0, 8, 0, 0), gap=6, stretched=self.view
            )
        )
        self._fit_head()

    def _fit_head(self) -> None:
        """Let the heading begin and end where the words of the cards do, at any text size."""
        pad = 1 + scaled_pixels(CARD_PAD, self.font())
        bar = self.view.verticalScrollBar().sizeHint().width()
        self._head.setContentsMargins(pad, 0, pad + 1 + bar, 0)
        self._head.setSpacing(scaled_pixels(COLUMN_GAP, self.font()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_head()

    def set_cards(
        self,
        cards: Sequence[StrategyCard],
        used: str,
        labels: tuple[str, str],
        widths: tuple[int, ...],
        *,
        is_waiting: bool,
    ) -> None:
        """Show these cards; marks and the current card stay. ``labels`` as in the delegate,
        ``widths`` as by ``card_widths``."""
        self.delegate.labels, self.delegate.widths = labels, widths
        for label, width in zip(self._labels, widths, strict=True):
            label.setFixedWidth(width)
        for label, text in zip(self._labels[2:], labels, strict=True):
            label.setText(text)
            label.setVisible(bool(text))
        marks = next((card.musts.marks for card in cards if card.musts.marks), ())
        is_numbered = not any(mark.count for mark in marks)
        self.must_head.show_count(len(marks) if is_numbered else 0)
        marked = set(self.marked())
        index = self.view.currentIndex()
        if index.isValid():
            current = index.data(CARD_ROLE).name
        else:
            current = ""
        self.delegate.is_waiting = is_waiting
        self.model.clear()
        for card in cards:
            item = QStandardItem(card.name)
            item.setData(card, CARD_ROLE)
            item.setData(card.name == used, IN_USE_ROLE)
            item.setData(card.name in marked, MARKED_ROLE)
            item.setData(card_text(card, labels), Qt.ItemDataRole.AccessibleTextRole)
            item.setToolTip(card.about)
            self.model.appendRow(item)
            if card.name == current:
                self.view.setCurrentIndex(item.index())

    def _on_range(self, minimum: int, maximum: int) -> None:
        self.view.verticalScrollBar().setEnabled(maximum > minimum)

    def marked(self) -> list[str]:
        rows = (self.model.index(row, 0) for row in range(self.model.rowCount()))
        return [index.data(CARD_ROLE).name for index in rows if index.data(MARKED_ROLE)]

    def sizeHint(self) -> QSize:
        return QSize(scaled_pixels(500, self.font()), scaled_pixels(480, self.font()))


def _about_texts(page: StrategyCards) -> tuple[str, str]:
    """Return what the cards are of, or the aim in tokens and how many reach it; then what stands
    there without room, "" for no shorter words."""
    if page.aim:
        return page.aim_text, ""
    size = number_format.tokens(page.mark, page.tokens)
    count = number_format.plural(page.messages, "message")
    about = tr("For this conversation: {count}, {size} tokens.").format(
        count=count, size=size
    )
    return f"{about} {tr('Summaries written offline.')}", about


_LEAST_WORDS, _MOST_WORDS = 12, 120
"""Characters of a text that must survive in the foot, and of all of them together."""


def _all_words(count: int) -> str:
    if count == 1:
        return tr("it")
    return tr("all {count}").format(count=count)


NONE = QModelIndex()


def _orders() -> dict[str, str]:
    return {"name": tr("name"), "tokens": tr("tokens after"), "musts": "", "kept": ""}

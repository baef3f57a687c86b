"""The Losses tab: what the result holds of the session, and what text was removed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from PySide6.QtCore import (
    QMimeData,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QLineEdit,
    QTreeWidgetItem,
    QWidget,
)

from core.common.excerpts import one_line_text
from core.presentation.inspector_model import (
    DECAY_ROUNDS,
    REMOVED,
    DecayPage,
    KindBar,
    LinesPage,
    LossesPage,
    LossRow,
    MustPage,
    TextSpan,
)
from core.presentation.losses_words import (
    COUNTING,
    MUST_GLYPHS,
    NOT_COUNTED,
    STATUS_WORDS,
)
from core.presentation.model import KINDS, LabelledFigure
from core.presentation.verdict_model import Phrase
from gui.inspect.inspector.fact_list import (
    MADE_UP_STATUSES,
    WORST_STATUSES,
    FactListView,
    MustListView,
    fit_to_rows,
)
from gui.language import tr
from gui.widgets.basic_widgets import push_button, rule, text_label
from gui.widgets.events import MESSAGE_DRAG
from gui.widgets.figure_list import FigureList
from gui.widgets.icons import GlyphLabel
from gui.widgets.row_tree import RowTree
from gui.widgets.text_labels import ElidedLabel, SpanText, set_style_property
from gui.widgets.theme import SECONDARY, current_theme, scaled_pixels
from gui.widgets.view_layout import (
    ScrollContainer,
    column_of,
    fill_panel,
    panel_of,
    row_of,
)

CELL_PAD = 5
"""Pixels between the edge of a cell and its text."""
_BAR_HEIGHT = 8


class FactKindsView(RowTree):
    """A row per kind. One kind can be selected; a second click on it takes the selection back."""

    def __init__(self) -> None:
        super().__init__(tr("Facts by kind"), 4, 1, role="reader")
        self._clicked: QTreeWidgetItem | None = None
        self.itemClicked.connect(self._on_clicked)
        self.restyled.connect(self._show_colours)

    @property
    def kind(self) -> str:
        """The selected kind, "" for none."""
        items = self.selectedItems()
        return items[0].data(0, Qt.ItemDataRole.UserRole) if items else ""

    def show_bars(self, bars: Sequence[KindBar]) -> None:
        """Show other bars; the selected kind stays selected."""
        selected = self.kind
        self.blockSignals(True)
        self.clear()
        self._clicked = None
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for bar in bars:
            item = QTreeWidgetItem(self, [kind_label(bar), "", bar.kept, bar.gone])
            for column in (2, 3):
                item.setTextAlignment(column, right)
            item.setToolTip(0, _tip(bar))
            item.setData(0, Qt.ItemDataRole.UserRole, bar.kind)
            item.setSelected(bar.kind == selected)
            total = sum(bar.counts)
            self.setItemWidget(item, 1, KeptLostBar(bar.counts[0] / max(1, total)))
        self.setFixedHeight(
            sum(self.sizeHintForRow(row) for row in range(len(bars))) + 8
        )
        self._show_colours()
        self.blockSignals(False)

    def _show_colours(self) -> None:
        for row in range(self.topLevelItemCount()):
            if (item := self.topLevelItem(row)) is not None:
                item.setForeground(3, current_theme().error)

    def _on_clicked(self, item: QTreeWidgetItem) -> None:
        if item is self._clicked:
            self.clearSelection()
        self._clicked = item if item.isSelected() else None


def kind_label(bar: KindBar) -> str:
    return tr(bar.label)


def _tip(bar: KindBar) -> str:
    """Return "open errors: 2 word for word, 1 gone"."""
    counts = zip(bar.counts, STATUS_WORDS, strict=True)
    return (
        f"{kind_label(bar)}: "
        f"{', '.join(f'{count:,} {tr(word)}' for count, word in counts if count)}"
    )


class KeptLostBar(QWidget):
    """The share that stands word for word filled, the rest an outline."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self._share = share

    def sizeHint(self) -> QSize:
        return QSize(_BAR_HEIGHT, _BAR_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = current_theme()
        top = (self.height() - _BAR_HEIGHT) / 2
        width = self.width() - 2.0 * CELL_PAD
        kept = round(width * self._share)
        painter.fillRect(
            QRectF(CELL_PAD, top, kept, _BAR_HEIGHT), theme.kind[KINDS.index("ai")]
        )
        if self._share < 1:
            painter.setPen(QPen(theme.error, 1))
            lost = max(3.0, width - kept)
            painter.drawRect(
                QRectF(
                    CELL_PAD + width - lost + 0.5, top + 0.5, lost - 1, _BAR_HEIGHT - 1
                )
            )
        painter.end()


_PAD = 12
_MAX_ROWS = 12


class MustSection(QWidget):
    """Enter adds what was typed. The selected row has links: to its message, to what comes near it
    in the result, pin, and remove."""

    added = Signal(str)
    removed = Signal(str)
    message_dropped = Signal()  # the selected one, as a press selects

    def __init__(self) -> None:
        super().__init__()
        self._page = MustPage()
        self.setAcceptDrops(True)
        self.head = text_label("", "strong")
        self.counts = [text_label("", "muted") for _ in MUST_GLYPHS]
        self.copy_button = push_button(tr("Copy list"), "link", tip=_COPY_TIP)
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Add a rule, a file, a number…"))
        self.field.setAccessibleName(tr("Text that must survive"))
        self.field.setAcceptDrops(False)  # the section adds what is dropped at once
        self.list = MustListView()
        self.list.setAccessibleName(tr("Texts that must survive"))
        self.empty_words = text_label(
            tr("Type it, or take one of your rules:"), "secondary"
        )
        self.suggestions = SpanText(SECONDARY, "text2")
        shield = GlyphLabel("shield", size=14)
        head = row_of(shield, self.head, *self.counts, None, self.copy_button, gap=6)
        self._empty = panel_of(column_of(self.empty_words, self.suggestions, gap=2))
        top = column_of(
            head, self.field, self._empty, margins=(_PAD, 8, _PAD, 4), gap=6
        )
        fill_panel(self, "pane", column_of(top, self.list))
        self.field.returnPressed.connect(self._on_typed)
        self.copy_button.clicked.connect(self._on_copy)
        self.list.remove_requested.connect(self.removed)
        self.list.heights_changed.connect(self._fit_list)
        self.suggestions.link_activated.connect(self._on_suggested)
        self.show_page(MustPage())

    def show_page(self, page: MustPage) -> None:
        self._page = page
        if page.rows:
            title = tr("Must keep")
        else:
            title = tr("What must survive?")
        self.head.setText(title)
        self._show_counts(page.counts)
        self.list.show_rows(page.rows)
        self._fit_list()
        self.copy_button.setVisible(bool(page.rows))
        self._empty.setVisible(bool(page.suggestions) and not page.rows)
        spans: list[TextSpan] = []
        for number, text in enumerate(page.suggestions):
            if number:
                spans.append(TextSpan("\n"))
            spans.append(TextSpan(one_line_text(text, _MAX_SUGGESTION), str(number)))
        self.suggestions.set_spans(tuple(spans))

    def _show_counts(self, counts: Phrase) -> None:
        """Show each count in the colour of its glyph."""
        for label in self.counts[len(counts) :]:
            label.hide()
        for label, (text, tone) in zip(self.counts, counts, strict=False):
            label.setText(text)
            set_style_property(label, "tone", tone)
            label.show()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take text and messages; a file is for the window, which opens it."""
        if takes_drag(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Add what is dropped; the inspector passes on what is dropped elsewhere on it."""
        data = event.mimeData()
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if data.hasFormat(MESSAGE_DRAG):
            self.message_dropped.emit()
        elif text := _NUMBER.sub("", data.text().strip()):
            self.added.emit(text)

    def _fit_list(self) -> None:
        fit_to_rows(self.list, len(self._page.rows), _MAX_ROWS)

    def _on_typed(self) -> None:
        if text := self.field.text().strip():
            self.field.clear()
            self.added.emit(text)

    def _on_suggested(self, number: str) -> None:
        self.added.emit(self._page.suggestions[int(number)])

    def _on_copy(self) -> None:
        """Copy the list as a file of such texts has it: one a line."""
        lines = [" ".join(row.must.split()) for row in self._page.rows]
        QGuiApplication.clipboard().setText("\n".join(lines))


def takes_drag(data: QMimeData) -> bool:
    """Return whether what is dragged can be judged by: a message or a text, no file."""
    return data.hasFormat(MESSAGE_DRAG) or (data.hasText() and not data.hasUrls())


_NUMBER = re.compile(r"^#\d+\s+")
"""The number of a message before its text."""
_COPY_TIP = tr("Copy the texts, one a line, as .foldline-must.txt holds them")
_MAX_SUGGESTION = 120  # characters


ASK_LINK = "ask:"
"""The link that opens the dialog in which a model is asked about reworded sentences."""
_FIRST_LISTED, _FEWEST_LISTED, _MOST_LISTED = 6, 3, 40
"""Facts shown at first, in a low window, and at most without scrolling the list."""
_LOW = 640
"""Pixels: a lower tab lists fewer facts, so that the kinds are in sight."""
_KINDS_TIP = "How many facts of each kind stand word for word, and how many are gone"


class LossesTab(QWidget):
    link_activated = Signal(str)  # "before:84", "after:12", "scope:before:1", "ask:"
    pin_requested = Signal(int)  # message of the source

    def __init__(self) -> None:
        super().__init__()
        self.page: LossesPage | None = None
        self._shows_all = self._shows_more = self._was_low = False
        self.heading = text_label("", "strong", wraps=True)
        self._texts = [SpanText(SECONDARY, "text2") for _ in range(5)]
        self.words, self.backtest, self.ask, self.link, self.excerpts = self._texts
        self.title = ElidedLabel("", "strong")
        self.toggle = push_button("", "link")
        self.more = push_button("", "link")
        self.must = MustSection()
        self.fact_list, self.made_up_list = FactListView(), FactListView()
        self.line_list, self.removed_list = FactListView(), FactListView()
        facts = (self.fact_list, self.made_up_list, self.line_list, self.removed_list)
        self.lists = (self.must.list, *facts)
        self.made_up = text_label("", "strong")
        self.made_up_list.setAccessibleName(tr("Made up"))
        self.line_list.setAccessibleName(tr("Lines that are gone"))
        self.kinds = FactKindsView()
        self.more_lines = push_button("", "link")
        self.by_kind = push_button(tr("By kind"), "link", tip=_KINDS_TIP)
        self.by_kind.setCheckable(True)
        self.lines = LinesPage()
        self._shows_more_lines = False
        self.again_list = FigureList()
        self.again_progress = text_label("", "secondary")
        self.cancel_button = push_button(tr("Cancel"), "link")
        self._build()
        self._connect()
        self.show_page(None)

    def _build(self) -> None:
        lines = tr("Lines that are gone, most useful first")
        words = text_label(lines, "strong", wraps=True)
        head = column_of(words, self.excerpts, margins=(_PAD, 4, _PAD, 4), gap=4)
        self._lines_head = panel_of(column_of(rule(), head))
        made_up = column_of(self.made_up, margins=(_PAD, 4, _PAD, 4))
        self._made_up_head = panel_of(column_of(rule(), made_up))
        self._removed_head = _head(tr("Text removed, largest first"), tr("tokens"))
        again = row_of(
            self.again_progress, self.cancel_button, stretched=self.again_progress
        )
        kinds = row_of(
            self.kinds, margins=(_PAD - CELL_PAD, 0, _PAD - CELL_PAD, 0)
        )  # below the heading
        self.kinds.hide()
        parts = (
            rule(),
            column_of(self.title, margins=(_PAD, 4, _PAD, 4)),
            self.fact_list,
            row_of(self.more, None, self.toggle, margins=(_PAD, 0, _PAD, 4)),
            self._made_up_head,
            self.made_up_list,
            self._lines_head,
            self.line_list,
            row_of(self.more_lines, None, margins=(_PAD, 0, _PAD, 4)),
            self._removed_head,
            self.removed_list,
            column_of(rule(), row_of(self.by_kind, None, margins=(_PAD, 4, _PAD, 4))),
            kinds,
            column_of(again, self.again_list, margins=(_PAD, 4, _PAD, 4), gap=4),
        )
        self._body = panel_of(column_of(*parts))
        texts = (self.heading, self.words, self.backtest, self.ask, self.link)
        top = column_of(*texts, margins=(_PAD, 10, _PAD, 10), gap=4)
        content = ScrollContainer(
            panel_of(column_of(self.must, rule(), top, self._body)),
            role="reader",
            min_height=80,
        )
        fill_panel(self, "pane", column_of(content, None, stretched=content))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_low() != self._was_low:
            self._fill()

    def _connect(self) -> None:
        self.kinds.itemSelectionChanged.connect(self._on_kind)
        self.toggle.clicked.connect(self._on_toggle)
        self.by_kind.toggled.connect(self._on_by_kind)
        self.more.clicked.connect(self._on_more)
        self.more_lines.clicked.connect(self._on_more_lines)
        for text in self._texts:
            text.link_activated.connect(self.link_activated)
        for view in self.lists:
            view.link_activated.connect(self.link_activated)
            view.pin_requested.connect(self.pin_requested)

    def show_pinned(self, messages: Collection[int]) -> None:
        """Say of each row whether its message is pinned."""
        for view in self.lists:
            view.show_pinned(messages)

    def show_ask(self, text: str) -> None:
        """Show the link that asks a model about reworded sentences; "" where there is nothing to
        ask."""
        self.ask.set_spans((TextSpan(text, ASK_LINK),) if text else ())
        self.ask.setVisible(bool(text))

    def show_backtest(self, text: str) -> None:
        """Show what the strategy would have kept at earlier points, as far as it is known."""
        self.backtest.set_spans((TextSpan(text),))
        self.backtest.setVisible(bool(text))

    def show_page(self, page: LossesPage | None) -> None:
        """Show a page; without one, that it is being evaluated."""
        self.set_stale(False)
        is_same = page == self.page and page is not None
        self.page = page
        self._body.setVisible(page is not None)
        self.must.setVisible(page is not None)
        if page is None:
            self.lines = LinesPage()
            self.heading.setText(tr("Losses"))
            self.words.set_spans((TextSpan(tr(COUNTING)),))
            self.words.show()
            self.show_backtest("")
            self.show_ask("")
            self.link.hide()
            self.show_decay(DecayPage(), is_running=False)
        elif not is_same:
            self._show(page)

    def show_not_counted(self) -> None:
        """Offer to count what was cancelled."""
        self.page = None
        self.lines = LinesPage()
        self._body.hide()
        self.must.hide()
        count = TextSpan(tr("Count now"), "count:")
        self.words.set_spans((TextSpan(f"{tr(NOT_COUNTED)} · "), count))
        self.words.setEnabled(True)
        self.words.show()

    def _show(self, page: LossesPage) -> None:
        self.heading.setText(f"{page.heading[:1].upper()}{page.heading[1:]}")
        words = (TextSpan("\n".join(page.told)),)
        for text, spans in ((self.words, words), (self.link, page.link)):
            text.set_spans(spans)
            text.setVisible(any(span.text for span in spans))
        self.show_backtest("")
        self.show_ask("")
        self.must.show_page(page.must)
        self.kinds.show_bars(page.bars)
        self._fill()

    def set_stale(self, stale: bool) -> None:
        """Fade what is of the previous preview; none of its links can be followed."""
        for part in (self.heading, *self._texts, self._body):
            part.setEnabled(not stale)

    def show_decay(self, page: DecayPage, *, is_running: bool) -> None:
        """Show the compactions so far; ``is_running`` while more are computed."""
        self.again_list.show_facts(
            [
                LabelledFigure(
                    tr("after {number}").format(number=number),
                    bar.label,
                    fraction=bar.value,
                )
                for number, bar in enumerate(page.bars, 1)
            ]
        )
        self.again_list.setToolTip(
            "\n".join((*(bar.tip for bar in page.bars), page.note))
        )
        self.again_list.setAccessibleDescription(" ".join(bar.tip for bar in page.bars))
        self.again_list.setVisible(bool(page.bars))
        self.again_progress.setText(
            tr("Compaction {number} of {count}…").format(
                number=min(len(page.bars) + 1, DECAY_ROUNDS), count=DECAY_ROUNDS
            )
            if is_running
            else tr("Your messages word for word after each further compaction")
        )
        self.again_progress.setVisible(is_running or bool(page.bars))
        self.cancel_button.setVisible(is_running)

    def _fill(self) -> None:
        """List what is gone or reworded, all facts, or those of the chosen kind."""
        page = self.page
        if page is None:
            return
        rows = [row for row in page.rows if self._is_listed(row.status, row.kind)]
        unlisted = self._fact_count(page) - len(rows) if page.unlisted else 0
        if not (self._shows_all or self.kinds.kind):
            musts = {row.must for row in page.must.rows}  # told above
            rows = [row for row in rows if row.text not in musts]
        self._was_low = self._is_low()
        first = _FEWEST_LISTED if self._was_low else _FIRST_LISTED
        _show_rows(self.fact_list, rows if self._shows_more else rows[:first])
        self._show_made_up(page)
        self._fill_lines()
        self._show_removed(page)
        self.title.show_text(self._list_title(page, len(rows), unlisted))

        self.more.setVisible(len(rows) > first)
        more_text = tr("Show {count:,} more").format(count=len(rows) - first)
        self.more.setText(tr("Show fewer") if self._shows_more else more_text)
        is_wider = self._shows_all or bool(self.kinds.kind)
        self.toggle.setText(tr("Gone or reworded only") if is_wider else tr("Show all"))

    def show_lines(self, page: LinesPage) -> None:
        """Show the lines that can be put back."""
        self.lines = page
        self.excerpts.set_spans(page.link)
        self.excerpts.setVisible(bool(page.link))
        self._fill_lines()

    def _fill_lines(self) -> None:
        """List the lines that can be put back; a chosen kind is one of facts and has none."""
        lines = () if self.kinds.kind else self.lines.lines
        shown = lines if self._shows_more_lines else lines[:_FEWEST_LISTED]
        _show_rows(self.line_list, shown)
        self._lines_head.setVisible(
            bool(lines or self.lines.link) and not self.kinds.kind
        )
        self.more_lines.setVisible(len(lines) > _FEWEST_LISTED)
        more_text = tr("Show {count:,} more").format(count=len(lines) - _FEWEST_LISTED)
        self.more_lines.setText(
            tr("Show fewer") if self._shows_more_lines else more_text
        )

    def _show_made_up(self, page: LossesPage) -> None:
        """List what only the result says; a chosen kind lists its own."""
        made_up = [row for row in page.rows if row.status in MADE_UP_STATUSES]
        if self.kinds.kind:
            made_up = []
        _show_rows(self.made_up_list, made_up)
        self.made_up.setText(tr("Made up {count:,}").format(count=len(made_up)))
        self._made_up_head.setVisible(bool(made_up))

    def _show_removed(self, page: LossesPage) -> None:
        """List the largest removed texts; a chosen kind is one of facts and has none."""
        removed = [row for row in page.rows if row.status == REMOVED]
        if self.kinds.kind:
            removed = []
        _show_rows(self.removed_list, removed)
        self._removed_head.setVisible(bool(removed))

    def _fact_count(self, page: LossesPage) -> int:
        """Return how many facts the list would hold if it had no end."""
        counts = [bar.counts for bar in page.bars if self.kinds.kind in ("", bar.kind)]
        if self._shows_all or self.kinds.kind:
            return sum(map(sum, counts))
        return sum(reworded + gone for _, reworded, gone in counts)

    def _list_title(self, page: LossesPage, count: int, unlisted: int) -> str:
        """Return what the list holds: its facts with those that are not listed, and its order."""
        label = next(
            (kind_label(bar) for bar in page.bars if bar.kind == self.kinds.kind), ""
        )
        name = tr("Also gone") if page.must.rows else tr("Gone or reworded")
        if label:
            name = label[:1].upper() + label[1:]
        elif self._shows_all:
            name = tr("All facts")
        if count:
            if unlisted > 0:
                order = tr("the worst {count:,}").format(count=count)
            else:
                order = tr("worst first")
            return f"{name} {count + max(0, unlisted):,}, {order}"
        is_open = page.gone is None and not label and not self._shows_all
        return f"{name}, {tr('not known yet') if is_open else tr('none')}"

    def _is_low(self) -> bool:
        return self.height() < scaled_pixels(_LOW, self.font())

    def _is_listed(self, status: str, kind: str) -> bool:
        if status == REMOVED or self.kinds.kind:
            return status != REMOVED and kind == self.kinds.kind
        if status in MADE_UP_STATUSES:
            return False  # in a list of its own
        return self._shows_all or status in WORST_STATUSES

    def _on_kind(self) -> None:
        self._shows_all = False
        self._fill()

    def _on_toggle(self) -> None:
        shows_all = not (self._shows_all or self.kinds.kind)
        self.kinds.clearSelection()  # lists what is gone
        self._shows_all = shows_all
        self._fill()

    def _on_by_kind(self, is_open: bool) -> None:
        """Show the kinds, or hide them; then the list is that of all of them."""
        self.kinds.setVisible(is_open)
        if not is_open:
            self.kinds.clearSelection()

    def _on_more(self) -> None:
        self._shows_more = not self._shows_more
        self._fill()

    def _on_more_lines(self) -> None:
        self._shows_more_lines = not self._shows_more_lines
        self._fill()


def _head(title: str, note: str) -> QWidget:
    """Return a line with the title of a list, and what its figures are."""
    name = text_label(title, "strong")
    line = row_of(
        name,
        text_label(note, "secondary"),
        margins=(_PAD, 4, _PAD, 4),
        gap=4,
        stretched=name,
    )
    return panel_of(column_of(rule(), line))


def _show_rows(view: FactListView, rows: Sequence[LossRow]) -> None:
    """Show rows; the list is as high as they are."""
    view.show_rows(rows)
    fit_to_rows(view, len(rows), _MOST_LISTED)

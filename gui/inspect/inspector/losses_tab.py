"""The Losses tab: what the result holds of the session, and what text was removed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from core.presentation.inspector_model import (
    DECAY_ROUNDS,
    REMOVED,
    DecayPage,
    LossesPage,
    LossRow,
    TextSpan,
)
from core.presentation.losses_words import COUNTING, NOT_COUNTED
from core.presentation.model import LabelledFigure
from gui.inspect.inspector.fact_list import (
    CELL_PAD,
    WORST_STATUSES,
    FactKindsView,
    FactListView,
    fit_to_rows,
    kind_label,
)
from gui.inspect.inspector.must_section import MustSection
from gui.language import tr
from gui.widgets.basic_widgets import push_button, rule, text_label
from gui.widgets.figure_list import FigureList
from gui.widgets.scrolled_area import ScrollContainer
from gui.widgets.text_labels import ElidedLabel, SpanText
from gui.widgets.theme import SECONDARY, scaled_pixels
from gui.widgets.view_layout import column_of, fill_panel, panel_of, row_of

ASK_LINK = "ask:"
"""The link that opens the dialog in which a model is asked about reworded sentences."""
_PAD = 12
_FIRST_LISTED, _FEWEST_LISTED, _MOST_LISTED = 6, 3, 40
"""Facts shown at first, in a low window, and at most without scrolling the list."""
_LOW = 640
"""Pixels: a lower tab lists fewer facts, so that the kinds are in sight."""
_NOTHING = "Nothing is known yet: open a transcript."


class LossesTab(QWidget):
    link_activated = Signal(str)  # "before:84", "after:12", "scope:before:1", "ask:"

    def __init__(self) -> None:
        super().__init__()
        self.page: LossesPage | None = None
        self._shows_all = self._shows_more = self._was_low = False
        self.heading = text_label("", "strong", wraps=True)
        self._texts = [SpanText(SECONDARY, "text2") for _ in range(5)]
        self.words, self.ask, self.backtest, self.link, self.excerpts = self._texts
        self.title, self.toggle = ElidedLabel("", "strong"), push_button("", "link")
        self.more = push_button("", "link")
        self.must = MustSection()
        self.fact_list, self.removed_list, self.kinds = (
            FactListView(),
            FactListView(),
            FactKindsView(),
        )
        self.again_list = FigureList()
        self.again_progress = text_label("", "secondary")
        self.cancel_button = push_button(tr("Cancel"), "link")
        self._build()
        self._connect()
        self.show_page(None)

    def _build(self) -> None:
        self._removed_head = _head(tr("Text removed, largest first"), tr("tokens"))
        again = row_of(self.again_progress, self.cancel_button, stretched=self.again_progress)
        kinds = row_of(
            self.kinds, margins=(_PAD - CELL_PAD, 0, _PAD - CELL_PAD, 0)
        )  # below the heading
        parts = (
            rule(),
            column_of(self.title, self.excerpts, margins=(_PAD, 4, _PAD, 4), gap=4),
            self.fact_list,
            row_of(self.more, None, self.toggle, margins=(_PAD, 0, _PAD, 4)),
            self._removed_head,
            self.removed_list,
            _head(tr("Facts by kind"), tr("word for word, gone")),
            kinds,
            column_of(again, self.again_list, margins=(_PAD, 4, _PAD, 4), gap=4),
        )
        self._body = panel_of(column_of(*parts))
        texts = (self.heading, self.words, self.ask, self.backtest, self.link)
        top = column_of(*texts, margins=(_PAD, 10, _PAD, 10), gap=4)
        content = ScrollContainer(
            panel_of(column_of(self.must, rule(), top, self._body)), role="reader", min_height=80
        )
        fill_panel(self, "pane", column_of(content, None, stretched=content))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_low() != self._was_low:
            self._fill()

    def _connect(self) -> None:
        self.kinds.itemSelectionChanged.connect(self._on_kind)
        self.toggle.clicked.connect(self._on_toggle)
        self.more.clicked.connect(self._on_more)
        for text in self._texts:
            text.link_activated.connect(self.link_activated)
        for view in (self.must.list, self.fact_list, self.removed_list):
            view.link_activated.connect(self.link_activated)

    def show_ask(self, text: str) -> None:
        """Show the link that asks a model about reworded sentences; "" where there is nothing to
        ask."""
        self.ask.set_spans((TextSpan(text, ASK_LINK),) if text else ())
        self.ask.setVisible(bool(text))

    def show_backtest(self, text: str) -> None:
        """Show what the strategy would have kept at earlier points, as far as it is known."""
        self.backtest.set_spans((TextSpan(text),))
        self.backtest.setVisible(bool(text))

    def show_page(self, page: LossesPage | None, *, is_evaluating: bool = False) -> None:
        """Show a page; without one, that nothing was evaluated or that it is being evaluated."""
        self.set_stale(False)
        is_same = page == self.page and page is not None
        self.page = page
        self._body.setVisible(page is not None)
        self.must.setVisible(page is not None)
        if page is None:
            self.heading.setText(tr("Losses"))
            self.words.set_spans((TextSpan(tr(COUNTING if is_evaluating else _NOTHING)),))
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
        self._body.hide()
        self.must.hide()
        count = TextSpan(tr("Count now"), "count:")
        self.words.set_spans((TextSpan(f"{tr(NOT_COUNTED)} · "), count))
        self.words.setEnabled(True)
        self.words.show()

    def _show(self, page: LossesPage) -> None:
        self.heading.setText(f"{page.heading[:1].upper()}{page.heading[1:]}")
        words = (TextSpan("\n".join(page.sentences)),)
        shown = (self.words, words), (self.link, page.link), (self.excerpts, page.excerpts)
        for text, spans in shown:
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
                    tr("after {number}").format(number=number), bar.label, fraction=bar.value
                )
                for number, bar in enumerate(page.bars, 1)
            ]
        )
        self.again_list.setToolTip("\n".join((*(bar.tip for bar in page.bars), page.note)))
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
        self._was_low = self._is_low()
        first = _FEWEST_LISTED if self._was_low else _FIRST_LISTED
        _show_rows(self.fact_list, rows if self._shows_more else rows[:first])
        self._show_removed(page)
        self.title.show_text(self._list_title(page, has_rows=bool(rows)))

        self.more.setVisible(len(rows) > first)
        more_text = tr("Show {count:,} more").format(count=len(rows) - first)
        self.more.setText(tr("Show fewer") if self._shows_more else more_text)
        is_wider = self._shows_all or bool(self.kinds.kind)
        self.toggle.setText(tr("Gone or reworded only") if is_wider else tr("Show all"))

    def _show_removed(self, page: LossesPage) -> None:
        """List the largest removed texts; a chosen kind is one of facts and has none."""
        removed = [row for row in page.rows if row.status == REMOVED]
        if self.kinds.kind:
            removed = []
        _show_rows(self.removed_list, removed)
        self._removed_head.setVisible(bool(removed))

    def _list_title(self, page: LossesPage, *, has_rows: bool) -> str:
        """Return what the list holds, its order, and how many facts are not in it."""
        label = next((kind_label(bar) for bar in page.bars if bar.kind == self.kinds.kind), "")
        name = tr("Gone or reworded")
        if label:
            name = label[:1].upper() + label[1:]
        elif self._shows_all:
            name = tr("All facts")
        if has_rows:
            title = f"{name}, {tr('worst first')}"
            if page.unlisted:
                title += tr(", {count:,} more not listed").format(count=page.unlisted)
            return title

        is_open = page.gone is None and not label and not self._shows_all
        return f"{name}, {tr('not known yet') if is_open else tr('none')}"

    def _is_low(self) -> bool:
        return self.height() < scaled_pixels(_LOW, self.font())

    def _is_listed(self, status: str, kind: str) -> bool:
        if status == REMOVED or self.kinds.kind:
            return status != REMOVED and kind == self.kinds.kind
        return self._shows_all or status in WORST_STATUSES

    def _on_kind(self) -> None:
        self._shows_all = False
        self._fill()

    def _on_toggle(self) -> None:
        shows_all = not (self._shows_all or self.kinds.kind)
        self.kinds.clearSelection()  # lists what is gone
        self._shows_all = shows_all
        self._fill()

    def _on_more(self) -> None:
        self._shows_more = not self._shows_more
        self._fill()


def _head(title: str, note: str) -> QWidget:
    """Return a line with the title of a list, and what its figures are."""
    name = text_label(title, "strong")
    line = row_of(
        name, text_label(note, "secondary"), margins=(_PAD, 4, _PAD, 4), gap=4, stretched=name
    )
    return panel_of(column_of(rule(), line))


def _show_rows(view: FactListView, rows: Sequence[LossRow]) -> None:
    """Show rows; the list is as high as they are."""
    view.show_rows(rows)
    fit_to_rows(view, len(rows), _MOST_LISTED)

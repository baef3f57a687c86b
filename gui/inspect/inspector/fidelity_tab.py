"""The Fidelity tab: which facts that a later turn may need the result still holds, and which it lost."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.common.number_format import plural
from core.presentation.fidelity.model import FidelityPage
from core.presentation.model import TextSpan
from core.presentation.probes.model import ProbeOffer
from gui.inspect.inspector.decay_row import DecayRow
from gui.inspect.inspector.fact_list import WORST_STATUSES, FactListView
from gui.inspect.inspector.fidelity_bars import FidelityBars, FidelityLegend, RecallBars
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.scrolled_area import ScrollContainer
from gui.widgets.text_labels import ElidedLabel, SpanText
from gui.widgets.theme import BODY, SECONDARY, Theme

PROBES_LINK = "probes:"
"""The link that opens the probes dialog."""
_PAD = 12


class ProbeFooter(QWidget):
    """Shows a ProbeOffer: a link, and at its right the price or why probes cannot run."""

    link_activated = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "foot")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.link, self._note = push_button("", "link"), ElidedLabel("", "secondary", min_chars=8)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(_PAD, 4, _PAD, 4)
        row.setSpacing(8)
        row.addWidget(self.link)
        row.addWidget(self._note, 1)
        self._offer = ProbeOffer("", "")
        self.link.clicked.connect(self._on_clicked)
        self.link.hide()

    @property
    def note(self) -> str:
        return self._note.full_text

    def show_offer(self, offer: ProbeOffer) -> None:
        self._offer = offer
        self.link.show()
        self._note.show_text(offer.note, offer.short_note)
        self._fit()

    def _fit(self) -> None:
        """Use the short link if the note would be cut beside the long one."""
        offer, margins = self._offer, self._row.contentsMargins()
        self.link.setText(offer.link)
        available = self.width() - margins.left() - margins.right() - self._row.spacing()
        if offer.short_link and self.link.sizeHint().width() + self._note.sizeHint().width() > available:
            self.link.setText(offer.short_link)
        has_room = self.link.sizeHint().width() + self._note.minimumSizeHint().width() <= available
        self._note.setVisible(has_room)
        self.link.setToolTip("" if has_room else offer.note)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _on_clicked(self) -> None:
        self.link_activated.emit(PROBES_LINK)


_PAD = 12
_LOW_HEIGHT = 640
"""Below this height in pixels, at the usual text size, the bars move closer."""
_MIN_ROWS, _MIN_ROWS_IN_LOW_WINDOW = 4, 2
"""Least visible rows of the list, normally and in a low window; figures and bars scroll instead."""
_NOTHING_TEXT = "Nothing has been judged yet: open a transcript."
_EVALUATING_TEXT = "Looking for facts in source and result…"


class FidelityTab(QWidget):
    link_activated = Signal(str)  # "before:84", "after:12", "scope:before:1"

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._page: FidelityPage | None = None
        self._kind, self._shows_all = "", False
        self._upper_content = QWidget()
        self._figure, self._caption = text_label("", "figure"), ElidedLabel("", "muted")
        self._caption.show_text(tr("weighted fidelity"), tr("fidelity"))
        self._facts = ElidedLabel("", "", min_chars=8)
        self._needed, self._note = SpanText(SECONDARY, "text2"), SpanText(SECONDARY, "text2")
        self._legend, self.bars, self._recall_bars = FidelityLegend(), FidelityBars(), RecallBars()
        self.decay_row, self.pins_text = DecayRow(), SpanText(SECONDARY, "text2", space_below=5)
        self.probe_footer = ProbeFooter()
        self._title, self._count = ElidedLabel("", "strong"), ElidedLabel("", "secondary")
        self._toggle = push_button("", "link")
        self.fact_list = FactListView()
        self._build()
        self.bars.chosen.connect(self._on_chosen)
        self._toggle.clicked.connect(self._on_toggle)
        self._needed.link_activated.connect(self.link_activated)
        for part in (self.fact_list, self.pins_text, self.probe_footer):
            part.link_activated.connect(self.link_activated)
        self.show_page(None)

    def _build(self) -> None:
        self._build_upper()
        self._build_list_header()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._upper)
        rule = QFrame()
        rule.setProperty("role", "rule")
        column.addWidget(rule)
        column.addWidget(self._list_header)
        line = QHBoxLayout()
        line.setContentsMargins(_PAD, 0, _PAD, 0)
        line.addWidget(self.pins_text)
        column.addLayout(line)
        column.addWidget(self.fact_list, 1)
        column.addStretch()
        column.addWidget(self.probe_footer)

    def _build_upper(self) -> None:
        column = QVBoxLayout(self._upper_content)
        column.setContentsMargins(0, 8, 0, 6)
        column.setSpacing(4)
        row = QHBoxLayout()
        row.setContentsMargins(_PAD, 0, _PAD, 0)
        row.setSpacing(8)
        row.addWidget(self._figure)
        row.addWidget(self._caption, 1)
        row.addWidget(self._facts)
        column.addLayout(row)
        for text in (self._note, self._needed):
            line = QHBoxLayout()
            line.setContentsMargins(_PAD, 0, _PAD, 0)
            line.addWidget(text)
            column.addLayout(line)
        for part in (self._legend, self.bars, self._recall_bars, self.decay_row):
            column.addWidget(part)
        self._upper = ScrollContainer(
            self._upper_content, role="pane", min_height=90, min_width=200
        )  # the figure and a line or two

    def _build_list_header(self) -> None:
        self._list_header = QWidget()
        layout = QHBoxLayout(self._list_header)
        layout.setContentsMargins(_PAD, 4, _PAD, 4)
        layout.setSpacing(6)
        layout.addWidget(self._title, 1)
        layout.addWidget(self._count)
        layout.addWidget(self._toggle)

    @property
    def page(self) -> FidelityPage | None:
        return self._page

    @property
    def texts(self) -> tuple[str, ...]:
        """Figure, facts, note and sentence as shown."""
        return (self._figure.text(), self._facts.full_text, self._note.text, self._needed.text)

    def set_theme(self, theme: Theme) -> None:
        for part in (self._needed, self._note, self._legend, self.bars, self._recall_bars, self.fact_list):
            part.set_theme(theme)
        self.decay_row.set_theme(theme)
        self.pins_text.set_theme(theme)

    def show_page(self, page: FidelityPage | None, *, is_evaluating: bool = False) -> None:
        """Show a page; without one, that nothing was evaluated or that it is being evaluated."""
        self.set_stale(False)
        is_same = page == self._page and page is not None
        self._page = page
        for part in (
            self._figure,
            self._caption,
            self._facts,
            self._legend,
            self.bars,
            self._recall_bars,
            self._list_header,
            self.probe_footer,
        ):
            part.setVisible(page is not None)
        self._needed.setVisible(page is not None)
        self._note.setVisible(page is None or bool(page.note))
        if page is None:
            self._note.set_spans((TextSpan(tr(_EVALUATING_TEXT if is_evaluating else _NOTHING_TEXT)),))
            self.fact_list.fact_model.show_rows(())
            self.decay_row.set_available(False)
            self.pins_text.hide()
        elif not is_same:
            self._show(page)

    def _show(self, page: FidelityPage) -> None:
        self._figure.setText(page.figure)
        self._figure.setToolTip(page.tip)
        self._caption.set_tip(page.tip)
        self._facts.show_text(page.facts)
        self._note.set_spans((TextSpan(page.note),))
        self._needed.set_spans(page.needed)
        self._legend.show_bars(page.bars)
        self.bars.show_bars(page.bars)
        self._recall_bars.show_values(page.curve)
        self.pins_text.set_spans(page.pins)
        self.pins_text.setVisible(bool(page.pins))
        if all(bar.kind != self._kind for bar in page.bars):
            self._kind = ""
        self.bars.choose(self._kind)
        self._fill()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_height()

    def _share_height(self) -> None:
        """Use dense bars in a low window, and keep a few rows of the list visible."""
        is_low = self.height() < _LOW_HEIGHT * self.fontInfo().pixelSize() / BODY
        self.bars.set_dense(is_low and not self.fact_list.isHidden())
        self.fact_list.set_min_rows(_MIN_ROWS_IN_LOW_WINDOW if is_low else _MIN_ROWS)

    def set_stale(self, stale: bool) -> None:
        self._upper_content.setEnabled(not stale)

    def _fill(self) -> None:
        """List the worst facts, all facts, or those of the chosen category."""
        page = self._page
        if page is None:
            return
        rows = [row for row in page.rows if self._is_listed(row.status, row.kind)]
        scroll_position = self.fact_list.verticalScrollBar().value()
        self.fact_list.fact_model.show_rows(rows, page.unlisted if self._shows_all else 0)
        self.fact_list.setVisible(bool(rows))  # its space goes to the figures
        self._share_height()
        self.fact_list.verticalScrollBar().setValue(scroll_position)
        names = {bar.kind: bar.label for bar in page.bars}
        name = names.get(self._kind, tr("All facts") if self._shows_all else tr("Lost"))
        self._title.show_text(
            tr("{name}, worst first").format(name=f"{name[:1].upper()}{name[1:]}")
            if rows
            else tr("{name}: none").format(name=name)
        )
        is_lost = not self._kind and not self._shows_all
        self._count.show_text(tr(plural(page.lost if is_lost else len(rows), "fact")))
        self._toggle.setText(tr("Lost only") if self._shows_all or self._kind else tr("Show all"))
        self._toggle.setVisible(bool(page.rows))

    def _is_listed(self, status: str, kind: str) -> bool:
        if self._kind:
            return kind == self._kind
        return self._shows_all or status in WORST_STATUSES

    def _on_chosen(self, kind: str) -> None:
        self._kind, self._shows_all = kind, False
        self._fill()

    def _on_toggle(self) -> None:
        self._shows_all = not (self._shows_all or self._kind)
        self._kind = ""
        self.bars.choose("")
        self._fill()

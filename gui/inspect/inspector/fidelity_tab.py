"""The Fidelity tab: which facts that a later turn may need the result still holds, and which it lost."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.common.number_format import plural
from core.presentation.fidelity.model import FidelityPage
from core.presentation.model import TextSpan
from gui.inspect.inspector.decay_row import DecayRow
from gui.inspect.inspector.fact_list import WORST, LossView
from gui.inspect.inspector.fidelity_bars import FidelityBars, FidelityLegend, RecallBars
from gui.inspect.inspector.probe_link import ProbeFooter
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.scrolled_area import ScrollContainer
from gui.widgets.text_labels import ElidedLabel, SpanText
from gui.widgets.theme import BODY, SECONDARY, Theme

_PAD = 12
_LOW = 640
"""Below this height in pixels, at the usual text size, the bars move closer."""
_ROWS, _FEW = 4, 2
"""Least visible rows of the list, normally and in a low window; figures and bars scroll instead."""
_NOTHING = "Nothing has been judged yet: open a transcript."
_JUDGING = "Looking for facts in source and result…"


class FidelityTab(QWidget):
    link_activated = Signal(str)  # "before:84", "after:12", "scope:before:1"

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._page: FidelityPage | None = None
        self._kind, self._all = "", False
        self._inside = QWidget()
        self._figure, self._caption = text_label("", "figure"), ElidedLabel("", "muted")
        self._caption.show_text(tr("weighted fidelity"), tr("fidelity"))
        self._facts = ElidedLabel("", "", least=8)
        self._needed, self._note = SpanText(SECONDARY, "text2"), SpanText(SECONDARY, "text2")
        self._legend, self.bars, self._curve = FidelityLegend(), FidelityBars(), RecallBars()
        self.folds, self.pins = DecayRow(), SpanText(SECONDARY, "text2", below=5)
        self.foot = ProbeFooter()
        self._title, self._count = ElidedLabel("", "strong"), ElidedLabel("", "secondary")
        self._toggle = push_button("", "link")
        self.list = LossView()
        self._build()
        self.bars.chosen.connect(self._on_chosen)
        self._toggle.clicked.connect(self._on_toggle)
        self._needed.link_activated.connect(self.link_activated)
        for part in (self.list, self.pins, self.foot):
            part.link_activated.connect(self.link_activated)
        self.show_page(None)

    def _build(self) -> None:
        self._build_upper()
        self._build_head()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._upper)
        rule = QFrame()
        rule.setProperty("role", "rule")
        column.addWidget(rule)
        column.addWidget(self._head)
        line = QHBoxLayout()
        line.setContentsMargins(_PAD, 0, _PAD, 0)
        line.addWidget(self.pins)
        column.addLayout(line)
        column.addWidget(self.list, 1)
        column.addStretch()
        column.addWidget(self.foot)

    def _build_upper(self) -> None:
        column = QVBoxLayout(self._inside)
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
        for part in (self._legend, self.bars, self._curve, self.folds):
            column.addWidget(part)
        self._upper = ScrollContainer(
            self._inside, role="pane", least=90, width=200
        )  # the figure and a line or two

    def _build_head(self) -> None:
        self._head = QWidget()
        head = QHBoxLayout(self._head)
        head.setContentsMargins(_PAD, 4, _PAD, 4)
        head.setSpacing(6)
        head.addWidget(self._title, 1)
        head.addWidget(self._count)
        head.addWidget(self._toggle)

    @property
    def page(self) -> FidelityPage | None:
        return self._page

    @property
    def texts(self) -> tuple[str, ...]:
        """Figure, facts, note and sentence as shown."""
        return (self._figure.text(), self._facts.full_text, self._note.text, self._needed.text)

    def set_theme(self, theme: Theme) -> None:
        for part in (self._needed, self._note, self._legend, self.bars, self._curve, self.list):
            part.set_theme(theme)
        self.folds.set_theme(theme)
        self.pins.set_theme(theme)

    def show_page(self, page: FidelityPage | None, *, judging: bool = False) -> None:
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
            self._curve,
            self._head,
            self.foot,
        ):
            part.setVisible(page is not None)
        self._needed.setVisible(page is not None)
        self._note.setVisible(page is None or bool(page.note))
        if page is None:
            self._note.set_spans((TextSpan(tr(_JUDGING if judging else _NOTHING)),))
            self.list.facts.show_rows(())
            self.folds.offer(False)
            self.pins.hide()
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
        self._curve.show_values(page.curve)
        self.pins.set_spans(page.pins)
        self.pins.setVisible(bool(page.pins))
        if all(bar.kind != self._kind for bar in page.bars):
            self._kind = ""
        self.bars.choose(self._kind)
        self._fill()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        """Use dense bars in a low window, and keep a few rows of the list visible."""
        is_low = self.height() < _LOW * self.fontInfo().pixelSize() / BODY
        self.bars.set_dense(is_low and not self.list.isHidden())
        self.list.keep_rows(_FEW if is_low else _ROWS)

    def set_stale(self, stale: bool) -> None:
        self._inside.setEnabled(not stale)

    def _fill(self) -> None:
        """List the worst facts, all facts, or those of the chosen category."""
        page = self._page
        if page is None:
            return
        rows = [row for row in page.rows if self._is_listed(row.status, row.kind)]
        at = self.list.verticalScrollBar().value()
        self.list.facts.show_rows(rows, page.hidden if self._all else 0)
        self.list.setVisible(bool(rows))  # its space goes to the figures
        self._share()
        self.list.verticalScrollBar().setValue(at)
        names = {bar.kind: bar.label for bar in page.bars}
        name = names.get(self._kind, tr("All facts") if self._all else tr("Lost"))
        self._title.show_text(
            tr("{name}, worst first").format(name=f"{name[:1].upper()}{name[1:]}")
            if rows
            else tr("{name}: none").format(name=name)
        )
        is_lost = not self._kind and not self._all
        self._count.show_text(tr(plural(page.lost if is_lost else len(rows), "fact")))
        self._toggle.setText(tr("Lost only") if self._all or self._kind else tr("Show all"))
        self._toggle.setVisible(bool(page.rows))

    def _is_listed(self, status: str, kind: str) -> bool:
        if self._kind:
            return kind == self._kind
        return self._all or status in WORST

    def _on_chosen(self, kind: str) -> None:
        self._kind, self._all = kind, False
        self._fill()

    def _on_toggle(self) -> None:
        self._all = not (self._all or self._kind)
        self._kind = ""
        self.bars.choose("")
        self._fill()

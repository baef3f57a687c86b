"""What results A and B lost, with links to the messages."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QStackedWidget, QWidget

from core.analysis.model import CompareRow, LostFact, PairwiseLosses, RecordedComparison
from core.common import number_format
from core.presentation.compare.results import lost_fact_cells
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.row_tree import RowTree
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import SECONDARY, mono_font_for, resized_font
from gui.widgets.view_layout import column_of, line_of_widgets


class PairPane(QWidget):
    """Emits ``message_wanted(scope, index)``, ``open_wanted`` (A and B side by side)."""

    message_wanted = Signal(str, int)
    open_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.losses: PairwiseLosses | None = None
        self.names = ("", "")
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._names = ElidedLabel("", "strong", min_chars=12)
        self.open_button = push_button(tr("Open side by side"), "small")
        self.open_button.setToolTip(tr("Show the result of A beside that of B in Inspect."))
        self.open_button.clicked.connect(self.open_wanted)
        self.filters = [push_button("", "small") for _ in range(3)]
        group = QButtonGroup(self)
        for button in self.filters:
            button.setCheckable(True)
            group.addButton(button)
        group.buttonClicked.connect(self._show_rows)
        self.facts = RowTree(tr("Facts that were lost"), 3, 1)
        self.facts.itemActivated.connect(self._on_opened)
        self.facts.restyled.connect(self._show_rows)
        self._lists: tuple[tuple[LostFact, ...], ...] = ((), (), ())
        self._shown: tuple[LostFact, ...] = ()
        self._text, self.agent_text = text_label("", "muted"), text_label("", "secondary")
        for label in (self._text, self.agent_text):
            label.setWordWrap(True)
            label.setContentsMargins(12, 6, 12, 6)
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.removed_text = ElidedLabel("", "secondary", min_chars=12)
        self._pages = QStackedWidget()
        for widget in (self._text, self.facts):
            self._pages.addWidget(widget)
        hint = ElidedLabel(tr("Enter opens the row in Inspect"), "quiet", min_chars=6)
        self._chips = line_of_widgets(*self.filters, None, hint, role="pane", gap=8)
        names = line_of_widgets(self._names, None, self.open_button, gap=8)
        foot = line_of_widgets(self.removed_text, role="foot", stretched=self.removed_text)
        parts = (names, self._chips, self.agent_text, self._pages, foot)
        self.setLayout(column_of(*parts, stretched=self._pages))
        self.show_losses(None)

    def show_losses(self, losses: PairwiseLosses | None, a: str = "", b: str = "", trouble: str = "") -> None:
        """Show what two results lost; else the ``trouble``, that it is computed, or how to mark two."""
        self.losses, self.names = losses, (a, b)
        is_pair = bool(a and b)
        self._names.show_text(
            tr("A {a}  and  B {b}").format(a=a, b=b) if is_pair else tr("No two rows are marked")
        )
        self.open_button.setEnabled(is_pair and a != b)
        self.agent_text.hide()
        self.removed_text.show_text("")
        self._chips.setVisible(losses is not None)
        self._pages.setCurrentWidget(self._text if losses is None else self.facts)
        hint = tr("Mark two rows: click A or B before a name, or press A and B.")
        text = trouble or (tr("Working …") if is_pair else hint)
        self._text.setText(text)
        self._text.setAccessibleName(text)
        if losses is None:
            return
        texts = (tr("{count} lost only in A"), tr("{count} lost only in B"), tr("{count} lost in both"))
        self._lists = (losses.lost_in_a, losses.lost_in_b, losses.lost_in_both)
        for button, label, facts in zip(self.filters, texts, self._lists, strict=True):
            button.setText(label.format(count=number_format.count(len(facts))))
        first = next((index for index, facts in enumerate(self._lists) if facts), 0)
        self.filters[first].setChecked(True)
        self._show_rows()

    def show_results(self, rows: Sequence[CompareRow], comparisons: Sequence[RecordedComparison]) -> None:
        """Show how much text both removed, and what is known of a recorded compaction and its preset."""
        names, text = self.names, tr("{letter} {count} tokens")
        removed = {row.name: number_format.count(max(0, row.before_tokens - row.tokens)) for row in rows}
        letters = [(letter, name) for letter, name in zip("AB", names, strict=True) if name in removed]
        parts = "   ".join(text.format(letter=letter, count=removed[name]) for letter, name in letters)
        self.removed_text.show_text(tr("Text removed: {parts}").format(parts=parts))
        sentences = [
            " ".join(comparison.sentences)
            for comparison in comparisons
            if f"recorded {comparison.number}" in names and comparison.preset in names
        ]
        self.agent_text.setText("\n".join(sentences))
        self.agent_text.setVisible(bool(sentences))

    def _show_rows(self) -> None:
        """List the facts of the pressed button."""
        buttons = [button.isChecked() for button in self.filters]
        self._shown = self._lists[buttons.index(True)] if any(buttons) else ()
        self.facts.clear()
        mono, small = mono_font_for(self.font()), resized_font(self.font(), SECONDARY)
        spoken = tr("lost: {kind}, {text}, {location}")
        for kind, text, location, is_code in map(lost_fact_cells, self._shown):
            self.facts.add_row(
                (kind, text, location),
                glyph="close",
                tone="error",
                spoken=spoken.format(kind=kind, text=text, location=location),
                fonts=(small, mono if is_code else None, small),
            ).setToolTip(1, text)
        if self._shown:
            self.facts.select_row(0)

    def _on_opened(self) -> None:
        if self.losses is not None and self.facts.row >= 0:
            self.message_wanted.emit(self.losses.scope, self._shown[self.facts.row].fact.messages[0])

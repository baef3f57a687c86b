"""The kinds of facts in the Losses tab, each with a bar of what was kept and what was lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from core.presentation.inspector_model import FidelityBar
from core.presentation.model import KINDS
from gui.language import tr
from gui.widgets.theme import Theme

_STATUS_WORDS = ("word for word", "summarised", "in part", "can be read again", "cannot be told", "lost")
"""Names of FactStatus, in their order."""
_KIND_WORDS: Mapping[str, str] = {
    "constraint": "rules",
    "identifier": "names in code",
    "user message": "your messages",
    "file modified": "files changed",
    "todo": "to-dos",
}
"""Names of kinds that differ from those of the command line."""
CELL_PAD = 5
"""Pixels between the edge of a cell and its text."""
_BAR_HEIGHT = 8


class FactKindsView(QTreeWidget):
    """A row per kind. One kind can be selected; a second click on it takes the selection back."""

    def __init__(self) -> None:
        super().__init__()
        self._clicked: QTreeWidgetItem | None = None
        self.setColumnCount(4)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "reader")
        self.setAccessibleName(tr("Facts by kind"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.itemClicked.connect(self._on_clicked)

    @property
    def kind(self) -> str:
        """The selected kind, "" for none."""
        items = self.selectedItems()
        return items[0].data(0, Qt.ItemDataRole.UserRole) if items else ""

    def show_bars(self, bars: Sequence[FidelityBar], theme: Theme) -> None:
        """Show other bars; the selected kind stays selected."""
        selected = self.kind
        self.blockSignals(True)
        self.clear()
        self._clicked = None
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for bar in bars:
            item = QTreeWidgetItem(self, [kind_label(bar), "", bar.not_lost, bar.lost])
            for column in (2, 3):
                item.setTextAlignment(column, right)
            item.setForeground(3, theme.error)
            item.setToolTip(0, _tip(bar))
            item.setData(0, Qt.ItemDataRole.UserRole, bar.kind)
            item.setSelected(bar.kind == selected)
            total = sum(bar.counts)
            self.setItemWidget(item, 1, KeptLostBar((total - bar.counts[-1]) / max(1, total), theme))
        self.setFixedHeight(sum(self.sizeHintForRow(row) for row in range(len(bars))) + 8)
        self.blockSignals(False)

    def _on_clicked(self, item: QTreeWidgetItem) -> None:
        if item is self._clicked:
            self.clearSelection()
        self._clicked = item if item.isSelected() else None


def kind_label(bar: FidelityBar) -> str:
    return tr(_KIND_WORDS.get(bar.kind, bar.label))


def _tip(bar: FidelityBar) -> str:
    """Return "errors: 2 word for word, 1 lost"."""
    counts = zip(bar.counts, _STATUS_WORDS, strict=True)
    return f"{kind_label(bar)}: {', '.join(f'{count:,} {tr(word)}' for count, word in counts if count)}"


class KeptLostBar(QWidget):
    """The kept share filled, the lost one an outline."""

    def __init__(self, kept: float, theme: Theme) -> None:
        super().__init__()
        self._kept, self._theme = kept, theme

    def sizeHint(self) -> QSize:
        return QSize(_BAR_HEIGHT, _BAR_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        top, width = (self.height() - _BAR_HEIGHT) / 2, self.width() - 2.0 * CELL_PAD
        kept = round(width * self._kept)
        painter.fillRect(QRectF(CELL_PAD, top, kept, _BAR_HEIGHT), self._theme.kind[KINDS.index("ai")])
        if self._kept < 1:
            painter.setPen(QPen(self._theme.error, 1))
            lost = max(3.0, width - kept)
            painter.drawRect(QRectF(CELL_PAD + width - lost + 0.5, top + 0.5, lost - 1, _BAR_HEIGHT - 1))
        painter.end()

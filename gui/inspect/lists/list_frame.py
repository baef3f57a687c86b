"""The widgets around the rows of a list: head, chips and column heads above, the strip beside them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.presentation.lists.model import RowFlag
from core.presentation.lists.row_plan import RowKind
from gui.inspect.lists.fate_chips import FateChipRow
from gui.inspect.lists.list_content import overview_columns
from gui.inspect.lists.list_head import ColumnHeader, EmptyText, PaneHeader
from gui.inspect.lists.overview_strip import OverviewBar
from gui.inspect.lists.table_model import MessageListModel
from gui.inspect.lists.table_view import MessageListView
from gui.language import tr
from gui.widgets.theme import Theme

_MESSAGE_KINDS = (RowKind.MESSAGE, RowKind.FOLD)
TITLES = {"before": "Before", "after": "After"}


class ListFrame:
    """The widgets around a view, which follow its model."""

    def __init__(self, side: str, model: MessageListModel, view: MessageListView, parent: QWidget) -> None:
        self._model, self._view = model, view
        self.header = PaneHeader(tr(TITLES[side]), strong_total=side == "after", parent=parent)
        self.chips, self.column_header, self.overview = (
            FateChipRow(parent),
            ColumnHeader(parent),
            OverviewBar(parent),
        )
        self._empty = EmptyText(tr("No message passes the filter."), view.viewport())
        box, rows = QVBoxLayout(parent), QHBoxLayout()
        box.setContentsMargins(0, 0, 0, 0)
        for layout in (box, rows):
            layout.setSpacing(0)
        for widget in (self.header, self.chips, self.column_header):
            box.addWidget(widget)
        rows.addWidget(view, 1)
        rows.addWidget(self.overview)
        box.addLayout(rows, 1)
        self.chips.hide()

    def set_theme(self, theme: Theme) -> None:
        for part in (self.header, self.chips, self.column_header, self.overview, self._empty):
            part.set_theme(theme)

    def show_fates(self) -> None:
        self.chips.setVisible(bool(self._model.content.fate_counts))
        self.chips.show_counts(self._model.content.fate_counts, self._model.hidden)

    def show_headers(self) -> None:
        content = self._model.content
        self.header.show_texts(content.header_text, content.total_text, tr("stale") if content.stale else "")
        self.column_header.show_columns(self._view.delegate.columns, content.token_mark)

    def show_overview(self, flags: Mapping[int, RowFlag]) -> None:
        """Show all messages in the strip, or a sentence if the filter hides them all."""
        content, kinds = self._model.content, self._model.plan.kinds
        self._empty.setVisible(len(content.rows) > 0 and not any(kind in kinds for kind in _MESSAGE_KINDS))
        self.overview.show_columns(overview_columns(content, flags, self._model.filter_mask))

    def fit(self) -> None:
        self._empty.setGeometry(self._view.viewport().rect())
        self.show_headers()

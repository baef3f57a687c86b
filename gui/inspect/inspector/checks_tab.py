"""The Checks tab: what the chosen API would refuse, with links to the messages."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.presentation.inspector_model import SummaryPage
from core.presentation.model import LintReport, LintRow
from gui.language import tr
from gui.widgets.basic_widgets import TONE_GLYPHS, push_button, text_label
from gui.widgets.icons import ToneLabel, glyph_icon
from gui.widgets.theme import current_theme
from gui.widgets.view_layout import column_of, fill_panel, row_of

_MAX_ROWS = 1_000
"""Most findings listed per side; the rest is counted."""
_ROW_MARGIN = 24  # pixels between frame, icon and text
_PLACE = Qt.ItemDataRole.UserRole


class WrappingDelegate(QStyledItemDelegate):
    """Makes rows as high as their whole text is in the width of the list."""

    def __init__(self, view: QTreeWidget) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        depth = 2 if index.parent().isValid() else 1
        margins = depth * self._view.indentation() + self._view.iconSize().width() + _ROW_MARGIN
        width = max(40, self._view.viewport().width() - margins)
        flags = Qt.TextFlag.TextWordWrap
        box = QFontMetrics(option.font).boundingRect(QRect(0, 0, width, 10_000), flags, index.data())
        return QSize(width, box.height() + 6)


class FindingsTree(QTreeWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setWordWrap(True)
        self.setItemDelegate(WrappingDelegate(self))
        self.setProperty("role", "reader")
        self.setAccessibleName(tr("Findings"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()  # texts wrap at the new width


class ChecksTab(QWidget):
    activated = Signal(str, int)  # side and message of a finding
    provider_changed = Signal(str)
    count_changed = Signal(int)  # -1: unknown
    repair_requested = Signal(str)  # for the API whose report is shown

    def __init__(self) -> None:
        super().__init__()
        self._reports: tuple[LintReport, ...] = ()
        self.report: LintReport | None = None
        self._summary: SummaryPage | None = None
        self.picker = QComboBox()
        self.picker.setAccessibleName(tr("API to check for"))
        self.picker.setToolTip(tr("Which API the result is checked for"))
        self.picker.activated.connect(self._on_picked)
        self.verdict = ToneLabel(wraps=True)
        self.findings = FindingsTree()
        self.findings.itemClicked.connect(self._on_chosen)
        self.findings.itemActivated.connect(self._on_chosen)
        self.repair = push_button(tr("Repair in a copy…"))
        self.repair.setToolTip(tr("Mend the source in a copy, and list the changes"))
        self.repair.clicked.connect(self._on_repair)
        row = row_of(text_label(tr("Check for"), "muted"), self.picker, stretched=self.picker)
        top = column_of(row, self.verdict, self.repair, margins=(12, 10, 12, 8), gap=6)
        fill_panel(self, "pane", column_of(top, self.findings, stretched=self.findings))
        self._show_report(None)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._show_report(self.report)

    def set_reports(self, reports: tuple[LintReport, ...], provider: str) -> None:
        """Show the report of ``provider``, else the first. Without any, the previous ones stay, faded."""
        is_stale = not reports and bool(self._reports)
        self.findings.setEnabled(not is_stale)
        if is_stale:
            self.verdict.show_text(tr("not checked yet"), "")
            self.count_changed.emit(-1)
            return
        if [report.provider for report in reports] != [report.provider for report in self._reports]:
            self.picker.clear()
            for report in reports:
                self.picker.addItem(report.label, report.provider)
        self._reports = reports
        self.picker.setCurrentIndex(max(0, self.picker.findData(provider)) if reports else -1)
        self.picker.setEnabled(len(reports) > 1)
        self._show_report(reports[self.picker.currentIndex()] if reports else None)

    def show_summary(self, page: SummaryPage) -> None:
        """Show the check of all summaries above the findings; nothing where there is no summary."""
        self._summary = page
        self._show_report(self.report)

    def _add_summary(self, page: SummaryPage) -> None:
        parent = QTreeWidgetItem(self.findings, [tr("Summary")])
        parent.setFlags(Qt.ItemFlag.ItemIsEnabled)
        sections, link = page.prompt_sections, f"after:{page.summary_index}"
        rows = [(page.tone or "ok", page.verdict, link if sections else "")]
        rows += [(row.severity, f"{row.text}\n{row.location}", row.link) for row in page.findings]
        rows += [("error" if page.gone else "ok", page.losses_text, "")] if page.losses_text else []
        rows += [("ok" if is_there else "error", name, link) for name, is_there in sections]
        for tone, text, link in rows:
            item = QTreeWidgetItem(parent, [text])
            item.setIcon(0, glyph_icon(TONE_GLYPHS[tone], current_theme().tone(tone)))
            side, _, index = link.partition(":")
            item.setData(0, _PLACE, (side, int(index)) if index else None)

    def _show_report(self, report: LintReport | None) -> None:
        self.report = report
        scroll_position = self.findings.verticalScrollBar().value()
        self.findings.clear()
        found = report.rows if report is not None else ()
        self.repair.setVisible(any(row.severity == "error" and row.side == "before" for row in found))
        self.count_changed.emit(len(report.rows) if report is not None else 0)
        if report is None:
            self.verdict.show_text(tr("Nothing has been checked yet: open a transcript."), "")
            return
        text = tr("Order, ids and content are in order for {label}, before and after.")
        in_order = text.format(label=report.label)
        self.verdict.show_text(report.verdict if report.rows else in_order, report.tone)
        if self._summary is not None and self._summary.verdict:
            self._add_summary(self._summary)
        for side, name in (("after", tr("After")), ("before", tr("Before"))):
            rows = [row for row in report.rows if row.side == side]
            if rows:
                self._add_side(f"{name} · {len(rows):,}", rows)
        self.findings.expandAll()
        self.findings.verticalScrollBar().setValue(scroll_position)

    def _add_side(self, title: str, rows: list[LintRow]) -> None:
        parent = QTreeWidgetItem(self.findings, [title])
        parent.setFlags(Qt.ItemFlag.ItemIsEnabled)
        for row in rows[:_MAX_ROWS]:
            place = f"#{row.index + 1:,} · {row.rule}" if row.index >= 0 else row.rule
            item = QTreeWidgetItem(parent, [f"{row.text}\n{place}"])
            item.setIcon(0, glyph_icon(TONE_GLYPHS[row.severity], current_theme().tone(row.severity)))
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{row.severity}: {row.text} {place}")
            item.setToolTip(0, f"{row.text}\n{place}")
            item.setData(0, _PLACE, (row.side, row.index))
        if len(rows) > _MAX_ROWS:
            QTreeWidgetItem(parent, [tr("and {count:,} more").format(count=len(rows) - _MAX_ROWS)])

    def _on_repair(self) -> None:
        if self.report is not None:
            self.repair_requested.emit(self.report.provider)

    def _on_picked(self) -> None:
        self._show_report(self._reports[self.picker.currentIndex()])
        self.provider_changed.emit(self.picker.currentData())

    def _on_chosen(self, item: QTreeWidgetItem) -> None:
        side, index = item.data(0, _PLACE) or ("", -1)
        if index >= 0:
            self.activated.emit(side, index)

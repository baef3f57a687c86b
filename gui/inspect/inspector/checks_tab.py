"""The Checks tab: what the chosen API would refuse, with links to the messages; its limits, the
other APIs, the summary."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.common.number_format import plural
from core.presentation.inspector_model import SummaryPage
from core.presentation.model import LintReport, LintRow
from gui.language import tr
from gui.widgets.basic_widgets import TONE_GLYPHS, push_button, text_label
from gui.widgets.icons import ToneLabel, glyph_icon
from gui.widgets.theme import BODY, current_theme, resized_font
from gui.widgets.view_layout import column_of, fill_panel, row_of

_MAX_ROWS, _FIRST_WARNINGS = 1_000, 5
"""Most findings listed under a title, and warnings listed at first; the rest is counted."""
_PLACE, _VALUE, _TONE, _PROVIDER = (Qt.ItemDataRole.UserRole + number for number in range(4))
_GAP, _ICON_WIDTH = 8, 24  # pixels beside a text; of an icon with its sides
_MORE = "more"
_SIDES = {"before": "source", "after": "result"}


class WrappingDelegate(QStyledItemDelegate):
    """Makes rows as high as their whole text is in the width of the list; a value stands at the
    right."""

    def __init__(self, view: QTreeWidget) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        indentation = self._view.indentation() if index.parent().isValid() else 0
        has_icon = index.data(Qt.ItemDataRole.DecorationRole) is not None
        margins = indentation + (_ICON_WIDTH if has_icon else 0) + _GAP
        margins += self._value_width(index, option.font)
        width = max(40, self._view.viewport().width() - margins)
        flags = Qt.TextFlag.TextWordWrap
        box = QFontMetrics(option.font).boundingRect(
            QRect(0, 0, width, 10_000), flags, index.data()
        )
        return QSize(width, box.height() + 6)

    def _value_width(self, index: QModelIndex | QPersistentModelIndex, font: QFont) -> int:
        value = index.data(_VALUE)
        return QFontMetrics(font).horizontalAdvance(value) + 2 * _GAP if value else 0

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        if value := index.data(_VALUE):
            box = QRect(option.rect).adjusted(0, 0, -_GAP, 0)
            option.rect.setWidth(option.rect.width() - self._value_width(index, option.font))
            painter.setFont(option.font)
            painter.setPen(current_theme().tone(index.data(_TONE) or ""))
            painter.drawText(
                box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, value
            )
        super().paint(painter, option, index)


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
        self._shows_all = False  # all warnings
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
        """Show the report of ``provider``, else the first. Without any, the previous ones stay,
        faded."""
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
        """Show the check of all summaries below the findings; nothing where there is no summary."""
        self._summary = page
        self._show_report(self.report)

    def _add_summary(self, page: SummaryPage) -> None:
        parent = self._title(tr("Summary"))
        sections, link = page.prompt_sections, f"after:{page.summary_index}"
        rows = [(page.tone or "ok", page.verdict, link if sections else "")]
        rows += [(row.severity, f"{row.text}\n{row.location}", row.link) for row in page.findings]
        rows += [(page.losses_tone or "info", page.losses_text, "")] if page.losses_text else []
        ordered = sorted(sections, key=lambda section: section[1])  # what is missing comes first
        rows += [("ok" if is_there else "error", name, link) for name, is_there in ordered]
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
        self.repair.setVisible(
            any(row.severity == "error" and row.side == "before" for row in found)
        )
        self.count_changed.emit(report.errors if report is not None else 0)
        if report is None:
            self.verdict.show_text(tr("Nothing has been checked yet: open a transcript."), "")
            return
        text = tr("Order, ids and content are in order for {label}, before and after.")
        in_order = text.format(label=report.label)
        self.verdict.show_text(report.verdict if report.rows else in_order, report.tone)
        self._add_findings(report)
        self.findings.expandAll()
        self.findings.verticalScrollBar().setValue(scroll_position)

    def _add_findings(self, report: LintReport) -> None:
        """List what is refused first, then limits and the other APIs, then warnings and the
        summary."""
        errors = [row for row in report.rows if row.severity == "error"]
        others = [row for row in report.rows if row.severity != "error"]
        self._add_rows(tr("Broken pairs"), [row for row in errors if row.is_pair])
        self._add_rows(tr("Errors"), [row for row in errors if not row.is_pair])
        self._add_limits(report)
        self._add_providers()
        self._add_rows(
            tr("Warnings and notes"), others, _MAX_ROWS if self._shows_all else _FIRST_WARNINGS
        )
        if self._summary is not None and self._summary.verdict:
            self._add_summary(self._summary)

    def _title(self, text: str, note: str = "") -> QTreeWidgetItem:
        parent = QTreeWidgetItem(self.findings, [text])
        parent.setFlags(Qt.ItemFlag.ItemIsEnabled)
        parent.setFont(0, resized_font(self.font(), BODY, bold=True))
        parent.setData(0, _VALUE, note)
        return parent

    def _add_rows(self, title: str, rows: Sequence[LintRow], most: int = _MAX_ROWS) -> None:
        if not rows:
            return
        parent = self._title(f"{title} · {len(rows):,}")
        for row in rows[:most]:
            number = f" #{row.index + 1:,}" if row.index >= 0 else ""
            place = f"{tr(_SIDES[row.side])}{number} · {row.rule}"
            item = QTreeWidgetItem(parent, [f"{row.text}\n{place}"])
            item.setIcon(
                0, glyph_icon(TONE_GLYPHS[row.severity], current_theme().tone(row.severity))
            )
            item.setData(
                0, Qt.ItemDataRole.AccessibleTextRole, f"{row.severity}: {row.text} {place}"
            )
            item.setToolTip(0, f"{row.text}\n{place}")
            item.setData(0, _PLACE, (row.side, row.index))
        if len(rows) > most:
            more = tr("Show {count:,} more") if most < _MAX_ROWS else tr("and {count:,} more")
            item = QTreeWidgetItem(parent, [more.format(count=len(rows) - most)])
            item.setData(0, _PROVIDER, _MORE if most < _MAX_ROWS else "")

    def _add_limits(self, report: LintReport) -> None:
        if not report.limits:
            return
        parent = self._title(
            tr("Limits of {label}").format(label=report.label), tr("before → after")
        )
        for figure in report.limits:
            item = QTreeWidgetItem(parent, [figure.label])
            item.setData(0, _VALUE, figure.value)
            item.setData(0, _TONE, figure.tone)
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{figure.label}: {figure.value}")
            item.setToolTip(0, f"{figure.label}: {figure.value}")

    def _add_providers(self) -> None:
        """List what the result is for each API; a click shows its findings."""
        parent = self._title(tr("In order for"), tr("result"))
        for report in self._reports:
            value = plural(report.errors, "error") if report.errors else tr("in order")
            tone = "error" if report.errors else "ok"
            item = QTreeWidgetItem(parent, [report.label])
            item.setIcon(0, glyph_icon(TONE_GLYPHS[tone], current_theme().tone(tone)))
            item.setData(0, _VALUE, value)
            item.setData(0, _TONE, tone)
            item.setData(0, _PROVIDER, report.provider)
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{report.label}: {value}")

    def _on_repair(self) -> None:
        if self.report is not None:
            self.repair_requested.emit(self.report.provider)

    def _on_picked(self) -> None:
        self._show_report(self._reports[self.picker.currentIndex()])
        self.provider_changed.emit(self.picker.currentData())

    def _on_chosen(self, item: QTreeWidgetItem) -> None:
        side, index = item.data(0, _PLACE) or ("", -1)
        target = item.data(0, _PROVIDER)
        if index >= 0:
            self.activated.emit(side, index)
        elif target == _MORE:
            self._shows_all = True
            self._show_report(self.report)
        elif target:
            self.picker.setCurrentIndex(self.picker.findData(target))
            self._on_picked()

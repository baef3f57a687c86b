"""The Checks tab: what the chosen API would refuse and what a repair mends, its limits, warnings,
the summary."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QGuiApplication,
    QIcon,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QComboBox,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.presentation.inspector_model import SummaryPage
from core.presentation.model import FaultGroup, FaultRow, LintReport, LintRow
from gui.language import tr
from gui.widgets.basic_widgets import TONE_GLYPHS, push_button, text_label
from gui.widgets.events import Index
from gui.widgets.icons import ToneLabel, glyph_icon
from gui.widgets.pickers import SegmentedControl
from gui.widgets.theme import (
    BODY,
    SECONDARY,
    current_theme,
    resized_font,
    scaled_pixels,
)
from gui.widgets.view_layout import column_of, fill_panel, panel_of, row_of

_MAX_ROWS, _FIRST_WARNINGS = 1_000, 5
"""Most findings listed under a title, and warnings listed at first; the rest is counted."""
_PLACE, _VALUE, _TONE, _LINES, _FRACTION, _MORE = (
    Qt.ItemDataRole.UserRole + number for number in range(6)
)
_GAP, _ICON_WIDTH, _PAD = (
    8,
    24,
    5,
)  # pixels beside a text; of an icon with its sides; above a row
_BAR_WIDTH, _BAR_HEIGHT, _LABEL_SHARE = 64, 6, 0.38
_WRAPS = Qt.TextFlag.TextWordWrap
_SIDES = {"before": "source", "after": "result"}


class FindingsDelegate(QStyledItemDelegate):
    """Makes rows as high as their whole text is in the width of the list. Below the text stand
    secondary lines, at the right a value, and in front of it the bar of a limit."""

    def __init__(self, view: QTreeWidget) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        if index.parent().isValid():
            indentation = self._view.indentation()
        else:
            indentation = 0
        has_icon = index.data(Qt.ItemDataRole.DecorationRole) is not None
        margins = indentation + (_ICON_WIDTH if has_icon else 0) + _GAP
        width = max(40, self._view.viewport().width() - margins)
        text_width = max(40, width - self._value_width(index, option.font))
        height = _height(self._font(option.font, index), index.data(), text_width)
        for line in index.data(_LINES) or ():
            height += _height(_small(option.font), line, width)
        return QSize(width, height + 2 * _PAD)

    def _font(self, font: QFont, index: Index) -> QFont:
        return resized_font(font, BODY, bold=bool(index.data(_LINES)))

    def _value_width(self, index: Index, font: QFont) -> int:
        value = index.data(_VALUE)
        if value:
            return QFontMetrics(font).horizontalAdvance(value) + 2 * _GAP
        return 0

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        if index.data(_FRACTION) is not None:
            self._paint_bar(painter, option, index)
        if index.data(_LINES):
            self._paint_fault(painter, option, index)
            return
        if index.data(_VALUE):
            self._paint_value(painter, option, index)
            option.rect.setWidth(
                option.rect.width() - self._value_width(index, option.font)
            )
        super().paint(painter, option, index)

    def _paint_value(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        box = QRect(option.rect).adjusted(0, _PAD, -_GAP, -_PAD)
        painter.setFont(option.font)
        is_link = bool(index.data(_LINES))
        if is_link:
            colour = current_theme().accent_text
        else:
            colour = None
        painter.setPen(colour or current_theme().tone(index.data(_TONE) or ""))
        painter.drawText(
            box,
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop,
            index.data(_VALUE),
        )

    def _paint_bar(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the share of a limit that is used, between its label and its value."""
        theme = current_theme()
        rect = QRect(option.rect)
        width = scaled_pixels(_BAR_WIDTH, option.font)
        height = _BAR_HEIGHT
        right = rect.right() - self._value_width(index, option.font)
        label_end = (
            rect.left()
            + QFontMetrics(option.font).horizontalAdvance(index.data())
            + _GAP
        )
        left = max(
            label_end,
            min(right - width, rect.left() + round(rect.width() * _LABEL_SHARE)),
        )
        if left + width > right:
            return  # label and value fill the row
        box = QRect(left, rect.center().y() - height // 2, width, height)
        painter.fillRect(box, theme.hairline)
        box.setWidth(max(2, round(width * index.data(_FRACTION))))
        tone = index.data(_TONE)
        painter.fillRect(box, theme.tone(tone) if tone else theme.text2)

    def _paint_fault(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        theme = current_theme()
        rect = QRect(option.rect)
        if option.state & option.state.State_Selected:
            painter.fillRect(rect, theme.selection)
        icon = index.data(Qt.ItemDataRole.DecorationRole)
        if icon is not None:
            icon.paint(painter, QRect(rect.left() + 4, rect.top() + _PAD, 16, 16))
        self._paint_value(painter, option, index)
        box = rect.adjusted(_ICON_WIDTH, _PAD, -_GAP, 0)
        painter.setFont(self._font(option.font, index))
        painter.setPen(theme.text)
        first = box.adjusted(0, 0, -self._value_width(index, option.font), 0)
        painter.drawText(first, _WRAPS, index.data())
        box.setTop(box.top() + _height(painter.font(), index.data(), first.width()))
        painter.setFont(_small(option.font))
        painter.setPen(theme.text2)
        for line in index.data(_LINES):
            painter.drawText(box, _WRAPS, line)
            box.setTop(box.top() + _height(painter.font(), line, box.width()))


def _height(font: QFont, text: str, width: int) -> int:
    return (
        QFontMetrics(font)
        .boundingRect(QRect(0, 0, width, 10_000), _WRAPS, text)
        .height()
    )


def _small(font: QFont) -> QFont:
    return resized_font(font, SECONDARY)


class FindingsTree(QTreeWidget):
    width_changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setWordWrap(True)
        self.setItemDelegate(FindingsDelegate(self))
        self.setProperty("role", "reader")
        self.setAccessibleName(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()  # texts wrap at the new width
        if event.size().width() != event.oldSize().width():
            self.width_changed.emit()

    def content_height(self) -> int:
        """Return the pixels of all rows that are open."""
        height = 2 * self.frameWidth()
        item = self.topLevelItem(0)
        while item is not None:
            height += self.sizeHintForIndex(self.indexFromItem(item)).height()
            item = self.itemBelow(item)
        return height


class ChecksTab(QWidget):
    activated = Signal(str, int)  # side and message of a finding
    provider_changed = Signal(str)
    count_changed = Signal(int)  # -1: unknown
    repair_requested = Signal(str)  # for the API whose report is shown
    copy_requested = Signal(str)  # to be shown in the list, for the same

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
        self.segments = SegmentedControl((tr("API"),))  # until a report names them
        self._choice = row_of(self.segments, self.picker, stretched=self.picker)
        self.verdict = ToneLabel(wraps=True)
        self.text = text_label("", "secondary")
        self.faults = FindingsTree(tr("Faults"))
        self.findings = FindingsTree(tr("Findings"))
        for tree in (self.faults, self.findings):
            tree.itemClicked.connect(self._on_chosen)
            tree.itemActivated.connect(self._on_chosen)
        self.faults.width_changed.connect(self._fit_faults)
        self.faults.itemExpanded.connect(self._fit_faults)
        self.faults.itemCollapsed.connect(self._fit_faults)
        self.repair = push_button(tr("Save repaired copy…"))
        self.repair.setToolTip(tr("Mend the source in a copy, and list the changes"))
        self.repair.clicked.connect(self._on_repair)
        self.show_copy = push_button(tr("Show in the list"), "link")
        self.show_copy.setToolTip(
            tr("Show session and repaired copy side by side; nothing is saved")
        )
        self.show_copy.clicked.connect(self._on_show_copy)
        self.copy_details = push_button(tr("Copy details"), "link", tip=_DETAILS_TIP)
        self.copy_details.clicked.connect(self._on_copy)
        self.outlook = text_label("", "secondary")
        for label in (self.text, self.outlook):
            label.setWordWrap(True)
        links = row_of(self.show_copy, self.copy_details, None, gap=12)
        top = (self._choice, self.verdict, self.text)
        buttons = column_of(row_of(self.repair, None), links, gap=4)
        mending = column_of(buttons, self.outlook, margins=(12, 6, 12, 8), gap=6)
        self._mending = panel_of(mending)
        parts = (
            column_of(*top, margins=(12, 10, 12, 8), gap=6),
            self.faults,
            self._mending,
            self.findings,
        )
        fill_panel(self, "pane", column_of(*parts, stretched=self.findings))
        self._show_report(None)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._show_report(self.report)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_choice()
        self._fit_faults()

    def _fit_faults(self) -> None:
        """Make the list of faults as high as its rows, at most as half of the tab: what mends
        them stands below it, in sight."""
        self.faults.setVisible(self.faults.topLevelItemCount() > 0)
        height = min(self.faults.content_height(), self.height() // 2)
        self.faults.setFixedHeight(height)

    def _fit_choice(self) -> None:
        """Show the APIs side by side where there is room for their words, else in a combo box."""
        room = self.width() - 2 * 12
        has_room = self.segments.sizeHint().width() <= room
        self.segments.setVisible(has_room and bool(self._reports))
        self.picker.setVisible(not has_room or not self._reports)

    def _show_choices(self, reports: Sequence[LintReport]) -> None:
        """Name each API with its faults, or that it takes the request."""
        words = [_choice_words(report) for report in reports]
        former = [button.text() for button in self.segments.buttons]
        if words == former and self.picker.count() == len(words):
            return
        self.picker.clear()
        for report, text in zip(reports, words, strict=True):
            self.picker.addItem(text, report.provider)
        self._choice.removeWidget(self.segments)
        self.segments.deleteLater()
        self.segments = SegmentedControl(words)
        self.segments.set_dense(True)
        self.segments.setAccessibleName(tr("API to check for"))
        self.segments.chosen.connect(self._on_segment)
        self._choice.insertWidget(0, self.segments)
        self._fit_choice()

    def set_reports(self, reports: tuple[LintReport, ...], provider: str) -> None:
        """Show the report of ``provider``, else the first. Without any, the previous ones stay,
        faded."""
        is_stale = not reports and bool(self._reports)
        for tree in (self.faults, self.findings):
            tree.setEnabled(not is_stale)
        if is_stale:
            self.verdict.show_text(tr("not checked yet"), "")
            self.text.setVisible(False)
            self.count_changed.emit(-1)
            return
        self._reports = reports
        self.picker.setEnabled(len(reports) > 1)
        if not reports:  # nothing was checked so far
            self._show_report(None)
            return
        self._show_choices(reports)
        self._choose(max(0, self.picker.findData(provider)))

    def _choose(self, index: int) -> None:
        self.picker.setCurrentIndex(index)
        self.segments.show_choice(index)
        self._show_report(self._reports[index])

    def show_summary(self, page: SummaryPage) -> None:
        """Show the check of all summaries below the findings; nothing where there is no summary."""
        self._summary = page
        self._show_report(self.report)

    def _add_summary(self, page: SummaryPage) -> None:
        parent = self._title(tr("Summary"))
        sections, link = page.prompt_sections, f"after:{page.summary_index}"
        rows = [(page.tone or "ok", page.verdict, link if sections else "")]
        rows += [
            (row.severity, f"{row.text}\n{row.location}", row.link)
            for row in page.findings
        ]
        rows += (
            [(page.losses_tone or "info", page.losses_text, "")]
            if page.losses_text
            else []
        )
        missing = [name for name, is_there in sections if not is_there]
        rows += [
            ("error", tr("No section {name}").format(name=name), link)
            for name in missing
        ]
        for tone, text, link in rows:
            item = QTreeWidgetItem(parent, [text])
            item.setIcon(0, _tone_icon(tone))
            side, _, index = link.partition(":")
            item.setData(0, _PLACE, (side, int(index)) if index else None)

    def _offer_repair(self, rows: Sequence[FaultRow]) -> None:
        """Show what mends the source, where something in it is broken."""
        is_broken = any(row.side == "before" for row in rows)
        self.repair.setVisible(is_broken)
        self.show_copy.setVisible(is_broken and any(row.mend for row in rows))

    def _show_report(self, report: LintReport | None) -> None:
        self.report = report
        scroll_position = self.findings.verticalScrollBar().value()
        self.faults.clear()
        self.findings.clear()
        self.count_changed.emit(report.faults.count if report is not None else 0)
        self.text.setVisible(report is not None and bool(report.faults.text))
        self.outlook.setVisible(report is not None and bool(report.faults.outlook))
        self._mending.setVisible(report is not None and report.faults.count > 0)
        if report is None:
            self._fit_faults()
            self.verdict.show_text(
                tr("Nothing has been checked yet: open a transcript."), ""
            )
            return
        faults = report.faults
        self._offer_repair([row for group in faults.groups for row in group.rows])
        tone = "error" if faults.count else report.tone
        self.verdict.show_text(faults.head, tone, bold=faults.count > 0)
        self.text.setText(faults.text)
        self.outlook.setText(faults.outlook)
        self._add_findings(report)
        self.findings.verticalScrollBar().setValue(scroll_position)

    def _add_findings(self, report: LintReport) -> None:
        """List what is refused above what mends it, then the limits, warnings and the summary."""
        for group in report.faults.groups:
            self._add_faults(group)
        self._fit_faults()
        self._add_limits(report)
        others = [row for row in report.rows if row.severity != "error"]
        self._add_rows(
            tr("Warnings and notes"),
            others,
            _MAX_ROWS if self._shows_all else _FIRST_WARNINGS,
        )
        if self._summary is not None and self._summary.verdict:
            self._add_summary(self._summary)

    def _add_faults(self, group: FaultGroup) -> None:
        """List faults that are told together under their sentence, closed."""
        if not group.title:
            for row in group.rows:
                self._add_fault(row, None)
            return
        first = group.rows[0]
        same = FaultRow(
            title=f"{group.title} ›",
            mend=first.mend,
            side=first.side,
            index=first.index,
        )
        parent = self._add_fault(same, None)
        for row in group.rows[:_MAX_ROWS]:
            self._add_fault(row, parent)

    def _add_fault(
        self, row: FaultRow, parent: QTreeWidgetItem | None
    ) -> QTreeWidgetItem:
        item = QTreeWidgetItem([row.title])
        if parent is None:
            self.faults.addTopLevelItem(item)
        else:
            parent.addChild(item)
        if row.mend:
            mend = tr("✓ Repair {what}").format(what=row.mend)
        else:
            mend = _NOT_MENDED
        lines = [line for line in (row.about, mend) if line]
        item.setData(0, _LINES, lines)
        item.setIcon(0, _tone_icon("error"))
        if row.index >= 0:
            item.setData(0, _VALUE, tr("Go to"))
        item.setData(0, _PLACE, (row.side, row.index))
        item.setToolTip(0, row.tip)
        words = ". ".join((row.title, *lines))
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"error: {words}")
        return item

    def _title(self, text: str, note: str = "") -> QTreeWidgetItem:
        parent = QTreeWidgetItem(self.findings, [text])
        parent.setFlags(Qt.ItemFlag.ItemIsEnabled)
        parent.setFont(0, resized_font(self.font(), BODY, bold=True))
        parent.setData(0, _VALUE, note)
        parent.setExpanded(True)
        return parent

    def _add_rows(
        self, title: str, rows: Sequence[LintRow], most: int = _MAX_ROWS
    ) -> None:
        if not rows:
            return
        parent = self._title(f"{title} · {len(rows):,}")
        for row in rows[:most]:
            if row.index >= 0:
                number = f" #{row.index + 1:,}"
            else:
                number = ""
            place = f"{tr(_SIDES[row.side])}{number}"
            item = QTreeWidgetItem(parent, [f"{row.text}\n{place}"])
            item.setIcon(0, _tone_icon(row.severity))
            item.setData(
                0,
                Qt.ItemDataRole.AccessibleTextRole,
                f"{row.severity}: {row.text} {place}",
            )
            item.setToolTip(0, f"{row.text}\n{row.rule}")
            item.setData(0, _PLACE, (row.side, row.index))
        if len(rows) > most:
            if most < _MAX_ROWS:
                more = tr("Show {count:,} more")
            else:
                more = tr("and {count:,} more")
            item = QTreeWidgetItem(parent, [more.format(count=len(rows) - most)])
            item.setData(0, _MORE, most < _MAX_ROWS)

    def _add_limits(self, report: LintReport) -> None:
        parent = self._title(
            tr("Limits of {label}").format(label=report.label), tr("before → after")
        )
        if not report.limits:
            QTreeWidgetItem(parent, [tr("nothing in this request is limited")])
        for figure in report.limits:
            item = QTreeWidgetItem(parent, [figure.label])
            item.setData(0, _VALUE, figure.value)
            item.setData(0, _TONE, figure.tone)
            item.setData(0, _FRACTION, figure.fraction)
            item.setData(
                0, Qt.ItemDataRole.AccessibleTextRole, f"{figure.label}: {figure.value}"
            )
            item.setToolTip(0, f"{figure.label}: {figure.value}")

    def _on_repair(self) -> None:
        if self.report is not None:
            self.repair_requested.emit(self.report.provider)

    def _on_show_copy(self) -> None:
        if self.report is not None:
            self.copy_requested.emit(self.report.provider)

    def _on_copy(self) -> None:
        """Copy the faults with their ids and the names of the rules."""
        if self.report is None:
            return
        rows = [row for group in self.report.faults.groups for row in group.rows]
        QGuiApplication.clipboard().setText("\n".join(row.tip for row in rows))

    def _on_segment(self, index: int) -> None:
        self.picker.setCurrentIndex(index)
        self._on_picked()

    def _on_picked(self) -> None:
        self._choose(self.picker.currentIndex())
        self.provider_changed.emit(self.picker.currentData())

    def _on_chosen(self, item: QTreeWidgetItem) -> None:
        side, index = item.data(0, _PLACE) or ("", -1)
        if item.childCount() and index >= 0:
            item.setExpanded(not item.isExpanded())
        elif index >= 0:
            self.activated.emit(side, index)
        elif item.data(0, _MORE):
            self._shows_all = True
            self._show_report(self.report)


_NOT_MENDED = tr("Repair does not mend it")
_DETAILS_TIP = tr("Copy the faults with the ids of calls and the names of the rules")


def _tone_icon(tone: str) -> QIcon:
    return glyph_icon(TONE_GLYPHS[tone], current_theme().tone(tone))


def _choice_words(report: LintReport) -> str:
    return f"{report.label} {report.faults.count or '✓'}"

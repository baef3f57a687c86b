"""The Lint tab: what the chosen API would refuse, with links to the messages."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QListView, QVBoxLayout, QWidget

from core.presentation.model import LintReport, LintRow, TextSpan
from gui.inspect.inspector.lint_list import LintDelegate, LintModel
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.icons import glyph_pixmap
from gui.widgets.text_labels import ElidedLabel, SpanText, set_style_property
from gui.widgets.theme import SECONDARY, Theme, theme


class LintTab(QWidget):
    activated = Signal(str, int)
    provider_changed = Signal(str)
    count_changed = Signal(int)  # -1: unknown

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme("light")
        self._reports: tuple[LintReport, ...] = ()
        self._report: LintReport | None = None
        self._is_stale = False  # the reports are of a result that is not shown any more
        self._picker = QComboBox()
        self._icon, self._verdict = QLabel(), ElidedLabel()
        self._picker.setAccessibleName(tr("API to check for"))
        self._picker.setToolTip(tr("Which API the result is checked for"))
        self._picker.activated.connect(self._on_picked)
        self._list, self._model = QListView(), LintModel()
        self._delegate = LintDelegate(self._list, self._model)
        self._list.setModel(self._model)
        self._list.setItemDelegate(self._delegate)
        self._list.setAccessibleName(tr("Findings"))
        self._list.setMouseTracking(True)
        self._list.setProperty("role", "reader")
        self._list.setResizeMode(QListView.ResizeMode.Adjust)
        self._list.setLayoutMode(QListView.LayoutMode.Batched)
        self._list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.clicked.connect(self._on_chosen)
        self._list.activated.connect(self._on_chosen)
        self._empty = SpanText(SECONDARY, "text2")
        self._build()

    def _build(self) -> None:
        header = QVBoxLayout()
        header.setContentsMargins(12, 10, 12, 8)
        header.setSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(text_label(tr("Check for"), "muted"))
        row.addWidget(self._picker, 1)
        header.addLayout(row)
        verdict_row = QHBoxLayout()
        verdict_row.setSpacing(6)
        verdict_row.addWidget(self._icon)
        verdict_row.addWidget(self._verdict, 1)
        header.addLayout(verdict_row)
        header.addWidget(self._empty)
        rule = QFrame()
        rule.setProperty("role", "rule")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(header)
        column.addWidget(rule)
        column.addWidget(self._list, 1)
        self._show_report(None)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._delegate.set_theme(theme)
        self._empty.set_theme(theme)
        self._list.viewport().update()
        self._show_head()

    @property
    def report(self) -> LintReport | None:
        return self._report

    def set_reports(self, reports: tuple[LintReport, ...], provider: str) -> None:
        """Show the report of ``provider``, else the first. Without any, the previous ones stay, faded."""
        self._is_stale = not reports and bool(self._reports)
        self._list.setEnabled(not self._is_stale)
        if self._is_stale:
            self._show_report(self._report)
            return
        if [report.provider for report in reports] != [report.provider for report in self._reports]:
            self._picker.clear()
            for listed_report in reports:
                self._picker.addItem(listed_report.label, listed_report.provider)
        self._reports = reports
        self._picker.setCurrentIndex(max(0, self._picker.findData(provider)) if reports else -1)
        self._picker.setEnabled(len(reports) > 1)
        self._show_report(reports[self._picker.currentIndex()] if reports else None)

    def _show_report(self, report: LintReport | None) -> None:
        if report != self._report or report is None:
            scroll_position = self._list.verticalScrollBar().value()
            self._report = report
            self._model.show_rows(report.rows if report is not None else ())
            self._list.verticalScrollBar().setValue(scroll_position)
        count = len(report.rows) if report is not None else 0
        self.count_changed.emit(-1 if self._is_stale else count)
        self._show_head()

    def _show_head(self) -> None:
        report = self._report
        for part in (self._icon, self._verdict):
            part.setVisible(report is not None)
        self._empty.setVisible(report is None or not report.rows)
        if report is None:
            self._empty.set_spans((TextSpan(tr("Nothing has been checked yet: open a transcript.")),))
            return
        self._icon.setVisible(not self._is_stale)
        if self._is_stale:
            set_style_property(self._verdict, "tone", "")
            self._verdict.show_text(tr("not checked yet"))
            self._empty.hide()
            return
        name = {"ok": "ok", "error": "error"}.get(report.tone, "warning")
        ratio = self.devicePixelRatioF()
        self._icon.setPixmap(glyph_pixmap(name, self._theme.tone(report.tone), 12, ratio))
        set_style_property(self._verdict, "tone", report.tone)
        self._verdict.show_text(report.verdict)
        self._empty.set_spans(
            (TextSpan(tr("No findings for {label}, neither before nor after.").format(label=report.label)),)
        )

    def _on_picked(self) -> None:
        self._show_report(self._reports[self._picker.currentIndex()])
        self.provider_changed.emit(self._picker.currentData())

    def _on_chosen(self, index: QModelIndex) -> None:
        item = self._model.item(index)
        if isinstance(item, LintRow) and item.index >= 0:
            self.activated.emit(item.side, item.index)

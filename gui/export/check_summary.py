"""The result of the summary check, above the button of an export."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.presentation.model import TextSpan
from core.presentation.summary_check.model import SummaryFindingRow, SummaryPage
from gui.language import tr
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import SECONDARY, Theme
from gui.widgets.toned_label import ToneLabel

_MAX_FINDINGS = 8
"""The most findings listed; the rest is counted."""


class FindingsBox(QWidget):
    """The verdict in a line, and a line for each finding."""

    link_activated = Signal(str)  # "before:84", "after:12"

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.verdict_label, self.findings = ToneLabel(), SpanText(SECONDARY, "text2")
        self.findings.set_theme(theme)
        self.findings.link_activated.connect(self.link_activated)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.verdict_label)
        column.addWidget(self.findings)

    def show_page(self, page: SummaryPage | None, *, is_wanted: bool) -> None:
        """Show the result, or without a page that the check runs; nothing unless ``is_wanted``."""
        verdict = tr("Checking the summary…") if page is None else page.verdict
        self.verdict_label.show_text(verdict, page.tone if page is not None else "", self._theme)
        self.verdict_label.setVisible(is_wanted and bool(verdict))
        rows = page.findings if page is not None else ()
        self.findings.set_spans(_lines(rows))
        self.findings.setVisible(is_wanted and bool(rows))


def _lines(rows: Sequence[SummaryFindingRow]) -> tuple[TextSpan, ...]:
    """Return a line for each finding, with a link to its message."""
    spans: list[TextSpan] = []
    for number, row in enumerate(rows[:_MAX_FINDINGS]):
        spans += [TextSpan("\n")] if number else []
        spans += [TextSpan(f"{row.severity}, "), TextSpan(row.location, row.link), TextSpan(f": {row.text}")]
    remaining = len(rows) - _MAX_FINDINGS
    return (
        (*spans, TextSpan(tr("\nand {rest:,} more; Why of the summary lists them").format(rest=remaining)))
        if remaining > 0
        else tuple(spans)
    )

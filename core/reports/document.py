"""The data that every section of a report is made from."""

from __future__ import annotations

from dataclasses import dataclass, field

from markupsafe import Markup

from core.presentation.lists.row_texts import message_rows
from core.presentation.model import Screen, TextSpan
from core.presentation.preview_columns import PreviewColumns, preview_columns
from core.presentation.screen import ScreenState, preview_screen
from core.preview.options import Preview, StageCache
from core.reports import html_text
from core.reports.redacted import ReportRedactor, redactor_for
from core.tokens.counter import counter_for
from core.tokens.recorded_compactions import measure_compactions


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """``listed`` are the source messages shown one by one; ``stages`` caches what was computed about them."""

    preview: Preview
    columns: PreviewColumns
    screen: Screen
    format_reason: str
    listed: tuple[int, ...]
    listed_indices: frozenset[int]
    redactor: ReportRedactor
    stages: StageCache = field(default_factory=StageCache)

    def redacted_html(self, value: str, max_length: int | None = None) -> Markup:
        """Redact a text that may come from the transcript and return it as HTML."""
        return html_text.escaped_text(self.redactor.text(value, max_length))

    def transcript_html(self, value: str) -> Markup:
        """The same inside one of our sentences; the text may be a cut excerpt."""
        return html_text.isolated_text(self.redactor.excerpt(value))

    def linked_html(self, spans: tuple[TextSpan, ...]) -> Markup:
        """Return a sentence as HTML with links to messages of the page."""
        redacted_spans = (span if span.link else TextSpan(self.redactor.text(span.text)) for span in spans)
        return html_text.linked_sentence(redacted_spans, self.listed_indices)


def report_screen(preview: Preview) -> Screen:
    """Return the window's screen of a preview, for its wording and columns."""
    source_rows = message_rows(preview.messages, preview.counts, preview.conversation.cwd)
    counter = preview.sizing.counter(counter_for(preview.window.model))
    recorded = measure_compactions(preview.conversation, counter)
    return preview_screen(preview, ScreenState(0, source_rows, "", recorded=recorded))


def report_document(
    preview: Preview, format_reason: str, listed: tuple[int, ...], *, redact: bool
) -> ReportDocument:
    redactor = redactor_for(preview.messages, redact=redact)
    return ReportDocument(
        preview,
        preview_columns(preview),
        report_screen(preview),
        format_reason,
        listed,
        frozenset(listed),
        redactor,
    )

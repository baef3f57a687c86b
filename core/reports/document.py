"""What every section of a report is made from: the preview, its screen, and the cover over its texts."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.configuration.layers import SettingLayers
from core.lint.lint import default_provider
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
    """One report on its way. ``listed`` are the source messages that the page shows one by one; ``stages``
    remember what was looked for in them."""

    made: Preview
    shown: PreviewColumns
    screen: Screen
    why: str
    listed: tuple[int, ...]
    places: frozenset[int]
    cover: ReportRedactor
    stages: StageCache = field(default_factory=StageCache)

    def say(self, value: str, most: int | None = None) -> str:
        """A text that may come from the transcript, as HTML."""
        return html_text.escaped_text(self.cover.text(value, most))

    def foreign(self, value: str) -> str:
        """The same inside a sentence of ours; it may be an excerpt, cut in the middle of a word."""
        return html_text.isolated_text(self.cover.excerpt(value))

    def linked(self, spans: tuple[TextSpan, ...]) -> str:
        """A sentence whose links lead to messages of the page."""
        covered = (span if span.link else TextSpan(self.cover.text(span.text)) for span in spans)
        return html_text.linked_sentence(covered, self.places)


def screen_of(made: Preview) -> Screen:
    """The screen that the window would show of a preview, for the words and columns in it."""
    before = message_rows(made.messages, made.counts, made.conversation.cwd)
    provider = default_provider(made.conversation.format, made.conversation.model)
    counter = made.sizing.counter(counter_for(made.window.model))
    recorded, tokens = measure_compactions(made.conversation, counter), made.used
    return preview_screen(
        made, ScreenState(0, SettingLayers(), before, tokens, "", provider, recorded=recorded)
    )


def report_document(made: Preview, why: str, listed: tuple[int, ...], *, redact: bool) -> ReportDocument:
    """Gather it."""
    cover = redactor_for(made.messages, redact=redact)
    return ReportDocument(made, preview_columns(made), screen_of(made), why, listed, frozenset(listed), cover)

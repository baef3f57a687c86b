"""The data that every section of a report is made from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape

from markupsafe import Markup

from core.common import number_format
from core.common.errors import InputError
from core.common.excerpts import INVISIBLE, character_label, character_title
from core.common.redaction import SecretFinder, find_secrets, masked_text
from core.formats.writing.exporter import ExportInput
from core.formats.writing.redacted_output import (
    find_with_named_secrets,
    named_secrets_in,
)
from core.llm.catalog import choose_model
from core.llm.request_size import exported_sizes
from core.losses.losses_of import losses_of
from core.presentation.inspector_model import LossesPage, TextSpan
from core.presentation.lists.row_texts import message_rows
from core.presentation.losses_page import losses_page
from core.presentation.model import KEPT, LabelledFigure
from core.presentation.preview_columns import PreviewColumns, preview_columns
from core.presentation.screen import preview_screen
from core.presentation.screen_model import Screen
from core.preview.options import Preview, StageCache
from core.tokens.recorded_compactions import measure_compactions
from core.transcript.model import Message
from core.trials.requested_analyses import requested_analyses


def escaped_text(value: str) -> Markup:
    """Escape for content and attributes; invisible characters become readable marks."""
    return Markup(INVISIBLE.sub(_character_mark, escape(value)))


def attribute_text(value: str) -> Markup:
    """The same for title and attributes, which hold no elements."""
    return Markup(
        INVISIBLE.sub(lambda match: character_label(match.group()), escape(value))
    )


def _character_mark(match: re.Match[str]) -> str:
    mark = character_label(match.group())
    if not mark.strip():
        return mark
    code = ord(match.group())
    return f'<span class="c" title="{character_title(code)}">{mark}</span>'


def isolated_text(value: str) -> Markup:
    """Escape a text of the transcript and isolate its writing direction."""
    return Markup(f"<bdi>{escaped_text(value)}</bdi>")


def _span_html(span: TextSpan, listed: frozenset[int]) -> str:
    side, _, index = span.link.partition(":")
    if side == "before" and int(index) in listed:
        return f'<a href="#m{int(index) + 1}">{escaped_text(span.text)}</a>'
    return isolated_text(span.text)


_LOOKAHEAD = (
    4_096  # characters read after a cut, so that a secret on the cut is found whole
)
_MAX_CUT_WORD = 120  # most characters of a word cut by an ellipsis


@dataclass(slots=True)
class ReportRedactor:
    """Redacts every text of a report. ``count`` is the number of secrets found; ``named_secrets``
    are those that the transcript names elsewhere. ``find`` searches each text once."""

    redact: bool
    find: SecretFinder
    named_secrets: tuple[str, ...] = ()
    count: int = 0

    def text(self, text: str, max_length: int | None = None) -> str:
        """Return a text or its first ``max_length`` characters; a secret on the cut is replaced as
        a whole."""
        if max_length is None:
            end = len(text)
        else:
            end = min(max_length, len(text))
        secrets = [
            hit
            for hit in find_with_named_secrets(
                text[: end + _LOOKAHEAD], self.named_secrets, self.find
            )
            if hit.start < end
        ]
        self.count += len(secrets)
        return masked_text(text[:end], secrets if self.redact else ())

    def excerpt(self, text: str) -> str:
        """Redact a text that may end in an ellipsis; its cut last word may be half a key and is
        dropped."""
        if self.redact and text.endswith("…"):
            text = (
                text[: max(text.rfind(" ") + 1, len(text) - _MAX_CUT_WORD)].rstrip()
                + " …"
            )
        return self.text(text)


def redactor_for(messages: Sequence[Message], *, redact: bool) -> ReportRedactor:
    find = cache(
        find_secrets
    )  # most texts are searched for names and again when they are shown
    return ReportRedactor(
        redact, find, named_secrets_in(messages, find) if redact else ()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """``listed`` are the source messages shown one by one; ``stages`` caches what was computed
    about them."""

    preview: Preview
    columns: PreviewColumns
    screen: Screen
    format_reason: str
    listed: tuple[int, ...]
    listed_indices: frozenset[int]
    redactor: ReportRedactor
    stages: StageCache

    def transcript_html(self, value: str) -> Markup:
        """The same inside one of our sentences; the text may be a cut excerpt."""
        return isolated_text(self.redactor.excerpt(value))

    def linked_html(self, spans: tuple[TextSpan, ...]) -> Markup:
        """Return a sentence as HTML with links to messages of the page."""
        redacted_spans = (
            span if span.link else TextSpan(self.redactor.text(span.text))
            for span in spans
        )
        return Markup(
            "".join(_span_html(span, self.listed_indices) for span in redacted_spans)
        )


def report_screen(preview: Preview) -> Screen:
    """Return the window's screen of a preview, for its wording and columns."""
    source_rows = message_rows(
        preview.messages, preview.source.counts, preview.source.conversation.cwd
    )
    recorded = measure_compactions(preview.source.conversation, preview.source.counter)
    return preview_screen(preview, source_rows, recorded)


def report_losses(preview: Preview, stages: StageCache) -> LossesPage:
    """Return what a report says of the losses, with what was asked about the result."""
    return losses_page(
        preview, losses_of(preview, stages), requested_analyses(preview, stages)
    )


def report_data(
    content: ReportInput, listed: tuple[int, ...], *, redact: bool
) -> ReportData:
    preview = content.preview
    redactor = redactor_for(preview.messages, redact=redact)
    return ReportData(
        preview=preview,
        columns=preview_columns(preview),
        screen=report_screen(preview),
        format_reason=content.format_reason,
        listed=listed,
        listed_indices=frozenset(listed),
        redactor=redactor,
        stages=content.stages,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportInput(ExportInput):
    """``stages`` caches what was computed about the preview."""

    preview: Preview
    stages: StageCache = field(default_factory=StageCache)


def export_input(
    preview: Preview,
    *,
    result: bool,
    format_reason: str = "",
    stages: StageCache | None = None,
) -> ReportInput:
    """Return a preview's result, else its source, for export."""
    is_changed = result and preview.result.compaction.no_op is None
    sizes_shown = preview.sizes
    tokens = (
        sizes_shown.message_tokens_after
        if result
        else sizes_shown.message_tokens_before
    )
    model = choose_model(preview.source.conversation)
    sizes, request_tokens = exported_sizes(
        preview.sizes.sizing,
        tokens,
        preview.sizes.system_tokens,
        model,
        is_changed=is_changed,
    )
    return ReportInput(
        conversation=preview.source.conversation,
        history=preview.source.history,
        compaction=preview.result.compaction if result else None,
        tokens_before=preview.sizes.before_tokens,
        tokens_after=preview.sizes.after_tokens
        if result
        else preview.sizes.before_tokens,
        format_reason=format_reason,
        sizes=sizes,
        request_tokens=request_tokens,
        preview=preview,
        stages=stages or StageCache(),
    )


def report_input(export_data: ExportInput) -> ReportInput:
    """Return the input of a report; raise InputError where it has no preview."""
    if not isinstance(export_data, ReportInput):
        raise InputError(
            "A report needs a preview.", "Pass one, or export a transcript."
        )
    return export_data


def savings_by_rule(columns: PreviewColumns) -> tuple[tuple[str, int, int], ...]:
    """Return (rule, fate code, tokens saved) of each message's deciding step, most first. A result
    message counts once, with its first source. The fate is the one that saves most."""
    preview = columns.preview
    saved: Counter[tuple[str, int]] = Counter()
    for index, fate in enumerate(columns.fates):
        if fate == KEPT:
            continue
        result_index = columns.result_index[index]
        if result_index >= 0 and columns.origin[result_index] == index:
            tokens_left = preview.result.after_counts[result_index]
        else:
            tokens_left = 0
        saved[preview.result.compaction.fates[index].last.rule, fate] += (
            preview.source.counts[index] - tokens_left
        )
    rules: dict[str, tuple[int, int]] = {}
    for (rule, fate), tokens in saved.most_common():
        main_fate, total = rules.get(rule, (fate, 0))
        rules[rule] = (main_fate, total + tokens)
    ordered = sorted(rules.items(), key=lambda item: -item[1][1])
    return tuple((rule, fate, tokens) for rule, (fate, tokens) in ordered if tokens)


def savings_figures(columns: PreviewColumns) -> tuple[LabelledFigure, ...]:
    """Return the parts with bars, and the total as in ruler and lists."""
    preview = columns.preview
    total = preview.sizes.message_tokens_before - preview.sizes.message_tokens_after
    parts = savings_by_rule(columns)
    most = max((1, *(tokens for _, _, tokens in parts)))
    facts = [
        LabelledFigure(
            rule, number_format.signed(-tokens), "", max(0.0, tokens / most), fate
        )
        for rule, fate, tokens in parts
    ]
    if inserted := total - sum(tokens for _, _, tokens in parts):
        facts.append(LabelledFigure("inserted", number_format.signed(-inserted)))
    return (*facts, LabelledFigure("together", number_format.signed(-total)))

"""Sections of a report around ruler and messages; each is "" if it would be empty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from core.common import number_format
from core.configuration.declarations import SETTINGS
from core.formats.registry import FORMATS
from core.presentation.model import LabelledFigure, LintRow, WhyPage, WhySection
from core.presentation.preview_wording import limit_text, scope_label
from core.presentation.savings import savings_group
from core.presentation.why_cut import why_cut
from core.reports.document import ReportDocument
from core.reports.html_text import escaped_text, html_table, isolated_text, labelled_values
from core.reports.message_section import inserted_messages
from core.reports.summary_section import findings_section, linked_text
from core.settings.profile import OFFLINE
from core.settings.schema import Mode, setting_text
from core.settings.values import SettingLayer
from core.transcript.model import Speaker

_MAX_ROWS = 200
"""Most findings and warnings listed; the rest is counted."""
_MAX_SUMMARY = 200_000
_MAX_RECORDED_SUMMARY = 4_000

_METHOD_WORDS = {"≈": "an estimate", "=": "counted with the model's own tokenizer"}


def file_facts(document: ReportDocument) -> str:
    preview, conversation = document.preview, document.preview.conversation
    reason_text = f": {document.transcript_html(document.format_reason)}" if document.format_reason else ""
    pairs = [
        ("File", document.transcript_html(conversation.document.name)),
        ("Format", f"{escaped_text(format_label(conversation.format))}{reason_text}"),
        ("Messages", _messages_by_speaker(document)),
        ("Scope", escaped_text(scope_label(preview.history.scope))),
        (
            "Model",
            document.transcript_html(preview.window.model) if preview.window.model else number_format.UNKNOWN,
        ),
        ("Limit", document.redacted_html(limit_text(preview.window))),
    ]
    if conversation.siblings > 1:
        pairs.insert(2, ("Conversation", f"{conversation.number} of {conversation.siblings}"))
    if conversation.branch > 1:
        pairs.insert(2, ("Branch", f"{conversation.branch} of {len(conversation.branches)}"))
    if preview.system_tokens:
        tokens = number_format.tokens(preview.count_method.mark, preview.system_tokens)
        pairs.append(("System prompt and tools", f"{tokens} tokens, beside the history"))
    if preview.sizing.hidden > 0:
        tokens = number_format.tokens(preview.count_method.mark, preview.sizing.hidden)
        pairs.append(("Hidden", f"{tokens} tokens of every request, in no message"))
    if conversation.reported_context is not None:
        reported = number_format.tokens("=", conversation.reported_context)
        pairs.append(("Reported", f"{reported} tokens in the last request, by the provider"))
    return labelled_values(pairs)


def format_label(name: str) -> str:
    """Return the label of a format."""
    return next(
        (transcript_format.label for transcript_format in FORMATS if transcript_format.name == name), name
    )


def _messages_by_speaker(document: ReportDocument) -> str:
    messages = document.preview.messages
    counts = {speaker: sum(message.speaker is speaker for message in messages) for speaker in Speaker}
    speaker_counts = ", ".join(
        f"{number_format.count(count)} {speaker.value}" for speaker, count in counts.items() if count
    )
    return f"{number_format.count(len(messages))}{f': {speaker_counts}' if speaker_counts else ''}"


def run_facts(document: ReportDocument) -> str:
    """Return strategy, trigger, target, result and author of the summary."""
    preview, summary = document.preview, document.preview.compaction.summary
    mode = "reference mode, faults included" if preview.mode is Mode.REFERENCE else "safe mode"
    pairs = [("Strategy", f"{preview.strategy.name}, {mode}")]
    if preview.trigger_tokens is not None:
        pairs.append(("Trigger", f"{number_format.count(preview.trigger_tokens)} tokens"))
    if preview.compaction.target is not None:
        pairs.append(("Target", f"{number_format.count(preview.compaction.target)} tokens"))
    pairs.append(("Result", f"{number_format.plural(len(preview.compaction.messages), 'message')}"))
    if summary is not None:
        author = (
            "not written yet, at its budget" if preview.unwritten else f"by {isolated_text(summary.profile)}"
        )
        pairs.append(("Summary", author))
    for call in (one for one in preview.compaction.calls if one.profile != OFFLINE):
        read, wrote = (number_format.tokens("", one) for one in (call.input_tokens, call.output_tokens))
        cost = "" if call.cost is None else f", ${call.cost:.4f}"
        pairs.append(("Call", f"{document.transcript_html(call.model)}: {read} tokens in, {wrote} out{cost}"))
    if preview.compaction.fixes:
        pairs.append(("Fixes", escaped_text(", ".join(preview.compaction.fixes))))
    mark = preview.count_method.mark
    pairs.append(
        ("Counted", f"{mark} {_METHOD_WORDS.get(mark, '')}: {escaped_text(preview.count_method.label)}")
    )
    return labelled_values(pairs)


def savings_section(document: ReportDocument) -> str:
    group = savings_group(document.columns)
    return (
        "" if not group.facts[:-1] else f'<div class="savings">{"".join(map(_saving_bar, group.facts))}</div>'
    )


def _saving_bar(fact: LabelledFigure) -> str:
    share = f"{100 * fact.fraction:.1f}%" if fact.fraction is not None else "0"
    css = f"f{fact.fate}" if fact.fate >= 0 else "sum"
    bar = f'<i class="{css}" style="width:{share}"></i>'
    return (
        f'<p><span>{escaped_text(fact.label)}</span><span class="track">{bar}</span><b>{fact.value}</b></p>'
    )


def cuts_section(document: ReportDocument) -> str:
    articles = "".join(
        _cut_article(document, why_cut(document.preview, cut.name)) for cut in document.columns.cuts
    )
    return f'<div class="pair">{articles}</div>' if articles else ""


def _cut_article(document: ReportDocument, page: WhyPage) -> str:
    steps = "".join(
        f'<li class="{step.tone}"><b>{document.linked_html(step.title)}</b> '
        f"{document.linked_html(step.detail)}</li>"
        for step in page.steps
    )
    parts = "".join(_why_details(document, section) for section in page.sections)
    return (
        f"<article><h3>{escaped_text(page.title)}</h3><p>{document.linked_html(page.sentence)}</p>"
        f'<ol class="steps">{steps}</ol>{parts}</article>'
    )


def _why_details(document: ReportDocument, part: WhySection) -> str:
    facts_list = (
        labelled_values((fact.label, escaped_text(fact.value)) for fact in part.facts) if part.facts else ""
    )
    text = f"<p>{document.linked_html(part.text)}</p>" if part.text else ""
    return f"<details><summary>{escaped_text(part.title)}</summary>{text}{facts_list}</details>"


def summary_section(document: ReportDocument) -> str:
    """Return the summary text and its figures."""
    preview, summary = document.preview, document.preview.compaction.summary
    if summary is None or preview.unwritten:
        return ""
    places = inserted_messages(document)
    tokens = sum(preview.after_counts[place] for place in places)
    size = f"{number_format.tokens(preview.count_method.mark, tokens)} tokens"
    line = next((cut.text for cut in document.screen.after_cuts if cut.is_compaction), "")
    body = f'<pre class="prose" dir="auto">{linked_text(document, summary.text, _MAX_SUMMARY)}</pre>'
    cut_line = f'<p class="folded now"><b>{line}</b></p>' if line else ""
    author_line = (
        f"<p>Written by {isolated_text(summary.profile)} ({isolated_text(summary.model)}), "
        f"{size} with its answer.</p>"
    )
    return (
        f"{cut_line}{author_line}{findings_section(document)}<details open><summary>Text "
        f"of the summary</summary>{body}</details>"
    )


def recorded_section(document: ReportDocument) -> str:
    return "".join(
        f'<article><p class="folded {row.tone}"><b>{row.text}</b> {document.transcript_html(row.detail)}</p>'
        + (
            f'<details><summary>Its summary</summary><pre class="prose" dir="auto">'
            f"{document.redacted_html(row.summary, _MAX_RECORDED_SUMMARY)}</pre></details>"
            if row.summary
            else ""
        )
        + "</article>"
        for row in document.screen.recorded
    )


def lint_section(document: ReportDocument) -> str:
    """Return the findings of each API for source and result."""
    parts = []
    for sheet in document.screen.lint:
        rows = [
            (
                f'<span class="{row.severity}">{row.severity}</span>',
                _finding_location(document, row),
                isolated_text(row.rule),
                document.transcript_html(row.text),
            )
            for row in sheet.rows[:_MAX_ROWS]
        ]
        unlisted_note = _unlisted_note(len(sheet.rows))
        table = html_table(("", "where", "rule", "finding"), rows) if rows else ""
        tone = f'<span class="{sheet.tone}">{escaped_text(sheet.verdict)}</span>'
        parts.append(f"<article><h3>{escaped_text(sheet.label)} {tone}</h3>{table}{unlisted_note}</article>")
    return "".join(parts)


def _finding_location(document: ReportDocument, row: LintRow) -> str:
    side = "source" if row.side == "before" else "result"
    if row.index < 0:
        return side
    if row.side == "before" and row.index in document.listed_indices:
        return f'{side} <a href="#m{row.index + 1}">#{row.index + 1}</a>'
    return f"{side} #{row.index + 1}"


def settings_section(document: ReportDocument) -> str:
    """Return every effective setting with its layer; values other than the default are bold."""
    rows = []
    for setting in SETTINGS:
        effective = document.preview.values.by_key[setting.key]
        value = escaped_text(setting_text(setting.kind, effective.value))
        layer = effective.layer.value + (
            f" ({isolated_text(effective.profile)})" if effective.profile else ""
        )
        is_default = effective.layer is SettingLayer.DEFAULT
        strong = value if is_default else f"<b>{value}</b>"
        rows.append((escaped_text(setting.label), f"<code>{setting.key}</code>", strong, layer))
    return html_table(("setting", "key", "value", "from"), rows, numeric_columns=frozenset({2}))


def warnings_section(document: ReportDocument) -> str:
    """Return the warnings of reader and strategy."""
    warnings = list(chain(_reader_warnings(document), dict.fromkeys(_run_warnings(document))))
    items = "".join(f"<li>{document.transcript_html(warning)}</li>" for warning in warnings[:_MAX_ROWS])
    return f'<ul class="warnings">{items}</ul>{_unlisted_note(len(warnings))}' if warnings else ""


def _reader_warnings(document: ReportDocument) -> Iterator[str]:
    report = document.preview.conversation.report
    for note in (*report.warnings, *report.repaired):
        yield f"Line {note.line:,}: {note.text}." if note.line else f"{note.text[:1].upper()}{note.text[1:]}."
    for kind, count in report.skipped:
        yield (
            f"Skipped: {number_format.plural(count, 'record')} of kind "
            f"{kind}{report.first_line_note(kind, ', ')}."
        )


def _run_warnings(document: ReportDocument) -> Sequence[str]:
    return (*document.preview.warnings, *document.preview.compaction.warnings)


def _unlisted_note(count: int) -> str:
    return (
        f'<p class="more">{number_format.count(count - _MAX_ROWS)} more are not listed.</p>'
        if count > _MAX_ROWS
        else ""
    )

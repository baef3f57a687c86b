"""The report as one HTML page: no script, nothing loaded, every text escaped."""

from __future__ import annotations

from core.common import number_format
from core.common.version import installed_version
from core.presentation.preview_columns import preview_columns
from core.preview.options import Preview
from core.reports import sections
from core.reports.document import ReportDocument, report_document
from core.reports.fidelity_section import NOTE as FIDELITY_NOTE
from core.reports.fidelity_section import fidelity_section
from core.reports.html_text import attribute_text, escaped_text, report_section
from core.reports.message_section import choose_messages, list_note, messages_section
from core.reports.ruler_svg import ruler_figure
from core.reports.style import report_style
from core.reports.svg_glyphs import glyph_symbols

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""Content security policy: inline style only; no script, request or form."""

_ARROW = (
    '<svg class="arrow" viewBox="0 0 22 10" aria-label="became" role="img">'
    '<path d="M1 5H20M16 1.5L20 5L16 8.5"/></svg>'
)


def html_report(preview: Preview, format_reason: str, *, redact: bool) -> tuple[str, int]:
    """Return the page and the number of secrets in it; ``redact`` replaces them."""
    listed = choose_messages(preview_columns(preview).fates)
    page = report_document(preview, format_reason, listed, redact=redact)
    body = "".join(
        (_page_header(page), _banner(page), _ruler_section(page), _sections(page), _page_footer(page))
    )
    return (
        f"{_document_start(page)}<body>{glyph_symbols()}<main>{body}</main></body></html>\n",
        page.redactor.count,
    )


def _document_start(page: ReportDocument) -> str:
    name = attribute_text(page.redactor.text(page.preview.conversation.document.name or "Conversation"))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f'<meta name="generator" content="Foldline {escaped_text(installed_version())}"><link '
        f'rel="icon" href="data:,">'
        f"<title>{name} · Foldline</title><style>{report_style()}</style></head>"
    )


def _page_header(page: ReportDocument) -> str:
    preview, marks = page.preview, page.screen.marks
    label = sections.format_label(preview.conversation.format)
    count = number_format.plural(len(preview.messages), "message")
    facts = " · ".join(map(escaped_text, (label, count, preview.strategy.name, f"{preview.mode.value} mode")))
    tone = "error" if preview.after_tokens > preview.before_tokens else "ok"
    saved_text = marks.after_saved or "unchanged"
    model = f" · {page.transcript_html(preview.window.model)}" if preview.window.model else ""
    return (
        f'<header class="top"><div><p class="brand">Foldline '
        f"report</p><h1>{page.transcript_html(_page_title(page))}</h1>"
        f'<p class="quiet">{facts}{model}</p></div><p class="big"><span>{marks.before_total}</span>'
        f"{_ARROW}<span>{marks.after_total}</span>"
        f'<b class="{tone}">{escaped_text(saved_text)}</b></p></header>'
    )


def _page_title(page: ReportDocument) -> str:
    return page.preview.conversation.title or page.preview.conversation.document.name or "Conversation"


def _banner(page: ReportDocument) -> str:
    no_op = page.preview.compaction.no_op
    if no_op is None:
        return ""
    return f'<p class="banner"><b>Nothing was compacted.</b> {page.transcript_html(no_op.reason)}</p>'


def _ruler_section(page: ReportDocument) -> str:
    return (
        report_section("ruler", "Before and after", ruler_figure(page.screen))
        if page.preview.messages
        else ""
    )


def _sections(page: ReportDocument) -> str:
    cards = (
        report_section("file", "File", sections.file_facts(page)),
        report_section("run", "Compaction", sections.run_facts(page)),
        report_section("savings", "Where the saving comes from", sections.savings_section(page)),
    )
    parts = (
        f'<div class="cards">{"".join(cards)}</div>',
        report_section("cuts", "Cuts", sections.cuts_section(page)),
        report_section("summary", "Summary", sections.summary_section(page)),
        report_section("recorded", "Recorded compactions", sections.recorded_section(page)),
        report_section("fidelity", "Fidelity", fidelity_section(page), FIDELITY_NOTE),
        report_section("messages", "Messages", messages_section(page), list_note(page)),
        report_section(
            "lint",
            "Lint",
            sections.lint_section(page),
            "What the exporter would write, by the rules of each API.",
        ),
        report_section("settings", "Settings", sections.settings_section(page)),
        report_section("warnings", "Warnings", sections.warnings_section(page)),
    )
    return "".join(parts)


def _page_footer(page: ReportDocument) -> str:
    count = page.redactor.count
    secrets = number_format.plural(count, "secret")
    if not count:
        note = "No secrets were found in the texts shown."
    elif page.redactor.redact:
        note = f"{secrets} in the texts shown {'was' if count == 1 else 'were'} replaced by placeholders."
    else:
        note = f"The texts shown hold {secrets}: redaction was off."
    return (
        f"<footer><p>Foldline {escaped_text(installed_version())}. {note}</p><p>One "
        f"file without scripts; it loads nothing. "
        "Characters that cannot be seen are shown by name.</p></footer>"
    )

"""The report as one page of HTML: no script, nothing loaded from elsewhere, every text escaped."""

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
from core.reports.message_section import choose_messages, cut_note, messages_section
from core.reports.ruler_svg import ruler_figure
from core.reports.style import report_style
from core.reports.svg_glyphs import glyph_symbols

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""What the page allows itself: its own style. No script, no request, no form."""

_ARROW = (
    '<svg class="arrow" viewBox="0 0 22 10" aria-label="became" role="img">'
    '<path d="M1 5H20M16 1.5L20 5L16 8.5"/></svg>'
)


def html_report(made: Preview, why: str, *, redact: bool) -> tuple[str, int]:
    """The page, and how many secrets stood in what it shows; ``redact`` writes over them."""
    listed = choose_messages(preview_columns(made).fates)
    given = report_document(made, why, listed, redact=redact)
    body = "".join((_head(given), _banner(given), _picture(given), _rest(given), _foot(given)))
    return f"{_opening(given)}<body>{glyph_symbols()}<main>{body}</main></body></html>\n", given.cover.count


def _opening(given: ReportDocument) -> str:
    name = attribute_text(given.cover.text(given.made.conversation.document.name or "Conversation"))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f'<meta name="generator" content="Foldline {escaped_text(installed_version())}"><link '
        f'rel="icon" href="data:,">'
        f"<title>{name} · Foldline</title><style>{report_style()}</style></head>"
    )


def _head(given: ReportDocument) -> str:
    made, marks = given.made, given.screen.marks
    label = sections.format_label(made.conversation.format)
    count = number_format.plural(len(made.messages), "message")
    facts = " · ".join(map(escaped_text, (label, count, made.strategy.name, f"{made.mode.value} mode")))
    tone = "error" if made.after_tokens > made.before_tokens else "ok"
    saved = marks.after_saved or "unchanged"
    model = f" · {given.foreign(made.window.model)}" if made.window.model else ""
    return (
        f'<header class="top"><div><p class="brand">Foldline report</p><h1>{given.foreign(_name(given))}</h1>'
        f'<p class="quiet">{facts}{model}</p></div><p class="big"><span>{marks.before_total}</span>'
        f"{_ARROW}<span>{marks.after_total}</span>"
        f'<b class="{tone}">{escaped_text(saved)}</b></p></header>'
    )


def _name(given: ReportDocument) -> str:
    return given.made.conversation.title or given.made.conversation.document.name or "Conversation"


def _banner(given: ReportDocument) -> str:
    no_op = given.made.compaction.no_op
    if no_op is None:
        return ""
    return f'<p class="banner"><b>Nothing was compacted.</b> {given.foreign(no_op.reason)}</p>'


def _picture(given: ReportDocument) -> str:
    return (
        report_section("ruler", "Before and after", ruler_figure(given.screen)) if given.made.messages else ""
    )


def _rest(given: ReportDocument) -> str:
    cards = (
        report_section("file", "File", sections.file_facts(given)),
        report_section("run", "Compaction", sections.run_facts(given)),
        report_section("savings", "Where the saving comes from", sections.savings_section(given)),
    )
    parts = (
        f'<div class="cards">{"".join(cards)}</div>',
        report_section("cuts", "Cuts", sections.cuts_section(given)),
        report_section("summary", "Summary", sections.summary_section(given)),
        report_section("recorded", "Recorded compactions", sections.recorded_section(given)),
        report_section("fidelity", "Fidelity", fidelity_section(given), FIDELITY_NOTE),
        report_section("messages", "Messages", messages_section(given), cut_note(given)),
        report_section(
            "lint",
            "Lint",
            sections.lint_section(given),
            "What the exporter would write, by the rules of each API.",
        ),
        report_section("settings", "Settings", sections.settings_section(given)),
        report_section("warnings", "Warnings", sections.warnings_section(given)),
    )
    return "".join(parts)


def _foot(given: ReportDocument) -> str:
    covered = given.cover.count
    secrets = number_format.plural(covered, "secret")
    if not covered:
        said = "No secrets were found in the texts shown."
    elif given.cover.redact:
        said = f"{secrets} in the texts shown {'was' if covered == 1 else 'were'} replaced by placeholders."
    else:
        said = f"The texts shown hold {secrets}: redaction was off."
    return (
        f"<footer><p>Foldline {escaped_text(installed_version())}. {said}</p><p>One "
        f"file without scripts; it loads nothing. "
        "Characters that cannot be seen are shown by name.</p></footer>"
    )

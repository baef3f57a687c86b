"""The report's part on a summary: findings, and its text with links to the sources."""

from __future__ import annotations

from collections.abc import Iterator

from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.fidelity.source_index import source_index
from core.analysis.summary_check.check import SummaryFinding
from core.analysis.summary_check.preview_summaries import summary_findings, summary_parts
from core.analysis.summary_check.sentence_sources import LinkedSentence, summary_links
from core.analysis.summary_check.summary_sentences import SummaryPart
from core.common import number_format
from core.presentation.fidelity.page import lost_facts
from core.presentation.summary_check.wording import NO_SOURCE, shared_words, summary_verdict
from core.reports.document import ReportDocument
from core.reports.html_text import escaped_text, html_table


def findings_section(page: ReportDocument) -> str:
    """Return a table of findings or a verdict; "" if nothing was checked."""
    findings = summary_findings(page.preview, page.stages)
    if findings is None:
        return ""
    if not findings:
        lost_count = len(lost_facts(fidelity_of(page.preview, page.stages)))
        return f'<p class="{"note" if lost_count else "ok"}">{summary_verdict(findings, lost_count)}</p>'
    rows = [
        (
            f'<span class="{finding.severity}">{finding.severity}</span>',
            _finding_location(page, finding),
            page.transcript_html(finding.text),
        )
        for finding in findings
    ]
    return html_table(("", "where", "finding"), rows)


def _finding_location(page: ReportDocument, finding: SummaryFinding) -> str:
    if not finding.messages:
        return f"result {number_format.message_number(finding.index)}"
    return " ".join(_message_link(page, index) for index in finding.messages[:5])


def _message_link(page: ReportDocument, index: int) -> str:
    name = number_format.message_number(index)
    return f'<a href="#m{index + 1}">{name}</a>' if index in page.listed_indices else name


def linked_text(page: ReportDocument, summary_text: str, max_length: int) -> str:
    """Return the summary as HTML, each sentence followed by the numbers of its sources. Sentences are cut out
    of the redacted text, so that no secret is split."""
    redacted_text = page.redactor.text(summary_text, max_length)
    part = next(
        (
            part_candidate
            for part_candidate in summary_parts(page.preview)
            if part_candidate.text == summary_text
        ),
        None,
    )
    if part is None:
        return escaped_text(redacted_text)
    return "".join(_linked_pieces(page, redacted_text, _linked_sentences(page, part, redacted_text)))


def _linked_sentences(
    page: ReportDocument, part: SummaryPart, redacted_text: str
) -> tuple[LinkedSentence, ...]:
    preview = page.preview
    redacted_part = SummaryPart(part.place, redacted_text, part.origins, redacted_text)
    known_texts = preview.conversation.names
    return summary_links(
        redacted_part, preview.messages, source_index(preview.messages, (redacted_text,), known_texts)
    )


def _linked_pieces(
    page: ReportDocument, redacted_text: str, sentences: tuple[LinkedSentence, ...]
) -> Iterator[str]:
    position = 0
    for sentence in sentences:
        end = sentence.start + len(sentence.text)
        yield escaped_text(redacted_text[position:end])
        yield _source_marks(page, sentence)
        position = end
    yield escaped_text(redacted_text[position:])


def _source_marks(page: ReportDocument, sentence: LinkedSentence) -> str:
    """Return the source numbers of a sentence; their title is what they share. The style sheet writes them,
    so that the summary can be copied without them."""
    invented = ", ".join(sentence.invented)
    if not sentence.links:
        return _source_label(
            "span", f"{NO_SOURCE}{f' · invented: {invented}' if invented else ''}", css="from warn"
        )
    title = ", ".join(shared_words(sentence.links, page.preview.conversation.cwd))
    links = [_source_mark(page, link.message, title) for link in sentence.links]
    return "".join(
        (*links, _source_label("span", f"invented: {invented}", css="from warn") if invented else "")
    )


def _source_mark(page: ReportDocument, index: int, title: str) -> str:
    name = number_format.message_number(index)
    return (
        _source_label("a", name, title, f"#m{index + 1}")
        if index in page.listed_indices
        else _source_label("span", name, title)
    )


def _source_label(tag: str, label: str, title: str = "", href: str = "", css: str = "from") -> str:
    href_attribute = f' href="{href}"' if href else ""
    title_attribute = f' title="{escaped_text(title)}"' if title else ""
    return (
        f'<{tag} class="{css}"{href_attribute}{title_attribute} data-says="{escaped_text(label)}" '
        f'aria-label="{escaped_text(label)}"></{tag}>'
    )

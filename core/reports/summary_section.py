"""The report's part on a summary: findings, and its text with links to the sources."""

from __future__ import annotations

from collections.abc import Iterator

from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.fidelity.source_index import source_index
from core.analysis.summary_check.check import SummaryFinding
from core.analysis.summary_check.preview_summaries import check_of, summary_parts
from core.analysis.summary_check.sentence_sources import LinkedSentence, summary_links
from core.analysis.summary_check.summary_sentences import SummaryPart
from core.common import number_format
from core.presentation.fidelity.page import lost_facts
from core.presentation.summary_check.wording import NO_SOURCE, shared_words, summary_verdict
from core.reports.document import ReportDocument
from core.reports.html_text import escaped_text, html_table


def findings_section(page: ReportDocument) -> str:
    """Return a table of findings or a verdict; "" if nothing was checked."""
    findings = check_of(page.preview, page.stages)
    if findings is None:
        return ""
    if not findings:
        lost = len(lost_facts(fidelity_of(page.preview, page.stages)))
        return f'<p class="{"note" if lost else "ok"}">{summary_verdict(findings, lost)}</p>'
    rows = [
        (f'<span class="{one.severity}">{one.severity}</span>', _where(page, one), page.foreign(one.text))
        for one in findings
    ]
    return html_table(("", "where", "finding"), rows)


def _where(page: ReportDocument, finding: SummaryFinding) -> str:
    if not finding.messages:
        return f"result {number_format.message(finding.index)}"
    return " ".join(_message_link(page, index) for index in finding.messages[:5])


def _message_link(page: ReportDocument, index: int) -> str:
    name = number_format.message(index)
    return f'<a href="#m{index + 1}">{name}</a>' if index in page.listed_indices else name


def linked_text(page: ReportDocument, whole: str, most: int) -> str:
    """Return the summary as HTML, each sentence followed by the numbers of its sources. Sentences are cut out
    of the redacted text, so that no secret is split."""
    covered = page.redactor.text(whole, most)
    part = next((one for one in summary_parts(page.preview) if one.text == whole), None)
    if part is None:
        return escaped_text(covered)
    return "".join(_linked_pieces(page, covered, _sentences(page, part, covered)))


def _sentences(page: ReportDocument, part: SummaryPart, covered: str) -> tuple[LinkedSentence, ...]:
    preview = page.preview
    covered_part = SummaryPart(part.place, covered, part.origins, covered)
    known = preview.conversation.names
    return summary_links(covered_part, preview.messages, source_index(preview.messages, (covered,), known))


def _linked_pieces(
    page: ReportDocument, covered: str, sentences: tuple[LinkedSentence, ...]
) -> Iterator[str]:
    position = 0
    for sentence in sentences:
        end = sentence.start + len(sentence.text)
        yield escaped_text(covered[position:end])
        yield _source_marks(page, sentence)
        position = end
    yield escaped_text(covered[position:])


def _source_marks(page: ReportDocument, sentence: LinkedSentence) -> str:
    """Return the source numbers of a sentence; their title is what they share. The style sheet writes them,
    so that the summary can be copied without them."""
    invented = ", ".join(sentence.invented)
    if not sentence.links:
        return _mark("span", f"{NO_SOURCE}{f' · invented: {invented}' if invented else ''}", css="from warn")
    title = ", ".join(shared_words(sentence.links, page.preview.conversation.cwd))
    links = [_source_mark(page, link.message, title) for link in sentence.links]
    return "".join((*links, _mark("span", f"invented: {invented}", css="from warn") if invented else ""))


def _source_mark(page: ReportDocument, index: int, title: str) -> str:
    name = number_format.message(index)
    return (
        _mark("a", name, title, f"#m{index + 1}")
        if index in page.listed_indices
        else _mark("span", name, title)
    )


def _mark(tag: str, said: str, title: str = "", to: str = "", css: str = "from") -> str:
    there = f' href="{to}"' if to else ""
    about = f' title="{escaped_text(title)}"' if title else ""
    return (
        f'<{tag} class="{css}"{there}{about} data-says="{escaped_text(said)}" '
        f'aria-label="{escaped_text(said)}"></{tag}>'
    )

"""The report's part on a summary: what its check found, and its text with links to the sources."""

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


def findings_section(paper: ReportDocument) -> str:
    """The findings as a table, or that there are none; "" where nothing was checked."""
    found = check_of(paper.made, paper.stages)
    if found is None:
        return ""
    if not found:
        lost = len(lost_facts(fidelity_of(paper.made, paper.stages)))
        return f'<p class="{"note" if lost else "ok"}">{summary_verdict(found, lost)}</p>'
    rows = [
        (f'<span class="{one.severity}">{one.severity}</span>', _where(paper, one), paper.foreign(one.text))
        for one in found
    ]
    return html_table(("", "where", "finding"), rows)


def _where(paper: ReportDocument, one: SummaryFinding) -> str:
    if not one.messages:
        return f"result {number_format.message(one.place)}"
    return " ".join(_named(paper, index) for index in one.messages[:5])


def _named(paper: ReportDocument, index: int) -> str:
    name = number_format.message(index)
    return f'<a href="#m{index + 1}">{name}</a>' if index in paper.places else name


def linked_text(paper: ReportDocument, whole: str, most: int) -> str:
    """The text of the summary as HTML, behind each sentence the numbers of its sources.

    Sentences are cut out of the covered text, so that no secret is parted by them.
    """
    covered = paper.cover.text(whole, most)
    part = next((one for one in summary_parts(paper.made) if one.text == whole), None)
    if part is None:
        return escaped_text(covered)
    return "".join(_pieces(paper, covered, _sentences(paper, part, covered)))


def _sentences(paper: ReportDocument, part: SummaryPart, covered: str) -> tuple[LinkedSentence, ...]:
    made = paper.made
    shown = SummaryPart(part.place, covered, part.origins, covered)
    known = made.conversation.names
    return summary_links(shown, made.messages, source_index(made.messages, (covered,), known))


def _pieces(paper: ReportDocument, covered: str, sentences: tuple[LinkedSentence, ...]) -> Iterator[str]:
    at = 0
    for one in sentences:
        end = one.start + len(one.text)
        yield escaped_text(covered[at:end])
        yield _marks(paper, one)
        at = end
    yield escaped_text(covered[at:])


def _marks(paper: ReportDocument, one: LinkedSentence) -> str:
    """The numbers behind a sentence; what it shares with its sources is their title.

    They are written by the style sheet, so that the summary is copied as it is.
    """
    made_up = ", ".join(one.invented)
    if not one.links:
        return _mark("span", f"{NO_SOURCE}{f' · invented: {made_up}' if made_up else ''}", css="from warn")
    title = ", ".join(shared_words(one.links, paper.made.conversation.cwd))
    links = [_to_message(paper, link.message, title) for link in one.links]
    return "".join((*links, _mark("span", f"invented: {made_up}", css="from warn") if made_up else ""))


def _to_message(paper: ReportDocument, index: int, title: str) -> str:
    name = number_format.message(index)
    return _mark("a", name, title, f"#m{index + 1}") if index in paper.places else _mark("span", name, title)


def _mark(tag: str, said: str, title: str = "", to: str = "", css: str = "from") -> str:
    there = f' href="{to}"' if to else ""
    about = f' title="{escaped_text(title)}"' if title else ""
    return (
        f'<{tag} class="{css}"{there}{about} data-says="{escaped_text(said)}" '
        f'aria-label="{escaped_text(said)}"></{tag}>'
    )

"""The report's section on fidelity: facts by category, and the lost ones."""

from __future__ import annotations

from core.analysis.fidelity.evaluate import fidelity_of
from core.common import number_format
from core.presentation.fidelity.model import STATUSES, FidelityBar, FidelityFactRow, FidelityPage
from core.presentation.fidelity.page import fidelity_page
from core.reports.document import ReportDocument
from core.reports.html_text import escaped_text, html_table, labelled_values

NOTE = "What a later turn may need, and how much of it the result still holds."
_MAX_ROWS = 200
_LISTED_STATUSES = {"needed": "used later", "flipped": "turned round", "lost": "lost", "invented": "invented"}


def fidelity_section(document: ReportDocument) -> str:
    """Return the weighted figure, a table by category, and lost facts with links."""
    page = fidelity_page(document.preview, fidelity_of(document.preview, document.stages))
    if not page.bars:
        return ""
    rows = [row for row in page.rows if row.status in _LISTED_STATUSES]
    return f"{_figures(page)}{_category_table(page)}{_lost_facts(document, rows)}"


def _figures(page: FidelityPage) -> str:
    pairs = [
        ("Weighted fidelity", f"<b>{page.figure}</b>"),
        ("Still there", escaped_text(page.facts)),
        ("By place, first to last", " ".join(map(number_format.score, page.curve))),
    ]
    later_use_text = "".join(span.text for span in page.needed if not span.link.startswith("scope"))
    return (
        f"{labelled_values(pairs)}<p>{escaped_text(page.note)} "
        f"{escaped_text(later_use_text.removesuffix(' .'))}</p>"
    )


def _category_table(page: FidelityPage) -> str:
    titles = ("", *(status.value for status in STATUSES), "still there")
    return html_table(
        titles, map(_category_cells, page.bars), numeric_columns=frozenset(range(1, len(titles)))
    )


def _category_cells(bar: FidelityBar) -> tuple[str, ...]:
    return (escaped_text(bar.label), *map(number_format.count, bar.counts), escaped_text(bar.not_lost))


def _lost_facts(document: ReportDocument, rows: list[FidelityFactRow]) -> str:
    if not rows:
        return ""
    cells = [
        (
            _LISTED_STATUSES[row.status],
            escaped_text(row.label),
            _location(document, row),
            document.transcript_html(row.text),
        )
        for row in rows[:_MAX_ROWS]
    ]
    table = html_table(("", "category", "where", "fact"), cells)
    unlisted_count = len(rows) - _MAX_ROWS
    unlisted_note = (
        f'<p class="more">{number_format.count(unlisted_count)} more are not listed.</p>'
        if unlisted_count > 0
        else ""
    )
    title = f"{number_format.plural(len(rows), 'fact')} lost or changed"
    return f"<details open><summary>{title}</summary>{table}{unlisted_note}</details>"


def _location(document: ReportDocument, row: FidelityFactRow) -> str:
    if row.source_index in document.listed_indices:
        return f'<a href="#m{row.source_index + 1}">#{row.source_index + 1}</a>'
    return f"#{row.source_index + 1}" if row.source_index >= 0 else f"result #{row.result_index + 1}"

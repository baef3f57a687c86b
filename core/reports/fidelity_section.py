"""The report's section on fidelity: facts by category, and the lost ones."""

from __future__ import annotations

from core.analysis.fidelity.evaluate import fidelity_of
from core.common import number_format
from core.presentation.fidelity.model import STATUSES, FidelityBar, FidelityFactRow, FidelityPage
from core.presentation.fidelity.page import fidelity_page
from core.reports.document import ReportDocument
from core.reports.html_text import escaped_text, html_table, labelled_values

NOTE = "What a later turn may need, and how much of it the result still holds."
_ROWS = 200
_LISTED = {"needed": "used later", "flipped": "turned round", "lost": "lost", "invented": "invented"}


def fidelity_section(document: ReportDocument) -> str:
    """Return the weighted figure, a table by category, and lost facts with links."""
    page = fidelity_page(document.preview, fidelity_of(document.preview, document.stages))
    if not page.bars:
        return ""
    rows = [row for row in page.rows if row.status in _LISTED]
    return f"{_head(page)}{_bars(page)}{_lost(document, rows)}"


def _head(page: FidelityPage) -> str:
    pairs = [
        ("Weighted fidelity", f"<b>{page.figure}</b>"),
        ("Still there", escaped_text(page.facts)),
        ("By place, first to last", " ".join(map(number_format.score, page.curve))),
    ]
    used = "".join(span.text for span in page.needed if not span.link.startswith("scope"))
    return f"{labelled_values(pairs)}<p>{escaped_text(page.note)} {escaped_text(used.removesuffix(' .'))}</p>"


def _bars(page: FidelityPage) -> str:
    head = ("", *(status.value for status in STATUSES), "still there")
    return html_table(head, map(_bar, page.bars), figures=frozenset(range(1, len(head))))


def _bar(bar: FidelityBar) -> tuple[str, ...]:
    return (escaped_text(bar.label), *map(number_format.count, bar.counts), escaped_text(bar.not_lost))


def _lost(document: ReportDocument, rows: list[FidelityFactRow]) -> str:
    if not rows:
        return ""
    cells = [
        (_LISTED[row.status], escaped_text(row.label), _where(document, row), document.foreign(row.text))
        for row in rows[:_ROWS]
    ]
    listed = html_table(("", "category", "where", "fact"), cells)
    rest = len(rows) - _ROWS
    more = f'<p class="more">{number_format.count(rest)} more are not listed.</p>' if rest > 0 else ""
    title = f"{number_format.plural(len(rows), 'fact')} lost or changed"
    return f"<details open><summary>{title}</summary>{listed}{more}</details>"


def _where(document: ReportDocument, row: FidelityFactRow) -> str:
    if row.source in document.listed_indices:
        return f'<a href="#m{row.source + 1}">#{row.source + 1}</a>'
    return f"#{row.source + 1}" if row.source >= 0 else f"result #{row.place + 1}"

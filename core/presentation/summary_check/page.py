"""Formats a summary's check and its sentences' sources for the window."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.summary_check.check import ERROR, SummaryFinding
from core.analysis.summary_check.sentence_sources import LinkedSentence
from core.common import number_format
from core.common.excerpts import one_line_text
from core.presentation import message_links
from core.presentation.model import TextSpan, WhySection
from core.presentation.summary_check.model import SentenceRow, SummaryFindingRow, SummaryPage
from core.presentation.summary_check.wording import links_text, links_verdict, summary_verdict

CHECK_TITLE = "Summary check"
SENTENCES_TITLE = "Where its sentences come from"
SENTENCE_LINK = "sentence"
"""Prefix of links to a sentence: "sentence:12" is the thirteenth."""

_MAX_SENTENCES = 120  # sentences of a Why page
_MAX_QUOTE = 100  # characters of a sentence there


def summary_page(
    result_index: int,
    findings: Sequence[SummaryFinding] | None,
    sentences: Sequence[LinkedSentence],
    folder: str = "",
    lost: int | None = None,
) -> SummaryPage:
    """Return the page of a summary, or with ``result_index`` -1 of the check only. Paths are relative to the
    session's ``folder``; ``lost`` facts prevent a green verdict."""
    all_findings = findings or ()
    tone = (
        ("" if lost else "ok")
        if not all_findings
        else "error"
        if all_findings[0].severity == ERROR
        else "warn"
    )
    rows = tuple(_sentence(sentence, folder) for sentence in sentences)
    sections = [check_section(findings, lost)]
    if rows:
        sections.append(WhySection(SENTENCES_TITLE, _sentence_list(rows, links_verdict(sentences))))
    return SummaryPage(
        result_index,
        "" if findings is None else summary_verdict(findings, lost),
        "" if findings is None else tone,
        tuple(map(finding_row, all_findings)),
        rows,
        links_verdict(sentences) if rows else "",
        tuple(sentence for sentence in sections if sentence is not None),
    )


def check_section(findings: Sequence[SummaryFinding] | None, lost: int | None = None) -> WhySection | None:
    """Return the findings with links, a line each; None if nothing was checked."""
    if findings is None:
        return None
    parts: list[str | TextSpan] = [summary_verdict(findings, lost)]
    for finding in map(finding_row, findings):
        parts += [
            "\n",
            f"{finding.severity}, ",
            TextSpan(finding.location, finding.link),
            f": {finding.text}",
        ]
    return WhySection(CHECK_TITLE, message_links.sentence_spans(*parts))


def finding_row(finding: SummaryFinding) -> SummaryFindingRow:
    if finding.messages:
        index = finding.messages[0]
        return SummaryFindingRow(
            finding.severity,
            one_line_text(finding.text),
            f"before:{index}",
            number_format.message_number(index),
        )
    location = f"result {number_format.message_number(finding.index)}"
    return SummaryFindingRow(
        finding.severity, one_line_text(finding.text), f"after:{finding.index}", location
    )


def _sentence(sentence: LinkedSentence, folder: str) -> SentenceRow:
    tone = "" if sentence.links and not sentence.invented else "warn"
    return SentenceRow(
        sentence.text, links_text(sentence, folder), tuple(link.message for link in sentence.links), tone
    )


def _sentence_list(rows: Sequence[SentenceRow], verdict: str) -> tuple[TextSpan, ...]:
    """Return each sentence with a numbered link and its sources."""
    parts: list[str | TextSpan] = [f"{verdict} Its number shows a sentence in the text."]
    for number, row in enumerate(rows[:_MAX_SENTENCES]):
        parts += [
            "\n",
            TextSpan(f"{number + 1}", f"{SENTENCE_LINK}:{number}"),
            f" {one_line_text(row.text, _MAX_QUOTE)} ",
        ]
        parts += ["(", *row.origin_text, ")"]
    unlisted_count = len(rows) - _MAX_SENTENCES
    return message_links.sentence_spans(
        *parts,
        f"\nAnd {number_format.plural(unlisted_count, 'more sentence')}." if unlisted_count > 0 else "",
    )

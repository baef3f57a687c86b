"""A summary's check and the sources of its sentences, in words for the window."""

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

CHECK = "Summary check"
SENTENCES = "Where its sentences come from"
SENTENCE = "sentence"
"""Begins links that choose a sentence of a summary: "sentence:12" is the thirteenth."""

_LISTED = 120  # sentences of a Why page
_QUOTED = 100  # characters of a sentence there


def summary_page(
    place: int,
    findings: Sequence[SummaryFinding] | None,
    sentences: Sequence[LinkedSentence],
    folder: str = "",
    lost: int | None = None,
) -> SummaryPage:
    """The page of a summary in the result, or with ``place`` -1 that of the check alone; paths are told
    from the ``folder`` of the session. ``lost`` known facts take the green from a check without a finding."""
    found = findings or ()
    tone = ("" if lost else "ok") if not found else "error" if found[0].severity == ERROR else "warn"
    rows = tuple(_sentence(one, folder) for one in sentences)
    sections = [check_section(findings, lost)]
    if rows:
        sections.append(WhySection(SENTENCES, _listed(rows, links_verdict(sentences))))
    return SummaryPage(
        place,
        "" if findings is None else summary_verdict(findings, lost),
        "" if findings is None else tone,
        tuple(map(finding_row, found)),
        rows,
        links_verdict(sentences) if rows else "",
        tuple(one for one in sections if one is not None),
    )


def check_section(findings: Sequence[SummaryFinding] | None, lost: int | None = None) -> WhySection | None:
    """What the check found, a line each, with links; None where there was nothing to check."""
    if findings is None:
        return None
    parts: list[str | TextSpan] = [summary_verdict(findings, lost)]
    for one in map(finding_row, findings):
        parts += ["\n", f"{one.severity}, ", TextSpan(one.where, one.link), f": {one.text}"]
    return WhySection(CHECK, message_links.sentence_spans(*parts))


def finding_row(one: SummaryFinding) -> SummaryFindingRow:
    """A finding with the way to the message that it is about."""
    if one.messages:
        index = one.messages[0]
        return SummaryFindingRow(
            one.severity, one_line_text(one.text), f"before:{index}", number_format.message(index)
        )
    where = f"result {number_format.message(one.place)}"
    return SummaryFindingRow(one.severity, one_line_text(one.text), f"after:{one.place}", where)


def _sentence(one: LinkedSentence, folder: str) -> SentenceRow:
    tone = "" if one.links and not one.invented else "warn"
    return SentenceRow(one.text, links_text(one, folder), tuple(link.message for link in one.links), tone)


def _listed(rows: Sequence[SentenceRow], said: str) -> tuple[TextSpan, ...]:
    """Each sentence behind a number that chooses it, and where it comes from."""
    parts: list[str | TextSpan] = [f"{said} Its number shows a sentence in the text."]
    for number, row in enumerate(rows[:_LISTED]):
        parts += [
            "\n",
            TextSpan(f"{number + 1}", f"{SENTENCE}:{number}"),
            f" {one_line_text(row.text, _QUOTED)} ",
        ]
        parts += ["(", *row.says, ")"]
    rest = len(rows) - _LISTED
    return message_links.sentence_spans(
        *parts, f"\nAnd {number_format.plural(rest, 'more sentence')}." if rest > 0 else ""
    )

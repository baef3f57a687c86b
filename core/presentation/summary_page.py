"""Formats a summary's check and its sentences' sources for the window."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.summary_check.check import ERROR, SummaryFinding
from core.analysis.summary_check.sentence_sources import LinkedSentence, SourceLink
from core.common import number_format
from core.common.excerpts import one_line_text
from core.presentation.inspector_model import (
    SentenceRow,
    SummaryFindingRow,
    SummaryPage,
    TextSpan,
    WhySection,
)
from core.presentation.why import message_link, sentence_spans

NO_SOURCE = "no source found"
_MAX_FACTS, _MAX_FACT_LENGTH = 4, 60  # shared facts listed, and characters of each


def summary_verdict(
    findings: Sequence[SummaryFinding], lost: int | None = None, sections: Sequence[tuple[str, bool]] = ()
) -> str:
    """Return "All 9 sections are there; 10 known facts are lost."; ``lost`` None: not counted. ``sections``
    are those of the prompt, and whether the summary has each."""
    errors = sum(finding.severity == ERROR for finding in findings)
    there = sum(is_there for _, is_there in sections)
    counts = ((errors, "error"), (len(findings) - errors, "warning"))
    parts = [", ".join(number_format.plural(count, finding) for count, finding in counts if count)]
    if sections:
        share = "All" if there == len(sections) else f"{there} of"
        parts.insert(0, f"{share} {len(sections)} sections are there")
    elif not findings:
        parts = ["Sections, open tasks, rules, paths and the last request are in order"]
    if lost is not None:
        parts.append(f"{number_format.plural(lost, 'known fact')} {'is' if lost == 1 else 'are'} lost")
    return f"{'; '.join(filter(None, parts))}."


def links_text(sentence: LinkedSentence, folder: str = "") -> tuple[TextSpan, ...]:
    """Return "from #12, #40: src/a.py, 429" with links, or that there is no source. Paths are relative to the
    session's ``folder``."""
    parts: list[str | TextSpan] = []
    for number, link in enumerate(sentence.links):
        parts += [", " if number else "from ", message_link("before", link.message)]
    parts.append(f": {', '.join(shared_words(sentence.links, folder))}" if sentence.links else NO_SOURCE)
    if sentence.invented:
        invented = ", ".join(one_line_text(fact, _MAX_FACT_LENGTH) for fact in sentence.invented[:_MAX_FACTS])
        parts.append(f" · invented: {invented}")
    return sentence_spans(*parts)


def shared_words(links: Sequence[SourceLink], folder: str = "") -> tuple[str, ...]:
    """Return what a sentence shares with its sources, best source first."""
    start = f"{folder.rstrip('/')}/" if folder else ""
    shared_facts = dict.fromkeys(fact.removeprefix(start) for link in links for fact in link.facts)
    return tuple(one_line_text(fact, _MAX_FACT_LENGTH) for fact in shared_facts)[:_MAX_FACTS]


def links_verdict(sentences: Sequence[LinkedSentence]) -> str:
    linked = number_format.count(sum(bool(sentence.links) for sentence in sentences))
    invented = sum(len(sentence.invented) for sentence in sentences)
    text = f"{linked} of {number_format.plural(len(sentences), 'sentence')} have a source"
    return f"{text}; {number_format.plural(invented, 'thing')} in no source." if invented else f"{text}."


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
    sections: tuple[tuple[str, bool], ...] = (),
) -> SummaryPage:
    """Return the page of a summary, or with ``result_index`` -1 of the check only. Paths are relative to the
    session's ``folder``; ``lost`` facts and missing sections prevent a green verdict."""
    tone, verdict = "", ""
    if findings is not None:
        verdict = summary_verdict(findings, lost if result_index >= 0 else None, sections)
        tone = "warn" if not all(there for _, there in sections) else "" if lost else "ok"
    if findings:
        tone = "error" if findings[0].severity == ERROR else "warn"
    rows = tuple(
        SentenceRow(
            one.text,
            links_text(one, folder),
            tuple(link.message for link in one.links),
            "" if one.links and not one.invented else "warn",
        )
        for one in sentences
    )
    why = [check_section(findings, lost)]
    if rows:
        why.append(WhySection(SENTENCES_TITLE, _sentence_list(rows, links_verdict(sentences))))
    return SummaryPage(
        result_index,
        verdict,
        tone,
        tuple(map(finding_row, findings or ())),
        rows,
        links_verdict(sentences) if rows else "",
        tuple(section for section in why if section is not None),
        lost or 0,
        "" if lost is None else lost_sentence(lost),
        sections,
    )


def lost_sentence(lost: int) -> str:
    """Return what an export of the result would say about facts: "10 known facts are not in the result."."""
    if not lost:
        return "Every known fact is in the result."
    return f"{number_format.plural(lost, 'known fact')} {'is' if lost == 1 else 'are'} not in the result."


def check_section(findings: Sequence[SummaryFinding] | None, lost: int | None = None) -> WhySection | None:
    """Return the findings with links, a line each; None if nothing was checked."""
    if findings is None:
        return None
    parts: list[str | TextSpan] = [summary_verdict(findings, lost)]
    for one in map(finding_row, findings):
        parts += [f"\n{one.severity}, ", TextSpan(one.location, one.link), f": {one.text}"]
    return WhySection(CHECK_TITLE, sentence_spans(*parts))


def finding_row(finding: SummaryFinding) -> SummaryFindingRow:
    side, index, place = "after", finding.index, "result "
    if finding.messages:
        side, index, place = "before", finding.messages[0], ""
    location = f"{place}{number_format.message_number(index)}"
    return SummaryFindingRow(finding.severity, one_line_text(finding.text), f"{side}:{index}", location)


def _sentence_list(rows: Sequence[SentenceRow], verdict: str) -> tuple[TextSpan, ...]:
    """Return each sentence with a numbered link and its sources."""
    parts: list[str | TextSpan] = [f"{verdict} Its number shows a sentence in the text."]
    for number, row in enumerate(rows[:_MAX_SENTENCES]):
        link = TextSpan(f"{number + 1}", f"{SENTENCE_LINK}:{number}")
        parts += ["\n", link, f" {one_line_text(row.text, _MAX_QUOTE)} ", "(", *row.origin_text, ")"]
    if (unlisted_count := len(rows) - _MAX_SENTENCES) > 0:
        parts.append(f"\nAnd {number_format.plural(unlisted_count, 'more sentence')}.")
    return sentence_spans(*parts)

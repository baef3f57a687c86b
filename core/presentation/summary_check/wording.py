"""Wording of a summary's check and of its sentences' sources."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.summary_check.check import ERROR, SummaryFinding
from core.analysis.summary_check.sentence_sources import LinkedSentence, SourceLink
from core.common import number_format
from core.common.excerpts import one_line_text
from core.presentation import message_links
from core.presentation.model import TextSpan

NO_SOURCE = "no source found"

_MAX_FACTS, _MAX_FACT_LENGTH = 4, 60  # shared facts listed, and characters of each


def summary_verdict(findings: Sequence[SummaryFinding], lost: int | None = None) -> str:
    """Return the check in one sentence; ``lost`` counts lost facts, None if not counted."""
    errors = sum(finding.severity == ERROR for finding in findings)
    counts = ((errors, "error"), (len(findings) - errors, "warning"))
    findings_text = ", ".join(number_format.plural(count, finding) for count, finding in counts if count)
    findings_text = findings_text or "sections, open tasks, rules, paths and the last request are in order"
    facts = "" if lost is None else f"; {number_format.plural(lost, 'known fact')} lost"
    return f"The summary was checked: {findings_text}{facts}."


def links_text(sentence: LinkedSentence, folder: str = "") -> tuple[TextSpan, ...]:
    """Return "from #12, #40: src/a.py, 429" with links, or that there is no source. Paths are relative to the
    session's ``folder``."""
    parts: list[str | TextSpan] = []
    for number, link in enumerate(sentence.links):
        parts += [", " if number else "from ", message_links.message_link("before", link.message)]
    if sentence.links:
        parts.append(f": {', '.join(shared_words(sentence.links, folder))}")
    else:
        parts.append(NO_SOURCE)
    if sentence.invented:
        invented_text = ", ".join(
            one_line_text(invented_fact, _MAX_FACT_LENGTH) for invented_fact in sentence.invented[:_MAX_FACTS]
        )
        parts.append(f" · invented: {invented_text}")
    return message_links.sentence_spans(*parts)


def shared_words(links: Sequence[SourceLink], folder: str = "") -> tuple[str, ...]:
    """Return what a sentence shares with its sources, best source first."""
    start = f"{folder.rstrip('/')}/" if folder else ""
    shared_facts = dict.fromkeys(fact.removeprefix(start) for link in links for fact in link.facts)
    return tuple(one_line_text(fact, _MAX_FACT_LENGTH) for fact in shared_facts)[:_MAX_FACTS]


def links_verdict(sentences: Sequence[LinkedSentence]) -> str:
    """Return how many sentences have a source."""
    linked = sum(bool(sentence.links) for sentence in sentences)
    invented = sum(len(sentence.invented) for sentence in sentences)
    text = (
        f"{number_format.count(linked)} of {number_format.plural(len(sentences), 'sentence')} have a source"
    )
    return f"{text}; {number_format.plural(invented, 'thing')} in no source." if invented else f"{text}."

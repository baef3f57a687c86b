"""Checks a summary by strings before its result is used: sections, size, names that no source has,
words of the person that nobody said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.facts.name_patterns import NameKind
from core.facts.sentences import shorten
from core.losses.model import NowhereName, SummaryEvidence, UnsaidWords
from core.losses.summary_sentences import SummaryPart
from core.summarize.summary_lines import EMPTY_SECTIONS_PREFIX

WARNING = "warning"
"""No finding is an error: a summary that lacks something can still be what the person wants."""

_MAX_QUOTATION = 90  # characters of a quotation
_MAX_FINDINGS = 10  # findings per rule; the rest is counted
_BEFORE_TITLE, _AFTER_TITLE = r"^[ \t]*(?:<|[#*_\d.)\s]*)", r"[ \t]*(?:[>:*_–—-]|$)"
_NOUNS = {NameKind.PATH: "path", NameKind.URL: "address", NameKind.NUMBER: "number"}


@dataclass(frozen=True, slots=True)
class SummaryFinding:
    """``rule`` is a stable id ("dropped-todo"), ``text`` one sentence, ``messages`` are source
    indices, ``index`` is the index of the summary in the result."""

    severity: str
    rule: str
    text: str
    messages: tuple[int, ...]
    index: int


def summary_check(
    parts: Sequence[SummaryPart],
    evidence: SummaryEvidence,
    sections: Sequence[str],
    sizes: Mapping[int, tuple[int, int]],
) -> tuple[SummaryFinding, ...]:
    """Return all findings about the summaries of a result. ``sections`` are those that the prompt
    required of the first; ``sizes`` are (source tokens, summary tokens) by index."""
    if not parts:
        return ()
    return (
        *_missing_sections(parts[0], sections),
        *_said_by_nobody(evidence.unsaid),
        *_names_from_nowhere(evidence.nowhere),
        *_oversized_summaries(parts, sizes),
    )


def _missing_sections(
    first_part: SummaryPart, sections: Sequence[str]
) -> Iterator[SummaryFinding]:
    missing_sections = [
        name for name in sections if not has_section(first_part.text, name)
    ]
    if not missing_sections:
        return
    if len(missing_sections) == len(sections) > 1:
        text = f"None of the {len(missing_sections)} sections that the prompt asks for is there."
    else:
        section_list = ", ".join(missing_sections)
        noun, verb = (
            ("Section", "asks for it")
            if len(missing_sections) == 1
            else ("Sections", "asks for them")
        )
        text = f"{noun} missing: {section_list}; the prompt {verb}."
    yield SummaryFinding(WARNING, "missing-section", text, (), first_part.index)


def has_section(text: str, name: str) -> bool:
    """Return whether a text has a section of this name, as a tag or as a heading."""
    name_pattern = r"[ _]".join(map(re.escape, re.split(r"[ _]", name)))
    title_pattern = rf"{_BEFORE_TITLE}{name_pattern}{_AFTER_TITLE}"
    empty_pattern = rf"^{re.escape(EMPTY_SECTIONS_PREFIX)}(?:.*, )?{name_pattern}[,.]"  # listed as empty
    tag_pattern = rf"<{name_pattern}>"  # a snapshot may stand on one line
    return (
        re.search(
            f"{title_pattern}|{empty_pattern}|{tag_pattern}",
            text,
            re.IGNORECASE | re.MULTILINE,
        )
        is not None
    )


def _said_by_nobody(unsaid: Sequence[UnsaidWords]) -> Iterator[SummaryFinding]:
    """Report quotations and orders given to the person that no message of the person holds."""
    findings = []
    for one in unsaid:
        words = shorten(one.text, _MAX_QUOTATION)
        text = f"It gives “{words}” to you; these words stand in none of your messages."
        if not one.is_quoted:
            text = f"It says that you asked “{words}”; none of your messages says so in like words."
        findings.append(
            SummaryFinding(WARNING, "said-by-nobody", text, (), one.result_index)
        )
    yield from _capped(findings, "that stand in none of your messages")


def _names_from_nowhere(nowhere: Sequence[NowhereName]) -> Iterator[SummaryFinding]:
    """Report names, paths, addresses and numbers that no message has."""
    findings = []
    for name in nowhere:
        noun = _NOUNS.get(name.kind, "name")
        text = f"The {noun} {shorten(name.text, _MAX_QUOTATION)} stands nowhere in the source."
        findings.append(SummaryFinding(WARNING, "nowhere", text, (), name.result_index))
    yield from _capped(findings, "names and numbers")


def _oversized_summaries(
    parts: Sequence[SummaryPart], sizes: Mapping[int, tuple[int, int]]
) -> Iterator[SummaryFinding]:
    """Report summaries with more tokens than their source."""
    findings = []
    for part in parts:
        source_size, size = sizes.get(part.index, (0, 0))
        if size > source_size > 0:
            text = f"It is larger than its source: {size:,} tokens for {source_size:,}."
            findings.append(
                SummaryFinding(
                    WARNING, "larger-than-source", text, part.origins[:1], part.index
                )
            )
    yield from _capped(findings, "summaries larger than their source")


def _capped(findings: list[SummaryFinding], noun: str) -> Iterator[SummaryFinding]:
    yield from findings[:_MAX_FINDINGS]
    uncapped = findings[_MAX_FINDINGS:]
    if uncapped:
        text = f"And {len(uncapped):,} more {noun}."
        messages = tuple(
            sorted({index for finding in uncapped for index in finding.messages})
        )
        yield SummaryFinding(
            uncapped[0].severity, uncapped[0].rule, text, messages, uncapped[0].index
        )

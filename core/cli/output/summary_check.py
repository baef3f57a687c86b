"""Findings on a summary and its links: as JSON, as lines of a report, as notes."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.summary_check.check import SummaryFinding
from core.analysis.summary_check.sentence_sources import LinkedSentence
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.presentation.summary_check.wording import summary_verdict

_MAX_TEXT = 200


def check_json(findings: Sequence[SummaryFinding] | None) -> Json:
    """Return the key ``summary_check`` of ``compact --json``; null where there is no summary."""
    if findings is None:
        return None
    return [
        {
            "severity": finding.severity,
            "rule": finding.rule,
            "text": finding.text,
            "messages": list(finding.messages),
            "result": finding.index,
        }
        for finding in findings
    ]


def links_json(sentences: Sequence[LinkedSentence]) -> Json:
    """Return the key ``links`` of ``summary``: every sentence with its sources and invented parts."""
    return [
        {
            "start": sentence.start,
            "text": sentence.text,
            "sources": [{"message": link.message, "facts": list(link.facts)} for link in sentence.links],
            "invented": list(sentence.invented),
        }
        for sentence in sentences
    ]


def check_lines(findings: Sequence[SummaryFinding] | None, lost: int) -> list[str]:
    """Return the section Summary check, with ``lost`` facts; empty where there is no summary."""
    if findings is None:
        return []
    rows = [
        (finding.severity, _place(finding), one_line_text(finding.text, _MAX_TEXT)) for finding in findings
    ]
    return titled_section("Summary check", aligned_table(rows or [(summary_verdict(findings, lost),)]))


def check_notes(findings: Sequence[SummaryFinding] | None) -> list[str]:
    """Return the findings as sentences for standard error."""
    if findings is None:
        return []
    return [f"summary check: {finding.severity}: {finding.text}" for finding in findings] or [
        summary_verdict(findings)
    ]


def _place(finding: SummaryFinding) -> str:
    return (
        number_format.message_number(finding.messages[0])
        if finding.messages
        else f"result {number_format.message_number(finding.index)}"
    )

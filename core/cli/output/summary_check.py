"""The check of a summary and its links for the command line: as JSON, as lines of a report, as notes."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.summary_check.check import SummaryFinding
from core.analysis.summary_check.sentence_sources import LinkedSentence
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.presentation.summary_check.wording import summary_verdict

_TEXT = 200


def check_json(found: Sequence[SummaryFinding] | None) -> Json:
    """The key ``summary_check`` of ``compact --json``; null where there is no summary."""
    if found is None:
        return None
    return [
        {
            "severity": one.severity,
            "rule": one.rule,
            "text": one.text,
            "messages": list(one.messages),
            "result": one.place,
        }
        for one in found
    ]


def links_json(sentences: Sequence[LinkedSentence]) -> Json:
    """The key ``links`` of ``summary``: every sentence, with its sources and what it made up."""
    return [
        {
            "start": one.start,
            "text": one.text,
            "sources": [{"message": link.message, "facts": list(link.facts)} for link in one.links],
            "invented": list(one.invented),
        }
        for one in sentences
    ]


def check_lines(found: Sequence[SummaryFinding] | None, lost: int) -> list[str]:
    """The section Summary check of the report, with ``lost`` facts; nothing where there is no summary."""
    if found is None:
        return []
    rows = [(one.severity, _where(one), one_line_text(one.text, _TEXT)) for one in found]
    return titled_section("Summary check", aligned_table(rows or [(summary_verdict(found, lost),)]))


def check_notes(found: Sequence[SummaryFinding] | None) -> list[str]:
    """The same as sentences for standard error, beside a file that is written."""
    if found is None:
        return []
    return [f"summary check: {one.severity}: {one.text}" for one in found] or [summary_verdict(found)]


def _where(one: SummaryFinding) -> str:
    return (
        number_format.message(one.messages[0])
        if one.messages
        else f"result {number_format.message(one.place)}"
    )

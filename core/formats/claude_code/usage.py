"""Collects the request sizes that lines of a Claude Code session report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.claude_code.messages import ClaudeMessageBuilder
from core.formats.common.json_access import number_of, sum_of
from core.formats.common.usage_reports import INPUT_TOKEN_FIELDS
from core.transcript.model import ReportedUsage


def reported_input_tokens(usage: Mapping[str, Json]) -> int | None:
    """Return the tokens of a request; None if they are not reported."""
    return sum_of(*(usage.get(name) for name in INPUT_TOKEN_FIELDS))


@dataclass(slots=True)
class ClaudeUsageReports:
    """Reports by the row with the first line of their answer. The first line has the size of the request;
    later ones repeat it, and the last has the whole output."""

    last_usage: Mapping[str, Json] = field(default_factory=dict)
    _rows: dict[str, int] = field(default_factory=dict)
    _reports: dict[int, tuple[int, int | None, str]] = field(default_factory=dict)

    def add(self, row: int, api_id: str, usage: Mapping[str, Json], model: str) -> None:
        """Note the usage of a line; ``api_id`` is that of its answer, "" for a line by itself."""
        self.last_usage = usage
        row = self._rows.setdefault(api_id, row) if api_id else row
        tokens, output = reported_input_tokens(usage), number_of(usage.get("output_tokens"))
        if tokens:
            earlier = self._reports.get(row)
            self._reports[row] = (earlier[0] if earlier else tokens, output, model)

    def reported_usage(self, builder: ClaudeMessageBuilder) -> tuple[ReportedUsage, ...]:
        """Return the reports of the requests on a branch, in the order of their answers."""
        reports_with_ranges = ((builder.message_range(row), report) for row, report in self._reports.items())
        return tuple(
            ReportedUsage(message_range.start, *report)
            for message_range, report in reports_with_ranges
            if message_range
        )

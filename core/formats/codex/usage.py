"""Assigns ``token_count`` events of a Codex rollout to answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, number_of
from core.transcript.model import ReportedUsage


@dataclass(slots=True)
class CodexUsageReports:
    """Reports by the first item of their answer. A report follows the answer and the output of its tools,
    which were not in the reported request. Old versions wrote it before the answer: their first report has no
    answer before it."""

    reports: list[ReportedUsage] = field(default_factory=list)
    _unreported_answer: int = -1  # the message of an answer without a report
    _reports_come_first: bool | None = None  # reports come before their answers; None: no report yet
    _waiting_report: tuple[int, int | None, str] | None = None
    _last_total: Json = None

    def add_answer(self, message: int) -> None:
        """Note an item of an answer, by the index of its message."""
        if self._waiting_report is not None:
            self._add(message, self._waiting_report)
            self._waiting_report = None
        elif self._unreported_answer < 0:
            self._unreported_answer = message

    def add_compaction(self) -> None:
        """Forget the answer before a compaction, which has no report."""
        self._unreported_answer, self._waiting_report = -1, None

    def add_report(self, payload: Mapping[str, Json], model: str) -> None:
        """Note an event; one with the sums of the last event repeats it."""
        info = fields_of(payload.get("info"))
        usage, total = fields_of(info.get("last_token_usage")), info.get("total_token_usage")
        request = number_of(usage.get("input_tokens")) or 0
        if request <= 0 or (total is not None and total == self._last_total):
            return
        self._last_total = total
        if self._reports_come_first is None:
            self._reports_come_first = self._unreported_answer < 0
        report = (request, number_of(usage.get("output_tokens")), model)
        if self._reports_come_first:
            self._waiting_report = report
        elif self._unreported_answer >= 0:
            self._add(self._unreported_answer, report)
        self._unreported_answer = -1

    def _add(self, message: int, report: tuple[int, int | None, str]) -> None:
        """Add a report, unless the answer continues the last reported message: no index names its request."""
        if not self.reports or self.reports[-1].message_index < message:
            self.reports.append(ReportedUsage(message, *report))

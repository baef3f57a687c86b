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
    _answer: int = -1  # the message of an answer without a report
    _leading: bool | None = None  # reports come before their answers; None: no report yet
    _waiting: tuple[int, int | None, str] | None = None
    _total: Json = None

    def answered(self, message: int) -> None:
        """Note an item of an answer, by the index of its message."""
        if self._waiting is not None:
            self._add(message, self._waiting)
            self._waiting = None
        elif self._answer < 0:
            self._answer = message

    def compacted(self) -> None:
        """Forget the answer before a compaction, which has no report."""
        self._answer, self._waiting = -1, None

    def reported(self, payload: Mapping[str, Json], model: str) -> None:
        """Note an event; one with the sums of the last event repeats it."""
        info = fields_of(payload.get("info"))
        usage, total = fields_of(info.get("last_token_usage")), info.get("total_token_usage")
        request = number_of(usage.get("input_tokens")) or 0
        if request <= 0 or (total is not None and total == self._total):
            return
        self._total = total
        if self._leading is None:
            self._leading = self._answer < 0
        report = (request, number_of(usage.get("output_tokens")), model)
        if self._leading:
            self._waiting = report
        elif self._answer >= 0:
            self._add(self._answer, report)
        self._answer = -1

    def _add(self, message: int, report: tuple[int, int | None, str]) -> None:
        """Add a report, unless the answer continues the last reported message: no index names its request."""
        if not self.reports or self.reports[-1].message_index < message:
            self.reports.append(ReportedUsage(message, *report))

"""Which answer a ``token_count`` event of a Codex rollout speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, number_of
from core.transcript.model import ReportedUsage


@dataclass(slots=True)
class CodexUsageReports:
    """Reports by the first item of their answer.

    A report stands behind the answer and behind the output of its tools, which the reported request did not
    have. Old versions wrote it before the answer: their first report has no answer before it.
    """

    found: list[ReportedUsage] = field(default_factory=list)
    _answer: int = -1  # the message of an answer that has no report yet
    _leading: bool | None = None  # reports stand before their answers; None: none was met
    _waiting: tuple[int, int | None, str] | None = None
    _total: Json = None

    def answered(self, message: int) -> None:
        """An item of an answer was read; its message has this index."""
        if self._waiting is not None:
            self._add(message, self._waiting)
            self._waiting = None
        elif self._answer < 0:
            self._answer = message

    def compacted(self) -> None:
        """The history was replaced: what was answered before it has no report."""
        self._answer, self._waiting = -1, None

    def reported(self, payload: Mapping[str, Json], model: str) -> None:
        """Take an event; one whose sums are those of the last repeats it."""
        info = fields_of(payload.get("info"))
        usage, total = fields_of(info.get("last_token_usage")), info.get("total_token_usage")
        asked = number_of(usage.get("input_tokens")) or 0
        if asked <= 0 or (total is not None and total == self._total):
            return
        self._total = total
        if self._leading is None:
            self._leading = self._answer < 0
        report = (asked, number_of(usage.get("output_tokens")), model)
        if self._leading:
            self._waiting = report
        elif self._answer >= 0:
            self._add(self._answer, report)
        self._answer = -1

    def _add(self, message: int, report: tuple[int, int | None, str]) -> None:
        """An answer that goes on with the message of the last report has a request of its own that no index
        names."""
        if not self.found or self.found[-1].answer < message:
            self.found.append(ReportedUsage(message, *report))

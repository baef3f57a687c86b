"""Reads ``event_msg`` lines of a Codex rollout: token counts, and messages that have no item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, list_of, nested, number_of, string_of
from core.transcript.model import Message, ReportedUsage, Source, Speaker, Text, Thinking

_SPEAKERS: Mapping[str, Speaker] = {
    "user_message": Speaker.HUMAN,
    "agent_message": Speaker.AI,
    "UserMessage": Speaker.HUMAN,
    "AgentMessage": Speaker.AI,
}


def event_token_counts(payload: Mapping[str, Json]) -> tuple[int, int] | None:
    """Return the tokens of the last request, and of the context with its answer; None if not counted. After a
    compaction Codex counts only the latter, which is then returned for both."""
    usage = fields_of(nested(payload, "info", "last_token_usage"))
    if payload.get("type") != "token_count":
        return None
    request, total = _count(usage.get("input_tokens")), _count(usage.get("total_tokens"))
    return (request or total, total or request) if request or total else None


def event_context_window(payload: Mapping[str, Json]) -> int:
    """Return the model's context window if an event names it, else 0."""
    window = nested(payload, "info", "model_context_window")
    return _count(window) or _count(payload.get("model_context_window"))


def _count(value: Json) -> int:
    return max(0, number_of(value) or 0)


def event_message(payload: Mapping[str, Json], source: Source) -> Message | None:
    """Return the message that an event shows; None for bookkeeping events."""
    kind, words = string_of(payload.get("type")), payload.get("message")
    if kind == "agent_reasoning" and (thought := string_of(payload.get("text"))):
        return Message(Speaker.AI, (Thinking(thought),), (source,))
    if kind == "item_completed":
        item = fields_of(payload.get("item"))
        parts = (fields_of(part).get("text") for part in list_of(item.get("content")))
        text = "\n".join(part for part in parts if isinstance(part, str))
        kind, words = string_of(item.get("type")), text or None
    speaker = _SPEAKERS.get(kind)
    return Message(speaker, (Text(words),), (source,)) if speaker and isinstance(words, str) else None


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
        usage = fields_of(nested(payload, "info", "last_token_usage"))
        total = nested(payload, "info", "total_token_usage")
        request = _count(usage.get("input_tokens"))
        if not request or (total is not None and total == self._last_total):
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

"""The findings that the schema of an API makes, in place of what was said of the same fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.lint.common_rules import ERROR, LintedHistory, LintFinding
from core.lint.request_records import RequestRecords
from core.transcript.model import Speaker

_SUPERSEDED: Mapping[str, Sequence[str]] = {
    "role": ("system-role", "unknown-role"),
    "empty-text": ("empty-text",),
    "empty-message": ("empty-message", "empty-content", "empty-text"),
    "unsigned-thinking": ("unsigned-thinking",),
    "missing-field": ("missing-id",),
    "call-arguments": ("arguments",),
}
"""Rules that say of a message what "is left out" or "is written as"; by the rule of a schema that
finds the fault in what is written, so that it is not left out there."""


def with_schema_faults(
    history: LintedHistory, records: RequestRecords, found: Sequence[LintFinding]
) -> list[LintFinding]:
    """Return the findings with those of the schema."""
    added = [*_faults_of_messages(history, records), *_faults_of_tools(history, records)]
    name = history.api.name
    gone = {
        (finding.index, f"{name}.{rule}")
        for finding in added
        for rule in _SUPERSEDED.get(finding.rule.removeprefix(f"{name}."), ())
    }
    return [*(one for one in found if (one.index, one.rule) not in gone), *added]


def _faults_of_messages(history: LintedHistory, records: RequestRecords) -> Iterator[LintFinding]:
    last = len(history.messages) - 1
    for index, message in enumerate(history.messages):
        is_last_answer = index == last and message.speaker is Speaker.AI
        for fault in records.faults(message):
            # Anthropic takes an empty answer at the end: the model goes on from there
            if is_last_answer and (history.api.name, fault.rule) == ("anthropic", "empty-message"):
                continue
            yield history.finding(ERROR, fault.rule, index, fault.text)


def _faults_of_tools(history: LintedHistory, records: RequestRecords) -> Iterator[LintFinding]:
    for fault in records.tool_faults():
        text = f"The request {fault.text}"
        yield LintFinding(ERROR, f"{history.api.name}.{fault.rule}", text, -1)

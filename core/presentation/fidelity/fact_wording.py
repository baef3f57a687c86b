"""Wording of fact categories and of a fact's status."""

from __future__ import annotations

from collections.abc import Mapping

from core.analysis.fidelity.model import FactStatus, FidelityCategory, JudgedFact
from core.common import number_format

LABELS: Mapping[FidelityCategory, str] = {
    FidelityCategory.CONSTRAINT: "constraints",
    FidelityCategory.FILE: "files modified",
    FidelityCategory.ERROR: "errors",
    FidelityCategory.PATH: "paths",
    FidelityCategory.TODO: "todos",
    FidelityCategory.DECISION: "decisions",
    FidelityCategory.IDENTIFIER: "identifiers",
    FidelityCategory.NUMBER: "numbers",
    FidelityCategory.URL: "URLs",
    FidelityCategory.COMMAND: "commands",
    FidelityCategory.USER_MESSAGE: "user messages",
    FidelityCategory.CODE: "code",
}
"""Plural names of the categories."""

ABOUT: Mapping[FidelityCategory, str] = {
    FidelityCategory.CONSTRAINT: "a rule that a person or the system set, word for word",
    FidelityCategory.FILE: "a file that was written, edited, moved or deleted",
    FidelityCategory.ERROR: "what a tool said when it failed",
    FidelityCategory.PATH: "a file that was only read",
    FidelityCategory.TODO: "an item of the last todo list, with its state",
    FidelityCategory.DECISION: "a sentence that says what was chosen or why, and names something",
    FidelityCategory.IDENTIFIER: "a name as code spells it",
    FidelityCategory.NUMBER: "a value with the key that names it",
    FidelityCategory.URL: "an address that was said or fetched",
    FidelityCategory.COMMAND: "a shell command that does more than look around",
    FidelityCategory.USER_MESSAGE: "what the person said, message by message",
    FidelityCategory.CODE: "fenced code and written file contents, in runs of three lines",
}
"""Definitions of the categories."""

_PARTS: Mapping[FidelityCategory, str] = {
    FidelityCategory.CONSTRAINT: "in other words",
    FidelityCategory.FILE: "its name alone",
    FidelityCategory.PATH: "its name alone",
    FidelityCategory.ERROR: "its type alone",
    FidelityCategory.TODO: "without its state",
    FidelityCategory.URL: "without its query",
    FidelityCategory.COMMAND: "its program alone",
    FidelityCategory.CODE: "some of its lines",
}


def fact_note(fact: JudgedFact) -> str:
    """Return a fact's messages and remarks: "#89, #301 · never resolved"."""
    parts = [", ".join(map(number_format.message_number, fact.fact.messages)), _status_text(fact)]
    if fact.fact.kind is FidelityCategory.ERROR and not fact.fact.is_resolved:
        parts.append("never resolved")
    return " · ".join(filter(None, parts))


def _status_text(fact: JudgedFact) -> str:
    if fact.is_negated:
        return "says the opposite now"
    if fact.status is FactStatus.PARTIAL:
        return _PARTS.get(fact.fact.kind, "in part")
    if fact.status is FactStatus.RECOVERABLE:
        return "its file is still named"
    return "" if fact.status is FactStatus.LOST else fact.status.value

"""Words for facts: what their categories are called, and how a fact stands in the result."""

from __future__ import annotations

from collections.abc import Mapping

from core.analysis.fidelity.model import FactKind, JudgedFact, Status
from core.common import number_format

LABELS: Mapping[FactKind, str] = {
    FactKind.CONSTRAINT: "constraints",
    FactKind.FILE: "files modified",
    FactKind.ERROR: "errors",
    FactKind.PATH: "paths",
    FactKind.TODO: "todos",
    FactKind.DECISION: "decisions",
    FactKind.IDENTIFIER: "identifiers",
    FactKind.NUMBER: "numbers",
    FactKind.URL: "URLs",
    FactKind.COMMAND: "commands",
    FactKind.USER_MESSAGE: "user messages",
    FactKind.CODE: "code",
}
"""What a category is called where several of its facts are meant."""

ABOUT: Mapping[FactKind, str] = {
    FactKind.CONSTRAINT: "a rule that a person or the system set, word for word",
    FactKind.FILE: "a file that was written, edited, moved or deleted",
    FactKind.ERROR: "what a tool said when it failed",
    FactKind.PATH: "a file that was only read",
    FactKind.TODO: "an item of the last todo list, with its state",
    FactKind.DECISION: "a sentence that says what was chosen or why, and names something",
    FactKind.IDENTIFIER: "a name as code spells it",
    FactKind.NUMBER: "a value with the key that names it",
    FactKind.URL: "an address that was said or fetched",
    FactKind.COMMAND: "a shell command that does more than look around",
    FactKind.USER_MESSAGE: "what the person said, message by message",
    FactKind.CODE: "fenced code and written file contents, in runs of three lines",
}
"""What counts as a fact of a category."""

_PARTS: Mapping[FactKind, str] = {
    FactKind.CONSTRAINT: "in other words",
    FactKind.FILE: "its name alone",
    FactKind.PATH: "its name alone",
    FactKind.ERROR: "its type alone",
    FactKind.TODO: "without its state",
    FactKind.URL: "without its query",
    FactKind.COMMAND: "its program alone",
    FactKind.CODE: "some of its lines",
}


def note(one: JudgedFact) -> str:
    """Where a fact was said, and what there is to say of it: "#89, #301 · never resolved"."""
    parts = [", ".join(map(number_format.message, one.fact.messages)), _how(one)]
    if one.fact.kind is FactKind.ERROR and not one.fact.resolved:
        parts.append("never resolved")
    return " · ".join(filter(None, parts))


def _how(one: JudgedFact) -> str:
    if one.flipped:
        return "says the opposite now"
    if one.status is Status.PARTIAL:
        return _PARTS.get(one.fact.kind, "in part")
    if one.status is Status.RECOVERABLE:
        return "its file is still named"
    return "" if one.status is Status.LOST else one.status.value

"""Words for facts: what their categories are called, and how a fact stands in the result."""

from __future__ import annotations

from collections.abc import Mapping

from core.analysis.fidelity_values import FactKind, JudgedFact, Status
from core.view import numbers
from core.view.phrases import phrase

LABELS: Mapping[FactKind, str] = {
    FactKind.CONSTRAINT: phrase("constraints"),
    FactKind.FILE: phrase("files modified"),
    FactKind.ERROR: phrase("errors"),
    FactKind.PATH: phrase("paths"),
    FactKind.TODO: phrase("todos"),
    FactKind.DECISION: phrase("decisions"),
    FactKind.IDENTIFIER: phrase("identifiers"),
    FactKind.NUMBER: phrase("numbers"),
    FactKind.URL: phrase("URLs"),
    FactKind.COMMAND: phrase("commands"),
    FactKind.USER_MESSAGE: phrase("user messages"),
    FactKind.CODE: phrase("code"),
}
"""What a category is called where several of its facts are meant."""

ABOUT: Mapping[FactKind, str] = {
    FactKind.CONSTRAINT: phrase("a rule that a person or the system set, word for word"),
    FactKind.FILE: phrase("a file that was written, edited, moved or deleted"),
    FactKind.ERROR: phrase("what a tool said when it failed"),
    FactKind.PATH: phrase("a file that was only read"),
    FactKind.TODO: phrase("an item of the last todo list, with its state"),
    FactKind.DECISION: phrase("a sentence that says what was chosen or why, and names something"),
    FactKind.IDENTIFIER: phrase("a name as code spells it"),
    FactKind.NUMBER: phrase("a value with the key that names it"),
    FactKind.URL: phrase("an address that was said or fetched"),
    FactKind.COMMAND: phrase("a shell command that does more than look around"),
    FactKind.USER_MESSAGE: phrase("what the person said, message by message"),
    FactKind.CODE: phrase("fenced code and written file contents, in runs of three lines"),
}
"""What counts as a fact of a category."""

_PARTS: Mapping[FactKind, str] = {
    FactKind.CONSTRAINT: phrase("in other words"),
    FactKind.FILE: phrase("its name alone"),
    FactKind.PATH: phrase("its name alone"),
    FactKind.ERROR: phrase("its type alone"),
    FactKind.TODO: phrase("without its state"),
    FactKind.URL: phrase("without its query"),
    FactKind.COMMAND: phrase("its program alone"),
    FactKind.CODE: phrase("some of its lines"),
}


def note(one: JudgedFact) -> str:
    """Where a fact was said, and what there is to say of it: "#89, #301 · never resolved"."""
    parts = [", ".join(map(numbers.message, one.fact.messages)), _how(one)]
    if one.fact.kind is FactKind.ERROR and not one.fact.resolved:
        parts.append(phrase("never resolved"))
    return " · ".join(filter(None, parts))


def _how(one: JudgedFact) -> str:
    if one.flipped:
        return phrase("says the opposite now")
    if one.status is Status.PARTIAL:
        return _PARTS.get(one.fact.kind, "in part")
    if one.status is Status.RECOVERABLE:
        return phrase("its file is still named")
    return "" if one.status is Status.LOST else one.status.value

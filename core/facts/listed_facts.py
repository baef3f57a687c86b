"""Items of lists: steps and decisions under a heading, and numbered orders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.facts.model import Fact, FactCategory
from core.facts.sentences import outside_fences
from core.transcript.model import Message
from core.transcript.todos import Todo, todo_states

_PLAN_HEAD = re.compile(
    r"^[\W\d]*(?:[\w-]+ ){0,3}(?:test(?:s|ing)|steps|plan|to-?dos?|tasks|next(?: steps| up)?|for later|"
    r"deferred|future|follow-?ups?|"
    r"remaining|verification|out of scope|open (?:points|items|questions)|"
    r"(?:.{0,80}\b)?(?:I|we) (?:need|have) to|(?:files|changes) to (?:modify|change|make)|"
    r"pending|schritte|aufgaben|étapes|"
    r"tâches|pasos|tareas)"
    r"(?: \w+)?\W*$",
    re.IGNORECASE,
)
_DECISION_HEAD = re.compile(
    r"^\W*(?:[\w-]+ ){0,2}(?:decisions?|decided|choices|constraints|trade-?offs|entscheidungen|"
    r"décisions|decisiones)"
    r"(?: \w+)?\W*$",
    re.IGNORECASE,
)
_LIST_ITEM = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+(?!\[[xX]\])(?:\[ \]\s*)?(.{8,300})$")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s.*|\*\*[^*]+\*\*:?|(?:[^:]{,80}\. )?[^.!?]{3,80}:)\s*$")
_TASK = re.compile(
    r"^\W*(?:add|update|register|fix|create|write|run|test|verify|implement|remove|refactor|move|rename|check|delete|set|"
    r"extend|document|deploy|replace|configure|migrate|review|design)\b",
    re.IGNORECASE,
)
_MIN_TASKS = 3
_NUMBERED = re.compile(r"^\d{1,2}[.)]\s+(.{8,300})$")


def listed(text: str, wanted: re.Pattern[str]) -> Iterator[str]:
    """Yield the items of lists under headings that match a pattern, until a heading of the same rank."""
    head_level = level = 0
    for line in outside_fences(text).splitlines():
        item = _LIST_ITEM.match(line)
        if item and head_level:
            yield " ".join(item[1].split())
        elif not item and _HEADING.match(line):
            level = len(line) - len(line.lstrip("#")) or 9
            if wanted.match(line):
                head_level = level
            elif level <= head_level:
                head_level = 0


def is_task(text: str) -> bool:
    """Return whether an item begins with the verb of a step."""
    return _TASK.match(text) is not None


def _numbered_tasks(text: str) -> Iterator[str]:
    """Yield the items of numbered lists that are mostly orders."""
    found: list[str] = []
    for line in (*outside_fences(text).splitlines(), "end"):
        item = _NUMBERED.match(line)
        if item:
            found.append(" ".join(item[1].split()))
        elif found and line.strip() and not line.startswith(" "):
            tasks = [words for words in found if is_task(words)]
            if len(tasks) >= max(_MIN_TASKS, 0.75 * len(found)):
                yield from tasks
            found = []


def listed_decisions(text: str) -> Iterator[str]:
    """Yield the items of lists of decisions."""
    return listed(text, _DECISION_HEAD)


def listed_tasks(text: str) -> Iterator[str]:
    """Yield the items of lists of steps."""
    yield from listed(text, _PLAN_HEAD)
    yield from _numbered_tasks(text)


def last_todos(messages: Sequence[Message]) -> Iterator[Fact]:
    """Yield the items of the last list, from their first mention to the change to their state."""
    first_index: dict[str, int] = {}
    last_change: dict[str, tuple[int, str]] = {}
    last: Sequence[Todo] = ()
    for index, last in todo_states(messages):
        for todo in last:
            first_index.setdefault(todo.content, index)
            if last_change.get(todo.content, (0, ""))[1] != todo.status:
                last_change[todo.content] = (index, todo.status)
    for todo in last:
        index_of_change, name = last_change[todo.content][0], todo.content
        yield Fact(FactCategory.TODO, name, name, first_index[name], index_of_change, detail=todo.status)

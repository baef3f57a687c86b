"""The todo list of an agent, from its tool calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import orjson

from core.common.json_value import MISSING, Json
from core.transcript.model import Block, Message, ToolCall, tool_responses

IN_PROGRESS = "in_progress"
PENDING = "pending"
COMPLETED = "completed"

_LIST_TOOL_NAMES = "todowrite updateplan todoupdate writetodos todolistwrite updatetodolist managetodolist"
_LIST_TOOLS = frozenset(_LIST_TOOL_NAMES.split())
_CREATE, _CHANGE = "taskcreate", "taskupdate"
_TODO_TOOLS = _LIST_TOOLS | {_CREATE, _CHANGE}
_CREATED = re.compile(r"Task #(\d+) created")
_LIST_KEYS = ("todos", "plan", "todoList", "todo_list", "items")
_TEXT_KEYS = ("content", "step", "subject", "description", "title", "text", "task")
_STATUS = {
    **dict.fromkeys(("in_progress", "in-progress", "active"), IN_PROGRESS),
    **dict.fromkeys(
        ("completed", "complete", "done", "cancelled", "deleted"), COMPLETED
    ),
}


@dataclass(frozen=True, slots=True)
class Todo:
    """One item; ``status`` is "in_progress", "pending" or "completed"."""

    content: str
    status: str


def last_todos(messages: Sequence[Message]) -> tuple[Todo, ...]:
    """Return all items, completed ones included, after the last successful todo call."""
    states = [todos for _, todos in todo_states(messages)]
    if states:
        return states[-1]
    return ()


def _created(arguments: Mapping[str, Json]) -> Todo:
    """Return the item that a call creates; one without words counts, but is not shown."""
    return _todo(arguments) or Todo("", COMPLETED)


def todo_states(messages: Sequence[Message]) -> Iterator[tuple[int, tuple[Todo, ...]]]:
    """Yield the index of each message that changed the list, and all items after it."""
    calls_by_index = _todo_calls(messages)
    if not calls_by_index:  # most agents keep no list
        return
    failed = _failed_ids(messages)
    numbers = _created_numbers(messages)
    items: dict[str, Todo] = {}
    created = 0
    for index, calls in calls_by_index.items():
        before = dict(items)
        for name, call in calls:
            # A call that failed has changed nothing.
            if call.id in failed or not isinstance(call.arguments, Mapping):
                continue
            if name in _LIST_TOOLS:
                items = _whole_list(call, items)
            elif name == _CREATE:
                created += 1
                # A task is changed by the number that its tool gave it; without an answer it is the
                # next one.
                number = numbers.get(call.id, str(created))
                items[number] = _created(call.arguments)
            else:
                _update(items, call.arguments)
        if items != before:
            yield index, tuple(todo for todo in items.values() if todo.content)


def todo_call_ids(message: Message) -> Iterator[str]:
    """Yield the ids of the calls that change the list."""
    return (call.id for calls in _todo_calls((message,)).values() for _, call in calls)


def _todo_calls(messages: Sequence[Message]) -> dict[int, list[tuple[str, ToolCall]]]:
    """Return the todo calls with the normalised names of their tools, by index of their message."""
    found: dict[int, list[tuple[str, ToolCall]]] = {}
    for index, message in enumerate(messages):
        for block in message.blocks:
            if isinstance(block, ToolCall) and is_todo_call(block):
                found.setdefault(index, []).append((_normalised(block.name), block))
    return found


def is_todo_call(block: Block) -> bool:
    return isinstance(block, ToolCall) and _normalised(block.name) in _TODO_TOOLS


def active_todos(messages: Sequence[Message]) -> str:
    """Return the open items as lines ``- [status] content`` (REQ-HD-011.2)."""
    return todo_lines(last_todos(messages))


def todo_lines(todos: Iterable[Todo]) -> str:
    """Return the open items as lines, those in progress first."""
    open_ones = [todo for todo in todos if todo.status != COMPLETED]
    open_ones.sort(key=lambda todo: todo.status != IN_PROGRESS)
    return "\n".join(f"- [{todo.status}] {todo.content}" for todo in open_ones)


def _whole_list(call: ToolCall, before: dict[str, Todo]) -> dict[str, Todo]:
    for key in _LIST_KEYS:
        entries = _as_list(call.arguments.get(key))
        if entries is not None:
            todos = (_todo(entry) for entry in entries)
            return {str(number): todo for number, todo in enumerate(todos, 1) if todo}
    return before


def _as_list(value: Json) -> list[Json] | None:
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return None
    return value if isinstance(value, list) else None


def _todo(entry: Json) -> Todo | None:
    if isinstance(entry, str):
        if entry.strip():
            return Todo(" ".join(entry.split()), PENDING)
        return None
    if not isinstance(entry, Mapping):
        return None
    for key in _TEXT_KEYS:
        text = entry.get(key)
        if isinstance(text, str) and text.strip():
            return Todo(" ".join(text.split()), _status(entry.get("status")))
    return None


def _update(items: dict[str, Todo], arguments: Mapping[str, Json]) -> None:
    id_ = str(arguments.get("taskId", arguments.get("id", "")))
    # The task may have been created before the history begins.
    if id_ not in items:
        return
    if arguments.get("status"):
        items[id_] = replace(items[id_], status=_status(arguments["status"]))
    subject = arguments.get("subject")
    if isinstance(subject, str) and subject.strip():
        items[id_] = replace(items[id_], content=" ".join(subject.split()))


def _status(value: Json) -> str:
    if isinstance(value, str):
        return _STATUS.get(value.strip().lower(), PENDING)
    return PENDING


@lru_cache(maxsize=1024)
def _normalised(name: str) -> str:
    # A server of MCP stands in front of the name, and agents spell it differently.
    return name.rsplit("__", 1)[-1].replace("_", "").replace("-", "").lower()


def _created_numbers(messages: Sequence[Message]) -> dict[str, str]:
    """Return the number of each created task, by the id of the call that created it."""
    numbers = {}
    for message in messages:
        for response in tool_responses(message):
            text = response.result
            if isinstance(text, list) and text and isinstance(text[0], Mapping):
                text = text[0].get("text")
            if isinstance(text, str):
                match = _CREATED.match(text)
            else:
                match = None
            if match:
                numbers[response.call_id] = match[1]
    return numbers


def _failed_ids(messages: Sequence[Message]) -> frozenset[str]:
    return frozenset(
        response.call_id
        for message in messages
        for response in tool_responses(message)
        if response.error is not MISSING and response.error not in (None, "", False)
    )

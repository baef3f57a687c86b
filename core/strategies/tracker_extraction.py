"""Extracts the file tracker of hybrid from calls, results, todos and timestamps (LH)."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

from core.common.timestamps import to_milliseconds
from core.strategies.file_outline import file_outline, file_sections
from core.strategies.tool_work import (
    BlockPlace,
    ToolFileTouch,
    ToolWork,
    find_tool_work,
    read_text,
    response_at,
)
from core.strategies.tracker import FileModification, FileTracker, ReadFile
from core.transcript.model import Message
from core.transcript.todos import IN_PROGRESS, Todo, todo_states

MAX_MODIFICATIONS = 20  # number of newest changes in the tracker (seed 004)


def track_history(history: Sequence[Message]) -> FileTracker:
    """Return the tracker: successful calls only, the newest read of each file and the newest changes."""
    return build_tracker(history, find_tool_work(history))


def build_tracker(history: Sequence[Message], work: Mapping[BlockPlace, ToolWork]) -> FileTracker:
    """Return the tracker from the work of each tool result."""
    tasks = _ActiveTasks(history)
    times = [to_milliseconds(message.timestamp) if message.timestamp else None for message in history]
    newest: dict[str, tuple[ToolWork, ToolFileTouch]] = {}
    changes: deque[FileModification] = deque(maxlen=MAX_MODIFICATIONS)
    touched: dict[str, str] = {}
    for tool_work in work.values():
        if tool_work.failed:
            continue
        task = tasks.task_at(tool_work.place[0])
        for file in tool_work.files:
            touched[file.path] = task
            if file.change is None:
                newest[file.path] = tool_work, file
            else:
                changes.append(
                    FileModification(
                        file.path,
                        file.change,
                        _time(times, tool_work),
                        file.lines,
                        task,
                        "",
                        tool_work.place[0],
                    )
                )
    active = tasks.task_at(len(history))
    return FileTracker(
        _NewestReads(history, newest, times),
        tuple(changes),
        active,
        tuple(path for path, task in touched.items() if active and task == active),
        max((time for time in times if time is not None), default=None),
    )


class _NewestReads(Mapping[str, ReadFile]):
    """The newest read of each file, computed on access, since a run needs few of them."""

    def __init__(
        self,
        history: Sequence[Message],
        newest: Mapping[str, tuple[ToolWork, ToolFileTouch]],
        times: Sequence[int | None],
    ) -> None:
        self._history, self._newest, self._times = history, newest, times
        self._cache: dict[str, ReadFile] = {}

    def __getitem__(self, path: str) -> ReadFile:
        if path not in self._cache:
            work, file = self._newest[path]
            self._cache[path] = read_file(self._history, work, file, _time(self._times, work))
        return self._cache[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._newest)

    def __len__(self) -> int:
        return len(self._newest)


def read_file(
    history: Sequence[Message], work: ToolWork, file: ToolFileTouch, time: int | None = None
) -> ReadFile:
    """Return the record of one read; a result that shows several files has no sections."""
    text, first = read_text(response_at(history, work.place))
    if file.lines is not None and first == 1:
        first = file.lines[0]
    lines = text.count("\n") + (not text.endswith("\n")) if text else 0
    is_only_file = len(work.files) == 1
    parts = file_sections(file.path, text, first) if is_only_file else ()
    requested = file.lines[1] - file.lines[0] + 1 if file.lines else 0
    partial = first > 1 or 0 < requested <= lines
    return ReadFile(
        file.path,
        text_digest(text),
        lines,
        ((first, first + max(0, lines - 1)),) if partial and is_only_file else (),
        file_outline(file.path, text, parts),
        parts,
        work.place[0],
        time,
    )


def text_digest(text: str) -> int:
    """Return a 64-bit digest to compare the text of two reads."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def last_change(tracker: FileTracker, path: str, message: int = -1) -> FileModification | None:
    """Return the change of a file made in ``message``, else the newest known one."""
    changes = [change for change in tracker.modifications if change.path == path]
    return next((change for change in changes if change.message == message), changes[-1] if changes else None)


def _time(times: Sequence[int | None], work: ToolWork) -> int | None:
    """Return the time of a result, else of its call."""
    time = times[work.place[0]]
    return times[work.call[0]] if time is None and work.call is not None else time


class _ActiveTasks:
    """The active task at each message, from the agent's todo list."""

    def __init__(self, history: Sequence[Message]) -> None:
        states = list(todo_states(history))
        self._places = [place for place, _ in states]
        self._active = [_active(todos) for _, todos in states]

    def task_at(self, message: int) -> str:
        """Return the task in progress when a message came; "" for none."""
        place = bisect_right(self._places, message)
        return self._active[place - 1] if place else ""


def _active(todos: Sequence[Todo]) -> str:
    return next((todo.content for todo in todos if todo.status == IN_PROGRESS), "")

"""The texts with which an agent's compress_tool_result replaces a tool result (spec section 2.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.strategies.hybrid.agent_state import clip_bytes
from core.strategies.hybrid.placeholder_lines import (
    READ,
    WRITE,
    failure_line,
    read_lines,
    several_read_line,
    tool_line,
)
from core.strategies.tool_work import ToolWork, response_at
from core.strategies.tracker import FileTracker, ReadFile
from core.strategies.tracker_extraction import last_change, read_file
from core.transcript.model import Message

CURATOR, MODIFICATION, GENERIC = "use_curator_cache", "use_modification_metadata", "generic"
STRATEGIES = (CURATOR, MODIFICATION, GENERIC)

_SUMMARY_BYTES = 200
_AVAILABLE = "• Full content cached and available"
_MINUTE = 60_000  # ms


def replacement_text(tracker: FileTracker, history: Sequence[Message], work: ToolWork, strategy: str) -> str:
    """Return the replacement of a result: the file's summary, the record of its change, or a plain line. A
    failed call stays failed whatever the strategy; one that touched no file gets the plain line."""
    response = response_at(history, work.place)
    paths = tuple(dict.fromkeys(file.path for file in work.files))
    if work.failed:
        return failure_line(work.name, paths, response)
    if strategy == GENERIC or (work.name and not paths):
        return tool_line(work.name, response)
    if strategy == CURATOR:
        return _read_text(tracker, history, work, paths)
    return _change_replacement(tracker, paths, work.place[0])


def _read_text(tracker: FileTracker, history: Sequence[Message], work: ToolWork, paths: Sequence[str]) -> str:
    if not paths:
        return f"{READ}File read result (parsing failed)"
    read = read_file(history, work, work.files[0])
    if len(paths) > 1:
        return several_read_line(paths, read.lines)
    tracked = _tracked_read(tracker, read)
    if tracked is None or not (tracked.summary or tracked.sections):
        *_, plain_line = read_lines(ReadFile(read.path, 0, read.lines))
        return plain_line
    described = replace(tracked, lines=read.lines, summary=clip_bytes(tracked.summary, _SUMMARY_BYTES))
    full_text, *_ = read_lines(described)
    return "\n".join((*full_text.splitlines()[:-1], _AVAILABLE))


def _tracked_read(tracker: FileTracker, read: ReadFile) -> ReadFile | None:
    """Return the tracker's record of the file; the read's own record where the text was older."""
    tracked = tracker.read_files.get(read.path)
    if tracked is None or tracked.hash == read.hash or tracked.message in (read.message, -1):
        return tracked
    return read


def _change_replacement(tracker: FileTracker, paths: Sequence[str], message: int) -> str:
    """Return the change that the result reports, else the file's newest, with its age and task."""
    if not paths:
        return f"{WRITE}File modification (parsing failed)"
    record = last_change(tracker, paths[0], message)
    if record is None:
        return f"{WRITE}Modified {', '.join(paths)}"
    head = f"{WRITE}{record.kind.capitalize()} {', '.join(paths)}"
    if tracker.newest_time is not None and record.timestamp is not None:
        head += f" ({max(0, tracker.newest_time - record.timestamp) // _MINUTE} min ago)"
    return f"{head}\n• Related to todo: '{record.todo}'" if record.todo else head

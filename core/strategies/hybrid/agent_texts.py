"""The text that an agent's compress_tool_result puts in the place of a tool's result (spec section 2.7)."""

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


def text_for(tracker: FileTracker, history: Sequence[Message], work: ToolWork, strategy: str) -> str:
    """What stands for a result: by the summary of the file, by the record of its change, or one plain line.

    ``work`` tells what the result in ``history`` is about. A failed call stays a failed one whatever is
    asked, and one that touched no file gets the plain line.
    """
    response = response_at(history, work.place)
    paths = tuple(dict.fromkeys(one.path for one in work.files))
    if work.failed:
        return failure_line(work.name, paths, response)
    if strategy == GENERIC or (work.name and not paths):
        return tool_line(work.name, response)
    if strategy == CURATOR:
        return _read(tracker, history, work, paths)
    return _written(tracker, paths, work.place[0])


def _read(tracker: FileTracker, history: Sequence[Message], work: ToolWork, paths: Sequence[str]) -> str:
    if not paths:
        return f"{READ}File read result (parsing failed)"
    found = read_file(history, work, work.files[0])
    if len(paths) > 1:
        return several_read_line(paths, found.lines)
    known = _known(tracker, found)
    if known is None or not (known.summary or known.sections):
        *_, plain = read_lines(ReadFile(found.path, 0, found.lines))
        return plain
    shown = replace(known, lines=found.lines, summary=clip_bytes(known.summary, _SUMMARY_BYTES))
    fullest, *_ = read_lines(shown)
    return "\n".join((*fullest.splitlines()[:-1], _AVAILABLE))


def _known(tracker: FileTracker, found: ReadFile) -> ReadFile | None:
    """What the tracker says of the file; of an older text of it what the read itself tells."""
    known = tracker.read_files.get(found.path)
    if known is None or known.hash == found.hash or known.message in (found.message, -1):
        return known
    return found


def _written(tracker: FileTracker, paths: Sequence[str], message: int) -> str:
    """The change that the result tells of, else the newest of that file, with its age and its task."""
    if not paths:
        return f"{WRITE}File modification (parsing failed)"
    record = last_change(tracker, paths[0], message)
    if record is None:
        return f"{WRITE}Modified {', '.join(paths)}"
    head = f"{WRITE}{record.kind.capitalize()} {', '.join(paths)}"
    if tracker.now is not None and record.timestamp is not None:
        head += f" ({max(0, tracker.now - record.timestamp) // _MINUTE} min ago)"
    return f"{head}\n• Related to todo: '{record.todo}'" if record.todo else head

"""The texts with which hybrid replaces others, as in the reference program, marked as compressed
(LH)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.facts.sentences import shorten
from core.facts.tool_outcome import Outcome, ToolOutcome, left_out, not_recorded
from core.strategies.tracker import (
    FileModification,
    FileSection,
    ReadFile,
    key_sections,
)
from core.transcript.model import ToolResponse

READ = "📄 [Compressed] "
WRITE = "✏️ [Compressed] "
TOOL = "🔧 [Compressed] "
SUMMARY = "💬 [Compressed] "
CUT = "💬 [Compressed/Truncated] "
INJECTION = "💭 [Compressed] "

_MARKED = re.compile(r"\s*(?:📄|✏️?|🔧|💬|💭) \[Compressed")
_MAX_SECTIONS = 4
_SECTIONS_WIDTH = 160  # characters
_TITLE_WIDTH = 40
_TODO_WIDTH = 80
_INJECTION_WIDTH = 120
_FRAME = 120  # characters of the frame around half of a result
_TAG = re.compile(r"</?[\w:-]+>")


def is_marked(text: str) -> bool:
    """Return whether an earlier run wrote the text."""
    return _MARKED.match(text) is not None


def read_lines(read: ReadFile) -> Iterator[str]:
    """Yield texts for a read, the fullest first: path, lines and digest; summary and sections where
    known."""
    ranges = ", ".join(f"{low}-{high}" for low, high in read.ranges)
    size = f"{read.lines} {'line' if read.lines == 1 else 'lines'}" + (
        f": {ranges}" if ranges else ""
    )
    plain = f"{READ}Read {read.path} ({size})"
    if read.hash:
        head = f"{READ}Read {read.path} ({size}, hash:{read.hash:x})"
    else:
        head = plain
    if read.summary:
        rest = [f"• Curator Summary: {read.summary}"]
    else:
        rest = []
    if sections := _sections(read.sections):
        rest.append(f"• Key Sections: {sections}")
    if not read.lines:
        yield f"{READ}Read {read.path}"
        return
    yield "\n".join(
        (head, *rest, "• Text left out; read the file again where it is needed")
    )
    if rest:
        yield "\n".join((head, *rest))
        yield "\n".join((head, rest[0]))
    yield head
    yield plain


def several_read_line(paths: Sequence[str], lines: int) -> str:
    """Return the text for a result that holds several files."""
    return f"{READ}Read {shorten(', '.join(paths), 400)} ({lines} lines together)"


def write_lines(change: FileModification, newest_time: int | None) -> Iterator[str]:
    """Yield texts for a file change, the fullest first: kind, lines, age and task."""
    if change.lines:
        details = [f"lines {change.lines[0]}-{change.lines[1]}"]
    else:
        details = []
    if newest_time is not None and change.timestamp is not None:
        details.append(f"{max(0, newest_time - change.timestamp) // 60_000} min ago")
    head = f"{WRITE}{change.kind.capitalize()} {change.path}"
    if details:
        described = f"{head} ({', '.join(details)})"
    else:
        described = head
    kind = f"• Type: {change.kind}"
    if change.todo:
        task = f"• Related to active todo: '{shorten(change.todo, _TODO_WIDTH)}'"
        yield f"{described}\n{kind}\n{task}"
        yield f"{described}\n{task}"
    else:
        yield f"{described}\n{kind}"
    yield described
    yield head


def several_write_lines(changes: Sequence[FileModification]) -> Iterator[str]:
    """Yield texts for a change of several files: each file, else the number of each kind."""
    kinds = dict.fromkeys(change.kind for change in changes)
    paths = {
        kind: [change.path for change in changes if change.kind == kind]
        for kind in kinds
    }
    yield WRITE + "; ".join(
        f"{kind.capitalize()} {', '.join(paths[kind])}" for kind in kinds
    )
    yield WRITE + "; ".join(
        f"{kind.capitalize()} {_shortened_paths(paths[kind])}" for kind in kinds
    )


def tool_line(
    name: str, outcome: ToolOutcome, response: ToolResponse, *, quotes: bool = False
) -> str:
    """Return the general text for a call: that it succeeded only where its result proves it.
    ``quotes``: a part of the output follows."""
    head = f"{TOOL}{name or response.name or 'tool'}"
    if outcome.has_error:
        return failure_line(name, (), outcome, response)
    if outcome.kind is Outcome.SUCCEEDED:
        return f"{head} executed successfully"
    if quotes:
        return head
    return f"{head}: {left_out(response)}"


def failure_line(
    name: str, paths: Sequence[str], outcome: ToolOutcome, response: ToolResponse
) -> str:
    """Return the text for a call with an error: the tool, its files, and the line of the error,
    which is called a failure only where the result proves one."""
    if paths:
        location = f" on {shorten(', '.join(paths), 200)}"
    else:
        location = ""
    verb = "failed" if outcome.kind is Outcome.FAILED else "reported"
    if outcome.error:
        error_text = f": {outcome.error}"
    else:
        error_text = ""
    return f"{TOOL}{name or response.name or 'tool'}{location} {verb}{error_text}"


def unproven_change_line(
    name: str, paths: Sequence[str], response: ToolResponse
) -> str:
    """Return the text for a call that should change files and whose result does not say that it
    did."""
    if paths:
        location = f" on {shorten(', '.join(paths), 200)}"
    else:
        location = ""
    return (
        f"{WRITE}{name or response.name or 'tool'}{location}: {not_recorded(response)}"
    )


def half_of_result(head: str, text: str) -> str:
    """Return half of a result below ``head``: its beginning and end, in whole lines where
    possible."""
    side = max(1, (len(text) - _FRAME) // 4)
    start, end = text[:side], text[-side:]
    start = start[: start.rfind("\n") + 1] or start
    end = end[end.find("\n") + 1 :] or end
    left_out = text.count("\n", len(start), len(text) - len(end))
    return (
        f"{head}; half of its output:\n{start.rstrip()}\n… [{left_out} lines left out] "
        f"…\n{end.lstrip()}"
    )


def injection_line(text: str) -> str:
    """Return one line for context injected by a harness."""
    lines = (_TAG.sub("", line).strip(" \t#*=-") for line in text.splitlines())
    first = next((line for line in lines if line), "")
    return f"{INJECTION}Earlier context: {shorten(first, _INJECTION_WIDTH)}"


def cut_text(text: str, max_bytes: int) -> str:
    """Return the first ``max_bytes`` of UTF-8 without half a character; … where it was cut."""
    data = text.encode("utf-8", "replace")
    if len(data) <= max_bytes:
        return f"{CUT}{text}"
    return f"{CUT}{data[:max_bytes].decode('utf-8', 'ignore').rstrip()}…"


def _shortened_paths(paths: Sequence[str]) -> str:
    if len(paths) == 1:
        return paths[0]
    return f"{len(paths)} files, the first of them {paths[0]}"


def _sections(parts: Sequence[FileSection]) -> str:
    listed = ""
    for part in key_sections(parts, _MAX_SECTIONS):
        entry = f"{shorten(part.title, _TITLE_WIDTH)} (lines {part.start}-{part.end})"
        if len(listed) + len(entry) > _SECTIONS_WIDTH:
            break
        if listed:
            listed = f"{listed}, {entry}"
        else:
            listed = entry
    return listed

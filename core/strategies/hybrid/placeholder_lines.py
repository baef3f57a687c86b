"""The texts with which hybrid replaces others, in the seed's forms, marked as compressed (LH)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.common.json_value import Json
from core.facts.sentences import shorten
from core.facts.tool_failures import error_messages
from core.strategies.tool_work import result_object, strip_output_frame
from core.strategies.tracker import FileModification, FileSection, ReadFile, key_sections
from core.transcript.model import ToolResponse
from core.transcript.tool_pairs import is_failed_result, response_content, result_text

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
_ERROR_WIDTH = 160
_SEARCHED_CHARACTERS = 20_000  # characters
_INJECTION_WIDTH = 120
_FRAME = 120  # characters of the frame around half of a result
_TAG = re.compile(r"</?[\w:-]+>")
_NO_INFORMATION = re.compile(
    r"exit code:? \d+|chunk id:.*|wall time:.*|traceback \(most recent call last\):|[\W_]*", re.IGNORECASE
)
_ERROR_KEYS = ("error_message", "error", "message", "stderr", "output")


def is_marked(text: str) -> bool:
    """Return whether an earlier run wrote the text."""
    return _MARKED.match(text) is not None


def read_lines(read: ReadFile) -> Iterator[str]:
    """Yield texts for a read, the fullest first: path, lines and digest; summary and sections where known."""
    ranges = ", ".join(f"{low}-{high}" for low, high in read.ranges)
    size = f"{read.lines} {'line' if read.lines == 1 else 'lines'}" + (f": {ranges}" if ranges else "")
    plain = f"{READ}Read {read.path} ({size})"
    head = f"{READ}Read {read.path} ({size}, hash:{read.hash:x})" if read.hash else plain
    rest = [f"• Curator Summary: {read.summary}"] if read.summary else []
    if sections := _sections(read.sections):
        rest.append(f"• Key Sections: {sections}")
    if not read.lines:
        yield f"{READ}Read {read.path}"
        return
    yield "\n".join((head, *rest, "• Text left out; read the file again where it is needed"))
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
    details = [f"lines {change.lines[0]}-{change.lines[1]}"] if change.lines else []
    if newest_time is not None and change.timestamp is not None:
        details.append(f"{max(0, newest_time - change.timestamp) // 60_000} min ago")
    head = f"{WRITE}{change.kind.capitalize()} {change.path}"
    described = f"{head} ({', '.join(details)})" if details else head
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
    paths = {kind: [change.path for change in changes if change.kind == kind] for kind in kinds}
    yield WRITE + "; ".join(f"{kind.capitalize()} {', '.join(paths[kind])}" for kind in kinds)
    yield WRITE + "; ".join(f"{kind.capitalize()} {_shortened_paths(paths[kind])}" for kind in kinds)


def tool_line(name: str, response: ToolResponse) -> str:
    """Return the general text for a successful call."""
    return f"{TOOL}{name or response.name or 'tool'} executed successfully"


def failure_line(name: str, paths: Sequence[str], response: ToolResponse) -> str:
    """Return the text for a failed call: the tool, its files, and the first line of the error."""
    location = f" on {shorten(', '.join(paths), 200)}" if paths else ""
    error = error_line(response)
    error_text = f": {error}" if error else ""
    return f"{TOOL}{name or response.name or 'tool'}{location} failed{error_text}"


def half_of_result(head: str, text: str) -> str:
    """Return half of a result below ``head``: its beginning and end, in whole lines where possible."""
    side = max(1, (len(text) - _FRAME) // 4)
    start, end = text[:side], text[-side:]
    start = start[: start.rfind("\n") + 1] or start
    end = end[end.find("\n") + 1 :] or end
    left_out = text.count("\n", len(start), len(text) - len(end))
    return f"{head}; half of its output:\n{start.rstrip()}\n… [{left_out} lines left out] …\n{end.lstrip()}"


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


def error_line(response: ToolResponse) -> str:
    """Return the most informative line of an error, without tags; else its first line."""
    error = response.error if isinstance(response.error, str) and is_failed_result(response) else None
    text = error or _error_text(response_content(response))
    output = strip_output_frame(text[:_SEARCHED_CHARACTERS])
    excerpt = output if output.strip() else text[:_SEARCHED_CHARACTERS]
    message = error_messages(excerpt)[0]
    lines = (" ".join(_TAG.sub("", line).split()) for line in excerpt.splitlines())
    texts = [line for line in lines if line]
    first = next((line for line in texts if not _NO_INFORMATION.fullmatch(line)), texts[0] if texts else "")
    return shorten(message or first, _ERROR_WIDTH)


def _shortened_paths(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{len(paths)} files, the first of them {paths[0]}"


def _sections(parts: Sequence[FileSection]) -> str:
    listed = ""
    for part in key_sections(parts, _MAX_SECTIONS):
        entry = f"{shorten(part.title, _TITLE_WIDTH)} (lines {part.start}-{part.end})"
        if len(listed) + len(entry) > _SECTIONS_WIDTH:
            break
        listed = f"{listed}, {entry}" if listed else entry
    return listed


def _error_text(value: Json) -> str:
    """Return the error inside an answer, after its type where it has one."""
    fields = result_object(value)
    texts = (fields.get(key) for key in _ERROR_KEYS)
    errors = [error for error in texts if isinstance(error, str) and error]
    text = errors[0] if errors else result_text(value)
    kind = fields.get("error_type")
    return f"{kind}: {text}" if isinstance(kind, str) and kind not in ("", "none") else text

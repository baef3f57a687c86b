"""The texts that hybrid puts in the place of others, each after a mark by which it is known again (LH).

The forms are those of the seed; where a mark stands, nothing is compressed a second time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.common.json_value import Json
from core.facts.sentences import shorten
from core.facts.tool_failures import message_of
from core.strategies.file_outline import key_sections
from core.strategies.tool_work import output_of, result_object
from core.strategies.tracker import FileModification, FileSection, ReadFile
from core.transcript.model import Message, Text, ToolResponse
from core.transcript.tool_outcomes import answer_of, is_failed_result, result_text

READ = "📄 [Compressed] "
WRITE = "✏️ [Compressed] "
TOOL = "🔧 [Compressed] "
TALK = "💬 [Compressed] "
CUT = "💬 [Compressed/Truncated] "
INJECTION = "💭 [Compressed] "

_MARKED = re.compile(r"\s*(?:📄|✏️?|🔧|💬|💭) \[Compressed")
_MOST_SECTIONS = 4
_SECTIONS_WIDTH = 160  # characters
_TITLE_WIDTH = 40
_TODO_WIDTH = 80
_ERROR_WIDTH = 160
_READ_OF_ERROR = 20_000  # characters
_INJECTION_WIDTH = 120
_FRAME = 120  # characters that the frame around half of a result takes
_TAG = re.compile(r"</?[\w:-]+>")
_EMPTY = re.compile(
    r"exit code:? \d+|chunk id:.*|wall time:.*|traceback \(most recent call last\):|[\W_]*", re.IGNORECASE
)
_ERROR_KEYS = ("error_message", "error", "message", "stderr", "output")


def is_marked(text: str) -> bool:
    """True for a text that an earlier run put there."""
    return _MARKED.match(text) is not None


def read_lines(read: ReadFile) -> Iterator[str]:
    """Texts for a read, the fullest first: path, lines and digest; summary and sections where known."""
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
    """The text for one result that holds several files."""
    return f"{READ}Read {shorten(', '.join(paths), 400)} ({lines} lines together)"


def write_lines(change: FileModification, now: int | None) -> Iterator[str]:
    """Texts for a change of a file, the fullest first: what, lines and age; kind and task below.

    ``now`` in ms is the newest time of the conversation, from which the age is counted.
    """
    about = [f"lines {change.lines[0]}-{change.lines[1]}"] if change.lines else []
    if now is not None and change.timestamp is not None:
        about.append(f"{max(0, now - change.timestamp) // 60_000} min ago")
    head = f"{WRITE}{change.kind.capitalize()} {change.path}"
    told = f"{head} ({', '.join(about)})" if about else head
    kind = f"• Type: {change.kind}"
    task = f"• Related to active todo: '{shorten(change.todo, _TODO_WIDTH)}'" if change.todo else ""
    if task:
        yield f"{told}\n{kind}\n{task}"
        yield f"{told}\n{task}"
    else:
        yield f"{told}\n{kind}"
    yield told
    yield head


def several_write_lines(changes: Sequence[FileModification]) -> Iterator[str]:
    """Texts for a call that changed several files: each file, else how many of each kind."""
    kinds = dict.fromkeys(change.kind for change in changes)
    paths = {kind: [change.path for change in changes if change.kind == kind] for kind in kinds}
    yield WRITE + "; ".join(f"{kind.capitalize()} {', '.join(paths[kind])}" for kind in kinds)
    yield WRITE + "; ".join(f"{kind.capitalize()} {_some(paths[kind])}" for kind in kinds)


def tool_line(name: str, response: ToolResponse) -> str:
    """The general text for a tool that worked."""
    return f"{TOOL}{_name(name, response)} executed successfully"


def failure_line(name: str, paths: Sequence[str], response: ToolResponse) -> str:
    """The text for a call that failed: the tool, its files, and the first line of the error."""
    where = f" on {shorten(', '.join(paths), 200)}" if paths else ""
    error = error_line(response)
    said = f": {error}" if error else ""
    return f"{TOOL}{_name(name, response)}{where} failed{said}"


def half_of_result(head: str, text: str) -> str:
    """About half of a result below ``head``: its beginning and its end, in whole lines where it has such."""
    side = max(1, (len(text) - _FRAME) // 4)
    start, end = text[:side], text[-side:]
    start = start[: start.rfind("\n") + 1] or start
    end = end[end.find("\n") + 1 :] or end
    left = text.count("\n", len(start), len(text) - len(end))
    return f"{head}; half of its output:\n{start.rstrip()}\n… [{left} lines left out] …\n{end.lstrip()}"


def injection_line(text: str) -> str:
    """One line for context that a harness put in earlier."""
    return f"{INJECTION}Earlier context: {shorten(_first_line(text), _INJECTION_WIDTH)}"


def cut_text(text: str, most_bytes: int) -> str:
    """The beginning of a text, at most so many bytes of UTF-8, never half a character; … where it was cut."""
    data = text.encode("utf-8", "replace")
    if len(data) <= most_bytes:
        return f"{CUT}{text}"
    return f"{CUT}{data[:most_bytes].decode('utf-8', 'ignore').rstrip()}…"


def error_line(response: ToolResponse) -> str:
    """The line of an error that says most, without tags; else its first line."""
    error = response.error if isinstance(response.error, str) and is_failed_result(response) else None
    text = error or _error_text(answer_of(response))
    output = output_of(text[:_READ_OF_ERROR])
    shown = output if output.strip() else text[:_READ_OF_ERROR]
    told = message_of(shown)
    lines = (" ".join(_TAG.sub("", line).split()) for line in shown.splitlines())
    said = [line for line in lines if line]
    first = next((line for line in said if not _EMPTY.fullmatch(line)), said[0] if said else "")
    return shorten(told or first, _ERROR_WIDTH)


def text_of(message: Message) -> str:
    """The text blocks of a message."""
    return "\n".join(block.text for block in message.blocks if isinstance(block, Text))


def _some(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{len(paths)} files, the first of them {paths[0]}"


def _sections(parts: Sequence[FileSection]) -> str:
    shown = ""
    for part in key_sections(parts, _MOST_SECTIONS):
        one = f"{shorten(part.title, _TITLE_WIDTH)} (lines {part.start}-{part.end})"
        if len(shown) + len(one) > _SECTIONS_WIDTH:
            break
        shown = f"{shown}, {one}" if shown else one
    return shown


def _error_text(value: Json) -> str:
    """The error inside an answer; its type stands before it where it has one."""
    fields = result_object(value)
    texts = (fields.get(key) for key in _ERROR_KEYS)
    said = [one for one in texts if isinstance(one, str) and one]
    text = said[0] if said else result_text(value)
    kind = fields.get("error_type")
    return f"{kind}: {text}" if isinstance(kind, str) and kind not in ("", "none") else text


def _name(name: str, response: ToolResponse) -> str:
    return name or response.name or "tool"


def _first_line(text: str) -> str:
    lines = (_TAG.sub("", line).strip(" \t#*=-") for line in text.splitlines())
    return next((line for line in lines if line), "")

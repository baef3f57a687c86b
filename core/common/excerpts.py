"""Short, clean texts out of what a transcript holds: one line, no control characters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from core.common import number_format
from core.common.json_value import MISSING, Json

WIDTH = 200
"""Characters that a row's text may have."""

_LOOK = 1_000
_UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\s]+"
)
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_WRAPPED = re.compile(
    r"(?:(?:Chunk ID|Wall time|Original token count|Total output lines)\b.*\n|((?:Exit code|Process)\b.*)\n)+"
    r"Output:(?:\n|$)"
)
_LINED = re.compile(r"^\s*\d+→")
_PICTURE = re.compile(r"[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f? +(?=\[)")

_COMMANDS = ("command", "cmd", "script", "code")
_PATTERNS = ("pattern", "query", "regex", "search", "q")
_PATHS = (
    *("file_path", "absolute_path", "path", "filePath", "filename", "file", "notebook_path"),
    *("TargetFile", "AbsolutePath", "dir_path", "directory", "url", "uri"),
)
_PATCHES = ("patch", "input", "diff")
_WORDS = ("description", "title", "question", "subject", "name", "prompt", "message", "text", "task")
_TEXT_KEYS = ("output", "stdout", "content", "text", "result", "message", "llmContent", "stderr", "error")


def one_line_text(text: str, width: int = WIDTH) -> str:
    """The text on one line: blanks, line breaks and control characters become one blank each."""
    piece = text[: width * 2].strip()
    if not piece.isprintable() or "  " in piece:
        piece = " ".join(piece.split())
        if not piece.isprintable():
            piece = _UNPRINTABLE.sub(" ", piece).strip()
    return piece if len(piece) <= width else ellipsize(piece, width)


def ellipsize(text: str, width: int = WIDTH) -> str:
    """At most that many characters, the last an ellipsis where something is missing."""
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def flat_beginning(text: str, width: int = WIDTH) -> str:
    """The beginning of a text, its lines joined."""
    return one_line_text(text.lstrip() if text[:_LOOK].isspace() else text, width)


def without_caption_glyph(text: str) -> str:
    """The text without the picture before a note in brackets, which few fonts for code have."""
    picture = None if text.isascii() else _PICTURE.match(text)
    return text[picture.end() :] if picture else text


def first_line(text: str, width: int = WIDTH) -> str:
    """The first line with something in it, without the line number that some read tools print and
    without the lines that a shell tool puts before the output itself, or a label ("OBSERVATION:")."""
    head = text[:_LOOK].lstrip() or text.lstrip()[:_LOOK]
    wrapped = _WRAPPED.match(head)
    if wrapped:
        head = head[wrapped.end() :].lstrip() or wrapped[1] or "empty result"
    line, _, rest = head.partition("\n")
    if line.isupper() and line.rstrip().endswith(":") and (rest := rest.lstrip()):
        line = rest.partition("\n")[0]
    numbered = _LINED.match(line)
    if numbered and len(line) > numbered.end():
        line = line[numbered.end() :]
    return one_line_text(line, width)


def as_json(value: Json, width: int = 0) -> str:
    """A JSON value as compact text; cut where a width is given. Values too deep become a note, an
    absent one nothing."""
    if value is MISSING:
        return ""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str)
    except RecursionError:
        text = "JSON nested too deep to show"
    return one_line_text(text, width) if width else text


def result_text(result: Json) -> str:
    """The text in a tool's result: the text itself, that of its blocks, its main field, else JSON."""
    if isinstance(result, str):
        return result
    if isinstance(result, Mapping):
        for key in _TEXT_KEYS:
            if isinstance(result.get(key), str) and result[key].strip():
                return str(result[key])
            if key == "content" and isinstance(result.get(key), list):
                return result_text(result[key])
    if isinstance(result, list):
        parts = [part for part in map(_block_text, result) if part]
        if parts:
            return "\n".join(parts)
    return "" if result is None else as_json(result)


def _block_text(block: Json) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping):
        return ""
    if isinstance(block.get("text"), str):
        return str(block["text"])
    kind = block.get("type")
    return f"[{kind}]" if isinstance(kind, str) else ""


def main_argument(arguments: Json, cwd: str = "") -> str:
    """What a call is about: command, pattern, path with its lines, else the first words in it."""
    if isinstance(arguments, str):
        return first_line(arguments)
    if type(arguments) is not dict and not isinstance(arguments, Mapping):  # the former is quick
        return "" if arguments is None else as_json(arguments, WIDTH)
    command, path = _first(arguments, _COMMANDS), _path(arguments, cwd)
    if command:
        return one_line_text(f"{command} {path}" if path else command)
    pattern = _first(arguments, _PATTERNS)
    return pattern or path or _patched(arguments, cwd) or _first(arguments, _WORDS) or _anything(arguments)


def _first(arguments: Mapping[str, Json], keys: Sequence[str]) -> str:
    for key in keys:
        value = arguments.get(key)
        if not value:
            continue
        if isinstance(value, str) and value.strip():
            return flat_beginning(value)
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return flat_beginning(" ".join(value))
    return ""


def _path(arguments: Mapping[str, Json], cwd: str) -> str:
    path = _first(arguments, _PATHS)
    if not path:
        paths = arguments.get("paths")
        return _first({"paths": paths}, ("paths",)) if isinstance(paths, list) else ""
    return ellipsize(short_path(path, cwd) + _lines(arguments))


def short_path(path: str, cwd: str) -> str:
    """A path inside the working folder without that folder."""
    root = cwd.rstrip("/") + "/"
    return path[len(root) :] if cwd and path.startswith(root) and len(path) > len(root) else path


def _lines(arguments: Mapping[str, Json]) -> str:
    """The lines that a read asks for, ":80-140", from an offset and a count or from start and end."""
    view, limit = arguments.get("view_range"), arguments.get("limit")
    start = arguments.get("start_line", arguments.get("offset"))
    end = arguments.get("end_line")
    if isinstance(view, list) and len(view) == 2:
        start, end = view
    elif isinstance(start, int) and isinstance(limit, int) and end is None:
        end = start + limit - 1
    if not isinstance(start, int) or start < 0:
        return ""
    return f":{start}-{end}" if isinstance(end, int) and end >= start else f":{start}"


def _patched(arguments: Mapping[str, Json], cwd: str) -> str:
    patch = next((arguments[key] for key in _PATCHES if isinstance(arguments.get(key), str)), "")
    paths = [short_path(path.strip(), cwd) for path in _PATCHED.findall(patch[:20_000])]
    return one_line_text(", ".join(paths)) or flat_beginning(patch)


def _anything(arguments: Mapping[str, Json]) -> str:
    for value in arguments.values():
        if isinstance(value, str) and value.strip():
            return flat_beginning(value)
    for key, value in arguments.items():
        if isinstance(value, list) and value:
            return number_format.plural(
                len(value), one_line_text(key, 40).removesuffix("s"), one_line_text(key, 40)
            )
    return as_json(arguments, WIDTH) if arguments else ""

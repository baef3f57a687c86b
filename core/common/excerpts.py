"""Texts as they are shown: one-line excerpts of messages, calls and results."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence

from core.common import number_format
from core.common.json_value import MISSING, Json

WIDTH = 200
"""Most characters of a row's text."""

_MAX_SCANNED = 1_000
_UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\s]+"
)
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PATCH_FILE_LINE = re.compile(
    r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE
)
_SHELL_HEADER = re.compile(
    r"(?:(?:Chunk ID|Wall time|Original token count|Total output lines)\b.*\n|((?:Exit code|Process)\b.*)\n)+"
    r"Output:(?:\n|$)"
)
_RETURN_CODE = re.compile(
    r"<returncode>(-?\d+)</returncode>\s*(?:<output>\s*)?(?:</output>)?"
)
_LINE_NUMBER = re.compile(r"^\s*\d+→")
_CAPTION_GLYPH = re.compile(r"[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f? +(?=\[)")

_COMMANDS = ("command", "cmd", "script", "code")
_PATTERNS = ("pattern", "query", "regex", "search", "q")
_PATHS = (
    *(
        "file_path",
        "absolute_path",
        "path",
        "filePath",
        "filename",
        "file",
        "notebook_path",
    ),
    *("TargetFile", "AbsolutePath", "dir_path", "directory", "url", "uri"),
)
_PATCHES = ("patch", "input", "diff")
_WORDS = (
    "description",
    "title",
    "question",
    "subject",
    "name",
    "prompt",
    "message",
    "text",
    "task",
)
_TEXT_KEYS = (
    "output",
    "stdout",
    "content",
    "text",
    "result",
    "message",
    "llmContent",
    "stderr",
    "error",
)


TOO_DEEP = "JSON nested too deep to show"


def one_line_text(text: str, width: int = WIDTH) -> str:
    """Return the text on one line; each run of white space and control characters becomes one
    blank."""
    piece = text[: width * 2].strip()
    if not piece.isprintable() or "  " in piece:
        piece = " ".join(piece.split())
        if not piece.isprintable():
            piece = _UNPRINTABLE.sub(" ", piece).strip()
    if len(piece) <= width:
        return piece
    return ellipsize(piece, width)


def ellipsize(text: str, width: int = WIDTH) -> str:
    if len(text) <= width:
        return text
    return text[: width - 1].rstrip() + "…"


def one_line_start(text: str) -> str:
    """Return the beginning of a text on one line, without the colours of a terminal."""
    start = text.lstrip() if text[:_MAX_SCANNED].isspace() else text
    return one_line_text(_without_colours(start[:_MAX_SCANNED]))


def _without_colours(text: str) -> str:
    if "\x1b" in text:
        return _COLOURS.sub("", text)
    return text


def without_caption_glyph(text: str) -> str:
    """Remove the emoji before a note in brackets; few monospaced fonts have it."""
    if text.isascii():
        glyph = None
    else:
        glyph = _CAPTION_GLYPH.match(text)
    if glyph:
        return text[glyph.end() :]
    return text


def first_line(text: str, width: int = WIDTH) -> str:
    """Return the first line that is not blank.

    Skips line numbers of read tools, the header lines of shell tools and labels such as
    "OBSERVATION:".
    """
    start = text[:_MAX_SCANNED].lstrip() or text.lstrip()[:_MAX_SCANNED]
    start = _without_colours(start)
    if header := _SHELL_HEADER.match(start):
        output = start[header.end() :].lstrip()
        start = output or header[1] or "empty result"
    if return_code := _RETURN_CODE.match(start):
        output = start[return_code.end() :]
        start = output or f"exit code {return_code[1]}, no output"
    line, _, rest = start.partition("\n")
    is_label = line.isupper() and line.rstrip().endswith(":")
    # A label with nothing below it is all that there is.
    if is_label and rest.strip():
        line = rest.lstrip().partition("\n")[0]
    number = _LINE_NUMBER.match(line)
    if number and len(line) > number.end():
        line = line[number.end() :]
    return one_line_text(line, width)


def as_json(value: Json, width: int = 0) -> str:
    """Return a JSON value as compact text, shortened if ``width`` is not 0; "" for MISSING."""
    if value is MISSING:
        return ""
    try:
        text = json.dumps(
            value, ensure_ascii=False, separators=(", ", ": "), default=str
        )
    except RecursionError:
        text = TOO_DEEP
    if width:
        return one_line_text(text, width)
    return text


def result_excerpt(result: Json) -> str:
    """Return the text of a tool result: the text itself, that of its blocks or its main field, else
    JSON."""
    if result is None:
        return ""
    if isinstance(result, str):
        return result
    if isinstance(result, Mapping):
        for key in _TEXT_KEYS:
            value = result.get(key)
            if isinstance(value, str) and value.strip():
                return value
            # Results of MCP hold their blocks there.
            if key == "content" and isinstance(value, list):
                return result_excerpt(value)
    if isinstance(result, list):
        parts = [part for part in map(_block_text, result) if part]
        if parts:
            return "\n".join(parts)
    return as_json(result)


def _block_text(block: Json) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping):
        return ""
    if isinstance(block.get("text"), str):
        return str(block["text"])
    kind = block.get("type")
    if isinstance(kind, str):
        return f"[{kind}]"
    return ""


def main_argument(arguments: Json, cwd: str = "") -> str:
    """Return what a call is about: its command, pattern or path with lines, else the first text in
    it."""
    if isinstance(arguments, str):
        return first_line(arguments)
    # The first test is fast.
    if type(arguments) is not dict and not isinstance(arguments, Mapping):
        if arguments is None:
            return ""
        return as_json(arguments, WIDTH)
    command = _first(arguments, _COMMANDS)
    path = _path(arguments, cwd)
    if command:
        return one_line_text(f"{command} {path}" if path else command)
    pattern = _first(arguments, _PATTERNS)
    return (
        pattern
        or path
        or _patch_paths(arguments, cwd)
        or _first(arguments, _WORDS)
        or _first_text_or_count(arguments)
    )


def _first(arguments: Mapping[str, Json], keys: Sequence[str]) -> str:
    for key in keys:
        value = arguments.get(key)
        if not value:
            continue
        if isinstance(value, str) and value.strip():
            return one_line_start(value)
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return one_line_start(" ".join(value))
    return ""


def _path(arguments: Mapping[str, Json], cwd: str) -> str:
    path = _first(arguments, _PATHS)
    if not path:
        paths = arguments.get("paths")
        if isinstance(paths, list):
            return _first({"paths": paths}, ("paths",))
        return ""
    return ellipsize(short_path(path, cwd) + _lines(arguments))


def short_path(path: str, cwd: str) -> str:
    """Return the path relative to the working folder if it is inside it."""
    root = cwd.rstrip("/") + "/"
    if cwd and path.startswith(root) and len(path) > len(root):
        return path[len(root) :]
    return path


def _lines(arguments: Mapping[str, Json]) -> str:
    """Return the line range of a read as ":80-140", from offset and count or from start and end."""
    view_range = arguments.get("view_range")
    limit = arguments.get("limit")
    start = arguments.get("start_line", arguments.get("offset"))
    end = arguments.get("end_line")
    if isinstance(view_range, list) and len(view_range) == 2:
        start, end = view_range
    elif isinstance(start, int) and isinstance(limit, int) and end is None:
        end = start + limit - 1
    if not isinstance(start, int) or start < 0:
        return ""
    if isinstance(end, int) and end >= start:
        return f":{start}-{end}"
    return f":{start}"


def _patch_paths(arguments: Mapping[str, Json], cwd: str) -> str:
    patch = next(
        (arguments[key] for key in _PATCHES if isinstance(arguments.get(key), str)), ""
    )
    paths = [
        short_path(path.strip(), cwd)
        for path in _PATCH_FILE_LINE.findall(patch[:20_000])
    ]
    return one_line_text(", ".join(paths)) or one_line_start(patch)


def _first_text_or_count(arguments: Mapping[str, Json]) -> str:
    for value in arguments.values():
        if isinstance(value, str) and value.strip():
            return one_line_start(value)
    for key, value in arguments.items():
        if (
            isinstance(value, list)
            and len(value) == 1
            and isinstance(value[0], Mapping)
        ):
            return _first_text_or_count(value[0])
        if isinstance(value, list) and value:
            return number_format.plural(
                len(value),
                one_line_text(key, 40).removesuffix("s"),
                one_line_text(key, 40),
            )
    if arguments:
        return as_json(arguments, WIDTH)
    return ""


# White space as JavaScript trims it, and marks for invisible and bidirectional characters.


LINE_END = "\n\r\u2028\u2029"
"""JavaScript's line terminators, for use inside the brackets of a regular expression."""

_SPACE = " \t\v\f\u00a0\ufeff\u1680\u2000-\u200a\u202f\u205f\u3000" + LINE_END
_TRIM = re.compile(rf"\A[{_SPACE}]+|[{_SPACE}]+\Z")


def trim(text: str) -> str:
    """Trim a text: a byte order mark is removed, U+001C to U+001F and U+0085 are not."""
    return _TRIM.sub("", text)


def with_whole_characters(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, half of a character; pairs of them are
    joined."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


INVISIBLE = re.compile(
    r"\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\uffff\ud800-\udfff"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    # joiners belong to many scripts and to emoji; next to ASCII they only hide something
    r"|(?:(?<![^\x00-\x7f])[\u200c\u200d])|(?:[\u200c\u200d](?![^\x00-\x7f]))"
)
"""Matches control and invisible characters, but not tab, line feed, and joiners within other
scripts."""


def visible_text(text: str) -> str:
    """Return the text with marks: "a\\u202eb" as "a⟨U+202E⟩b", an escape as "␛"."""
    return INVISIBLE.sub(_mark, text)


def _mark(match: re.Match[str]) -> str:
    label = character_label(match.group())
    if label.startswith("U+"):
        return f"⟨{label}⟩"
    return label


def character_label(character: str) -> str:
    """Return the mark of a character: the Unicode symbol of a control, "U+202E", or a line feed for
    CRLF."""
    if character == "\r\n":
        return "\n"
    code = ord(character)
    if code == 0xFFFD:
        return character
    if code < 0x20:
        return chr(0x2400 + code)  # Unicode's control pictures
    if code == 0x7F:
        return "\u2421"
    return f"U+{code:04X}"


def character_title(code: int) -> str:
    """Return name and code point of a character: "right-to-left override, U+202E"."""
    unnamed = "half of a character" if 0xD800 <= code < 0xE000 else "control character"
    return f"{unicodedata.name(chr(code), unnamed).lower()}, U+{code:04X}"

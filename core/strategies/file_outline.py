"""Outlines a file by simple patterns for many languages: its sections and a one-line summary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.strategies.tracker import FileSection

MAX_SUMMARY = 200  # characters of the summary line of a file
_MIN_LINES = 8  # shorter texts have no summary line
_MAX_NAMES = 12  # names in a summary line
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt")
_TABLES = (".toml", ".ini", ".cfg", ".conf")
_HEADING = re.compile(r"^#{1,3}[ \t]+(?P<name>\S[^\n]{0,78})", re.MULTILINE)
_TABLE = re.compile(r"^\[+(?P<name>[^\]\n]{1,60})\]+[ \t]*$", re.MULTILINE)
_MODIFIERS = (
    r"(?:(?:export|default|pub(?:\([a-z]+\))?|public|private|protected|internal|static|async|abstract|final|"
    r"sealed|override|inline|extern|unsafe|declare|open|data)[ \t]+)*"
)
_KINDS = (
    r"(?:def|class|fn|func|fun|function\*?|struct|enum|interface|trait|impl(?:<[^>\n]{1,40}>)?|module|object|"
    r"namespace|protocol|macro_rules!|test)"
)
_DEFINITION = (
    rf"{_MODIFIERS}(?:{_KINDS}[ \t]+(?:\([^)\n]{{1,60}}\)[ \t]*)?(?P<name>[A-Za-z_]\w*|\"[^\"\n]{{1,60}}\")"
    r"|type[ \t]+(?P<type>[A-Za-z_]\w*)(?:<[^>\n]{1,40}>)?[ \t]*(?:=|struct\b|interface\b)"
    r"|(?:const|let|var)[ \t]+(?P<const>[A-Za-z_$]\w*)[^=\n]{0,60}=[ \t]*"
    r"(?:struct|enum|union|async|function|class|\())"
)
_FUNCTION = (  # C-like languages: a type, a name, and arguments not followed by a semicolon
    r"(?:\w[\w:<>*&]{0,60}[ \t*&]{1,8}){1,4}(?P<plain>[A-Za-z_][\w:~]{0,60})[ \t]?"
    r"\([^;\n]{0,200}\)[^;\n=]{0,40}$"
)
_CODE = re.compile(rf"^{_DEFINITION}", re.MULTILINE)
_C = re.compile(rf"^(?:{_DEFINITION}|{_FUNCTION})", re.MULTILINE)
_C_FILES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".m", ".mm", ".java", ".cs", ".dart", ".cu")
_PATTERNS = ((_PROSE, _HEADING), (_TABLES, _TABLE), (_C_FILES, _C))
_NO_NAMES = frozenset(
    {"if", "for", "while", "switch", "return", "else", "catch", "new", "in", "and", "or", "not"}
)


def file_sections(path: str, text: str, first: int = 1) -> tuple[FileSection, ...]:
    """Return the definitions or headings of a text with their lines, ``first`` being its first line number.
    Only unindented ones count; a section ends where the next one begins."""
    found = list(_section_starts(path, text, first))
    last = first + text.count("\n") - text.endswith("\n")
    ends = [*(start - 1 for _, start in found[1:]), last][: len(found)]
    return tuple(
        FileSection(name, start, max(start, end)) for (name, start), end in zip(found, ends, strict=True)
    )


def file_outline(path: str, text: str, parts: Sequence[FileSection]) -> str:
    """Return one line of at most 200 characters about what a file defines or covers; "" without names."""
    names = sorted(dict.fromkeys(part.title for part in parts), key=lambda name: name.startswith("_"))
    if not names or text.count("\n") < _MIN_LINES:
        return ""
    verb = "covers" if path.lower().endswith((*_PROSE, *_TABLES)) else "defines"
    listed = names[:_MAX_NAMES]
    while len(listed) > 1 and len(_name_list(verb, listed, len(names))) > MAX_SUMMARY:
        listed.pop()
    return _name_list(verb, listed, len(names))[:MAX_SUMMARY]


def key_sections(parts: Sequence[FileSection], max_count: int) -> tuple[FileSection, ...]:
    """Return the ``max_count`` longest sections of more than one line, in the order of the file."""
    longest = sorted(
        (part for part in parts if part.end > part.start), key=lambda part: part.start - part.end
    )
    return tuple(sorted(longest[:max_count], key=lambda part: part.start))


def _name_list(verb: str, names: Sequence[str], all_names: int) -> str:
    more = f" and {all_names - len(names)} more" if all_names > len(names) else ""
    return f"{verb} {', '.join(names)}{more}"


def _section_starts(path: str, text: str, first: int) -> Iterator[tuple[str, int]]:
    """Yield names with their line numbers."""
    lower = path.lower()
    pattern = next((pattern for ends, pattern in _PATTERNS if lower.endswith(ends)), _CODE)
    line, seen = first, 0
    for match in pattern.finditer(text):
        name = (match[match.lastgroup] if match.lastgroup else "").strip().strip('#"').strip()
        if not name or name in _NO_NAMES:
            continue
        line += text.count("\n", seen, match.start())
        seen = match.start()
        yield " ".join(name.split()), line

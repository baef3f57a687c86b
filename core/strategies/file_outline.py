"""What a file holds, by simple patterns that know no language well: its sections and one line about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.strategies.tracker import FileSection

MOST_SUMMARY = 200
"""Characters of the line about a file."""

_FEW_LINES = 8  # shorter texts are told by their path alone
_NAMES = 12  # named in the line about a file
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt")
_TABLES = (".toml", ".ini", ".cfg", ".conf")
_HEADING = re.compile(r"^#{1,3}[ \t]+(?P<name>\S[^\n]{0,78})", re.MULTILINE)
_TABLE = re.compile(r"^\[+(?P<name>[^\]\n]{1,60})\]+[ \t]*$", re.MULTILINE)
_BEFORE = (
    r"(?:(?:export|default|pub(?:\([a-z]+\))?|public|private|protected|internal|static|async|abstract|final|"
    r"sealed|override|inline|extern|unsafe|declare|open|data)[ \t]+)*"
)
_KINDS = (
    r"(?:def|class|fn|func|fun|function\*?|struct|enum|interface|trait|impl(?:<[^>\n]{1,40}>)?|module|object|"
    r"namespace|protocol|macro_rules!|test)"
)
_DEFINITION = (
    rf"{_BEFORE}(?:{_KINDS}[ \t]+(?:\([^)\n]{{1,60}}\)[ \t]*)?(?P<name>[A-Za-z_]\w*|\"[^\"\n]{{1,60}}\")"
    r"|type[ \t]+(?P<type>[A-Za-z_]\w*)(?:<[^>\n]{1,40}>)?[ \t]*(?:=|struct\b|interface\b)"
    r"|(?:const|let|var)[ \t]+(?P<const>[A-Za-z_$]\w*)[^=\n]{0,60}=[ \t]*"
    r"(?:struct|enum|union|async|function|class|\())"
)
_FUNCTION = (  # C and those that look like it: a type, a name, and arguments without a semicolon behind them
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
    """The definitions or headings of a text with their lines; ``first`` is the number of its first line.

    Only what begins at the left margin counts; a section ends where the next one begins.
    """
    found = list(_starts(path, text, first))
    last = first + text.count("\n") - text.endswith("\n")
    ends = [*(start - 1 for _, start in found[1:]), last][: len(found)]
    return tuple(
        FileSection(name, start, max(start, end)) for (name, start), end in zip(found, ends, strict=True)
    )


def file_outline(path: str, text: str, parts: Sequence[FileSection]) -> str:
    """One line about a file, at most 200 characters: what it defines or speaks of; "" for nothing to say."""
    names = sorted(dict.fromkeys(part.title for part in parts), key=lambda name: name.startswith("_"))
    if not names or text.count("\n") < _FEW_LINES:
        return ""
    verb = "covers" if path.lower().endswith((*_PROSE, *_TABLES)) else "defines"
    kept = names[:_NAMES]
    while len(kept) > 1 and len(_listed(verb, kept, len(names))) > MOST_SUMMARY:
        kept.pop()
    return _listed(verb, kept, len(names))[:MOST_SUMMARY]


def key_sections(parts: Sequence[FileSection], most: int) -> tuple[FileSection, ...]:
    """The longest sections of more than one line, in the order of the file."""
    longest = sorted(
        (part for part in parts if part.end > part.start), key=lambda part: part.start - part.end
    )
    return tuple(sorted(longest[:most], key=lambda part: part.start))


def _listed(verb: str, names: Sequence[str], all_names: int) -> str:
    more = f" and {all_names - len(names)} more" if all_names > len(names) else ""
    return f"{verb} {', '.join(names)}{more}"


def _starts(path: str, text: str, first: int) -> Iterator[tuple[str, int]]:
    """Names with the lines on which they begin."""
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

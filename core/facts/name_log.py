"""The names of a session: where each stands, and how often."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.facts.model import Fact, FactKind
from core.facts.name_patterns import NameKind, names_in

_MAX_SEARCHED, _MAX_OUTPUT = 20_000, 6_000  # characters of what is said, and of a result
_NEWEST_SHARE = 0.1  # of the messages
_BUILT = re.compile(
    r"(?:^|[\\/])(?:dist|build|node_modules|site-packages|__pycache__|\.venv|target|\.next|\.git|coverage)(?:[\\/]|$)|"
    r"[-.][0-9A-Za-z_]{8,}\.(?:js|css|map|woff2?|png|svg)$|"
    r"img\.shields\.io|badge|\.svg(?:\?|$)"
)
"""Build output, assets with a hash, addresses of badges."""
_NOISE_LINE = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:INFO|DEBUG|TRACE)\b|"
    r".*(?:[█▓░▏▎▍▌▋▊▉━╸]{3}|\[[=#>\- .]{8,}\]|\d{1,3}%\|)|.*\r.)"
)
"""Log lines and progress bars."""
_LINE_NUMBER = re.compile(r"^[ \t]*\d+(?=[:\-→|\t])", re.MULTILINE)
_LINE_WORDS = "lines?|line number|ln|zeilen?|lignes?|líneas?"
_NAMED_LINE = re.compile(rf"(?i)\b(?:{_LINE_WORDS})[ #:]*\d[\d,]*(?:\s*(?:-|–|to|and)\s*\d+)?")
_SEARCH_ROW = re.compile(r"^([\w./@+-]+\.[A-Za-z]\w{0,7})[-:]\d+[-:]", re.MULTILINE)
"""What grep and editors write before the text of a line: no names of the session."""
_ALTERNATIVES = re.compile(r"[A-Z][\w-]*/[A-Z][\w-]*")
"""Two words with a stroke between them: "All/Active" is no path."""


@dataclass(slots=True)
class _Name:
    kind: str
    first: int
    last: int
    count: int = 1
    is_said: bool = False  # by a person, the model or in a call


class NameLog:
    """Names by their text; ``add`` takes the messages in their order. One that is not open takes
    none."""

    def __init__(self, *, is_open: bool = True) -> None:
        self._is_open, self._names = is_open, dict[str, _Name]()

    def add(self, text: str, index: int, *, is_result: bool = False) -> None:
        """Add the names of a text, each once for its message."""
        if not self._is_open:
            return
        searched = text[: _MAX_OUTPUT if is_result else _MAX_SEARCHED]
        if is_result:
            searched = "\n".join(
                line for line in searched.split("\n") if not _NOISE_LINE.match(line)
            )
            searched = _LINE_NUMBER.sub("", _SEARCH_ROW.sub(r"\1 ", searched))
        searched = _NAMED_LINE.sub(" ", searched)
        for found in names_in(searched):
            if found.kind is NameKind.PATH and _ALTERNATIVES.fullmatch(found.text):
                continue
            name = self._names.get(found.text)
            if name is None:
                if _BUILT.search(found.text):
                    continue
                name = self._names[found.text] = _Name(found.kind.value, index, index)
            elif name.last != index:
                name.last, name.count = index, name.count + 1
            name.is_said |= not is_result

    def facts(self, messages: int) -> Iterator[Fact]:
        """Yield the names that somebody said, that stand in several of ``messages`` or in the
        newest."""
        newest = messages * (1 - _NEWEST_SHARE)
        for text, name in self._names.items():
            if name.is_said or name.count > 1 or name.last >= newest or name.kind == NameKind.URL:
                yield Fact(
                    kind=FactKind.NAME,
                    key=text,
                    text=text,
                    first=name.first,
                    last=name.last,
                    count=name.count,
                    detail=name.kind,
                )

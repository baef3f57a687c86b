"""Views of a text without escapes, colour codes, and breaks inside long words."""

from __future__ import annotations

import re
import string
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

_Change: TypeAlias = tuple[int, int, str]
"""Characters [start, end) of a source, and the character that replaces them, or ""."""

_ESCAPE = re.compile(
    r"[\\%\x1b&](?:"
    r"(?<=\\)(?<!\\\\)\\*+(?:(?P<sign>[\"'/nrt])|u00(?P<code>[2-7][0-9a-fA-F])"
    r"|(?:u001[bB]|x1[bB]|033|e)\[[0-9;]{0,12}[mK])"
    r"|(?<=%)(?:25){0,3}(?P<percent>[2-7][0-9A-Fa-f]|0[aAdD])"
    r"|(?<=\x1b)\[[0-9;]{0,12}[mK]"
    r"|(?<=&)(?P<entity>quot|apos|amp|lt|gt|#3[49]|#x2[27]);"
    r")"
)
"""Escapes of JSON (nested any number of times), URLs, HTML and terminals."""

_SIGNS = {"n": "\n", "r": "\r", "t": "\t"}
_ENTITIES = {"apos": "'", "amp": "&", "lt": "<", "gt": ">", "#39": "'", "#x27": "'"}

TOKEN_SIGNS = f"{string.ascii_letters}{string.digits}_-+/=.:"
_T = r"[A-Za-z0-9_\-+/=.:]"
_LEAD = r"[ \t]{0,40}+(?:[0-9]{1,6}(?:\t|→|[|│]) ?)?(?:[+\-] {0,8}(?=.)|[>#] )?[\"']?"
_BREAK = re.compile(
    rf"\n(?:(?<={_T}\n)|(?<={_T}[\"'\\\r]\n)|(?<={_T}[\"'][,+]\n)|(?<={_T}[\"'] [+\\]\n)|(?<={_T} \\\n))"
    rf"{_LEAD}(?={_T})"
)
"""A line break inside a word, with what editors, patches, shells and lists of texts add around it."""
_RUN = re.compile(rf"{_T}++")

_MIN_KEY = 16  # characters of a word that may be a key
_MIN_PASSWORD = 8  # of one with a digit, which may be a password
_CONTEXT = 240  # characters searched before and after a break
_NARROW = 40  # characters of a line; shorter ones were not broken because they were full
_SLACK = 8  # by how many characters the lines of one wrapped word differ
_MAX_CHAIN = 6_000  # characters of one word over many lines


@dataclass(frozen=True, slots=True)
class MappedText:
    """A view of a source text, and the source positions of its characters.

    A stretch of the view begins at ``starts[i]``; it was taken from the source at ``sources[i]``, and the
    stretch before it ends there at ``ends[i]``.
    """

    text: str
    starts: list[int]
    sources: list[int]
    ends: list[int]

    def source_start(self, position: int) -> int:
        """Return the source position of a match that begins at ``position``."""
        index = bisect_right(self.starts, position) - 1
        return self.sources[index] + position - self.starts[index]

    def source_end(self, position: int) -> int:
        """Return the source position of a match that ends at ``position``."""
        index = bisect_left(self.starts, position)
        if index < len(self.starts) and self.starts[index] == position:
            return self.ends[index]
        return self.sources[index - 1] + position - self.starts[index - 1]


def _mapped_text(text: str, changes: Iterable[_Change], begin: int = 0, end: int | None = None) -> MappedText:
    parts: list[str] = []
    starts, sources, ends = [0], [begin], [begin]
    view_position, source_position = 0, begin
    for first, last, replacement in changes:
        parts += (text[source_position:first], replacement)
        view_position += first - source_position
        if replacement:
            starts.append(view_position)
            sources.append(first)
            ends.append(first)
            view_position += 1
        starts.append(view_position)
        sources.append(last)
        ends.append(last if replacement else first)
        source_position = last
    return MappedText("".join([*parts, text[source_position:end]]), starts, sources, ends)


def unescaped_view(text: str) -> MappedText | None:
    """Return the text without escapes and colours; None if there are none."""
    changes = [_change(match) for match in _ESCAPE.finditer(text)]
    return _mapped_text(text, changes) if changes else None


def _change(match: re.Match[str]) -> _Change:
    sign = ""
    if found := match["sign"]:
        sign = _SIGNS.get(found, found)
    elif code := match["code"] or match["percent"]:
        sign = chr(int(code, 16))
    elif entity := match["entity"]:
        sign = _ENTITIES.get(entity, '"')
    return match.start(), match.end(), sign


@dataclass(frozen=True, slots=True)
class JoinedLines:
    """Lines of a text without the breaks inside their words; ``breaks`` are places in the view."""

    view: MappedText
    breaks: tuple[int, ...]
    widths: tuple[int, ...]
    """Characters of the line before each break."""


def joined_line_runs(text: str) -> Iterator[JoinedLines]:
    """Yield every run of lines that a long word may span."""
    chain: list[re.Match[str]] = []
    for match in _BREAK.finditer(text):
        if chain and not _fills_line(text, chain, match):
            yield from _joined_lines(text, chain)
            chain = []
        chain.append(match)
    yield from _joined_lines(text, chain)


def _fills_line(text: str, chain: list[re.Match[str]], match: re.Match[str]) -> bool:
    """Return True if a word fills the line between two breaks, as full as the previous line."""
    previous_break = chain[-1].start()
    previous_length = previous_break - max(text.rfind("\n", 0, previous_break), previous_break - _CONTEXT)
    if match.start() - chain[0].start() > _MAX_CHAIN or match.start() - previous_break < max(
        previous_length - _SLACK, _NARROW
    ):
        return False
    word_run = _RUN.match(text, chain[-1].end())
    return word_run is not None and word_run.end() >= match.start() - 3


def _joined_lines(text: str, chain: list[re.Match[str]]) -> Iterator[JoinedLines]:
    if not chain:
        return
    first, last = chain[0].start(), chain[-1].end()
    begin = max(text.rfind("\n", 0, first) + 1, first - _CONTEXT)
    text_before = text[begin:first].rstrip("\"'\\, \r")
    length_before = len(text_before) - len(text_before.rstrip(TOKEN_SIGNS))
    word_run = _RUN.match(text, last)
    length_after = word_run.end() - last if word_run else 0
    if len(chain) == 1 and not _may_be_key(
        text_before[len(text_before) - length_before :] + text[last : last + length_after]
    ):
        return
    end = text.find("\n", last, last + _CONTEXT)
    changes = [(_word_end(text, match.start()), match.end(), "") for match in chain]
    view = _mapped_text(text, changes, begin, end if end >= 0 else last + _CONTEXT)
    lines = (begin, *(match.start() for match in chain))
    widths = tuple(match.start() - line for match, line in zip(chain, lines, strict=False))
    yield JoinedLines(view, tuple(view.starts[1:]), widths)


def _may_be_key(word: str) -> bool:
    return len(word) >= _MIN_KEY or (len(word) >= _MIN_PASSWORD and any(map(str.isdigit, word)))


def _word_end(text: str, place: int) -> int:
    while text[place - 1] not in TOKEN_SIGNS:
        place -= 1
    return place

"""The sections that a prompt asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)[ \t]*(/?)>")
_SCRATCH = frozenset(
    {"scratchpad", "analysis", "thinking", "example", "examples", "br", "hr"}
)
_NUMBERED = re.compile(
    r"^[ \t]*\d{1,2}[.)][ \t]+(?:\*\*)?([A-Z][\w&/' -]{1,48}?)(?:\*\*)?[ \t]*(?::|[–—]|$| - )",
    re.MULTILINE,
)
_HEADING = re.compile(
    r"^#{2,4}[ \t]+(?:\d{1,2}[.)][ \t]+)?(.{2,60}?)[ \t]*:?[ \t]*$", re.MULTILINE
)
_MAX_TITLE_WORDS = 6


class SectionStyle(StrEnum):
    XML = "xml"
    NUMBERED = "numbered"
    HEADING = "heading"
    DIGEST = "digest"


@dataclass(frozen=True, slots=True)
class SummaryLayout:
    """The layout of an answer: style, section names in order, the enclosing tag (or "")."""

    style: SectionStyle
    sections: tuple[str, ...]
    wrapper: str = ""


def summary_layout(text: str) -> SummaryLayout:
    """Return the layout that a prompt requires: XML tags, else numbered or ``##`` headings, else a
    digest."""
    sections, wrapper = _tags(_COMMENT.sub("", text))
    if sections:
        return SummaryLayout(SectionStyle.XML, sections, wrapper)
    numbered = _titles(_NUMBERED, text)
    if len(numbered) >= 3:
        return SummaryLayout(SectionStyle.NUMBERED, numbered)
    headings = _titles(_HEADING, text)
    if len(headings) >= 2:
        return SummaryLayout(SectionStyle.HEADING, headings)
    return SummaryLayout(SectionStyle.DIGEST, ())


def required_sections(text: str) -> tuple[str, ...]:
    return summary_layout(text).sections


def _tags(text: str) -> tuple[tuple[str, ...], str]:
    """Return the innermost tags in order, empty ones included, and the outermost tag around
    them."""
    sections: dict[str, None] = {}
    wrapper = ""
    open_tags: list[str] = []
    parents: set[str] = set()
    for match in _TAG.finditer(text):
        name = match[2]
        if match[3]:
            if open_tags and name not in _SCRATCH:
                sections[name] = None
                parents.update(open_tags)
        elif not match[1]:
            open_tags.append(name)
        elif name in open_tags:
            while open_tags.pop() != name:
                pass
            if name in parents:
                wrapper = name
            elif name not in _SCRATCH:
                sections[name] = None
                parents.update(open_tags)
    return tuple(name for name in sections if name not in parents), wrapper


def _titles(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    titles = (match[1].strip() for match in pattern.finditer(text))
    return tuple(
        dict.fromkeys(
            title for title in titles if len(title.split()) <= _MAX_TITLE_WORDS
        )
    )

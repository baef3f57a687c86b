"""Checks of a prompt text: missing sections, unknown placeholders, differences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from core.settings.prompts.prompt_sections import (
    SectionStyle,
    required_sections,
    summary_layout,
    unknown_placeholders,
)


@dataclass(frozen=True, slots=True)
class PromptCheck:
    """Required and missing sections of a text, and its unknown placeholders.

    ``unknown`` pairs each unknown placeholder with its first line, from 1.
    """

    required: tuple[str, ...]
    missing: tuple[str, ...]
    unknown: tuple[tuple[str, int], ...]
    empty: bool


@dataclass(frozen=True, slots=True)
class PromptDiffLine:
    """A line of a diff: "+", "-" or " ", its number in the new text (0: removed), its text."""

    mark: str
    number: int
    text: str


def check_prompt(text: str, original: str) -> PromptCheck:
    """Check a text against the built-in one, whose sections are required."""
    required = required_sections(original)
    present = frozenset(required_sections(text))
    missing = tuple(one for one in required if one not in present)
    return PromptCheck(required, missing, unfilled_placeholders(text), not text.strip())


def unfilled_placeholders(text: str) -> tuple[tuple[str, int], ...]:
    """Return each unknown placeholder with its first line, from 1."""
    lines = text.splitlines()
    return tuple((name, _line_of(lines, name)) for name in unknown_placeholders(text))


def _line_of(lines: Sequence[str], name: str) -> int:
    wanted = f"{{{name}}}"
    return next((number for number, line in enumerate(lines, 1) if wanted in line), 0)


def diff_lines(old: str, new: str) -> tuple[PromptDiffLine, ...]:
    """Return the lines of ``new`` with marked additions, and the removed lines."""
    before, after = old.splitlines(), new.splitlines()
    changes: list[PromptDiffLine] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after).get_opcodes():
        if tag == "equal":
            changes += [PromptDiffLine(" ", at + 1, after[at]) for at in range(c, d)]
        else:
            changes += [PromptDiffLine("-", 0, line) for line in before[a:b]]
            changes += [PromptDiffLine("+", at + 1, after[at]) for at in range(c, d)]
    return tuple(changes)


def with_section(text: str, section: str, original: str) -> str:
    """Return the text with a section inserted as in the built-in text.

    It precedes the closing tag around the others if there is one, else it is at the end.
    """
    form = summary_layout(original)
    if form.style is not SectionStyle.XML:
        return f"{text.rstrip()}\n\n## {section}\n"
    tag = re.escape(section)
    found = re.search(rf"^[ \t]*<{tag}>.*?</{tag}>[ \t]*$", original, re.DOTALL | re.MULTILINE)
    block = found[0] if found else f"<{section}>\n</{section}>"
    closing = re.compile(rf"^[ \t]*</{re.escape(form.wrapper)}>", re.MULTILINE)
    ends = list(closing.finditer(text)) if form.wrapper else []
    if not ends:
        return f"{text.rstrip()}\n\n{block}\n"
    at = ends[-1].start()
    return f"{text[:at]}{block}\n{text[at:]}"

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
    missing = tuple(section for section in required if section not in present)
    return PromptCheck(required, missing, unfilled_placeholders(text), not text.strip())


def unfilled_placeholders(text: str) -> tuple[tuple[str, int], ...]:
    """Return each unknown placeholder with its first line, from 1."""
    lines = text.splitlines()
    return tuple((name, _placeholder_line(lines, name)) for name in unknown_placeholders(text))


def _placeholder_line(lines: Sequence[str], name: str) -> int:
    wanted = f"{{{name}}}"
    return next((number for number, line in enumerate(lines, 1) if wanted in line), 0)


def diff_lines(old: str, new: str) -> tuple[PromptDiffLine, ...]:
    """Return the lines of ``new`` with marked additions, and the removed lines."""
    before, after = old.splitlines(), new.splitlines()
    changes: list[PromptDiffLine] = []
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(None, before, after).get_opcodes():
        if tag == "equal":
            changes += [PromptDiffLine(" ", index + 1, after[index]) for index in range(new_start, new_end)]
        else:
            changes += [PromptDiffLine("-", 0, line) for line in before[old_start:old_end]]
            changes += [PromptDiffLine("+", index + 1, after[index]) for index in range(new_start, new_end)]
    return tuple(changes)


def with_section(text: str, section: str, original: str) -> str:
    """Return the text with a section inserted as in the built-in text.

    It precedes the closing tag around the others if there is one, else it is at the end.
    """
    layout = summary_layout(original)
    if layout.style is not SectionStyle.XML:
        return f"{text.rstrip()}\n\n## {section}\n"
    tag = re.escape(section)
    section_match = re.search(rf"^[ \t]*<{tag}>.*?</{tag}>[ \t]*$", original, re.DOTALL | re.MULTILINE)
    block = section_match[0] if section_match else f"<{section}>\n</{section}>"
    closing = re.compile(rf"^[ \t]*</{re.escape(layout.wrapper)}>", re.MULTILINE)
    closing_tags = list(closing.finditer(text)) if layout.wrapper else []
    if not closing_tags:
        return f"{text.rstrip()}\n\n{block}\n"
    insert_at = closing_tags[-1].start()
    return f"{text[:insert_at]}{block}\n{text[insert_at:]}"

"""What is worth a look in a prompt text: sections that lack, unknown placeholders, changes."""

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
    """What a text holds of the sections that were asked for, and what nothing will fill.

    ``unknown`` pairs each unknown placeholder with its first line, from 1.
    """

    asked: tuple[str, ...]
    missing: tuple[str, ...]
    unknown: tuple[tuple[str, int], ...]
    empty: bool


@dataclass(frozen=True, slots=True)
class PromptDiffLine:
    """A line of a comparison: "+", "-" or " ", its number in the new text (0: not in it), its text."""

    mark: str
    number: int
    text: str


def check_prompt(text: str, original: str) -> PromptCheck:
    """Check a text against the built-in one whose sections the answer must have."""
    asked = required_sections(original)
    found = frozenset(required_sections(text))
    missing = tuple(one for one in asked if one not in found)
    return PromptCheck(asked, missing, unfilled_placeholders(text), not text.strip())


def unfilled_placeholders(text: str) -> tuple[tuple[str, int], ...]:
    """Each unknown placeholder of a text with its first line, from 1."""
    lines = text.splitlines()
    return tuple((name, _line_of(lines, name)) for name in unknown_placeholders(text))


def _line_of(lines: Sequence[str], name: str) -> int:
    wanted = f"{{{name}}}"
    return next((number for number, line in enumerate(lines, 1) if wanted in line), 0)


def diff_lines(old: str, new: str) -> tuple[PromptDiffLine, ...]:
    """Every line of ``new``, with what was added marked and what was removed put in."""
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
    """The text with a section put in, as the built-in text asks for it.

    In front of the tag that closes the others where there is one, else at the end.
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

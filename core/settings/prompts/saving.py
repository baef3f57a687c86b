"""Saves and deletes overrides, and detects changes by other programs."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from core.common.atomic_file import ABSENT, FileSignature, write_atomic
from core.common.errors import InputError
from core.settings.prompts.placeholders import unfilled_placeholders
from core.settings.prompts.prompt_files import (
    MAX_BYTES,
    override_path,
    path_exists,
    read_override,
)
from core.settings.prompts.prompt_sections import SectionStyle, required_sections, summary_layout
from core.settings.prompts.resolution import make_folder, prompt_digest


@dataclass(frozen=True, slots=True)
class PromptCheck:
    """Required and missing sections of a text, and its unknown placeholders."""

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


def diff_lines(old: str, new: str) -> tuple[PromptDiffLine, ...]:
    """Return the lines of ``new`` with marked additions, and the removed lines."""
    before, after = old.splitlines(), new.splitlines()
    changes: list[PromptDiffLine] = []
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(
        None, before, after
    ).get_opcodes():
        if tag == "equal":
            changes += [
                PromptDiffLine(" ", index + 1, after[index]) for index in range(new_start, new_end)
            ]
        else:
            changes += [PromptDiffLine("-", 0, line) for line in before[old_start:old_end]]
            changes += [
                PromptDiffLine("+", index + 1, after[index]) for index in range(new_start, new_end)
            ]
    return tuple(changes)


def with_section(text: str, section: str, original: str) -> str:
    """Return the text with a section inserted as in the built-in text."""
    layout = summary_layout(original)
    if layout.style is not SectionStyle.XML:
        return f"{text.rstrip()}\n\n## {section}\n"
    tag = re.escape(section)
    section_match = re.search(
        rf"^[ \t]*<{tag}>.*?</{tag}>[ \t]*$", original, re.DOTALL | re.MULTILINE
    )
    block = section_match[0] if section_match else f"<{section}>\n</{section}>"
    closing = re.compile(rf"^[ \t]*</{re.escape(layout.wrapper)}>", re.MULTILINE)
    closing_tags = list(closing.finditer(text)) if layout.wrapper else []
    if not closing_tags:
        return f"{text.rstrip()}\n\n{block}\n"
    insert_at = closing_tags[-1].start()
    return f"{text[:insert_at]}{block}\n{text[insert_at:]}"


class PromptFileChangedError(InputError):
    """Another program changed the file since it was read."""


def prompt_signature(path: Path) -> FileSignature:
    """Return the current state of a prompt file, to compare with that of the last read or save."""
    try:
        status = path.stat()
        if not path.is_file() or status.st_size > MAX_BYTES:
            return FileSignature(status.st_mtime_ns, status.st_size, "")
        return FileSignature(status.st_mtime_ns, status.st_size, prompt_digest(path.read_bytes()))
    except OSError:
        return ABSENT


def save_override(
    level: str,
    text: str,
    name: str,
    provider: str,
    model: str,
    folder: Path,
    known_signature: FileSignature | None = None,
) -> Path:
    """Write the override of a level (a PromptLevel or its value) atomically; return its path.
    Through a link the file is written that it leads to, and the link stays. ``known_signature`` is
    the file's state when it was read; other content raises PromptFileChangedError, None overwrites.
    Raises InputError for a blank or overlong text, the built-in level and a file that is not
    writable."""
    path = override_path(level, name, provider, model, folder)
    data = _data(text)
    if known_signature is not None and prompt_signature(path).digest != known_signature.digest:
        raise PromptFileChangedError(
            f"The prompt file {path} was changed by another program.",
            "Load it again, or save over it.",
        )
    make_folder(path.parent)
    write_atomic(path, data, overwrite=True)
    read_override(path)
    return path


def _data(text: str) -> bytes:
    hint = "Nothing was saved; delete the override to use the text below it."
    if not text.strip():
        raise InputError("An empty prompt cannot be used.", hint)
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"Character {error.start + 1} of the prompt is not valid Unicode.", hint
        ) from None
    if len(data) > MAX_BYTES:
        raise InputError(f"The prompt is longer than {MAX_BYTES:,} bytes.", hint)
    return data


def revert_override(level: str, name: str, provider: str, model: str, folder: Path) -> Path:
    """Delete the override of a level and emptied folders; return the file's old path. Raises
    InputError if there is none or it cannot be deleted. A link is removed, never its target."""
    path = override_path(level, name, provider, model, folder)
    if not path_exists(path):
        raise InputError(f"There is no prompt file {path}.", "Nothing was deleted.")
    try:
        path.unlink()
    except OSError as error:
        cause = (error.strerror or str(error)).lower()
        raise InputError(f"The prompt file {path} cannot be deleted: {cause}.") from None
    with suppress(OSError):  # stops at the first folder that is not empty
        for parent in path.parents:
            if parent == folder:
                break
            parent.rmdir()
    return path

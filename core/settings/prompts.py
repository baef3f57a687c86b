"""The prompts: their files (the built-in ones and the user's overrides, of which the first existing
one is used), the placeholders in their text, and the sections that they ask for."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from core.common import paths
from core.common.errors import InputError
from core.common.plugins import load_plugins
from core.settings.schema import Mode

# Placeholders in the text of a prompt.


PLACEHOLDERS = ("max_tokens", "focus")
"""Names of placeholders that a prompt may hold in braces."""


_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")


def unknown_placeholders(text: str) -> tuple[str, ...]:
    """Return the unknown placeholders, each once, in order."""
    names = dict.fromkeys(match[1] for match in _PLACEHOLDER.finditer(text))
    return tuple(name for name in names if name not in PLACEHOLDERS)


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Replace placeholders by values; unknown ones stay. A missing or empty value leaves its
    placeholder out and nothing else; a line that holds nothing but such placeholders goes."""
    known = {name: values.get(name, "") for name in PLACEHOLDERS}
    lines = []
    for line in text.splitlines(keepends=True):
        filled = _PLACEHOLDER.sub(lambda match: known.get(match[1], match[0]), line)
        if filled.strip() or not line.strip():
            lines.append(filled)
    return "".join(lines)


def placeholder_lines(text: str, name: str) -> tuple[int, ...]:
    """Return the lines, from 1, in which a placeholder stands."""
    return tuple(
        number
        for number, line in enumerate(text.splitlines(), 1)
        if f"{{{name}}}" in line
    )


def unfilled_placeholders(text: str) -> tuple[tuple[str, int], ...]:
    """Return each unknown placeholder with its first line, from 1."""
    return tuple(
        (name, next(iter(placeholder_lines(text, name)), 0))
        for name in unknown_placeholders(text)
    )


# The sections that a prompt asks for.


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


FOLDER = "compression"
"""Folder of the summary prompts, at every level and among the built-in ones."""

MAX_BYTES = 1_000_000
"""Most bytes of a prompt file."""

_REINSTALL = "Reinstall Foldline to get its prompts back."
_REPAIR = "Correct or delete it; without it the prompt of the next level is used."


class PromptLevel(StrEnum):
    """The levels of prompts, most specific first (REQ-CS-005.2)."""

    MODEL = "model"
    PROVIDER = "provider"
    BASE = "base"
    BUILT_IN = "built in"


@dataclass(frozen=True, slots=True)
class PromptText:
    name: str
    text: str
    path: Path
    level: PromptLevel = PromptLevel.BUILT_IN


@dataclass(frozen=True, slots=True)
class PluginPrompt:
    """A prompt of a plugin: the Markdown file in its package, which has the prompt's name."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem


@cache
def plugin_prompts() -> dict[str, Path]:
    declared = load_plugins("foldline.prompts", PluginPrompt, _own_names())
    return {prompt.name: prompt.path for _, prompt in declared}


def prompts_folder() -> Path:
    """Return the user's prompts folder; the first save or install creates it."""
    return paths.config_dir() / "prompts"


def _own_names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in (paths.PROMPTS / FOLDER).glob("*.md")))


def prompt_names() -> tuple[str, ...]:
    """Return Foldline's own prompts, then those of plugins."""
    return (*_own_names(), *plugin_prompts())


def built_in_path(name: str) -> Path:
    """Return the file of a prompt in Foldline, else in a plugin."""
    path = paths.PROMPTS / FOLDER / f"{name}.md"
    if path.is_file():
        return path
    return plugin_prompts().get(name, path)


def built_in(name: str) -> PromptText:
    """Return a built-in prompt or one of a plugin (REQ-CS-005.3). Raises InputError if the file is
    missing, empty or not UTF-8 (REQ-CS-006A.3)."""
    path = built_in_path(name)
    return PromptText(name, read_text(path, _REINSTALL), path)


def read_override(path: Path) -> str:
    """Return the text of a prompt file; links are followed, because only the user can make one
    there. Raises InputError if it is not a file, unreadable, empty, too long or not UTF-8
    (REQ-CS-006A.3)."""
    return read_text(path, _REPAIR)


def read_text(path: Path, hint: str) -> str:
    """Return the text of a prompt file without its byte order mark; raises InputError."""
    try:
        status = path.stat()
        if not stat.S_ISREG(
            status.st_mode
        ):  # reading a pipe or a device might never end
            raise InputError(f"The prompt file {path} is not a regular file.", hint)
        if status.st_size > MAX_BYTES:
            raise InputError(
                f"The prompt file {path} is longer than {MAX_BYTES:,} bytes.", hint
            )
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"The prompt file {path} is missing.", hint) from None
    except OSError as error:
        raise InputError(
            f"The prompt file {path} cannot be read: {error.strerror}.", hint
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"The prompt file {path} is not UTF-8 (byte {error.start}).", hint
        ) from None
    if not text.strip():
        raise InputError(f"The prompt file {path} is empty.", hint)
    return text


_OTHER = re.compile(r"[^a-z0-9]+")
_RESERVED = frozenset({"con", "prn", "aux", "nul"})
_LONGEST = 255
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,99}")


@dataclass(frozen=True, slots=True)
class PromptOverridePath:
    """A level and the path of its override, which may not exist."""

    level: PromptLevel
    path: Path


def path_part(name: str) -> str:
    """Return a provider's or model's name as one path component. Lower case; each run of characters
    other than a-z and 0-9 becomes one "-", none at the ends; "unknown" if nothing is left; at most
    255 characters; device names get a prefix."""
    part = _OTHER.sub("-", name.lower()).strip("-")[:_LONGEST] or "unknown"
    if part in _RESERVED:
        return f"reserved-{part}"
    return part


def level_folders(provider: str, model: str) -> tuple[tuple[PromptLevel, str], ...]:
    """Return the folders of the levels below the prompts folder, most specific first
    (REQ-CS-005.2)."""
    if provider:
        provider_folder = f"providers/{path_part(provider)}/"
    else:
        provider_folder = ""
    folders = []
    if provider and model:
        folders.append(
            (PromptLevel.MODEL, f"{provider_folder}models/{path_part(model)}/")
        )
    if provider:
        folders.append((PromptLevel.PROVIDER, provider_folder))
    return (*folders, (PromptLevel.BASE, ""))


def override_paths(
    name: str, provider: str, model: str, folder: Path
) -> tuple[PromptOverridePath, ...]:
    """Return the possible overrides of a prompt, most specific first."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is not the name of a prompt.",
            "Names are lower-case letters, digits and dashes.",
        )
    found = level_folders(provider, model)
    return tuple(
        PromptOverridePath(level, folder / f"{prefix}{FOLDER}/{name}.md")
        for level, prefix in found
    )


def override_path(
    level: str, name: str, provider: str, model: str, folder: Path
) -> Path:
    """Return the path of one level (a PromptLevel or its value); raises InputError if it has
    none."""
    for override in override_paths(name, provider, model, folder):
        if override.level == level:
            return override.path
    if level == PromptLevel.BUILT_IN:
        raise InputError(
            "Built-in prompts cannot be changed.", "Save the text at another level."
        )
    raise InputError(
        f"There is no {level} to save the prompt for.",
        "Choose a profile or another level.",
    )


def resolve_prompt(
    name: str, provider: str, model: str, folder: Path, mode: Mode = Mode.SAFE
) -> PromptText:
    """Return the prompt ``name`` for a model of a provider; both may be empty. ``safe``: an
    unusable override is an InputError that names it, never skipped. ``reference``: such a file
    falls through to the built-in text."""
    for override in override_paths(name, provider, model, folder):
        if mode is Mode.REFERENCE and override.path.is_file():
            return _override_or_built_in(name, override)
        if mode is Mode.SAFE and path_exists(override.path):
            return PromptText(
                name, read_override(override.path), override.path, override.level
            )
    return built_in(name)


def _override_or_built_in(name: str, override: PromptOverridePath) -> PromptText:
    try:
        return PromptText(
            name,
            override.path.read_bytes().decode("utf-8", "replace"),
            override.path,
            override.level,
        )
    except OSError:
        return built_in(name)


def path_exists(path: Path) -> bool:
    """Return True if the path exists, even as a broken link; raises InputError if it cannot be
    checked."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        text = f"The prompt file {path} cannot be read: {error.strerror}."
        raise InputError(text, "Make it readable, or remove its folder.") from None
    return True

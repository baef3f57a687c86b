"""Installs the built-in prompts as files, and describes the levels of a prompt (REQ-CS-005.2, .3)."""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from pathlib import Path

from core.common.atomic_file import ABSENT, FileSignature, write_atomic
from core.common.errors import InputError
from core.settings.prompts import (
    FOLDER,
    MAX_BYTES,
    PromptLevel,
    PromptOverridePath,
    SectionStyle,
    built_in,
    built_in_path,
    override_path,
    override_paths,
    path_exists,
    prompt_names,
    read_override,
    required_sections,
    summary_layout,
    unfilled_placeholders,
)

MANIFEST_NAME = ".installed.json"
_VERSION = 1


def prompt_digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_manifest(folder: Path) -> dict[str, str]:
    """Return digests by path below the folder. Empty if the manifest is missing or broken: every
    prompt then counts as the user's own and is kept."""
    try:
        manifest = json.loads((folder / MANIFEST_NAME).read_bytes())
        if manifest["version"] == _VERSION:
            prompts = manifest["prompts"]
        else:
            prompts = {}
        return {str(path): str(known) for path, known in prompts.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def matches_digest(path: Path, known: str) -> bool:
    try:
        return prompt_digest(path.read_bytes()) == known
    except OSError:
        return False


class InstallOutcome(StrEnum):
    INSTALLED = "installed"
    UPGRADED = "upgraded"
    UNCHANGED = "unchanged"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class InstalledPrompt:
    name: str
    path: Path
    outcome: InstallOutcome


def install_prompts(folder: Path) -> tuple[InstalledPrompt, ...]:
    """Copy every built-in prompt into ``folder`` (REQ-CS-005.3); a second run changes nothing.
    Files that the user edited are kept, others are upgraded. Raises InputError if the folder is not
    writable."""
    make_folder(folder / FOLDER)
    known = read_manifest(folder)
    report = []
    digests = dict(known)
    for name in prompt_names():
        path = override_path(PromptLevel.BASE, name, "", "", folder)
        key = path.relative_to(folder).as_posix()
        data = built_in(name).text.encode()
        outcome = _copy(path, data, known.get(key, ""))
        if outcome is not InstallOutcome.KEPT:
            digests[key] = prompt_digest(data)
        report.append(InstalledPrompt(name, path, outcome))
    if digests != known:
        text = json.dumps(
            {"version": _VERSION, "prompts": dict(sorted(digests.items()))}, indent=2
        )
        write_atomic(folder / MANIFEST_NAME, f"{text}\n".encode(), overwrite=True)
    return tuple(report)


def _copy(path: Path, data: bytes, known: str) -> InstallOutcome:
    if not path_exists(path):
        write_atomic(path, data, overwrite=False)
        return InstallOutcome.INSTALLED
    if path.is_file() and matches_digest(path, prompt_digest(data)):
        return InstallOutcome.UNCHANGED
    if not (known and path.is_file() and matches_digest(path, known)):
        return InstallOutcome.KEPT
    write_atomic(path, data, overwrite=True)
    return InstallOutcome.UPGRADED


def make_folder(target: Path) -> None:
    """Create a folder and those above it; raises InputError if that fails."""
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cause = (error.strerror or str(error)).lower()
        text = f"The folder {target} cannot be created: {cause}."
        raise InputError(
            text, "Remove the file of that name, or make its folder writable."
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptChainLevel:
    """One level of the chain. ``wins``: this level is used; ``problem``: why it is unusable.
    ``installed``: the file is unchanged since its installation; ``outdated``: the built-in text is
    newer."""

    level: PromptLevel
    path: Path
    exists: bool
    wins: bool = False
    problem: str = ""
    installed: bool = False
    outdated: bool = False


def prompt_chain(
    name: str, provider: str, model: str, folder: Path
) -> tuple[PromptChainLevel, ...]:
    """Return every level from the most specific to the built-in text."""
    levels: list[PromptChainLevel] = []
    is_decided = False
    for override in override_paths(name, provider, model, folder):
        chain_level = _chain_level(name, override, folder, is_decided)
        is_decided = is_decided or chain_level.wins
        levels.append(chain_level)
    path = built_in_path(name)
    problem = _problem_of_built_in(name)
    return (
        *levels,
        PromptChainLevel(
            level=PromptLevel.BUILT_IN,
            path=path,
            exists=path.is_file(),
            wins=not is_decided,
            problem=problem,
        ),
    )


def _chain_level(
    name: str, override: PromptOverridePath, folder: Path, is_decided: bool
) -> PromptChainLevel:
    try:
        if not path_exists(override.path):
            return PromptChainLevel(
                level=override.level, path=override.path, exists=False
            )
        text = read_override(override.path)
    except InputError as error:
        return PromptChainLevel(
            level=override.level,
            path=override.path,
            exists=True,
            wins=not is_decided,
            problem=error.message,
        )
    digest = read_manifest(folder).get(override.path.relative_to(folder).as_posix(), "")
    installed = bool(digest) and matches_digest(override.path, digest)
    outdated = (
        installed and not _problem_of_built_in(name) and text != built_in(name).text
    )
    return PromptChainLevel(
        level=override.level,
        path=override.path,
        exists=True,
        wins=not is_decided,
        problem="",
        installed=installed,
        outdated=outdated,
    )


def _problem_of_built_in(name: str) -> str:
    try:
        built_in(name)
    except InputError as error:
        return error.message
    return ""


def level_below(
    links: tuple[PromptChainLevel, ...], level: PromptLevel
) -> PromptChainLevel | None:
    """Return the next usable level below ``level``, None if there is none."""
    order = [link.level for link in links]
    if level in order:
        rest = links[order.index(level) + 1 :]
    else:
        rest = links
    return next((link for link in rest if link.exists and not link.problem), None)


def level_text(link: PromptChainLevel) -> str:
    """Return the text of an existing level; raises InputError if it is unusable."""
    if link.level is PromptLevel.BUILT_IN:
        return built_in(link.path.stem).text
    return read_override(link.path)


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
    before = old.splitlines()
    after = new.splitlines()
    changes: list[PromptDiffLine] = []
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(
        None, before, after
    ).get_opcodes():
        if tag == "equal":
            changes += [
                PromptDiffLine(" ", index + 1, after[index])
                for index in range(new_start, new_end)
            ]
        else:
            changes += [
                PromptDiffLine("-", 0, line) for line in before[old_start:old_end]
            ]
            changes += [
                PromptDiffLine("+", index + 1, after[index])
                for index in range(new_start, new_end)
            ]
    return tuple(changes)


def insert_section(name: str, text: str, section: str) -> str:
    """Return the text of a prompt with a section inserted as in its built-in text."""
    return with_section(text, section, built_in(name).text)


def with_section(text: str, section: str, original: str) -> str:
    """Return the text with a section inserted as in the built-in text."""
    layout = summary_layout(original)
    if layout.style is not SectionStyle.XML:
        return f"{text.rstrip()}\n\n## {section}\n"
    tag = re.escape(section)
    section_match = re.search(
        rf"^[ \t]*<{tag}>.*?</{tag}>[ \t]*$", original, re.DOTALL | re.MULTILINE
    )
    if section_match:
        block = section_match[0]
    else:
        block = f"<{section}>\n</{section}>"
    closing = re.compile(rf"^[ \t]*</{re.escape(layout.wrapper)}>", re.MULTILINE)
    if layout.wrapper:
        closing_tags = list(closing.finditer(text))
    else:
        closing_tags = []
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
        return FileSignature(
            status.st_mtime_ns, status.st_size, prompt_digest(path.read_bytes())
        )
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
    if (
        known_signature is not None
        and prompt_signature(path).digest != known_signature.digest
    ):
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


def revert_override(
    level: str, name: str, provider: str, model: str, folder: Path
) -> Path:
    """Delete the override of a level and emptied folders; return the file's old path. Raises
    InputError if there is none or it cannot be deleted. A link is removed, never its target."""
    path = override_path(level, name, provider, model, folder)
    if not path_exists(path):
        raise InputError(f"There is no prompt file {path}.", "Nothing was deleted.")
    try:
        path.unlink()
    except OSError as error:
        cause = (error.strerror or str(error)).lower()
        raise InputError(
            f"The prompt file {path} cannot be deleted: {cause}."
        ) from None
    with suppress(OSError):  # stops at the first folder that is not empty
        for parent in path.parents:
            if parent == folder:
                break
            parent.rmdir()
    return path

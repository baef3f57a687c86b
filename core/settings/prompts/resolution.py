"""Installs the built-in prompts as files, and describes the levels of a prompt (REQ-CS-005.2,
.3)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.common.atomic_file import write_atomic
from core.common.errors import InputError
from core.settings.prompts.prompt_files import (
    FOLDER,
    PromptLevel,
    PromptOverridePath,
    built_in,
    built_in_path,
    override_path,
    override_paths,
    path_exists,
    prompt_names,
    read_override,
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
        prompts = manifest["prompts"] if manifest["version"] == _VERSION else {}
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
    report, digests = [], dict(known)
    for name in prompt_names():
        path = override_path(PromptLevel.BASE, name, "", "", folder)
        key = path.relative_to(folder).as_posix()
        data = built_in(name).text.encode()
        outcome = _copy(path, data, known.get(key, ""))
        if outcome is not InstallOutcome.KEPT:
            digests[key] = prompt_digest(data)
        report.append(InstalledPrompt(name, path, outcome))
    if digests != known:
        text = json.dumps({"version": _VERSION, "prompts": dict(sorted(digests.items()))}, indent=2)
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
            return PromptChainLevel(level=override.level, path=override.path, exists=False)
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
    outdated = installed and not _problem_of_built_in(name) and text != built_in(name).text
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


def level_below(links: tuple[PromptChainLevel, ...], level: PromptLevel) -> PromptChainLevel | None:
    """Return the next usable level below ``level``, None if there is none."""
    order = [link.level for link in links]
    rest = links[order.index(level) + 1 :] if level in order else links
    return next((link for link in rest if link.exists and not link.problem), None)


def level_text(link: PromptChainLevel) -> str:
    """Return the text of an existing level; raises InputError if it is unusable."""
    if link.level is PromptLevel.BUILT_IN:
        return built_in(link.path.stem).text
    return read_override(link.path)

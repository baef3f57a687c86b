"""Installs copies of the built-in prompts for editing and never overwrites an edited one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.common.atomic_file import write_atomic
from core.common.errors import InputError
from core.settings.prompts.prompt_files import (
    FOLDER,
    PromptLevel,
    built_in,
    check_inside,
    override_path,
    prompt_names,
)
from core.settings.prompts.resolution import path_exists

MANIFEST_NAME = ".installed.json"
_VERSION = 1


def prompt_digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_manifest(folder: Path) -> dict[str, str]:
    """Return digests by path below the folder.

    Empty if the manifest is missing or broken: every prompt then counts as the user's own and is kept.
    """
    try:
        manifest = json.loads((folder / MANIFEST_NAME).read_bytes())
        prompts = manifest["prompts"] if manifest["version"] == _VERSION else {}
        return {str(path): str(known) for path, known in prompts.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def write_manifest(folder: Path, digests: Mapping[str, str]) -> None:
    """Write the digests; raises InputError if the folder is not writable."""
    text = json.dumps({"version": _VERSION, "prompts": dict(sorted(digests.items()))}, indent=2)
    check_inside(folder / MANIFEST_NAME, folder)
    write_atomic(folder / MANIFEST_NAME, f"{text}\n".encode(), overwrite=True)


def installed_digest(folder: Path, path: Path) -> str:
    """Return the digest of the prompt installed at ``path``, or ""."""
    return read_manifest(folder).get(path.relative_to(folder).as_posix(), "")


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

    Files that the user edited are kept, others are upgraded. Raises InputError if the folder is not writable.
    """
    make_folder(folder / FOLDER, folder)
    known = read_manifest(folder)
    report, digests = [], dict(known)
    for name in prompt_names():
        path = override_path(PromptLevel.BASE, name, "", "", folder)
        key = path.relative_to(folder).as_posix()
        data = built_in(name).text.encode()
        outcome = _copy(path, data, known.get(key, ""), folder)
        if outcome is not InstallOutcome.KEPT:
            digests[key] = prompt_digest(data)
        report.append(InstalledPrompt(name, path, outcome))
    if digests != known:
        write_manifest(folder, digests)
    return tuple(report)


def _copy(path: Path, data: bytes, known: str, folder: Path) -> InstallOutcome:
    if not path_exists(path):
        write_atomic(path, data, overwrite=False)
        return InstallOutcome.INSTALLED
    try:
        check_inside(path, folder)
    except InputError:
        return InstallOutcome.KEPT
    if path.is_file() and matches_digest(path, prompt_digest(data)):
        return InstallOutcome.UNCHANGED
    if not (known and path.is_file() and matches_digest(path, known)):
        return InstallOutcome.KEPT
    write_atomic(path, data, overwrite=True)
    return InstallOutcome.UPGRADED


def make_folder(target: Path, folder: Path) -> None:
    """Create a folder below the prompts folder; raises InputError if that fails or a link leads out of it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_inside(target, folder)
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cause = (error.strerror or str(error)).lower()
        text = f"The folder {target} cannot be created: {cause}."
        raise InputError(text, "Remove the file of that name, or make its folder writable.") from None

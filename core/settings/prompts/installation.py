"""Installs copies of the built-in prompts for editing and never overwrites an edited one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.common.atomic_file import write_atomic
from core.common.errors import InputError
from core.settings.prompts import install_manifest
from core.settings.prompts.override_paths import override_path
from core.settings.prompts.prompt_files import FOLDER, PromptLevel, built_in, check_inside, prompt_names
from core.settings.prompts.resolution import path_exists


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
    known = install_manifest.read(folder)
    report, digests = [], dict(known)
    for name in prompt_names():
        path = override_path(PromptLevel.BASE, name, "", "", folder)
        key = path.relative_to(folder).as_posix()
        data = built_in(name).text.encode()
        outcome = _copy(path, data, known.get(key, ""), folder)
        if outcome is not InstallOutcome.KEPT:
            digests[key] = install_manifest.prompt_digest(data)
        report.append(InstalledPrompt(name, path, outcome))
    if digests != known:
        install_manifest.write_manifest(folder, digests)
    return tuple(report)


def _copy(path: Path, data: bytes, known: str, folder: Path) -> InstallOutcome:
    if not path_exists(path):
        write_atomic(path, data, overwrite=False)
        return InstallOutcome.INSTALLED
    try:
        check_inside(path, folder)
    except InputError:
        return InstallOutcome.KEPT
    if path.is_file() and install_manifest.matches_digest(path, install_manifest.prompt_digest(data)):
        return InstallOutcome.UNCHANGED
    if not (known and path.is_file() and install_manifest.matches_digest(path, known)):
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

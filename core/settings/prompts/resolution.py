"""Resolves the prompt of a model: the first existing override, else the built-in text (REQ-CS-005.2)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from core.common.errors import InputError
from core.settings.prompts.prompt_files import (
    PromptLevel,
    PromptOverridePath,
    PromptText,
    built_in,
    built_in_path,
    check_inside,
    level_folders,
    override_paths,
    read_override,
)
from core.settings.prompts.resolution import installed_digest, matches_digest
from core.settings.schema import Mode


@dataclass(frozen=True, slots=True)
class PromptChainLevel:
    """One level of the chain. ``wins``: this level is used; ``problem``: why it is unusable.

    ``installed``: the file is unchanged since its installation; ``outdated``: the built-in text is newer.
    """

    level: PromptLevel
    path: Path
    exists: bool
    wins: bool = False
    problem: str = ""
    installed: bool = False
    outdated: bool = False


def resolve_prompt(name: str, provider: str, model: str, folder: Path, mode: Mode = Mode.SAFE) -> PromptText:
    """Return the prompt ``name`` for a model of a provider; both may be empty.

    ``safe``: an unusable override is an InputError that names it, never skipped. ``reference``: such a file
    falls through to the built-in text (llxprt.md section 13).
    """
    for override in override_paths(name, provider, model, folder):
        if mode is Mode.REFERENCE and override.path.is_file():
            return _override_or_built_in(name, override, folder)
        if mode is Mode.SAFE and path_exists(override.path):
            return PromptText(name, read_override(override.path, folder), override.path, override.level)
    return built_in(name)


def _override_or_built_in(name: str, override: PromptOverridePath, folder: Path) -> PromptText:
    try:
        check_inside(override.path, folder)
        return PromptText(
            name, override.path.read_bytes().decode("utf-8", "replace"), override.path, override.level
        )
    except (InputError, OSError):
        return built_in(name)


def path_exists(path: Path) -> bool:
    """Return True if the path exists, even as a broken link; raises InputError if it cannot be checked."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        text = f"The prompt file {path} cannot be read: {error.strerror}."
        raise InputError(text, "Make it readable, or remove its folder.") from None
    return True


def prompt_chain(name: str, provider: str, model: str, folder: Path) -> tuple[PromptChainLevel, ...]:
    """Return every level from the most specific to the built-in text.

    Raises InputError for an impossible name only; a problem with a file is in its level.
    """
    levels: list[PromptChainLevel] = []
    is_decided = False
    for override in override_paths(name, provider, model, folder):
        chain_level = _chain_level(name, override, folder, is_decided)
        is_decided = is_decided or chain_level.wins
        levels.append(chain_level)
    path = built_in_path(name)
    problem = _problem_of_built_in(name)
    return (*levels, PromptChainLevel(PromptLevel.BUILT_IN, path, path.is_file(), not is_decided, problem))


def _chain_level(name: str, override: PromptOverridePath, folder: Path, is_decided: bool) -> PromptChainLevel:
    try:
        if not path_exists(override.path):
            return PromptChainLevel(override.level, override.path, False)
        text = read_override(override.path, folder)
    except InputError as error:
        return PromptChainLevel(override.level, override.path, True, not is_decided, error.message)
    digest = installed_digest(folder, override.path)
    installed = bool(digest) and matches_digest(override.path, digest)
    outdated = installed and not _problem_of_built_in(name) and text != built_in(name).text
    return PromptChainLevel(override.level, override.path, True, not is_decided, "", installed, outdated)


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


def level_text(link: PromptChainLevel, folder: Path) -> str:
    """Return the text of an existing level; raises InputError if it is unusable."""
    if link.level is PromptLevel.BUILT_IN:
        return built_in(link.path.stem).text
    return read_override(link.path, folder)


def find_reference(file: str, provider: str, model: str, folder: Path) -> tuple[str, PromptLevel] | None:
    """Return path below the folder and level of any prompt file by the reference's rules, or None.

    A path with ``..`` and a missing folder give None (llxprt.md section 13).
    """
    if not file or ".." in file or not folder.exists():
        return None
    for level, prefix in level_folders(provider, model):
        relative = os.path.normpath(f"{prefix}./{file}")
        if (folder / relative).is_file():
            return relative, level
    return None

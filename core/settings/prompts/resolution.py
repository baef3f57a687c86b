"""Which prompt a model gets: the first override that exists, else the built-in text (REQ-CS-005.2)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from core.common.errors import InputError
from core.settings.prompts.install_manifest import installed_digest, matches_digest
from core.settings.prompts.override_paths import PromptOverridePath, level_folders, override_paths
from core.settings.prompts.prompt_files import (
    PromptLevel,
    PromptText,
    built_in,
    built_in_path,
    check_inside,
    read_override,
)
from core.settings.schema import Mode


@dataclass(frozen=True, slots=True)
class PromptChainLevel:
    """One level of the chain. ``wins``: this is the level that is used; ``problem``: why it cannot be.

    ``installed``: the file is as the installer wrote it; ``outdated``: and another text ships by now.
    """

    level: PromptLevel
    path: Path
    exists: bool
    wins: bool = False
    problem: str = ""
    installed: bool = False
    outdated: bool = False


def resolve_prompt(name: str, provider: str, model: str, folder: Path, mode: Mode = Mode.SAFE) -> PromptText:
    """The prompt ``name`` as the model ``model`` of ``provider`` gets it; both may be empty.

    ``safe``: an override that exists but cannot be used is an InputError that names it, never skipped.
    ``reference``: such a file falls through to the built-in text (llxprt.md section 13).
    """
    for one in override_paths(name, provider, model, folder):
        if mode is Mode.REFERENCE and one.path.is_file():
            return _lenient(name, one, folder)
        if mode is Mode.SAFE and path_exists(one.path):
            return PromptText(name, read_override(one.path, folder), one.path, one.level)
    return built_in(name)


def _lenient(name: str, one: PromptOverridePath, folder: Path) -> PromptText:
    try:
        check_inside(one.path, folder)
        return PromptText(name, one.path.read_bytes().decode("utf-8", "replace"), one.path, one.level)
    except (InputError, OSError):
        return built_in(name)


def path_exists(path: Path) -> bool:
    """True where something has this name, be it a broken link; InputError where nobody can tell."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        text = f"The prompt file {path} cannot be read: {error.strerror}."
        raise InputError(text, "Allow it to be read, or remove its folder.") from None
    return True


def prompt_chain(name: str, provider: str, model: str, folder: Path) -> tuple[PromptChainLevel, ...]:
    """Every level from the most specific to the built-in text, for those who look or edit.

    Raises InputError for an impossible name only; what is wrong with a file stands in its link.
    """
    found: list[PromptChainLevel] = []
    won = False
    for one in override_paths(name, provider, model, folder):
        link = _link(name, one, folder, won)
        won = won or link.wins
        found.append(link)
    path = built_in_path(name)
    problem = _problem_of_built_in(name)
    return (*found, PromptChainLevel(PromptLevel.BUILT_IN, path, path.is_file(), not won, problem))


def _link(name: str, one: PromptOverridePath, folder: Path, won: bool) -> PromptChainLevel:
    try:
        if not path_exists(one.path):
            return PromptChainLevel(one.level, one.path, False)
        text = read_override(one.path, folder)
    except InputError as error:
        return PromptChainLevel(one.level, one.path, True, not won, error.message)
    known = installed_digest(folder, one.path)
    installed = bool(known) and matches_digest(one.path, known)
    outdated = installed and not _problem_of_built_in(name) and text != built_in(name).text
    return PromptChainLevel(one.level, one.path, True, not won, "", installed, outdated)


def _problem_of_built_in(name: str) -> str:
    try:
        built_in(name)
    except InputError as error:
        return error.message
    return ""


def level_below(links: tuple[PromptChainLevel, ...], level: PromptLevel) -> PromptChainLevel | None:
    """The next usable level below one, which its text is compared with; None below the last."""
    places_of = [link.level for link in links]
    rest = links[places_of.index(level) + 1 :] if level in places_of else links
    return next((link for link in rest if link.exists and not link.problem), None)


def text_at(link: PromptChainLevel, folder: Path) -> str:
    """The text of a link that exists; InputError where it cannot be used."""
    if link.level is PromptLevel.BUILT_IN:
        return built_in(link.path.stem).text
    return read_override(link.path, folder)


def find_reference(file: str, provider: str, model: str, folder: Path) -> tuple[str, PromptLevel] | None:
    """Path below the folder and level of any prompt file, by the reference's rules, or None.

    A path with ``..`` in it and a missing folder find nothing (llxprt.md section 13).
    """
    if not file or ".." in file or not folder.exists():
        return None
    for level, prefix in level_folders(provider, model):
        relative = os.path.normpath(f"{prefix}./{file}")
        if (folder / relative).is_file():
            return relative, level
    return None

"""Paths of prompt overrides; names of providers and models cannot lead out of the folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from core.common.errors import InputError
from core.settings.prompts.prompt_files import FOLDER, PromptLevel

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
    """Return a provider's or model's name as one path component (llxprt.md section 13).

    Lower case; each run of characters other than a-z and 0-9 becomes one "-", none at the ends; "unknown" if
    nothing is left; at most 255 characters; device names get a prefix.
    """
    part = _OTHER.sub("-", name.lower()).strip("-")[:_LONGEST] or "unknown"
    return f"reserved-{part}" if part in _RESERVED else part


def level_folders(provider: str, model: str) -> tuple[tuple[PromptLevel, str], ...]:
    """Return the folders of the levels below the prompts folder, most specific first (REQ-CS-005.2).

    The provider level needs a provider, the model level both names.
    """
    provider_folder = f"providers/{path_part(provider)}/" if provider else ""
    folders = []
    if provider and model:
        folders.append((PromptLevel.MODEL, f"{provider_folder}models/{path_part(model)}/"))
    if provider:
        folders.append((PromptLevel.PROVIDER, provider_folder))
    return (*folders, (PromptLevel.BASE, ""))


def override_paths(name: str, provider: str, model: str, folder: Path) -> tuple[PromptOverridePath, ...]:
    """Return the possible overrides of a prompt, most specific first."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is not the name of a prompt.", "Names are lower-case letters, digits and dashes."
        )
    found = level_folders(provider, model)
    return tuple(PromptOverridePath(level, folder / f"{prefix}{FOLDER}/{name}.md") for level, prefix in found)


def override_path(level: str, name: str, provider: str, model: str, folder: Path) -> Path:
    """Return the path of one level (a PromptLevel or its value); raises InputError if it has none."""
    for override in override_paths(name, provider, model, folder):
        if override.level == level:
            return override.path
    if level == PromptLevel.BUILT_IN:
        raise InputError("Built-in prompts cannot be changed.", "Save the text at another level.")
    raise InputError(f"There is no {level} to save the prompt for.", "Choose a profile or another level.")

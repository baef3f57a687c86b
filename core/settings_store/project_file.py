"""The project layer: ``foldline.toml`` of a repository, whose settings can call no model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.common import toml_file
from core.common.errors import FoldlineError
from core.settings.keys import COMPACTION_MODEL, PROFILE
from core.settings.schema import SettingValue
from core.settings_store.layers import find_setting
from core.settings_store.settings_file import declared_settings

FILE = "foldline.toml"
_REFUSED = (PROFILE, COMPACTION_MODEL)
"""Whoever writes the repository must not choose who reads the transcripts, or at which price."""
_WAY_OUT = "Correct it, or leave the file out with --no-project-file."


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """The values of a project file by full key; none if it has ``problems``, sentences with the
    line."""

    path: Path | None = None
    values: Mapping[str, SettingValue] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def find_project_file(folder: Path) -> Path | None:
    """Return the file of a folder or of the nearest one above it; None without one. The search ends
    at the root of a repository, and does not look into the home folder or above it."""
    home = Path.home()
    for place in (folder, *folder.parents):
        if home == place or home.is_relative_to(place):
            return None
        if (place / FILE).exists():
            return place / FILE
        if (place / ".git").exists():
            return None
    return None


def project_settings(path: Path | None) -> ProjectSettings:
    """Read a project file; never raises. One with a problem has no values."""
    if path is None:
        return ProjectSettings()
    try:
        document = toml_file.read(path)
        loaded = declared_settings(path, document, refuses_unknown=True)
    except FoldlineError as error:
        return ProjectSettings(path, problems=(f"{error.message} {_WAY_OUT}",))
    refused = [
        f"{path}, line {line}: {key} cannot be set by a project file, so that no repository decides which "
        "model reads your transcripts."
        for line, key in _refused(document)
    ]
    problems = tuple(
        f"{problem} {_WAY_OUT}" for problem in (*refused, *loaded.problems)
    )
    return ProjectSettings(path, {} if problems else loaded.values, problems)


def _refused(document: toml_file.TomlDocument) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each setting that must not be there."""
    names = {name for key in _REFUSED for name in (key, *find_setting(key).aliases)}
    for path, _ in document.leaves():
        if ".".join(path) in names:
            yield document.line(path), ".".join(path)

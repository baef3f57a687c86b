"""The saved layer: settings.toml in the user's configuration folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from core.common import toml_file
from core.common.errors import FoldlineError, InputError
from core.common.json_value import Json
from core.common.paths import config_dir
from core.common.toml_file import (
    InvalidTomlError,
    KeyPath,
    MovedFrom,
    TomlDocument,
    TomlEdits,
    can_edit,
)
from core.settings.schema import (
    COMPACTION_MODEL,
    PROFILE,
    Setting,
    SettingKind,
    SettingValue,
    UnknownChoice,
)
from core.settings_store.layers import (
    ALL_SETTINGS,
    SETTINGS,
    checked_value,
    find_setting,
    near_keys,
)

FILE = "settings.toml"

SettingEdits: TypeAlias = Mapping[str, SettingValue | None]
"""New values by key; None removes a key from the file."""

StoreSignature: TypeAlias = tuple[int, int, int]

_MIN_SIMILARITY = 0.85
"""Least similarity of an unknown key to a known one to count as a typing error."""


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The values of a file by full key, unknown choices included, and its problems: a sentence
    each, with the line."""

    values: Mapping[str, SettingValue] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


class SavedSettings:
    """One settings file. Unknown keys, comments and order are kept; a save writes former names of
    keys by today's."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or config_dir() / FILE

    def load(self) -> LoadedSettings:
        """Read the file; never raises. A broken file has no values and stays unchanged."""
        try:
            return declared_settings(self.path, toml_file.read(self.path))
        except InvalidTomlError as error:
            effect = "The defaults apply until it is corrected; the next save sets the file aside."
            return LoadedSettings({}, (f"{error.message} {effect}",))
        except FoldlineError as error:
            return LoadedSettings({}, (str(error),))

    def save(self, changes: SettingEdits) -> LoadedSettings:
        """Write these keys and no others; changes by other programs stay. Returns the new content;
        if a broken file was set aside, that is the first problem. Raises InputError for an unknown
        key, an invalid value, or a file that cannot be written."""
        checked_changes = {find_setting(key): value for key, value in changes.items()}
        checked_changes = {
            setting: None if value is None else checked_value(setting, value)
            for setting, value in checked_changes.items()
        }

        def edit(current: TomlDocument) -> TomlEdits:
            edits = setting_edits(current, _former_names(current) | checked_changes)
            if not can_edit(current, edits):
                edits = setting_edits(current, checked_changes)
            if any(
                value is not None and current.is_table(key_path)
                for key_path, value in edits.items()
            ):
                raise toml_file.not_editable_error(self.path)
            return edits

        document, broken_copy = toml_file.update_file(
            self.path, edit, replace_broken=True
        )
        loaded = declared_settings(self.path, document)
        if broken_copy is None:
            return loaded
        return LoadedSettings(
            loaded.values,
            (
                f"{self.path} was broken and was moved to {broken_copy}.",
                *loaded.problems,
            ),
        )

    def signature(self) -> StoreSignature | None:
        """Return a value that changes with the file (time, size, identity); None if there is no
        file."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino


def settings_of_file(path: Path) -> Mapping[str, SettingValue]:
    """Return the settings of a file that a user names, by full key. Raises InputError, with the
    line, for the first that is unknown or invalid, and for a file that is not there."""
    if not path.is_file():
        what = "a folder" if path.is_dir() else "not a regular file"
        if path.exists():
            problem = f"{path} is {what}."
        else:
            problem = f"There is no file {path}."
        raise InputError(problem, "Name a TOML file of settings.")
    loaded = declared_settings(path, toml_file.read(path), refuses_unknown=True)
    if loaded.problems:
        raise InputError(loaded.problems[0])
    return loaded.values


def declared_settings(
    path: Path,
    document: TomlDocument,
    table_path: KeyPath = (),
    *,
    refuses_unknown: bool = False,
) -> LoadedSettings:
    """Return the declared settings in a document, or in its table ``table_path``. A key that is
    unknown and near no known one is left to other versions, unless ``refuses_unknown``."""
    values: dict[str, SettingValue] = {}
    problems: list[str] = []
    lines_by_key: dict[str, int] = {}
    lines = document.lines()
    for name, key_path, value in sorted(
        _named_leaves(document, table_path), key=_is_alias
    ):
        line = lines.get(key_path, 1)
        location = f"{path}, line {line}"
        try:
            setting = find_setting(name)
        except InputError as error:
            if refuses_unknown or near_keys(name, _MIN_SIMILARITY):
                problems.append(f"{location}: {error}")
            continue
        if setting.key in lines_by_key:
            problems.append(
                f"{location}: {setting.key} is ignored because line {lines_by_key[setting.key]} "
                f"sets it already."
            )
            continue
        lines_by_key[setting.key] = line
        try:
            values[setting.key] = checked_value(setting, value)
        except InputError as error:
            problems.append(f"{location}: {error}")
            if setting.kind is SettingKind.CHOICE and isinstance(value, str):
                values[setting.key] = UnknownChoice(value, problems[-1])
    return LoadedSettings(values, tuple(problems))


def _named_leaves(
    document: TomlDocument, table_path: KeyPath
) -> Iterator[tuple[str, KeyPath, Json]]:
    """Yield name, path and value of every leaf; ``a.b`` may be a nested table, a dotted or a quoted
    key."""
    depth = len(table_path)
    for key_path, value in document.leaves():
        if key_path[:depth] == table_path:
            yield ".".join(key_path[depth:]), key_path, value


def _is_alias(leaf: tuple[str, KeyPath, Json]) -> bool:
    """Sort full keys before aliases; otherwise the order of the file stays."""
    return all(leaf[0] != setting.key for setting in SETTINGS)


def setting_edits(
    document: TomlDocument,
    new: Mapping[Setting, SettingValue | None],
    table_path: KeyPath = (),
) -> dict[KeyPath, Json]:
    """Return the edits that give settings these values, in the document or in its table
    ``table_path``, under today's names where that loses nothing."""
    for quoted in (False, True):
        edits = dict(_edits(document, new, table_path, quoted=quoted))
        if can_edit(document, edits):
            return edits
    return dict(map(_in_place, edits.items()))


def _in_place(edit: tuple[KeyPath, Json]) -> tuple[KeyPath, Json]:
    """Return an edit that changes the value of a former name and leaves the name."""
    path, value = edit
    if isinstance(value, MovedFrom):
        return value.path, value.value
    return path, value


def _former_names(document: TomlDocument) -> dict[Setting, SettingValue | None]:
    """Return the settings that a document has under a former name alone, with their values."""
    values = {name: value for name, _, value in _named_leaves(document, ())}
    return {
        setting: values[alias]
        for setting in ALL_SETTINGS
        for alias in setting.aliases
        if alias in values and setting.key not in values
    }


def _edits(
    document: TomlDocument,
    new: Mapping[Setting, SettingValue | None],
    table_path: KeyPath,
    *,
    quoted: bool,
) -> Iterator[tuple[KeyPath, Json]]:
    leaves = sorted(_named_leaves(document, table_path), key=_is_alias)
    for setting, value in new.items():
        names = (setting.key, *setting.aliases)
        key_paths = [key_path for name, key_path, _ in leaves if name in names]
        for duplicate in key_paths if value is None else key_paths[1:]:
            yield duplicate, None
        if value is None:
            continue
        key_parts = (setting.key,) if quoted else setting.key.split(".")
        new_path = (*table_path, *key_parts)
        if not key_paths:
            yield new_path, value
        elif ".".join(key_paths[0][len(table_path) :]) == setting.key:
            yield key_paths[0], value
        else:
            yield new_path, MovedFrom(key_paths[0], value)


# The project layer: ``foldline.toml`` of a repository, whose settings can call no model.


PROJECT_FILE = "foldline.toml"
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
        if (place / PROJECT_FILE).exists():
            return place / PROJECT_FILE
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

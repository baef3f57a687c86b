"""The saved layer: settings.toml in the user's configuration folder (product.md section 3.2)."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from core.common import toml_file
from core.common.errors import FoldlineError, InputError
from core.common.json_value import Json
from core.common.paths import config_dir
from core.common.toml_file import InvalidTomlError, KeyPath, TomlDocument, TomlEdits, can_edit
from core.configuration.declarations import SETTINGS
from core.configuration.layers import checked_value, find_setting
from core.settings.schema import Setting, SettingValue

FILE = "settings.toml"

SettingEdits: TypeAlias = Mapping[str, SettingValue | None]
"""New values by key; None removes a key from the file."""

StoreSignature: TypeAlias = tuple[int, int, int]

_NEAR = 0.85
"""Least similarity of an unknown key to a known one to count as a typing error."""


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The values of a file by full key, and its problems: a sentence each, with the line."""

    values: Mapping[str, SettingValue] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


class SavedSettings:
    """One settings file. Unknown keys, comments and order are kept."""

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
        """Write these keys and no others; changes by other programs stay.

        Returns the new content; if a broken file was set aside, that is the first problem. Raises InputError
        for an unknown key, an invalid value, or a file that cannot be written.
        """
        new = {find_setting(key): value for key, value in changes.items()}
        new = {
            setting: None if value is None else checked_value(setting, value)
            for setting, value in new.items()
        }

        def edit(current: TomlDocument) -> TomlEdits:
            edits = edits_of(current, new)
            if any(value is not None and current.is_table(where) for where, value in edits.items()):
                raise toml_file.not_editable_error(self.path)
            return edits

        document, aside = toml_file.update_file(self.path, edit, put_broken_aside=True)
        loaded = declared_settings(self.path, document)
        if aside is None:
            return loaded
        return LoadedSettings(
            loaded.values, (f"{self.path} was broken and was moved to {aside}.", *loaded.problems)
        )

    def signature(self) -> StoreSignature | None:
        """Return a value that changes with the file (time, size, identity); None if there is no file."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino


def declared_settings(path: Path, document: TomlDocument, under: KeyPath = ()) -> LoadedSettings:
    """Return the declared settings in a document, or in its table ``under``."""
    values: dict[str, SettingValue] = {}
    problems: list[str] = []
    taken: dict[str, int] = {}
    lines = document.lines()
    for name, where, value in sorted(_named_leaves(document, under), key=_by_alias):
        line = lines.get(where, 1)
        at = f"{path}, line {line}"
        try:
            setting = find_setting(name)
        except InputError:
            near = difflib.get_close_matches(name, _names(), n=1, cutoff=_NEAR)
            if near:
                problems.append(f"{at}: There is no setting {name!r}. Did you mean {near[0]}?")
            continue
        if setting.key in taken:
            problems.append(
                f"{at}: {setting.key} is ignored because line {taken[setting.key]} sets it already."
            )
            continue
        taken[setting.key] = line
        try:
            values[setting.key] = checked_value(setting, value)
        except InputError as error:
            problems.append(f"{at}: {error}")
    return LoadedSettings(values, tuple(problems))


def _named_leaves(document: TomlDocument, under: KeyPath) -> Iterator[tuple[str, KeyPath, Json]]:
    """Yield name, path and value of every leaf; ``a.b`` may be a nested table, a dotted or a quoted key."""
    depth = len(under)
    for where, value in document.leaves():
        if where[:depth] == under:
            yield ".".join(where[depth:]), where, value


def _by_alias(leaf: tuple[str, KeyPath, Json]) -> bool:
    """Sort full keys before aliases; otherwise the order of the file stays."""
    return all(leaf[0] != setting.key for setting in SETTINGS)


def _names() -> list[str]:
    return [name for setting in SETTINGS for name in (setting.key, *setting.aliases)]


def edits_of(
    document: TomlDocument, new: Mapping[Setting, SettingValue | None], under: KeyPath = ()
) -> dict[KeyPath, Json]:
    """Return the edits that give settings these values, in the document or in its table ``under``.

    A value is changed in place, else added to nested tables, or under a quoted key if those are impossible.
    """
    nested = dict(_edits(document, new, under, quoted=False))
    return nested if can_edit(document, nested) else dict(_edits(document, new, under, quoted=True))


def _edits(
    document: TomlDocument, new: Mapping[Setting, SettingValue | None], under: KeyPath, *, quoted: bool
) -> Iterator[tuple[KeyPath, Json]]:
    leaves = sorted(_named_leaves(document, under), key=_by_alias)
    for setting, value in new.items():
        names = (setting.key, *setting.aliases)
        places = [where for name, where, _ in leaves if name in names]
        for extra in places if value is None else places[1:]:
            yield extra, None
        if value is not None:
            free = (setting.key,) if quoted else setting.key.split(".")
            yield (places[0] if places else (*under, *free)), value

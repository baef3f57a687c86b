"""The saved layer: settings.toml in the person's configuration folder (product.md section 3.2)."""

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
"""New values by key; None takes a key out of the file."""

StoreSignature: TypeAlias = tuple[int, int, int]

_NEAR = 0.85
"""How alike an unknown key must be to a known one to be taken for a slip; others are left alone."""


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The values of a file by full key, and what is wrong with it: a sentence each, with the line."""

    values: Mapping[str, SettingValue] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


class SavedSettings:
    """One settings file. Keys that nobody declares, comments and order are kept."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or config_dir() / FILE

    def load(self) -> LoadedSettings:
        """What the file says; never raises. A broken one says nothing and is left as it is."""
        try:
            return declared_settings(self.path, toml_file.read(self.path))
        except InvalidTomlError as error:
            until = "Until it is mended the defaults hold; the next save sets the file aside."
            return LoadedSettings({}, (f"{error.message} {until}",))
        except FoldlineError as error:
            return LoadedSettings({}, (str(error),))

    def save(self, changes: SettingEdits) -> LoadedSettings:
        """Write these keys and no others; what other programs wrote meanwhile stays.

        Returns what the file says now; a broken one was set aside, which is the first problem.
        Raises InputError for an unknown key, a value that does not fit, or a file that cannot be
        written.
        """
        new = {find_setting(key): value for key, value in changes.items()}
        new = {
            setting: None if value is None else checked_value(setting, value)
            for setting, value in new.items()
        }

        def edit(found: TomlDocument) -> TomlEdits:
            edits = edits_of(found, new)
            if any(value is not None and found.is_table(where) for where, value in edits.items()):
                raise toml_file.not_editable_error(self.path)
            return edits

        document, aside = toml_file.update_file(self.path, edit, put_broken_aside=True)
        loaded = declared_settings(self.path, document)
        if aside is None:
            return loaded
        return LoadedSettings(
            loaded.values, (f"{self.path} was broken and now lies in {aside}.", *loaded.problems)
        )

    def signature(self) -> StoreSignature | None:
        """Changes whenever the file does (time, size, identity); None where there is no file."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino


def declared_settings(path: Path, document: TomlDocument, under: KeyPath = ()) -> LoadedSettings:
    """The declared settings among the values of a document, or of its table ``under``."""
    values: dict[str, SettingValue] = {}
    problems: list[str] = []
    taken: dict[str, int] = {}
    lines = document.lines()
    for name, where, value in sorted(_found(document, under), key=_by_alias):
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
            problems.append(f"{at}: {setting.key} is set in line {taken[setting.key]} already, which holds.")
            continue
        taken[setting.key] = line
        try:
            values[setting.key] = checked_value(setting, value)
        except InputError as error:
            problems.append(f"{at}: {error}")
    return LoadedSettings(values, tuple(problems))


def _found(document: TomlDocument, under: KeyPath) -> Iterator[tuple[str, KeyPath, Json]]:
    """Name, path and value of every leaf; ``a.b`` may be a nested table, a dotted or a quoted key."""
    depth = len(under)
    for where, value in document.leaves():
        if where[:depth] == under:
            yield ".".join(where[depth:]), where, value


def _by_alias(found: tuple[str, KeyPath, Json]) -> bool:
    """Full keys before other names of the same setting; otherwise the order of the file."""
    return all(found[0] != setting.key for setting in SETTINGS)


def _names() -> list[str]:
    return [name for setting in SETTINGS for name in (setting.key, *setting.aliases)]


def edits_of(
    document: TomlDocument, new: Mapping[Setting, SettingValue | None], under: KeyPath = ()
) -> dict[KeyPath, Json]:
    """What to change so that settings have these values, in the document or in its table ``under``.

    In place where a setting stands, else in nested tables, or under a quoted key where those
    cannot be had.
    """
    nested = dict(_edits(document, new, under, quoted=False))
    return nested if can_edit(document, nested) else dict(_edits(document, new, under, quoted=True))


def _edits(
    document: TomlDocument, new: Mapping[Setting, SettingValue | None], under: KeyPath, *, quoted: bool
) -> Iterator[tuple[KeyPath, Json]]:
    found = sorted(_found(document, under), key=_by_alias)
    for setting, value in new.items():
        names = (setting.key, *setting.aliases)
        places = [where for name, where, _ in found if name in names]
        for extra in places if value is None else places[1:]:
            yield extra, None
        if value is not None:
            free = (setting.key,) if quoted else setting.key.split(".")
            yield (places[0] if places else (*under, *free)), value

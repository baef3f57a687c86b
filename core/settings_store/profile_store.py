"""Store of profiles: one TOML file per named model, with saved settings, never a key."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from core.common import toml_file
from core.common.atomic_file import TargetExistsError
from core.common.errors import InputError, did_you_mean
from core.common.json_value import Json
from core.common.paths import config_dir
from core.common.toml_file import KeyPath, TomlDocument, TomlEdits
from core.llm.destination import provider_fault
from core.settings.profile import BUILT_IN, OFFLINE, Profile
from core.settings.schema import PROFILE, SettingValue, Values
from core.settings_store.layers import (
    ALL_SETTINGS,
    checked_value,
    find_setting,
    holds_key,
)
from core.settings_store.settings_file import declared_settings, setting_edits

_TEXTS = ("provider", "model", "base_url", "key_env", "key_ring")
_NAME = re.compile(r"\w[\w.\-]{0,63}")
_DEVICES = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
"""Device names of Windows, with any suffix."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_PASTED = re.compile(r"(?=[^a-z]*[a-z])(?=\D*\d)[A-Za-z0-9_\-]{20,}")
"""A key: long, with lower-case letters and digits, unlike names of variables."""
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{32,}")
_MAX_TIMEOUT = 86_400.0
_KEY_ENDINGS = (
    "apikey",
    "secret",
    "secretkey",
    "accesskey",
    "password",
    "authorization",
)
_KEY_NAMES = (
    "key",
    "token",
    "accesstoken",
    "authtoken",
    "bearertoken",
    "apitoken",
    "cookie",
)
_NO_KEYS = (
    "Put it into an environment variable or the keyring and name that in the profile."
)


def name_fault(name: str) -> str:
    """Return why a text is not a valid profile name, or ""."""
    if not _NAME.fullmatch(name) or name.endswith("."):
        return (
            "Use at most 64 letters, digits, dots, dashes and underscores, without a dot first "
            "or last."
        )
    if _DEVICES.fullmatch(name):
        return "It is the name of a device on some systems."
    return ""


def check_name(name: str) -> None:
    """Raise InputError for an invalid name, such as one with a path."""
    if holds_key(name):
        raise InputError("The name of a profile looks like a key.", _NO_KEYS)
    fault = name_fault(name)
    if fault:
        raise InputError(f"{name!r} cannot be the name of a profile.", fault)


def check_fields(
    profile: Profile, location: str, table: Mapping[str, Json] | None = None
) -> None:
    """Raise InputError, beginning with ``location``, for an invalid field or one with a key.
    ``table`` is the whole file, so that a key in an unknown field is found as well."""
    _refuse_keys(profile, location, table or {})
    for field in _TEXTS:
        value = getattr(profile, field)
        if not value.isprintable() or (
            field in ("provider", "model") and not value.strip()
        ):
            raise InputError(
                f"{location}: {field} cannot be {value!r}.",
                "It must be a text on one line.",
            )
    if profile.base_url and not _is_address(profile.base_url):
        raise InputError(
            f"{location}: base_url cannot be {profile.base_url!r}.",
            "It must begin with http:// or https://.",
        )
    if profile.key_env and not _VARIABLE.fullmatch(profile.key_env):
        raise InputError(
            f"{location}: key_env must be the name of an environment variable.",
            _NO_KEYS,
        )
    for field, seconds in (
        ("timeout", profile.timeout),
        ("total_timeout", profile.total_timeout),
    ):
        if not (math.isfinite(seconds) and 0 < seconds <= _MAX_TIMEOUT):
            raise InputError(
                f"{location}: {field} cannot be {seconds!r}.",
                "It must be 1 to 86,400 seconds.",
            )
    _check_parameters(profile, location)


def _check_parameters(profile: Profile, location: str) -> None:
    for name, value in _plain_values(profile.parameters):
        is_infinite = isinstance(value, float) and not math.isfinite(value)
        if is_infinite or not isinstance(value, str | int | float):
            raise InputError(
                f"{location}: the parameter {name} cannot be {value!r}.",
                "Leave it out.",
            )


def _refuse_keys(profile: Profile, location: str, table: Mapping[str, Json]) -> None:
    for name, pattern in (("key_env", _PASTED), ("key_ring", _HEXADECIMAL)):
        if pattern.fullmatch(getattr(profile, name)):
            raise InputError(
                f"{location}: {name} holds what looks like a key, not the name of one.",
                _NO_KEYS,
            )
    fields = {name: getattr(profile, name) for name in _TEXTS}
    query = parse_qsl(profile.base_url.partition("?")[2])
    nested = {
        "parameters": profile.parameters,
        "settings": profile.settings,
        "base_url": dict(query),
    }
    for name, value in (*_plain_values({**table, **fields}), *_plain_values(nested)):
        if (
            isinstance(value, str)
            and value
            and (_is_key_name(name) or holds_key(value))
        ):
            raise InputError(
                f"{location}: {name} holds what looks like a key, which no profile may hold.",
                _NO_KEYS,
            )


def _plain_values(value: Json) -> Iterator[tuple[str, Json]]:
    """Yield every value that is neither list nor table, with its dotted name."""
    stack: list[tuple[str, Json]] = [("", value)]
    while stack:
        name, inner = stack.pop()
        if isinstance(inner, Mapping):
            stack += [
                (f"{name}.{key}" if name else str(key), item)
                for key, item in inner.items()
            ]
        elif isinstance(inner, list | tuple):
            stack += [(name, item) for item in inner]
        else:
            yield name, inner


def _is_key_name(name: str) -> bool:
    last = re.sub(r"[^a-z]", "", name.rpartition(".")[2].lower())
    return last.endswith(_KEY_ENDINGS) or last in _KEY_NAMES


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and (parts.port or 1) > 0
        )
    except ValueError:
        return False


FOLDER = "profiles"
_SUFFIX = ".toml"
_PARAMETERS, _SETTINGS = "parameters", "settings"

_DEFAULTS = Profile(name="", provider="", model="")
_FIELDS = (*_TEXTS, "timeout", "total_timeout", "stream")
"""Fields saved in the file under their own names."""


class ProfileStore:
    """The profiles of a folder and the built-in one; the first save creates the folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or config_dir() / FOLDER

    def names(self) -> tuple[str, ...]:
        """Return the built-in profile, then the saved ones by name, broken files included."""
        with suppress(OSError):
            stems = [
                path.name.removesuffix(_SUFFIX)
                for path in self.folder.glob(f"*{_SUFFIX}")
            ]
            return (
                OFFLINE,
                *sorted(
                    (stem for stem in stems if not name_fault(stem)), key=str.casefold
                ),
            )
        return (OFFLINE,)

    def load(self, name: str) -> Profile:
        """Load a profile. Raises InputError if it is unknown (REQ-CS-006A.1) or broken."""
        name = unicodedata.normalize("NFC", name.strip())
        if name == OFFLINE:
            return BUILT_IN
        if name not in self.names():
            raise self._unknown(name)
        path = self._path(name)
        document = toml_file.read(path)
        return _profile(name, path, document)

    def load_all(self) -> tuple[tuple[Profile, ...], tuple[str, ...]]:
        """Return the profiles, and a sentence for each broken one."""
        profiles = list[Profile]()
        problems = list[str]()
        for name in self.names():
            try:
                profiles.append(self.load(name))
            except InputError as error:
                problems.append(str(error))
        return tuple(profiles), tuple(problems)

    def summary_profile(self, values: Values, active: str) -> Profile:
        """Return the profile that writes summaries: that of the setting, else the active one
        (REQ-CS-002.5, .6). One that does not exist or is broken has a ``fault``, which is an error
        where a model would be called (REQ-CS-006A.1)."""
        name = str(values.get(PROFILE) or active)
        try:
            return self.load(name)
        except InputError as error:
            return Profile(name=name, provider="", model="", fault=str(error))

    def save(self, profile: Profile, *, overwrite: bool = True) -> None:
        """Write a profile; unknown fields of its file are kept. Raises TargetExistsError if it
        exists and ``overwrite`` is False, InputError for an invalid name or value, for a provider
        that nobody knows, and for anything that looks like a key."""
        path = self._writable(profile.name)
        check_fields(profile, profile.name)
        if unknown := provider_fault(profile.provider):
            raise InputError(f"{profile.name}: {unknown[0]}", unknown[1])

        def edit(current: TomlDocument) -> TomlEdits:
            if not overwrite and path.exists():
                raise TargetExistsError(
                    f"The profile {profile.name} exists already.",
                    "Choose another name.",
                )
            return dict(_edits(current, profile))

        toml_file.update_file(path, edit)

    def delete(self, name: str) -> None:
        """Delete a profile. Raises InputError for the built-in one and for unknown ones."""
        path = self._writable(name)
        if name not in self.names():
            raise self._unknown(name)
        with toml_file.file_lock(path):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                cause = (error.strerror or str(error)).lower()
                raise InputError(
                    f"{path} cannot be deleted: {cause}.",
                    "Check the folder's permissions.",
                ) from None

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{_SUFFIX}"

    def _writable(self, name: str) -> Path:
        """Return the file of a profile; raises InputError if it must not be written."""
        check_name(name)
        if name.casefold() == OFFLINE:
            raise InputError(
                f"The profile {OFFLINE} is built in and cannot be changed.",
                "Use another name.",
            )
        for known in self.names():  # the same file on case-insensitive disks
            if known != name and known.casefold() == name.casefold():
                raise InputError(
                    f"There is a profile {known} already.",
                    "Use that name or another one.",
                )
        return self._path(name)

    def _unknown(self, name: str) -> InputError:
        known = self.names()
        add = '("foldline config profiles add NAME" adds one)'
        hint = f"{did_you_mean(name, known)}Known profiles: {', '.join(known)} {add}."
        return InputError(f"There is no profile {name!r}.", hint)


def _profile(name: str, path: Path, document: TomlDocument) -> Profile:
    """Parse a profile. Raises InputError with file and line."""
    table = document.table
    fields = {key: table[key] for key in _FIELDS if key in table}
    for key, value in fields.items():
        expected = _expected_type(key, value)
        if expected:
            location = f"{path}, line {document.line((key,))}"
            raise InputError(
                f"{location}: {key} cannot be {value!r}.", f"It must be {expected}."
            )
    for key in ("provider", "model"):
        if key not in fields:
            raise InputError(f"{path} has no {key}.", f'Add a line {key} = "…".')
    for key in (_PARAMETERS, _SETTINGS):
        if not isinstance(table.get(key, {}), dict):
            raise InputError(
                f"{path}, line {document.line((key,))}: {key} is not a table."
            )
    loaded = declared_settings(path, document, (_SETTINGS,))
    if loaded.problems:
        raise InputError(loaded.problems[0])
    for key in ("timeout", "total_timeout"):
        fields[key] = float(fields.get(key, getattr(_DEFAULTS, key)))
    profile = Profile(
        name=name,
        **fields,
        parameters=dict(table.get(_PARAMETERS, {})),
        settings=_persisted(loaded.values),
    )
    check_fields(profile, str(path), document.table)
    return profile


def _expected_type(key: str, value: Json) -> str:
    """Return what the value of a field must be; "" where it is that."""
    wanted = type(getattr(_DEFAULTS, key))
    if type(value) is wanted:
        return ""
    if wanted is float and type(value) is int:  # TOML writes 60 for 60.0
        return ""
    return {str: "a text", bool: "true or false"}.get(wanted, "a number of seconds")


def _persisted(settings: Mapping[str, SettingValue]) -> dict[str, SettingValue]:
    declared = {find_setting(key): value for key, value in settings.items()}
    return {
        setting.key: checked_value(setting, value)
        for setting, value in declared.items()
    }


def _edits(document: TomlDocument, profile: Profile) -> Iterator[tuple[KeyPath, Json]]:
    for key in _FIELDS:
        value = getattr(profile, key)
        if (
            key in ("provider", "model")
            or value != getattr(_DEFAULTS, key)
            or key in document.table
        ):
            yield (key,), value
    old = document.table.get(_PARAMETERS, {})
    for key in {**old, **profile.parameters}:
        if old.get(key) != profile.parameters.get(key):
            yield (_PARAMETERS, key), profile.parameters.get(key)
    settings = _persisted(profile.settings)
    changes = {setting: settings.get(setting.key) for setting in ALL_SETTINGS}
    yield from setting_edits(document, changes, (_SETTINGS,)).items()

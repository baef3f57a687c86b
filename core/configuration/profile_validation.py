"""Validation of profiles: safe file names, valid fields, no keys."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from core.common.errors import InputError
from core.common.json_value import Json

if TYPE_CHECKING:
    from core.settings.profile import Profile

_TEXTS = ("provider", "model", "base_url", "key_env", "key_ring")
_NAME = re.compile(r"\w[\w.\-]{0,63}")
_DEVICES = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
"""Device names of Windows, with any suffix."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_PASTED = re.compile(r"(?=[^a-z]*[a-z])(?=\D*\d)[A-Za-z0-9_\-]{20,}")
"""A key: long, with lower-case letters and digits, unlike names of variables."""
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{32,}")
_MAX_TIMEOUT = 86_400.0
_KEY_ENDINGS = ("apikey", "secret", "secretkey", "accesskey", "password", "authorization")
_KEY_NAMES = ("key", "token", "accesstoken", "authtoken", "bearertoken", "apitoken", "cookie")
_NO_KEYS = "Put it into an environment variable or the keyring and name that in the profile."


def name_fault(name: str) -> str:
    """Return why a text is not a valid profile name, or ""."""
    if not _NAME.fullmatch(name) or name.endswith("."):
        return "Use at most 64 letters, digits, dots, dashes and underscores, without a dot first or last."
    return "It is the name of a device on some systems." if _DEVICES.fullmatch(name) else ""


def check_name(name: str) -> None:
    """Raise InputError for an invalid name, such as one with a path."""
    if _is_secret(name):
        raise InputError("The name of a profile looks like a key.", _NO_KEYS)
    fault = name_fault(name)
    if fault:
        raise InputError(f"{name!r} cannot be the name of a profile.", fault)


def check_fields(profile: Profile, location: str, table: Mapping[str, Json] | None = None) -> None:
    """Raise InputError, beginning with ``location``, for an invalid field or one with a key.

    ``table`` is the whole file, so that a key in an unknown field is found as well.
    """
    _refuse_keys(profile, location, table or {})
    for field in _TEXTS:
        value = getattr(profile, field)
        if not value.isprintable() or (field in ("provider", "model") and not value.strip()):
            raise InputError(f"{location}: {field} cannot be {value!r}.", "Must be a text on one line.")
    if profile.base_url and not _is_address(profile.base_url):
        raise InputError(
            f"{location}: base_url cannot be {profile.base_url!r}.", "Must begin with http:// or https://."
        )
    if profile.key_env and not _VARIABLE.fullmatch(profile.key_env):
        raise InputError(f"{location}: key_env must be the name of an environment variable.", _NO_KEYS)
    for field, seconds in (("timeout", profile.timeout), ("total_timeout", profile.total_timeout)):
        if not (math.isfinite(seconds) and 0 < seconds <= _MAX_TIMEOUT):
            raise InputError(f"{location}: {field} cannot be {seconds!r}.", "Must be 1 to 86,400 seconds.")
    _check_parameters(profile.parameters, location)


def _check_parameters(parameters: Mapping[str, Json], location: str) -> None:
    for name, value in _plain_values(parameters, ""):
        is_infinite = isinstance(value, float) and not math.isfinite(value)
        if is_infinite or not isinstance(value, str | int | float):
            raise InputError(f"{location}: the parameter {name} cannot be {value!r}.", "Leave it out.")


def _refuse_keys(profile: Profile, location: str, table: Mapping[str, Json]) -> None:
    for name, pattern in (("key_env", _PASTED), ("key_ring", _HEXADECIMAL)):
        if pattern.fullmatch(getattr(profile, name)):
            raise InputError(
                f"{location}: {name} holds what looks like a key, not the name of one.", _NO_KEYS
            )
    fields = {name: getattr(profile, name) for name in _TEXTS}
    query = parse_qsl(profile.base_url.partition("?")[2])
    nested = {"parameters": profile.parameters, "settings": profile.settings, "base_url": dict(query)}
    for name, value in (*_plain_values({**table, **fields}, ""), *_plain_values(nested, "")):
        if isinstance(value, str) and value and (_is_key_name(name) or _is_secret(value)):
            raise InputError(
                f"{location}: {name} holds what looks like a key; a profile never does.", _NO_KEYS
            )


def _plain_values(value: Json, name: str) -> Iterator[tuple[str, Json]]:
    """Yield every value that is neither list nor table, with its dotted name."""
    stack: list[tuple[str, Json]] = [(name, value)]
    while stack:
        name, inner = stack.pop()
        if isinstance(inner, Mapping):
            stack += [(f"{name}.{key}" if name else str(key), item) for key, item in inner.items()]
        elif isinstance(inner, list | tuple):
            stack += [(name, item) for item in inner]
        else:
            yield name, inner


def _is_key_name(name: str) -> bool:
    last = re.sub(r"[^a-z]", "", name.rpartition(".")[2].lower())
    return last.endswith(_KEY_ENDINGS) or last in _KEY_NAMES


def _is_secret(text: str) -> bool:
    from core.common.redaction.redact import find_secrets  # late: the profile offline has no text to search

    return any(secret.kind != "mail" for secret in find_secrets(text))


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False

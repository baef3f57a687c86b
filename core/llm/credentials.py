"""Finds the key of a profile in the environment or the system's keyring, never in a file."""

from __future__ import annotations

import os
from collections.abc import Mapping

from core.common.errors import InputError
from core.settings.profile import Profile

SERVICE = "foldline"  # the service name of our keyring entries


def find_key(profile: Profile, environment: Mapping[str, str] = os.environ) -> str:
    """Return the key of a profile, "" where it names none, as local models may need no key. The environment
    variable comes before the keyring entry. The keyring may take long or open a system dialog, so only a
    worker should call this. Raises InputError naming the profile and the empty variable or entry."""
    if profile.key_env:
        key = environment.get(profile.key_env, "").strip()
        if key:
            return key
    if profile.key_ring:
        return _from_keyring(profile)
    if profile.key_env:
        raise InputError(
            f"The profile {profile.name} has no key: the environment variable {profile.key_env} is not set.",
            "Set it, or name a keyring entry in the profile.",
        )
    return ""


def empty_variable(profile: Profile, environment: Mapping[str, str] = os.environ) -> str:
    """Return the unset variable of a profile's key; "" where it is set or a keyring entry is named."""
    if profile.key_ring or environment.get(profile.key_env, "").strip():
        return ""
    return profile.key_env


def _from_keyring(profile: Profile) -> str:
    failure = f"The profile {profile.name} has no key"
    key = (_ask_keyring(profile.key_ring, failure) or "").strip()
    if not key:
        raise InputError(
            f"{failure}: the keyring has no entry {profile.key_ring}.",
            f"Store one with: keyring set {SERVICE} {profile.key_ring}",
        )
    return key


def _ask_keyring(entry: str, failure: str) -> str | None:
    """Return the keyring's entry; errors become one sentence that begins with ``failure``."""
    hint = "Name an environment variable in the profile instead."
    try:
        import keyring
        from keyring.errors import KeyringLocked, NoKeyringError
    except ImportError:
        raise InputError(f"{failure}: the keyring library is not installed.", hint) from None
    try:
        return keyring.get_password(SERVICE, entry)
    except NoKeyringError:
        raise InputError(f"{failure}: this system offers no keyring.", hint) from None
    except KeyringLocked:
        raise InputError(f"{failure}: the keyring is locked.", "Unlock it and try again.") from None
    except Exception as error:  # backends raise errors of their own, such as those of the system bus
        cause = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise InputError(f"{failure}: the keyring does not answer ({cause[:200]}).", hint) from None

"""The key of a profile: out of the environment or the system's keyring, never out of a file."""

from __future__ import annotations

import os
from collections.abc import Mapping

from core.common.errors import InputError
from core.settings.profile import Profile

SERVICE = "foldline"
"""The service under which the keyring keeps our entries."""


def find_key(profile: Profile, environment: Mapping[str, str] = os.environ) -> str:
    """The key of a profile, empty where it names none: a local model may need no key.

    The environment variable comes before the keyring entry. Asking the keyring may take long or
    bring up a question of the system, so that only a worker should do it. Raises InputError with
    the profile and the variable or entry that holds nothing.
    """
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
    """The variable that should hold a profile's key and is empty; "" where it does, or where another place
    may hold the key. The keyring is not asked."""
    if profile.key_ring or environment.get(profile.key_env, "").strip():
        return ""
    return profile.key_env


def _from_keyring(profile: Profile) -> str:
    failure = f"The profile {profile.name} has no key"
    key = (_asked(profile.key_ring, failure) or "").strip()
    if not key:
        raise InputError(
            f"{failure}: the keyring has no entry {profile.key_ring}.",
            f"Store one with: keyring set {SERVICE} {profile.key_ring}",
        )
    return key


def _asked(entry: str, failure: str) -> str | None:
    """The keyring's answer; whatever is wrong with it becomes one sentence that begins with ``failure``."""
    way_out = "Name an environment variable in the profile instead."
    try:
        import keyring
        from keyring.errors import KeyringLocked, NoKeyringError
    except ImportError:
        raise InputError(f"{failure}: the keyring library is not installed.", way_out) from None
    try:
        return keyring.get_password(SERVICE, entry)
    except NoKeyringError:
        raise InputError(f"{failure}: this system offers no keyring.", way_out) from None
    except KeyringLocked:
        raise InputError(f"{failure}: the keyring is locked.", "Unlock it and try again.") from None
    except Exception as error:  # each backend has errors of its own, those of the system bus among them
        cause = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise InputError(f"{failure}: the keyring does not answer ({cause[:200]}).", way_out) from None

"""A profile: a named model to call, with its parameters; it never holds a key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.settings.schema import SettingValue

OFFLINE = "offline"
"""The name of the profile that is active as shipped."""


OFFLINE_MODEL = "deterministic snapshot"


@dataclass(frozen=True, slots=True)
class Profile:
    """A model to call (product.md section 3.2). ``timeout`` is the longest silence, ``total_timeout`` the
    longest call with all its tries, both in seconds.

    The key is found by ``key_env``, the name of an environment variable, or by ``key_ring``, the
    name of a keyring entry. ``parameters`` go into every request as they are. ``settings`` are the
    values, by full key, that loading the profile puts into the session.
    """

    name: str
    provider: str
    model: str
    base_url: str = ""
    key_env: str = ""
    key_ring: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict)
    timeout: float = 120.0
    total_timeout: float = 600.0
    stream: bool = True
    settings: Mapping[str, SettingValue] = field(default_factory=dict)

    @property
    def is_offline(self) -> bool:
        """True where the summary is written by the program itself, without a model."""
        return self.provider == OFFLINE


BUILT_IN = Profile(OFFLINE, OFFLINE, OFFLINE_MODEL, stream=False)
"""The profile that is always there."""

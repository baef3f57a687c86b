"""The model of a profile: a named LLM with its parameters, never a key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.settings.schema import SettingValue

OFFLINE = "offline"
"""Name of the built-in profile, which is active by default."""

OFFLINE_MODEL = "deterministic snapshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A model to call. ``timeout`` is the longest silence, ``total_timeout`` the longest call with
    all retries, in seconds. ``key_env`` names the environment variable, ``key_ring`` the keyring
    entry that holds the key. ``parameters`` are added to every request. ``settings`` are the
    values, by full key, that loading the profile sets in the session. ``fault`` says why a profile
    that a setting names cannot be called: it does not exist, or its file is broken."""

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
    fault: str = ""

    @property
    def is_offline(self) -> bool:
        """Return True if the program writes the summary without a model."""
        return self.provider == OFFLINE

    @property
    def writer_key(self) -> tuple[str, ...]:
        """What of it decides a summary that it writes."""
        model = self.provider, self.model, self.base_url
        return (self.name, *model, repr(self.parameters))


BUILT_IN = Profile(name=OFFLINE, provider=OFFLINE, model=OFFLINE_MODEL, stream=False)

"""Effective settings with typed access; reading a missing value raises an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.common.errors import InputError
from core.settings.schema import SettingValue


class SettingLayer(StrEnum):
    """The layers of values, highest first."""

    SESSION = "session"
    SAVED = "saved"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class EffectiveValue:
    """A value and its layer; None is an optional setting without a value.

    ``profile`` is the loaded profile that set the value in the session, "" if the user set it.
    """

    value: SettingValue | None
    layer: SettingLayer
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Values:
    """An immutable snapshot of all effective settings by key."""

    by_key: Mapping[str, EffectiveValue]

    def get(self, key: str) -> SettingValue | None:
        return self.by_key[key].value

    def _required(self, key: str) -> SettingValue:
        value = self.by_key[key].value
        if value is None or value == "":
            raise InputError(f"{key} has no value.", f"Set one with --set {key}=VALUE.")
        return value

    def text(self, key: str) -> str:
        """Return a text or choice; raises InputError if it has no value (REQ-CS-009.4)."""
        return str(self._required(key))

    def flag(self, key: str) -> bool:
        return bool(self._required(key))

    def number(self, key: str) -> float:
        return float(self._required(key))

    def integer(self, key: str) -> int:
        return int(self._required(key))

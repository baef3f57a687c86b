"""Effective settings, read by type. Reading a value that is not there fails at the read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.common.errors import InputError
from core.settings.schema import SettingValue


class SettingLayer(StrEnum):
    """Where an effective value comes from, highest first."""

    SESSION = "session"
    SAVED = "saved"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class EffectiveValue:
    """A value and the layer that gave it. None: an optional setting without a value.

    ``profile`` is the loaded profile that put the value into the session, empty where a hand did.
    """

    value: SettingValue | None
    layer: SettingLayer
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Values:
    """All effective settings by key. A snapshot: it does not change."""

    by_key: Mapping[str, EffectiveValue]

    def get(self, key: str) -> SettingValue | None:
        """The value, or None where an optional setting has none."""
        return self.by_key[key].value

    def _need(self, key: str) -> SettingValue:
        value = self.by_key[key].value
        if value is None or value == "":
            raise InputError(f"{key} has no value.", f"Set one with --set {key}=VALUE.")
        return value

    def text(self, key: str) -> str:
        """A text or choice; raises InputError where there is none (REQ-CS-009.4)."""
        return str(self._need(key))

    def flag(self, key: str) -> bool:
        """A switch."""
        return bool(self._need(key))

    def number(self, key: str) -> float:
        """A fraction or whole number, as float."""
        return float(self._need(key))

    def whole(self, key: str) -> int:
        """A whole number."""
        return int(self._need(key))

"""Identifies screens, so that the window can reuse one that it has seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from core.settings.schema import SettingValue


@dataclass(frozen=True, slots=True)
class ScreenKey:
    """The effective ``values`` of all settings, and a digest of everything else that a screen depends on.
    ``other_digest`` covers transcript, scope, model, profile, pins, restored messages, runs and written
    summaries. Screens with the same key differ only in ``effect``, ``can_undo`` and setting layers."""

    values: Mapping[str, SettingValue | None] = field(default_factory=dict)
    other_digest: str = ""

    def with_values(self, changes: Iterable[tuple[str, SettingValue | None]]) -> ScreenKey | None:
        """Return the key with other values; None if one is unset, since lower layers are unknown here."""
        new_values = dict(changes)
        if any(value is None for value in new_values.values()):
            return None
        return replace(self, values={**self.values, **new_values})

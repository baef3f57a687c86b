"""What a screen answers to, so that the window can tell whether it has seen the answer before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from core.settings.schema import SettingValue


@dataclass(frozen=True, slots=True)
class ScreenKey:
    """The effective ``values`` of all settings, and all else that a screen depends on as one word: the
    transcript as it was read, scope, model, profile, pins, what was put back, runs, written summaries.

    Two screens that answer to the same are the same but for ``effect`` and ``can_undo``, which tell of the
    way there, and for the layers that the values came from.
    """

    values: Mapping[str, SettingValue | None] = field(default_factory=dict)
    rest: str = ""

    def changed(self, changes: Iterable[tuple[str, SettingValue | None]]) -> ScreenKey | None:
        """The same with other values; None where one is taken away, for what lies below is not known here."""
        new = dict(changes)
        if any(value is None for value in new.values()):
            return None
        return replace(self, values={**self.values, **new})

"""What a setting is. Everything that knows settings derives from these declarations."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from core.common import number_format

SettingValue: TypeAlias = bool | int | float | str


class SettingKind(StrEnum):
    """The type of a setting's value."""

    CHOICE = "choice"
    FLAG = "flag"
    FRACTION = "fraction"
    WHOLE = "whole"
    TEXT = "text"


PROFILES = "profiles"
"""The completer that offers the names of the saved profiles (REQ-CS-007.5)."""


class AffectedStage(StrEnum):
    """The first stage of the preview that a changed value makes stale."""

    LIMIT = "limit"
    DENSITY = "density"
    COMPRESS = "compress"


@dataclass(frozen=True, slots=True)
class Setting:
    """One declaration (product.md section 3.2).

    ``default`` None means optional: the setting may have no value. ``low`` and ``high`` are
    inclusive unless ``low_open``. ``help`` is one sentence. ``label`` is what the window shows.
    ``completer`` names what known values are offered beside the declared ones: "profiles" or nothing.
    """

    key: str
    kind: SettingKind
    default: SettingValue | None
    label: str
    help: str
    section: str
    affects: AffectedStage
    unit: str = ""
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    step: float = 0.01
    hint: str = ""
    completer: str = ""
    category: str = "cli-behavior"
    persist_to_profile: bool = True
    optional: bool = False
    aliases: tuple[str, ...] = ()


class Mode(StrEnum):
    """``reference``: what the reference implementation does, faults included. ``safe``: with fixes."""

    SAFE = "safe"
    REFERENCE = "reference"


def setting_text(kind: SettingKind, value: SettingValue | None) -> str:
    """How the value of a setting reads: 20 %, on, 4,000, middle-out; a dash where it has none."""
    if value is None or value == "":
        return number_format.UNKNOWN
    if kind is SettingKind.FLAG:
        return "on" if value else "off"
    if kind is SettingKind.FRACTION and isinstance(value, int | float):
        return number_format.setting_percent(value)
    if kind is SettingKind.WHOLE and isinstance(value, int | float):
        return number_format.count(int(value))
    return str(value)

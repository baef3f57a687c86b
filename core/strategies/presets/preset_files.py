"""Loads presets from TOML files, one each, read strictly."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from core.common.errors import InputError
from core.common.json_value import Json
from core.strategies.base import CheckPoint, EmulatedProgram, Trigger, TriggerMode
from core.strategies.presets.passes import PASSES
from core.strategies.presets.preset import Preset
from core.strategies.presets.preset_summary import SummaryRule
from core.strategies.presets.reinjection import ReinjectRule
from core.strategies.presets.split import SplitRule
from core.strategies.presets.strict_toml import (
    TomlLocation,
    array_of_tables,
    build_by_kind,
    build_from_table,
    check_known_keys,
    take_value,
)

FOLDER = Path(__file__).resolve().parents[1] / "presets"
"""The folder of the built-in presets, in the repository and in the wheel."""

_KEYS = ("order", "about", "needs_limit", "emulates", "trigger", "passes", "split", "summary", "reinject")
_SIZE_KEYS = ({"share", "margin"}, {"tokens"}, {"messages"}, {"idle_minutes"})


def load_all(folder: Path = FOLDER) -> tuple[Preset, ...]:
    """Return the presets of a folder by their ``order``; raises InputError naming the faulty file and key."""
    presets = [load_preset(path) for path in folder.glob("*.toml")]
    return tuple(sorted(presets, key=lambda preset: (preset.order, preset.name)))


def load_preset(path: Path) -> Preset:
    """Return the preset of a file, named after the file."""
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path.name} cannot be read: {error}.", "Every preset is one TOML file.") from error
    location = TomlLocation(path.name)
    check_known_keys(table, _KEYS, location)
    tables = {
        key: take_value(table, key, dict, location)
        for key in ("split", "summary", "reinject")
        if key in table
    }
    if tables and not {"split", "summary"} <= tables.keys():
        raise location.error("split", "and summary go together, and reinject only with them")
    return Preset(
        path.stem,
        take_value(table, "order", int, location),
        take_value(table, "about", str, location),
        take_value(table, "emulates", EmulatedProgram, location),
        _trigger(take_value(table, "trigger", dict, location), location.child("trigger")),
        tuple(
            build_by_kind(PASSES, pass_table, table_location)
            for pass_table, table_location in array_of_tables(table, "passes", location)
        ),
        build_from_table(SplitRule, tables["split"], location.child("split")) if "split" in tables else None,
        build_from_table(SummaryRule, tables["summary"], location.child("summary"))
        if "summary" in tables
        else None,
        build_from_table(ReinjectRule, tables["reinject"], location.child("reinject"))
        if "reinject" in tables
        else None,
        "needs_limit" in table and take_value(table, "needs_limit", bool, location),
    )


@dataclass(frozen=True, slots=True)
class _TriggerTable:
    """The table [trigger]: a share of the limit minus tokens, tokens, messages, or a pause."""

    mode: TriggerMode = TriggerMode.THRESHOLD
    share: float = 1.0
    margin: int = 0
    tokens: int = 0
    messages: int = 0
    idle_minutes: int = 0
    check: CheckPoint = CheckPoint.BEFORE_SEND


def _trigger(table: Json, location: TomlLocation) -> Trigger:
    trigger = build_from_table(_TriggerTable, table, location)
    sizes = sum(1 for size in _SIZE_KEYS if size & table.keys())
    if trigger.mode is TriggerMode.CONTINUOUS or sizes != (trigger.mode is TriggerMode.THRESHOLD):
        raise location.error(
            "mode", "takes one size (share and margin, tokens, messages or idle_minutes), or none"
        )
    return Trigger(
        trigger.mode,
        trigger.share,
        trigger.check,
        is_fixed=True,
        margin=trigger.margin,
        tokens=trigger.tokens,
        messages=trigger.messages,
        idle_minutes=trigger.idle_minutes,
    )

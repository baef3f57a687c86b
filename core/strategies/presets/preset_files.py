"""Loads presets from TOML files, one each, read strictly."""

from __future__ import annotations

import tomllib
import typing
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from datetime import date
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import GenericAlias
from typing import Any, TypeVar

from core.common.errors import InputError
from core.common.json_value import Json
from core.strategies.base import CheckPoint, EmulatedProgram, StrategyContext, Trigger, TriggerMode
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.presets.clear_tool_results import ClearToolResults
from core.strategies.presets.keep_typed import DropOldestWork
from core.strategies.presets.preset import PassResult, Preset, PresetPass
from core.strategies.presets.preset_summary import SummaryRule
from core.strategies.presets.reinjection import ReinjectRule
from core.strategies.presets.split import SplitRule
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Speaker, Thinking

RULE = "old thinking"


@dataclass(frozen=True, slots=True)
class ClearThinking:
    """Removes thinking from all but the newest ``keep_turns`` model messages that have some."""

    keep_turns: int

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        with_thinking = [
            index
            for index, entry in enumerate(draft.entries)
            if entry.message.speaker is Speaker.AI
            and any(isinstance(b, Thinking) for b in entry.message.blocks)
        ]
        turns = f"the newest {self.keep_turns} turns" if self.keep_turns > 1 else "the newest turn"
        step = FateStep(RULE, FateKind.EDITED, f"Thinking goes beyond {turns} with any.")
        changes = {}
        for index in with_thinking[: max(0, len(with_thinking) - self.keep_turns)]:
            message = draft.entries[index].message
            blocks = tuple(block for block in message.blocks if not isinstance(block, Thinking))
            if blocks:
                changes[index] = replace(message, blocks=blocks), step
        return PassResult(
            with_edited(draft, changes), note="" if changes else f"No thinking lies beyond {turns}."
        )


PASSES: Mapping[str, type[PresetPass]] = {
    "clear-results": ClearToolResults,
    "clear-thinking": ClearThinking,
    "keep-typed": DropOldestWork,
}
"""By ``kind`` in a table of [[passes]]; the other keys are the fields of the rule."""


_Rule = TypeVar("_Rule")

_TYPE_NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


@dataclass(frozen=True, slots=True)
class TomlLocation:
    """A table of a file, for error messages: the file's name and the table's key, "" for the file itself."""

    file: str
    table: str = ""

    def child(self, key: str) -> TomlLocation:
        """Return the location of a table inside this one."""
        return TomlLocation(self.file, self._path(key))

    def error(self, key: str, problem: str) -> InputError:
        return InputError(f"{self.file}: {self._path(key)} {problem}.", "Correct the preset's file.")

    def _path(self, key: str) -> str:
        return f"{self.table}.{key}" if self.table else key


def check_known_keys(table: Mapping[str, Json], known: Iterable[str], location: TomlLocation) -> None:
    """Raise InputError for an unknown key."""
    names = tuple(known)
    for key in table:
        if key not in names:
            raise location.error(key, f"is unknown; known: {', '.join(names) or 'none'}")


def take_value(table: Mapping[str, Json], key: str, kind: Any, location: TomlLocation) -> Json:
    """Return the value of a key; raises InputError where it is missing or of another type."""
    if key not in table:
        raise location.error(key, "is missing")
    return _value(table[key], key, kind, location)


def build_from_table(cls: type[_Rule], table: Json, location: TomlLocation) -> _Rule:
    """Build a dataclass from a table whose keys are its fields; fields with a default may be absent."""
    rule: Any = cls
    field_by_name = {rule_field.name: rule_field for rule_field in fields(rule)}
    check_known_keys(table, field_by_name, location)
    hints = _hints(rule)
    for name, rule_field in field_by_name.items():
        if name not in table and rule_field.default is MISSING and rule_field.default_factory is MISSING:
            raise location.error(name, "is missing")
    return cls(**{key: take_value(table, key, hints[key], location) for key in table})


def build_by_kind(kinds: Mapping[str, type[_Rule]], table: Json, location: TomlLocation) -> _Rule:
    """Build the rule named by ``kind`` from the other keys of its table."""
    kind = take_value(table, "kind", str, location)
    if kind not in kinds:
        raise location.error("kind", f"must be one of: {', '.join(kinds)}")
    return build_from_table(
        kinds[kind], {key: value for key, value in table.items() if key != "kind"}, location
    )


def array_of_tables(
    table: Mapping[str, Json], key: str, location: TomlLocation
) -> list[tuple[Json, TomlLocation]]:
    """Return the tables of an array, each with its location; none where the key is absent."""
    tables = take_value(table, key, list, location) if key in table else []
    numbered = [(f"{key}[{number}]", item) for number, item in enumerate(tables, 1)]
    return [(_value(item, name, dict, location), location.child(name)) for name, item in numbered]


@cache
def _hints(cls: type[object]) -> Mapping[str, Any]:
    """Return the field types of a dataclass; cached, since many tables are of one class."""
    return typing.get_type_hints(cls)


def _value(value: Json, key: str, kind: Any, location: TomlLocation) -> Json:
    """Convert nothing but a whole number to a fraction, a date to its text, and a list to a tuple."""
    if isinstance(kind, GenericAlias):  # tuple[X, ...]
        inner = typing.get_args(kind)[0]
        items = _value(value, key, list, location)
        return tuple(
            _value(item, f"{key}[{number}]", inner, location) for number, item in enumerate(items, 1)
        )
    if is_dataclass(kind):
        return build_from_table(
            typing.cast("type[object]", kind), _value(value, key, dict, location), location.child(key)
        )
    if issubclass(kind, StrEnum):
        allowed = [member.value for member in kind]
        if value not in allowed:
            raise location.error(key, f"must be one of: {', '.join(allowed)}")
        return kind(value)
    if kind is str and type(value) is date:
        return value.isoformat()
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise location.error(key, f"must be {_TYPE_NAMES[kind]}")
    if kind in (int, float) and value < 0:
        raise location.error(key, "is below 0")
    return value


FOLDER = Path(__file__).resolve().parents[1] / "presets"
"""The folder of the built-in presets, in the repository and in the wheel."""

_KEYS = ("order", "about", "needs_limit", "emulates", "trigger", "passes", "split", "summary", "reinject")
_PARTS: Mapping[str, Any] = {"split": SplitRule, "summary": SummaryRule, "reinject": ReinjectRule}
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
    present = _PARTS.keys() & table.keys()
    tables = {key: take_value(table, key, dict, location) for key in sorted(present)}
    if present and not {"split", "summary"} <= present:
        raise location.error("split", "and summary go together, and reinject only with them")
    parts = {key: build_from_table(_PARTS[key], tables[key], location.child(key)) for key in sorted(present)}
    passes = array_of_tables(table, "passes", location)
    return Preset(
        path.stem,
        take_value(table, "order", int, location),
        take_value(table, "about", str, location),
        take_value(table, "emulates", EmulatedProgram, location),
        _trigger(take_value(table, "trigger", dict, location), location.child("trigger")),
        tuple(build_by_kind(PASSES, pass_table, where) for pass_table, where in passes),
        needs_limit="needs_limit" in table and take_value(table, "needs_limit", bool, location),
        **parts,
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
    numbers = {name: getattr(trigger, name) for name in ("margin", "tokens", "messages", "idle_minutes")}
    return Trigger(trigger.mode, trigger.share, trigger.check, is_fixed=True, **numbers)

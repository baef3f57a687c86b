"""The declared settings, from ``settings.toml``; layers of their values; parsing and checks of
values."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from functools import cache
from pathlib import Path
from typing import Any

from core.common.errors import InputError, did_you_mean, near_names, nearest_names
from core.common.plugins import PluginRegistry, load_plugins
from core.settings.schema import (
    MOST_PERCENT,
    STRATEGY,
    AffectedStage,
    EffectiveValue,
    Setting,
    SettingBounds,
    SettingKind,
    SettingLayer,
    SettingValue,
    TuneRange,
    Values,
    aim_value,
    share_value,
    token_count,
)
from core.strategies.names import PROGRAM, current_name, is_program
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy

_BOUNDS = tuple(one.name for one in dataclass_fields(SettingBounds))


def _declared_settings() -> Iterator[Setting]:
    tables: dict[str, Any] = tomllib.loads(
        Path(__file__).with_name("settings.toml").read_text("utf-8")
    )
    tables[STRATEGY] |= {"default": COMPACTION_STRATEGIES[0]}
    for key, table in tables.items():
        fields = {
            "key": key,
            "default": None,
        } | table  # without a default the setting is optional
        fields |= {
            "kind": SettingKind(table["kind"]),
            "affects": AffectedStage(table["affects"]),
        }
        fields |= {name: tuple(table.get(name, ())) for name in ("choices", "aliases")}
        fields["bounds"] = SettingBounds(
            **{one: fields.pop(one) for one in _BOUNDS if one in fields}
        )
        if "tune" in table:
            low, high, step = table["tune"]
            fields["tune"] = TuneRange(low, high, step, fields.pop("is_size", False))
        if (
            key == STRATEGY
        ):  # not copied: plugins are only looked up when the own names end
            fields["choices"] = COMPACTION_STRATEGIES
        yield Setting(**fields)


SETTINGS: tuple[Setting, ...] = tuple(_declared_settings())
"""Foldline's own. Validation, command line, window and docs derive from them."""


@cache
def plugin_settings() -> tuple[Setting, ...]:
    own = [name for setting in SETTINGS for name in (setting.key, *setting.aliases)]
    return tuple(
        setting for _, setting in load_plugins("foldline.settings", Setting, own)
    )


ALL_SETTINGS: Sequence[Setting] = PluginRegistry(SETTINGS, plugin_settings)
"""Foldline's own, then those of plugins, which are looked up when the own ones end."""

_FEW_KEYS = 2
_MOST_TOKENS = 1_000_000_000
_TRUE = frozenset({"true", "on", "yes", "1"})
_FALSE = frozenset({"false", "off", "no", "0"})


@dataclass(frozen=True, slots=True)
class SettingLayers:
    """The values of each layer above the declared defaults, by key (REQ-CS-009). The session has
    two parts: ``session`` holds the user's values, which take precedence, ``profile`` those of the
    loaded profile ``profile_name``. ``project`` are those of the file ``project_file``."""

    session: Mapping[str, SettingValue] = field(default_factory=dict)
    saved: Mapping[str, SettingValue] = field(default_factory=dict)
    profile: Mapping[str, SettingValue] = field(default_factory=dict)
    profile_name: str = ""
    project: Mapping[str, SettingValue] = field(default_factory=dict)
    project_file: str = ""

    def with_session(self, key: str, value: SettingValue | None) -> SettingLayers:
        """Return a copy with a session value set, or reset to the one below if ``value`` is None.
        Below the user's value is that of the loaded profile; below that, the saved one."""
        setting = find_setting(key)
        if value is not None:
            return replace(
                self,
                session={**self.session, setting.key: checked_value(setting, value)},
            )
        if setting.key in self.session:
            return replace(self, session=_without(self.session, setting.key))
        return replace(self, profile=_without(self.profile, setting.key))

    def with_program(self, command: str) -> SettingLayers:
        """Return a copy with a program that a person named as the strategy; InputError for no
        command."""
        name = find_strategy(PROGRAM + command).name
        return replace(self, session={**self.session, STRATEGY: name})

    def without_program(self) -> SettingLayers:
        """Return a copy where no program is the strategy: one runs only where a person named it."""
        if is_program(str(self.session.get(STRATEGY, ""))):
            return replace(self, session=_without(self.session, STRATEGY))
        return self

    def unset(self, key: str) -> SettingLayers:
        """Return a copy without session values of a key, by user or profile (REQ-CS-007.3)."""
        setting = find_setting(key)
        return replace(
            self,
            session=_without(self.session, setting.key),
            profile=_without(self.profile, setting.key),
        )

    def with_profile(
        self, settings: Mapping[str, SettingValue], name: str
    ) -> SettingLayers:
        """Return a copy with the settings of a profile instead of those of an earlier one."""
        declared = {find_setting(key): value for key, value in settings.items()}
        values = {
            setting.key: checked_value(setting, value)
            for setting, value in declared.items()
        }
        return replace(self, profile=values, profile_name=name)

    def with_saved(self, saved: Mapping[str, SettingValue]) -> SettingLayers:
        return replace(self, saved=saved)

    def with_project(
        self, values: Mapping[str, SettingValue], path: str
    ) -> SettingLayers:
        return replace(self, project=values, project_file=path)

    def for_profile(self) -> dict[str, SettingValue]:
        """Return the session's values that are saved with a profile (REQ-CS-007.6)."""
        values = {**self.profile, **self.without_program().session}
        return {
            one.key: values[one.key] for one in self._settings() if one.key in values
        }

    def resolve(self) -> Values:
        return Values(
            {setting.key: self.effective(setting) for setting in self._settings()}
        )

    def _settings(self) -> tuple[Setting, ...]:
        """Return Foldline's own settings and those of plugins that have a value in a layer."""
        held = {**self.session, **self.saved, **self.profile, **self.project}
        others = held.keys() - {setting.key for setting in SETTINGS}
        return (*SETTINGS, *map(find_setting, sorted(others)))

    def layer_values(
        self, setting: Setting
    ) -> tuple[tuple[SettingLayer, SettingValue | None], ...]:
        """Return the value of a setting in each layer, highest first; None if it has none there."""
        return (
            (
                SettingLayer.SESSION,
                self.session.get(setting.key, self.profile.get(setting.key)),
            ),
            (SettingLayer.PROJECT, self.project.get(setting.key)),
            (SettingLayer.SAVED, self.saved.get(setting.key)),
            (SettingLayer.DEFAULT, setting.default),
        )

    def effective(self, setting: Setting) -> EffectiveValue:
        """Return the effective value, its layer, and the profile if one set it."""
        for layer, value in self.layer_values(setting):
            if value is not None:
                of_profile = (
                    layer is SettingLayer.SESSION and setting.key not in self.session
                )
                return EffectiveValue(
                    value, layer, self.profile_name if of_profile else ""
                )
        return EffectiveValue(None, SettingLayer.DEFAULT)


def _without(values: Mapping[str, SettingValue], key: str) -> dict[str, SettingValue]:
    return {name: value for name, value in values.items() if name != key}


def find_setting(key: str) -> Setting:
    """Return the declaration of a key or alias; raises InputError with the closest key."""
    for setting in ALL_SETTINGS:
        if key == setting.key or key in setting.aliases:
            return setting
    raise InputError(
        f"There is no setting {key!r}.",
        f"{_nearest_keys(key)}See all of them with: foldline config list.",
    )


def near_keys(name: str, least_similar: float = 0.75) -> list[str]:
    """Return the full key that a misspelt name is nearest to, none below ``least_similar``, from 0
    to 1."""
    key_by_part = _keys_by_part()
    near = near_names(_own_part(name).lower(), key_by_part, least_similar=least_similar)
    return [key_by_part[part] for part in near]


def _keys_by_part() -> dict[str, str]:
    """Return the full keys by all that a person may write for them, in lower case."""
    key_by_part: dict[str, str] = {}
    for setting in ALL_SETTINGS:
        last = setting.key.rpartition(".")[2]
        names = (_own_part(setting.key), last, *map(_own_part, setting.aliases))
        for name in names:
            key_by_part.setdefault(name.lower(), setting.key)
    return key_by_part


def _own_part(key: str) -> str:
    """Return a key without the part that most keys share, which says nothing of a typing error."""
    head, dot, rest = key.partition(".")
    is_shared = dot and near_names(head, ("compression",), least_similar=0.8)
    return rest if is_shared else key


def _nearest_keys(name: str) -> str:
    """Return a question with the key that a name is near to, or with those that hold it; "" without
    one."""
    found = near_keys(name) or _keys_that_hold(name)
    if not found:
        return ""
    return f"Did you mean {' or '.join(found)}? "


def _keys_that_hold(name: str) -> list[str]:
    wanted = _own_part(name).lower()
    if not wanted:
        return []
    pairs = _keys_by_part().items()
    found = dict.fromkeys(key for part, key in pairs if wanted in part)
    return list(found)[:_FEW_KEYS]


def with_options(values: Values, options: Iterable[str]) -> Values:
    """Return the values with the defaults of what a strategy reads and no layer holds: the settings
    of its plugin."""
    missing = [key for key in options if key not in values.by_key]
    if not missing:
        return values
    defaults = {
        key: EffectiveValue(find_setting(key).default, SettingLayer.DEFAULT)
        for key in missing
    }
    return Values({**values.by_key, **defaults})


def parse_assignment(text: str) -> tuple[str, SettingValue]:
    """Parse ``KEY=VALUE`` of ``--set`` into the full key and the checked value."""
    key, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--set {text} has no value.", "Write --set KEY=VALUE.")
    setting = find_setting(key.strip())
    return setting.key, parse_value(setting, value.strip())


def parse_value(setting: Setting, text: str) -> SettingValue:
    """Parse a text as a value of a setting; a fraction may be a percentage, a size tokens."""
    try:
        return checked_value(setting, _parsed(setting, text))
    except ValueError:
        raise InputError(
            f"{setting.key} cannot be {text!r}.", expected_text(setting)
        ) from None


def _parsed(setting: Setting, text: str) -> SettingValue:
    match setting.kind:
        case SettingKind.FLAG:
            if text.lower() in _TRUE:
                return True
            if text.lower() in _FALSE:
                return False
            raise ValueError(text)
        case SettingKind.FRACTION:
            if setting.bounds.takes_tokens and (aim := aim_value(text)) is not None:
                return aim
            return share_value(text)
        case SettingKind.WHOLE:
            if (count := token_count(text)) is None:
                raise ValueError(text)
            return count
        case SettingKind.CHOICE | SettingKind.TEXT:
            return text


def checked_value(setting: Setting, value: SettingValue) -> SettingValue:
    """Return the value in the declared type and range, a former name of a strategy by the present
    one; raises InputError."""
    if setting.key == STRATEGY and isinstance(value, str):
        value = current_name(value)
    if (
        setting.kind is SettingKind.WHOLE
        and isinstance(value, float)
        and value.is_integer()
    ):
        value = int(value)  # handles of the ruler send floats
    is_outside = isinstance(value, int | float) and not _in_range(setting, value)
    if is_outside or not _fits(setting, value):
        raise InputError(
            f"{setting.key} cannot be {_as_typed(value)}.", _way_out(setting, value)
        )
    if setting.kind is SettingKind.TEXT and value and holds_key(str(value)):
        problem = f"The value of {setting.key} looks like a secret key, which no setting may hold."
        raise InputError(problem, expected_text(setting))
    return value


def _way_out(setting: Setting, value: SettingValue) -> str:
    if setting.key == STRATEGY:  # too many to list
        where = "See all of them with: foldline list strategies."
        return nearest_names(str(value), setting.choices, where)
    if setting.kind is SettingKind.CHOICE:
        return did_you_mean(str(value), setting.choices) + expected_text(setting)
    return expected_text(setting)


def holds_key(text: str) -> bool:
    """Return whether a text looks like a secret key."""
    from core.common.redaction import contains_key  # late: few settings are texts

    return contains_key(text)


def _as_typed(value: SettingValue) -> str:
    """Return a refused value as a person writes it: 7, not 7.0."""
    if isinstance(value, float):
        return f"{value:.10g}"
    return repr(value)


def _fits(setting: Setting, value: SettingValue) -> bool:
    """Return whether a value has the type of the setting."""
    if setting.kind is SettingKind.CHOICE:
        return value in setting.choices
    if setting.kind is SettingKind.FLAG:
        return isinstance(value, bool)
    if setting.kind is SettingKind.TEXT:
        return isinstance(value, str) and (bool(value) or setting.default == "")
    if isinstance(value, bool):  # Python counts it as a whole number
        return False
    return isinstance(value, int if setting.kind is SettingKind.WHOLE else int | float)


def _in_range(setting: Setting, value: int | float) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return False
    bounds = setting.bounds
    if bounds.low is not None and (
        value < bounds.low or (bounds.low_open and value == bounds.low)
    ):
        return False
    if bounds.takes_tokens and value > MOST_PERCENT:
        return value <= _MOST_TOKENS
    return bounds.high is None or value <= bounds.high


def expected_text(setting: Setting) -> str:
    if setting.kind is SettingKind.FLAG:
        return "It must be true or false."
    if setting.kind is SettingKind.CHOICE:
        return "It must be one of: " + ", ".join(setting.choices) + "."
    if setting.kind is SettingKind.TEXT:
        return f"It must be a {setting.hint or 'text'}."
    bounds = setting.bounds
    low = ""
    if bounds.low is not None:
        word = "above" if bounds.low_open else "from"
        low = f" {word} {bounds.low:,.10g}"
    if bounds.high is None:
        high = ""
    elif bounds.low_open:
        high = f", up to {bounds.high:,.10g}"
    else:
        high = f" up to {bounds.high:,.10g}"
    if setting.kind is SettingKind.FRACTION:
        tokens = ", or tokens (20k)" if bounds.takes_tokens else ""
        return f"It must be a number{low}{high}{tokens}."
    return f"It must be a whole number{low}{high}."

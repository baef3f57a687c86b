"""Builds the settings dialog's page: every setting with the value of each layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from core.configuration.declarations import SETTINGS
from core.configuration.layers import SettingLayers, expected_text
from core.presentation.model import ControlGroup, Notice, NoticeAction, SettingControl
from core.presentation.settings.model import SettingsPage
from core.settings.keys import LIMIT, STRATEGY, THRESHOLD
from core.settings.schema import Setting, SettingKind, SettingLayer, SettingValue, setting_text
from core.strategies.registry import find_strategy

_OPEN_END = 10_000_000.0
_NO_NOTES: Mapping[str, str] = MappingProxyType({})
_LAYER_TEXTS = {SettingLayer.SAVED: "saved is {value}", SettingLayer.DEFAULT: "default is {value}"}


def settings_page(
    layers: SettingLayers,
    profiles: Sequence[str],
    active: str,
    path: str,
    problems: Sequence[str],
    notes: Mapping[str, str] = _NO_NOTES,
    missing_key: Notice | None = None,
) -> SettingsPage:
    """Return the page for these layers. ``path`` is the settings file, ``here`` the notes of
    ``settings_notes``, ``missing_key`` why the profile cannot be called."""
    sections = tuple(dict.fromkeys(setting.section for setting in SETTINGS))
    groups = tuple(
        ControlGroup(
            section,
            tuple(
                _control(layers, setting_in_section, notes.get(setting_in_section.key, ""))
                for setting_in_section in SETTINGS
                if setting_in_section.section == section
            ),
        )
        for section in sections
    )
    session = len({**layers.profile, **layers.session})
    return SettingsPage(groups, tuple(profiles), active, path, session, tuple(problems), missing_key)


def missing_key_notice(profile: str, variable: str) -> Notice:
    """Return a notice about a missing key, with a link to the profile."""
    return Notice(
        "warning",
        f"{profile} has no key:",
        f"the environment variable {variable} is empty. Compact will fail with {profile} until it is set.",
        (NoticeAction("Edit profile…", "profiles", profile),),
        topic="key",
    )


def _control(layers: SettingLayers, setting: Setting, note: str) -> SettingControl:
    effective = layers.effective(setting)
    texts = [
        (layer.value, setting_text(setting.kind, value)) for layer, value in layers.layer_values(setting)
    ]
    if setting.default is None:
        texts[-1] = (texts[-1][0], _unset(layers, setting, note))
    unit = f" Unit: {setting.unit}." if setting.unit else ""
    return SettingControl(
        setting.key,
        setting.label,
        setting.kind.value,
        effective.value,
        setting_text(setting.kind, effective.value),
        effective.layer.value,
        tuple(texts),
        f"{setting.help}{unit} {expected_text(setting)}",
        setting.low if setting.low is not None else 0.0,
        setting.high if setting.high is not None else _high(setting),
        setting.step,
        setting.choices,
        hint=_hint(layers, setting, note),
        profile=effective.profile,
        command=_command(setting, effective.value),
    )


def _high(setting: Setting) -> float:
    return 1.0 if setting.kind is SettingKind.FRACTION else _OPEN_END


def _unset(layers: SettingLayers, setting: Setting, note: str) -> str:
    """Return the effect of an optional setting without a value."""
    if setting.key == THRESHOLD:
        strategy = find_strategy(layers.resolve().text(STRATEGY))
        return f"{strategy.name} declares {setting_text(setting.kind, strategy.trigger.threshold)}"
    if setting.key == LIMIT:
        return note or "looked up by the model"
    return "the active profile"


def _command(setting: Setting, value: SettingValue | None) -> str:
    """Return the commands that set the value, in the window and in a terminal."""
    text = "VALUE" if value is None or value == "" else str(value)
    text = text.lower() if setting.kind is SettingKind.FLAG else text
    quoted = f'"{text}"' if " " in text else text
    return f"/set {setting.key} {text} · --set {setting.key}={quoted}"


def _hint(layers: SettingLayers, setting: Setting, note: str) -> str:
    """Return the origin of a session value and the value below, or the effect of unset; then ``note``."""
    effective = layers.effective(setting)
    if effective.value is None:
        return f"unset → {_unset(layers, setting, note)}"
    if effective.layer is not SettingLayer.SESSION:
        return note
    origin = f"profile {effective.profile}" if effective.profile else "set by hand"
    return " · ".join(filter(None, (origin, _lower_value_text(layers, setting), note)))


def _lower_value_text(layers: SettingLayers, setting: Setting) -> str:
    """Return the value without the session's."""
    values = [(layer, value) for layer, value in layers.layer_values(setting)[1:] if value is not None]
    if not values:
        return "nothing below"
    layer, value = values[0]
    return _LAYER_TEXTS[layer].format(value=setting_text(setting.kind, value))

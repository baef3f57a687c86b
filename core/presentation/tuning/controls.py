"""Builds a control of the tuning panel from a setting and its layers."""

from __future__ import annotations

from core.configuration.layers import SettingLayers, find_setting
from core.presentation.model import SettingControl
from core.presentation.preview_wording import limit_text
from core.preview.options import Preview
from core.settings.keys import LIMIT, THRESHOLD
from core.settings.schema import Setting, SettingKind, SettingValue, setting_text


def setting_control(
    preview: Preview,
    layers: SettingLayers,
    key: str,
    *,
    label: str = "",
    value_text: str = "",
    hint: str = "",
) -> SettingControl:
    """Return a setting's control; texts may be those of the active strategy."""
    setting = find_setting(key)
    effective = preview.values.by_key[setting.key]
    value = effective.value if effective.value is not None else _effective_value(preview, setting)
    return SettingControl(
        setting.key,
        label or setting.label,
        setting.kind.value,
        value,
        value_text or setting_text(setting.kind, value),
        effective.layer.value,
        layer_texts(preview, layers, setting),
        setting.help,
        setting.low if setting.low is not None else 0.0,
        setting.high if setting.high is not None else _open_end(setting),
        setting.step,
        setting.choices,
        hint,
        profile=effective.profile,
    )


def fact_control(label: str, value: str, hint: str = "", key: str = "") -> SettingControl:
    """Return a read-only value; ``key`` "prompt" adds a link to the prompt editor."""
    return SettingControl(key, label, "fact", None, value, "", (), "", hint=hint)


def layer_texts(preview: Preview, layers: SettingLayers, setting: Setting) -> tuple[tuple[str, str], ...]:
    """Return each layer's value, highest first; a missing default is looked up."""
    texts: list[tuple[str, str]] = []
    for layer, value in layers.layer_values(setting):
        text = setting_text(setting.kind, value)
        if value is None and setting.default is None and layer.value == "default":
            text = _effective_text(preview, setting)
        texts.append((layer.value, text))
    return tuple(texts)


def _effective_value(preview: Preview, setting: Setting) -> SettingValue | None:
    """Return the effective value of an optional setting without one."""
    if setting.key == THRESHOLD:
        return preview.strategy.trigger.threshold
    return preview.window.limit if setting.key == LIMIT else None


def _effective_text(preview: Preview, setting: Setting) -> str:
    value = _effective_value(preview, setting)
    if setting.key == THRESHOLD:
        return f"{setting_text(setting.kind, value)} ({preview.strategy.name})"
    return limit_text(preview.window) if setting.key == LIMIT else setting_text(setting.kind, value)


def _open_end(setting: Setting) -> float:
    return 1.0 if setting.kind is SettingKind.FRACTION else 10_000_000.0

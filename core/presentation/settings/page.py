"""Builds the settings dialog's page: every setting with the value of each layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from core.common import number_format
from core.common.excerpts import one_line_text
from core.configuration.declarations import SETTINGS
from core.configuration.layers import SettingLayers, expected_text
from core.presentation.model import ControlGroup, Notice, NoticeAction, SettingControl
from core.presentation.preview_columns import SUMMARISED, fate_codes
from core.presentation.settings.model import SettingsPage
from core.preview.options import Preview
from core.settings.keys import LIMIT, PRESERVE, STRATEGY, SUMMARY_TOKENS, THRESHOLD, TOP_PRESERVE
from core.settings.schema import Setting, SettingKind, SettingLayer, SettingValue, setting_text
from core.strategies.registry import find_strategy
from core.summarize.summary_request import summary_budget

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
        return f"{strategy.name} uses {setting_text(setting.kind, strategy.trigger.threshold)}"
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
        return f"not set: {_unset(layers, setting, note)}"
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


def settings_notes(preview: Preview | None) -> dict[str, str]:
    """Return a note by key where the preview has one; for LIMIT the value while unset."""
    if preview is None:
        return {}
    setting_keys = set(preview.strategy.options)
    notes = {LIMIT: _limit(preview), **_spans(preview)}
    if (max_tokens := max_summary_tokens(preview, fate_codes(preview.compaction))) is not None:
        notes[SUMMARY_TOKENS] = f"here at most {number_format.count(max_tokens)}"
    return {key: text for key, text in notes.items() if text and (key == LIMIT or key in setting_keys)}


def max_summary_tokens(preview: Preview, fates: bytes) -> int | None:
    """Return the largest summary in tokens; None if nothing is summarised or set."""
    configured = preview.values.integer(SUMMARY_TOKENS)
    replaced = sum(count for count, fate in zip(preview.counts, fates, strict=True) if fate == SUMMARISED)
    return summary_budget(configured, replaced) if configured or replaced else None


def _limit(preview: Preview) -> str:
    """Return the source of the limit while it is not set."""
    window = preview.window
    if preview.values.get(LIMIT) is not None:
        return ""
    if window.limit is None:
        return one_line_text(window.source)
    return f"{number_format.count(window.limit)}, {window.source}"


def _spans(preview: Preview) -> dict[str, str]:
    """Return the kept messages at top and bottom."""
    split = preview.compaction.split
    spans: dict[str, str] = {}
    for cut in split.cuts if split is not None else ():
        is_top = cut.name == "top"
        span = (
            number_format.span(0, cut.index) if is_top else number_format.span(cut.index, len(preview.counts))
        )
        spans[TOP_PRESERVE if is_top else PRESERVE] = f"here {span}"
    return spans

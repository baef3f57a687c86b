"""Builds the settings dialog's page: every setting with the value of each layer."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from core.common import number_format
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.configuration.declarations import SETTINGS
from core.configuration.layers import SettingLayers, expected_text, find_setting, parse_value
from core.configuration.profile_store import ProfileStore
from core.presentation.dialog_model import ProfileRow, ProfilesPage, SettingsPage
from core.presentation.model import ControlGroup, Notice, NoticeAction, SettingControl
from core.presentation.preview_columns import SUMMARISED, fate_codes
from core.preview.options import Preview
from core.settings.keys import LIMIT, PRESERVE, STRATEGY, SUMMARY_TOKENS, THRESHOLD, TOP_PRESERVE
from core.settings.profile import Profile
from core.settings.schema import (
    EffectiveValue,
    Setting,
    SettingKind,
    SettingLayer,
    SettingValue,
    setting_text,
)
from core.strategies.registry import find_strategy
from core.summarize.summary_request import summary_budget

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


def setting_control(setting: Setting, effective: EffectiveValue, layers: SettingLayers) -> SettingControl:
    """Return a control with the values of all layers, highest first."""
    open_end = 1.0 if setting.kind is SettingKind.FRACTION else 10_000_000.0
    return SettingControl(
        setting.key,
        setting.label,
        setting.kind.value,
        effective.value,
        setting_text(setting.kind, effective.value),
        effective.layer.value,
        tuple(
            (layer.value, setting_text(setting.kind, value)) for layer, value in layers.layer_values(setting)
        ),
        setting.help,
        setting.low if setting.low is not None else 0.0,
        setting.high if setting.high is not None else open_end,
        setting.step,
        tuple(setting.choices),
        profile=effective.profile,
    )


def _control(layers: SettingLayers, setting: Setting, note: str) -> SettingControl:
    effective = layers.effective(setting)
    control = setting_control(setting, effective, layers)
    unit = f" Unit: {setting.unit}." if setting.unit else ""
    texts = control.layers
    if setting.default is None:
        texts = (*texts[:-1], (texts[-1][0], _unset(layers, setting, note)))
    return replace(
        control,
        layers=texts,
        help=f"{setting.help}{unit} {expected_text(setting)}",
        hint=_hint(layers, setting, note),
        command=_command(setting, effective.value),
    )


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
    split = preview.compaction.split
    spans: dict[str, str] = {}
    for cut in split.cuts if split is not None else ():
        is_top = cut.name == "top"
        span = (
            number_format.span(0, cut.index) if is_top else number_format.span(cut.index, len(preview.counts))
        )
        spans[TOP_PRESERVE if is_top else PRESERVE] = f"here {span}"
    return spans


VARIABLES = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "groq": "GROQ_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "mistral": "MISTRAL_API_KEY",
}
"""Usual environment variable of a provider's key."""
PROVIDERS = (*VARIABLES, "ollama", "lm_studio")
"""Offered in the form; any other name that litellm knows can be typed."""


def profiles_page(store: ProfileStore, active: str) -> ProfilesPage:
    """Return all profiles; unreadable ones are listed as problems."""
    rows: list[ProfileRow] = []
    problems: list[str] = []
    for name in store.names():
        try:
            rows.append(profile_row(store.load(name), active))
        except InputError as error:
            problems.append(str(error))
    return ProfilesPage(tuple(rows), PROVIDERS, str(store.folder), tuple(problems), VARIABLES)


def profile_row(profile: Profile, active: str) -> ProfileRow:
    source = "environment" if profile.key_env else "keyring" if profile.key_ring else "none"
    return ProfileRow(
        profile.name,
        profile.provider,
        profile.model,
        profile.base_url,
        source,
        profile.key_env or profile.key_ring,
        "\n".join(
            f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in profile.parameters.items()
        ),
        profile.timeout,
        profile.total_timeout,
        profile.stream,
        tuple((key, setting_text(find_setting(key).kind, value)) for key, value in profile.settings.items()),
        "Writes summaries on this machine, without a model or a key." if profile.is_offline else "",
        is_built_in=profile.is_offline,
        active=profile.name == active,
    )


def profile_from_row(row: ProfileRow, previous: Profile | None) -> Profile:
    """Return the profile of a form; values of kept settings come from ``previous``. Raises InputError if the
    parameters are not TOML."""
    kept_keys = {key for key, _ in row.settings}
    settings = {
        key: value for key, value in (previous.settings if previous else {}).items() if key in kept_keys
    }
    for key, text in row.settings:
        if key not in settings:
            settings[key] = parse_value(find_setting(key), text)
    return Profile(
        row.name.strip(),
        row.provider.strip(),
        row.model.strip(),
        row.base_url.strip(),
        row.key_name.strip() if row.key_source == "environment" else "",
        row.key_name.strip() if row.key_source == "keyring" else "",
        _parse_toml(row.parameters),
        row.timeout,
        row.total_timeout,
        row.stream,
        settings,
    )


def _parse_toml(text: str) -> dict[str, Json]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"The parameters cannot be read: {error}.", "Write one key = value a line, texts in quotes."
        ) from None

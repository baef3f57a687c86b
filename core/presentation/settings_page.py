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
from core.llm.catalog import ModelLimit
from core.presentation.dialog_model import ProfileRow, ProfilesPage, SettingsPage
from core.presentation.model import (
    SUMMARISED,
    ControlBounds,
    ControlGroup,
    Notice,
    NoticeAction,
    SettingControl,
)
from core.presentation.preview_columns import fate_codes
from core.presentation.preview_wording import strategy_hint
from core.preview.options import Preview
from core.settings.profile import Profile
from core.settings.schema import (
    IMAGES,
    LIMIT,
    PRESERVE,
    STRATEGY,
    SUMMARY_TOKENS,
    THRESHOLD,
    TOP_PRESERVE,
    EffectiveValue,
    Setting,
    SettingKind,
    SettingLayer,
    setting_text,
)
from core.settings_store.layers import (
    ALL_SETTINGS,
    SettingLayers,
    expected_text,
    find_setting,
    parse_value,
)
from core.settings_store.profile_store import ProfileStore
from core.strategies.registry import STRATEGIES, find_strategy
from core.summarize.summary_request import summary_budget

_NO_NOTES: Mapping[str, str] = MappingProxyType({})
_LAYER_TEXTS = {
    SettingLayer.PROJECT: "the project file has {value}",
    SettingLayer.SAVED: "my default is {value}",
    SettingLayer.DEFAULT: "built in is {value}",
}


def settings_page(
    layers: SettingLayers,
    profiles: Sequence[str],
    path: str,
    problems: Sequence[str],
    notes: Mapping[str, str] = _NO_NOTES,
    missing_key: Notice | None = None,
) -> SettingsPage:
    """Return the page for these layers. ``path`` is the settings file, ``notes`` those of
    ``settings_notes``, ``missing_key`` why the profile cannot be called."""
    sections: dict[str, list[SettingControl]] = {}
    for setting in ALL_SETTINGS:
        control = _control(layers, setting, notes.get(setting.key, ""))
        sections.setdefault(setting.section, []).append(control)
    groups = tuple(
        ControlGroup(title, tuple(controls)) for title, controls in sections.items()
    )
    session = len({**layers.profile, **layers.session})
    return SettingsPage(
        groups, tuple(profiles), path, session, tuple(problems), missing_key
    )


def missing_key_notice(profile: str, variable: str) -> Notice:
    """Return a notice about a missing key, with a link to the profile."""
    return Notice(
        "warning",
        f"{profile} has no key:",
        (
            f"the environment variable {variable} is empty. Compact will fail with {profile} "
            f"until it is set."
        ),
        (NoticeAction("Edit profile…", "profiles", profile),),
        topic="key",
    )


def setting_control(
    setting: Setting, effective: EffectiveValue, layers: SettingLayers
) -> SettingControl:
    """Return a control with the values of all layers, highest first."""
    open_end = 1.0 if setting.kind is SettingKind.FRACTION else 10_000_000.0
    values = [
        (layer, value)
        for layer, value in layers.layer_values(setting)
        if layer is not SettingLayer.PROJECT or layers.project_file
    ]
    return SettingControl(
        key=setting.key,
        label=setting.label,
        kind=setting.kind.value,
        value=effective.value,
        value_text=setting_text(setting.kind, effective.value),
        layer=effective.layer.value,
        layers=tuple(
            (layer.value, setting_text(setting.kind, value)) for layer, value in values
        ),
        help=setting.help,
        choices=tuple(setting.choices),
        choice_hints=strategy_hints() if setting.key == STRATEGY else (),
        profile=effective.profile,
        bounds=ControlBounds(
            low=setting.bounds.low if setting.bounds.low is not None else 0.0,
            high=setting.bounds.high if setting.bounds.high is not None else open_end,
            step=setting.bounds.step,
            takes_tokens=setting.bounds.takes_tokens,
        ),
    )


def strategy_hints() -> tuple[str, ...]:
    """Return what each strategy does, in the order of the choices."""
    return tuple(strategy_hint(strategy) for strategy in STRATEGIES)


def _control(layers: SettingLayers, setting: Setting, note: str) -> SettingControl:
    effective = layers.effective(setting)
    control = setting_control(setting, effective, layers)
    if setting.unit:
        unit = f" Unit: {setting.unit}."
    else:
        unit = ""
    if setting.kind is SettingKind.CHOICE:
        takes = ""
    else:
        takes = f" {expected_text(setting)}"
    texts, value = control.layers, effective.value
    if setting.default is None:
        texts = (*texts[:-1], (texts[-1][0], _unset(layers, setting, note)))
    if value is None or value == "":
        shown = "VALUE"
    else:
        shown = str(value)
    if setting.kind is SettingKind.FLAG:
        shown = shown.lower()
    if " " in shown:
        quoted = f'"{shown}"'
    else:
        quoted = shown
    return replace(
        control,
        layers=texts,
        help=f"{setting.help}{unit}{takes}",
        command=f"/set {setting.key} {shown} · --set {setting.key}={quoted}",
        note=replace(control.note, text=_hint(layers, setting, note)),
    )


def _unset(layers: SettingLayers, setting: Setting, note: str) -> str:
    """Return the effect of an optional setting without a value."""
    if setting.key == THRESHOLD:
        try:
            strategy = find_strategy(layers.resolve().text(STRATEGY))
        except (
            InputError
        ):  # the saved one is not known, and this page is there to correct it
            return "the strategy's own"
        return f"{strategy.name} uses {setting_text(setting.kind, strategy.trigger.threshold)}"
    if setting.key == LIMIT:
        return note or "looked up by the model"
    return "all stay" if setting.key == IMAGES else "the active profile"


def _hint(layers: SettingLayers, setting: Setting, note: str) -> str:
    """Return the origin of a session value and the value below, or the effect of unset; then
    ``note``."""
    effective = layers.effective(setting)
    if effective.value is None:
        return f"not set: {_unset(layers, setting, note)}"
    if effective.layer is not SettingLayer.SESSION:
        return note
    lower = [
        _LAYER_TEXTS[layer].format(value=setting_text(setting.kind, value))
        for layer, value in layers.layer_values(setting)[1:]
        if value is not None
    ]
    if effective.profile:
        origin = f"profile {effective.profile}"
    else:
        origin = "set by hand"
    return " · ".join(
        filter(None, (origin, lower[0] if lower else "nothing below", note))
    )


def settings_notes(preview: Preview | None) -> dict[str, str]:
    """Return a note by key where the preview has one; for LIMIT the value and its source while
    unset."""
    if preview is None:
        return {}
    notes = dict[str, str]()
    split = preview.result.compaction.split
    for cut in split.cuts if split is not None else ():
        if cut.name == "top":
            notes[TOP_PRESERVE] = f"here {number_format.span(0, cut.index)}"
        else:
            notes[PRESERVE] = (
                f"here {number_format.span(cut.index, len(preview.source.counts))}"
            )
    max_tokens = max_summary_tokens(preview, fate_codes(preview.result.compaction))
    if max_tokens is not None:
        notes[SUMMARY_TOKENS] = f"here at most {number_format.count(max_tokens)}"

    shown = {
        key: text for key, text in notes.items() if key in preview.strategy.options
    }
    # The limit counts for every strategy, whether or not it has an option for it.
    if preview.source.values.get(LIMIT) is None:
        shown[LIMIT] = _limit_note(preview.sizes.model_limit)
    return shown


def _limit_note(limit: ModelLimit) -> str:
    if limit.tokens is None:
        return one_line_text(limit.source)
    return f"{number_format.count(limit.tokens)}, {limit.source}"


def max_summary_tokens(preview: Preview, fates: bytes) -> int | None:
    """Return the largest summary in tokens; None if nothing is summarised or set."""
    configured = preview.source.values.integer(SUMMARY_TOKENS)
    replaced = sum(
        count
        for count, fate in zip(preview.source.counts, fates, strict=True)
        if fate == SUMMARISED
    )
    if configured or replaced:
        return summary_budget(configured, replaced)
    return None


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


def profile_use(name: str, active: str, summary_profile: str) -> str:
    """Return what a profile is used for, "" where it is not in use."""
    uses = (
        ("it writes the summaries", name == summary_profile),
        ("it is the active profile", name == active),
    )
    return " and ".join(words for words, is_used in uses if is_used)


def profiles_page(
    store: ProfileStore, active: str, summary_profile: str
) -> ProfilesPage:
    """Return all profiles; unreadable ones are listed as problems."""
    profiles, problems = store.load_all()
    rows = tuple(
        replace(
            profile_row(profile, active),
            use=profile_use(profile.name, active, summary_profile),
        )
        for profile in profiles
    )
    return ProfilesPage(rows, PROVIDERS, problems, VARIABLES, summary_profile)


def profile_row(profile: Profile, active: str) -> ProfileRow:
    source = "none"
    if profile.key_env:
        source = "environment"
    elif profile.key_ring:
        source = "keyring"
    values = (
        (key, json.dumps(value, ensure_ascii=False))
        for key, value in profile.parameters.items()
    )
    return ProfileRow(
        name=profile.name,
        provider=profile.provider,
        model=profile.model,
        base_url=profile.base_url,
        key_source=source,
        key_name=profile.key_env or profile.key_ring,
        parameters="\n".join(f"{key} = {value}" for key, value in values),
        timeout=profile.timeout,
        total_timeout=profile.total_timeout,
        stream=profile.stream,
        settings=tuple(
            (key, setting_text(find_setting(key).kind, value))
            for key, value in profile.settings.items()
        ),
        about="Writes summaries on this machine, without a model or a key."
        if profile.is_offline
        else "",
        is_built_in=profile.is_offline,
        active=profile.name == active,
    )


def profile_from_row(row: ProfileRow, previous: Profile | None) -> Profile:
    """Return the profile of a form; values of kept settings come from ``previous``. Raises
    InputError if the parameters are not TOML."""
    kept = previous.settings if previous else {}
    texts = dict(row.settings)
    settings = {key: value for key, value in kept.items() if key in texts}
    settings |= {
        key: parse_value(find_setting(key), text)
        for key, text in texts.items()
        if key not in settings
    }
    try:
        parameters = tomllib.loads(row.parameters)
    except tomllib.TOMLDecodeError as error:
        way_out = "Write one key = value a line, texts in quotes."
        raise InputError(f"The parameters cannot be read: {error}.", way_out) from None
    key_name = row.key_name.strip()
    return Profile(
        name=row.name.strip(),
        provider=row.provider.strip(),
        model=row.model.strip(),
        base_url=row.base_url.strip(),
        key_env=key_name if row.key_source == "environment" else "",
        key_ring=key_name if row.key_source == "keyring" else "",
        parameters=parameters,
        timeout=row.timeout,
        total_timeout=row.total_timeout,
        stream=row.stream,
        settings=settings,
    )

"""The active settings of a command line; the commands ``settings`` and ``profiles``, which show them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.cli.arguments import CommonOptions, add_choices, parse_options, parser_for
from core.cli.output.console import CommandSession, aligned_table, print_lines, print_note, titled_section
from core.cli.output.json_output import fields, write_json
from core.common.errors import InputError
from core.common.json_value import Json
from core.configuration.layers import SETTINGS, SettingLayers, expected_text, parse_assignment
from core.configuration.profile_store import ProfileStore
from core.configuration.store import SavedSettings
from core.settings.keys import STRATEGY
from core.settings.profile import BUILT_IN, Profile
from core.settings.schema import Setting, setting_text
from core.strategies.registry import find_strategy


@dataclass(frozen=True, slots=True)
class ActiveSettings(CommandSession):
    layers: SettingLayers = field()  # without it the property of the base class would be its default
    profile: Profile


def active_settings(options: CommonOptions) -> ActiveSettings:
    """Read the saved settings and the profile, and add the options as the session layer.

    Problems of the settings file are printed on standard error. Raises InputError for an unknown profile, key
    or value.
    """
    saved = SavedSettings().load()
    for problem in saved.problems:
        print_note(options, f"warning: {problem}")
    profile = ProfileStore().load(options.profile) if options.profile else BUILT_IN
    layers = SettingLayers(saved=saved.values).with_profile(profile.settings, profile.name)
    for text in options.settings:
        layers = layers.with_session(*parse_assignment(text))
    if options.strategy:
        name, assigned = find_strategy(options.strategy).name, layers.session.get(STRATEGY, "")
        if assigned and assigned != name:
            raise InputError(f"-s is {name}, but --set is {assigned}.", "Leave one of them out.")
        layers = layers.with_session(STRATEGY, name)
    return ActiveSettings(layers, profile)


def run_settings(arguments: Sequence[str]) -> None:
    """Print the table or its JSON; problems of the settings file are printed on standard error."""
    about = "Every setting: key, value, the layer that gave it, default and meaning."
    parser = parser_for("settings", about)
    add_choices(parser)
    options = parse_options(parser, arguments)
    chosen, path = active_settings(options), SavedSettings().path
    if options.json:
        rows = [_setting_json(chosen, setting) for setting in SETTINGS]
        write_json("settings", {"path": path, "profile": chosen.profile.name, "settings": rows})
        return
    text = [f"Saved in {path}, active profile {chosen.profile.name}."]
    head = ("key", "value", "from", "default", "")
    for title in dict.fromkeys(setting.section for setting in SETTINGS):
        cells = [_setting_row(chosen, setting) for setting in SETTINGS if setting.section == title]
        text += titled_section(title, aligned_table(cells, head=head))
    print_lines(text)


def _setting_row(chosen: ActiveSettings, setting: Setting) -> tuple[str, ...]:
    effective = chosen.layers.effective(setting)
    layer = f"profile {effective.profile}" if effective.profile else effective.layer.value
    value = setting_text(setting.kind, effective.value)
    return setting.key, value, layer, setting_text(setting.kind, setting.default), setting.help


def _setting_json(chosen: ActiveSettings, setting: Setting) -> dict[str, Json]:
    return {
        "key": setting.key,
        **fields(chosen.layers.effective(setting), "value layer profile?"),
        "layers": {layer.value: value for layer, value in chosen.layers.layer_values(setting)},
        **fields(setting, "default optional kind choices unit? section label help"),
        "takes": expected_text(setting),
        **fields(setting, "aliases category persist_to_profile"),
    }


def run_profiles(arguments: Sequence[str]) -> None:
    """Print the table or its JSON; a broken profile becomes a warning on standard error."""
    about = "The profiles: model, where the key is found, saved settings. Never a key."
    options = parse_options(parser_for("profiles", about), arguments)
    store = ProfileStore()
    profiles, problems = store.load_all()
    for problem in problems:
        print_note(options, f"warning: {problem}")
    if options.json:
        write_json("profiles", {"path": store.folder, "profiles": list(map(_profile_json, profiles))})
        return
    head = ("profile", "provider", "model", "key", "settings")
    print_lines([f"Saved in {store.folder}, a file NAME.toml each.", ""])
    print_lines(aligned_table(list(map(_profile_row, profiles)), head=head, indent=""))


def _profile_json(profile: Profile) -> dict[str, Json]:
    return {
        **fields(profile, "name provider model base_url? key_env?"),
        "key_env_set": _is_set(profile) if profile.key_env else None,
        **fields(profile, "key_ring? parameters timeout total_timeout stream settings"),
    }


def _is_set(profile: Profile) -> bool:
    return bool(os.environ.get(profile.key_env, "").strip())


def _profile_row(profile: Profile) -> tuple[str, ...]:
    key_sources = [f"${profile.key_env}{'' if _is_set(profile) else ' (not set)'}"] if profile.key_env else []
    key_sources += [f"keyring {profile.key_ring}"] if profile.key_ring else []
    settings = ", ".join(
        f"{key}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in profile.settings.items()
    )
    keys = ", ".join(key_sources) or "none needed"
    return profile.name, profile.provider, profile.model, keys, settings

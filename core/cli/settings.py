"""``foldline settings``: every setting, its value and the layer that it comes from."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.arguments import add_choices, add_json, common_options, parser_for
from core.cli.chosen_settings import ActiveSettings, active_settings
from core.cli.output import json_output
from core.cli.output.console import print_lines
from core.cli.output.table import aligned_table, titled_section
from core.common.json_value import Json
from core.configuration.declarations import SETTINGS
from core.configuration.layers import expected_text
from core.configuration.store import SavedSettings
from core.settings.schema import Setting, setting_text

ABOUT = "Every setting: key, value, the layer that gave it, default and meaning."


def run(arguments: Sequence[str]) -> int:
    """Print the table or its JSON; problems of the settings file are printed on standard error."""
    parser = parser_for("settings", ABOUT)
    add_choices(parser)
    add_json(parser)
    options = common_options(parser.parse_args(arguments))
    chosen = active_settings(options)
    if options.json:
        json_output.write_json("settings", _values(chosen))
    else:
        print_lines(_report(chosen))
    return 0


def _report(chosen: ActiveSettings) -> list[str]:
    text = [f"Saved in {SavedSettings().path}, active profile {chosen.profile.name}."]
    for title in dict.fromkeys(setting.section for setting in SETTINGS):
        settings = [setting for setting in SETTINGS if setting.section == title]
        head = ("key", "value", "from", "default", "")
        text += titled_section(
            title, aligned_table([_row(chosen, setting) for setting in settings], head=head)
        )
    return text


def _row(chosen: ActiveSettings, setting: Setting) -> tuple[str, ...]:
    effective = chosen.layers.effective(setting)
    layer = f"profile {effective.profile}" if effective.profile else effective.layer.value
    value = setting_text(setting.kind, effective.value)
    return setting.key, value, layer, setting_text(setting.kind, setting.default), setting.help


def _values(chosen: ActiveSettings) -> dict[str, Json]:
    return {
        "path": str(SavedSettings().path),
        "profile": chosen.profile.name,
        "settings": [_setting(chosen, setting) for setting in SETTINGS],
    }


def _setting(chosen: ActiveSettings, setting: Setting) -> dict[str, Json]:
    effective = chosen.layers.effective(setting)
    return {
        "key": setting.key,
        "value": effective.value,
        "layer": effective.layer.value,
        "profile": effective.profile or None,
        "layers": {layer.value: value for layer, value in chosen.layers.layer_values(setting)},
        "default": setting.default,
        "optional": setting.optional,
        "kind": setting.kind.value,
        "choices": list(setting.choices),
        "unit": setting.unit or None,
        "section": setting.section,
        "label": setting.label,
        "help": setting.help,
        "takes": expected_text(setting),
        "aliases": list(setting.aliases),
        "category": setting.category,
        "persist_to_profile": setting.persist_to_profile,
    }

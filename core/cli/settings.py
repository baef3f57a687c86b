"""``foldline config list``: every setting, its value and the layer that it comes from."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.active_settings import ActiveSettings, active_settings
from core.cli.arguments import CommandParser, add_choices, parse_options, parser_for
from core.cli.output.console import print_lines
from core.cli.output.json_output import write_json
from core.cli.output.tables import aligned_table, titled_section
from core.common.json_value import Json
from core.settings.schema import Setting, setting_text
from core.settings_store.layers import ALL_SETTINGS, expected_text
from core.settings_store.settings_file import SavedSettings


def command_parser() -> CommandParser:
    about = "Every setting: key, value, the layer that gave it, default and meaning."
    parser = parser_for("config list", about)
    add_choices(parser)
    return parser


def run(arguments: Sequence[str]) -> None:
    """Print the table or its JSON; problems of the settings file are printed on standard error."""
    options = parse_options(command_parser(), arguments)
    chosen = active_settings(options)
    path = SavedSettings().path
    if options.json:
        rows = [_setting_json(chosen, setting) for setting in ALL_SETTINGS]
        files = {"path": path, "project_file": chosen.layers.project_file or None}
        write_json(
            "settings", files | {"profile": chosen.profile.name, "settings": rows}
        )
        return
    text = [
        f"Settings are saved in {path}; the active profile is {chosen.profile.name}."
    ]
    if chosen.layers.project_file:
        text.append(f"The project file here is {chosen.layers.project_file}.")
    head = ("key", "value", "from", "default", "")
    for title in dict.fromkeys(setting.section for setting in ALL_SETTINGS):
        cells = [
            _setting_row(chosen, setting)
            for setting in ALL_SETTINGS
            if setting.section == title
        ]
        text += titled_section(title, aligned_table(cells, head=head))
    print_lines(text)


def _setting_row(chosen: ActiveSettings, setting: Setting) -> tuple[str, ...]:
    effective = chosen.layers.effective(setting)
    if effective.profile:
        layer = f"profile {effective.profile}"
    else:
        layer = effective.layer.value
    value = setting_text(setting.kind, effective.value)
    return (
        setting.key,
        value,
        layer,
        setting_text(setting.kind, setting.default),
        setting.help,
    )


def _setting_json(chosen: ActiveSettings, setting: Setting) -> dict[str, Json]:
    effective = chosen.layers.effective(setting)
    return {
        "key": setting.key,
        "value": effective.value,
        "layer": effective.layer,
        "profile": effective.profile or None,
        "layers": {
            layer.value: value for layer, value in chosen.layers.layer_values(setting)
        },
        "default": setting.default,
        "optional": setting.optional,
        "kind": setting.kind,
        "choices": setting.choices,
        "unit": setting.unit or None,
        "section": setting.section,
        "label": setting.label,
        "help": setting.help,
        "takes": expected_text(setting),
        "aliases": setting.aliases,
        "category": "cli-behavior",
        "persist_to_profile": True,
    }

"""``foldline config set``: saves the value of a setting, or takes it out of the settings file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.cli import settings
from core.cli.arguments import CommandParser, add_flag, parse_options, parser_for
from core.cli.output.console import print_lines, print_note
from core.common.errors import InputError
from core.common.json_value import Json
from core.settings.schema import PROFILE, Setting, setting_text
from core.settings_store.layers import expected_text, find_setting, parse_value
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import (
    SavedSettings,
    find_project_file,
    project_settings,
)

ABOUT = (
    "Save the value of a setting, as Save as my defaults of the window does; alone it lists all "
    "settings."
)


def command_parser() -> CommandParser:
    parser = parser_for("config set", ABOUT, json=False)
    parser.add_argument(
        "key",
        metavar="KEY",
        nargs="?",
        default="",
        help="a setting (foldline config list)",
    )
    parser.add_argument(
        "value",
        metavar="VALUE",
        nargs="?",
        help="0.2 or 20%%, true or false, 200k, a name",
    )
    add_flag(
        parser,
        "--unset",
        "take the setting out of the file, so that its default applies",
    )
    return parser


def run(arguments: Sequence[str]) -> None:
    options = parse_options(command_parser(), arguments)
    if not options.key:
        if options.unset:
            raise InputError(
                "--unset needs the key of a setting.",
                "Write foldline config unset KEY.",
            )
        settings.run([])
        return
    setting = find_setting(options.key)
    if (options.value is None) is not options.unset:
        if options.unset:
            problem = f"{setting.key} cannot be given a value and be unset at once."
        else:
            problem = f"The new value of {setting.key} is missing."
        way_out = (
            f"Write foldline config set {setting.key} VALUE. {expected_text(setting)}"
        )
        raise InputError(
            problem, f"{way_out} foldline config unset {setting.key} takes it out."
        )
    value = None if options.unset else parse_value(setting, options.value)
    if setting.key == PROFILE and value:
        ProfileStore().load(str(value))
    store = SavedSettings()
    before = store.load().values.get(setting.key)
    for problem in store.save({setting.key: value}).problems:
        print_note(options, f"warning: {problem}")
    project = project_settings(find_project_file(Path.cwd()))
    if setting.key in project.values:
        print_note(
            options,
            f"{project.path} sets {setting.key} as well; in this folder its value counts.",
        )
    print_lines([_change_text(setting, value, before, store.path)])


def _change_text(setting: Setting, value: Json, before: Json, path: Path) -> str:
    was = f" (was {setting_text(setting.kind, before)})" if before is not None else ""
    if value is not None:
        return f"{setting.key} = {setting_text(setting.kind, value)}{was}, saved in {path}."
    state = f"is no longer set in {path}{was}" if was else f"was not set in {path}"
    if setting.default is None:
        return f"{setting.key} {state}; it has no value now."
    default = setting_text(setting.kind, setting.default)
    return f"{setting.key} {state}; its default applies: {default}."

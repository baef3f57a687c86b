"""``foldline config profiles``: lists, adds and removes models that can be called by name."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from core.app.settings_files import SettingsFiles
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_flag,
    add_text,
    parse_options,
    parser_for,
    refuse_options,
)
from core.cli.output.console import print_lines, print_note
from core.cli.output.json_output import write_json
from core.cli.output.tables import aligned_table
from core.common.atomic_file import TargetExistsError
from core.common.errors import InputError
from core.common.json_value import Json
from core.presentation.dialog_model import ProfileRow
from core.presentation.settings_page import PROVIDERS, VARIABLES
from core.settings.profile import BUILT_IN, Profile
from core.settings.schema import PROFILE, plain_number
from core.settings_store.layers import parse_assignment
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import SavedSettings, settings_of_file

ABOUT = "The profiles: model, where the key is found, saved settings. Never a key."
_FIELDS = (
    "provider",
    "model",
    "base_url",
    "key_env",
    "key_ring",
    "timeout",
    "total_timeout",
)
_ADDED = (*_FIELDS, "no_stream", "parameters", "settings", "set_from")


def run(arguments: Sequence[str]) -> None:
    options = parse_options(command_parser(), arguments)
    if options.action != "list" and not options.name:
        raise InputError(
            f"foldline config profiles {options.action} needs the name of a profile.",
            f"Write foldline config profiles {options.action} NAME.",
        )
    if options.action == "list" and options.name:
        raise InputError(
            "foldline config profiles list takes no name.",
            "See foldline config profiles --help.",
        )
    if options.action != "add":
        model_options = [
            (f"--{name.replace('_', '-')}", getattr(options, name)) for name in _ADDED
        ]
        refuse_options(
            model_options,
            f"has no effect on foldline config profiles {options.action}",
            "Leave it out.",
        )
    if options.json and options.action != "list":
        raise InputError("--json is for the list of profiles.", "Leave it out.")
    {"list": _list, "add": _add, "remove": _remove}[options.action](options)


def command_parser() -> CommandParser:
    parser = parser_for("config profiles", ABOUT)
    actions = ("list", "add", "remove")
    parser.add_argument(
        "action",
        nargs="?",
        default="list",
        choices=actions,
        metavar="|".join(actions),
        help="what to do",
    )
    parser.add_argument(
        "name",
        nargs="?",
        default="",
        metavar="NAME",
        help="the profile to add or remove",
    )
    group = parser.add_argument_group("to add a profile")
    add_text(
        group,
        "--provider",
        "NAME",
        f"who serves the model, such as {', '.join(PROVIDERS)}",
    )
    add_text(group, "--model", "NAME", "the model, as its provider names it")
    add_text(
        group,
        "--base-url",
        "URL",
        "where it is served, if not at the provider's own address",
    )
    about = "the environment variable that holds the key; by default the provider's usual one"
    add_text(group, "--key-env", "VARIABLE", about)
    add_text(
        group,
        "--key-ring",
        "ENTRY",
        "the entry of the system's keyring that holds the key",
    )
    about = "a parameter of each request, as TOML: temperature=0.2; may be repeated"
    group.add_argument(
        "--parameter",
        dest="parameters",
        action="append",
        metavar="KEY=VALUE",
        help=about,
    )
    for option, about in (
        ("--timeout", "longest silence"),
        ("--total-timeout", "longest call with retries"),
    ):
        default = getattr(BUILT_IN, option.removeprefix("--").replace("-", "_"))
        about = f"the {about} ({default:g})"
        group.add_argument(
            option, type=_seconds, default=None, metavar="SECONDS", help=about
        )
    add_flag(group, "--no-stream", "ask for the whole answer at once")
    about = "a setting that the profile brings along; may be repeated"
    group.add_argument(
        "--set", dest="settings", action="append", metavar="KEY=VALUE", help=about
    )
    add_text(
        group,
        "--set-from",
        "FILE",
        "the settings of a file, which the profile brings along",
    )
    return parser


def _seconds(text: str) -> float:
    try:
        return float(plain_number(text))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of seconds"
        ) from None


def _row_to_save(options: CommonOptions, variable: str) -> ProfileRow:
    source = "none"
    if variable:
        source = "environment"
    elif options.key_ring:
        source = "keyring"
    return ProfileRow(
        name=options.name,
        provider=options.provider,
        model=options.model,
        base_url=options.base_url,
        key_source=source,
        key_name=variable or options.key_ring,
        parameters="\n".join(options.parameters or ()),
        timeout=options.timeout or BUILT_IN.timeout,
        total_timeout=options.total_timeout or BUILT_IN.total_timeout,
        stream=not options.no_stream,
    )


def _place_of_key(key_ring: str, variable: str) -> str:
    if key_ring:
        return f"its key is the keyring's entry {key_ring}"
    if variable:
        return f"its key is in ${variable}"
    return "without a key"


def _add(options: CommonOptions) -> None:
    """Save a profile with the checks of the window's dialog; an older one is replaced only with
    --yes."""
    for name in ("provider", "model"):
        if not getattr(options, name):
            raise InputError(
                f"foldline config profiles add needs --{name}.",
                "See foldline config profiles --help.",
            )
    if options.key_env and options.key_ring:
        raise InputError(
            "--key-env and --key-ring are both given.", "Leave one of them out."
        )
    usual = (
        ""
        if options.key_ring or options.base_url
        else VARIABLES.get(options.provider, "")
    )
    variable = options.key_env or usual
    row = _row_to_save(options, variable)
    settings = (
        dict(settings_of_file(Path(options.set_from))) if options.set_from else {}
    )
    settings |= dict(map(parse_assignment, options.settings or ()))
    settings_files = SettingsFiles()
    former = (
        options.name
        if options.yes and options.name in settings_files.profiles.names()
        else ""
    )
    try:
        settings_files.save_profile(row, former, settings)
    except TargetExistsError as error:
        raise InputError(
            error.message, "Choose another name, or replace it with --yes."
        ) from None
    key = _place_of_key(options.key_ring, variable)
    print_lines(
        [
            f"Saved the profile {options.name}: {options.provider}, {options.model}, {key}."
        ]
    )
    if variable and not os.environ.get(variable, "").strip():
        print_note(
            options,
            f"The environment variable {variable} is not set; calls fail until it holds the key.",
        )


def _remove(options: CommonOptions) -> None:
    store = ProfileStore()
    if SavedSettings().load().values.get(PROFILE) == options.name and not options.yes:
        raise InputError(
            f"{options.name} is in use: {PROFILE} names it.",
            f"Run foldline config unset {PROFILE}, or add --yes.",
        )
    store.delete(options.name)
    print_lines([f"Removed the profile {options.name}."])


def _list(options: CommonOptions) -> None:
    """Print the table or its JSON; a broken profile becomes a warning on standard error."""
    store = ProfileStore()
    profiles, problems = store.load_all()
    for problem in problems:
        print_note(options, f"warning: {problem}")
    if options.json:
        write_json(
            "profiles",
            {"path": store.folder, "profiles": list(map(_profile_json, profiles))},
        )
        return
    head = ("profile", "provider", "model", "key", "settings")
    print_lines([f"Each is saved as NAME.toml in {store.folder}.", ""])
    print_lines(aligned_table(list(map(_profile_row, profiles)), head=head, indent=""))


def _profile_json(profile: Profile) -> dict[str, Json]:
    return {
        "name": profile.name,
        "provider": profile.provider,
        "model": profile.model,
        "base_url": profile.base_url or None,
        "key_env": profile.key_env or None,
        "key_env_set": _is_set(profile) if profile.key_env else None,
        "key_ring": profile.key_ring or None,
        "parameters": profile.parameters,
        "timeout": profile.timeout,
        "total_timeout": profile.total_timeout,
        "stream": profile.stream,
        "settings": profile.settings,
    }


def _is_set(profile: Profile) -> bool:
    return bool(os.environ.get(profile.key_env, "").strip())


def _profile_row(profile: Profile) -> tuple[str, ...]:
    key_sources = []
    if profile.key_env:
        missing = "" if _is_set(profile) else " (not set)"
        key_sources.append(f"${profile.key_env}{missing}")
    if profile.key_ring:
        key_sources.append(f"keyring {profile.key_ring}")
    settings = ", ".join(
        f"{key}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in profile.settings.items()
    )
    keys = ", ".join(key_sources) or "none needed"
    return profile.name, profile.provider, profile.model, keys, settings

"""``foldline profiles``: models that can be called by name, and the settings saved with them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from core.cli.arguments import parse_options, parser_for
from core.cli.output.console import aligned_table, print_lines, print_note
from core.cli.output.json_output import fields, write_json
from core.common.json_value import Json
from core.configuration.profile_store import ProfileStore
from core.settings.profile import Profile


def run(arguments: Sequence[str]) -> None:
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

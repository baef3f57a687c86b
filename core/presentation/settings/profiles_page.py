"""Builds the profile dialog's page, and parses its form into a profile."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping

from core.common.errors import InputError
from core.common.json_value import Json
from core.configuration.layers import find_setting, parse_value
from core.configuration.profile_store import ProfileStore
from core.presentation.settings.model import ProfileRow, ProfilesPage
from core.settings.profile import Profile
from core.settings.schema import setting_text

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
        _toml_text(profile.parameters),
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


def _toml_text(parameters: Mapping[str, Json]) -> str:
    return "\n".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in parameters.items())


def _parse_toml(text: str) -> dict[str, Json]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"The parameters cannot be read: {error}.", "Write one key = value a line, texts in quotes."
        ) from None

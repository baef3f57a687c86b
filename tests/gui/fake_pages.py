"""Pages of made-up settings and profiles; completions."""

from core.presentation.dialog_model import (
    CompletionList,
    ProfileRow,
    ProfilesPage,
    SettingsPage,
)
from core.presentation.settings_page import missing_key_notice, settings_page
from core.settings.schema import PRESERVE, PROFILE, SUMMARY_TOKENS
from core.settings_store.layers import SETTINGS, SettingLayers

HELD = (
    SettingLayers(saved={SUMMARY_TOKENS: 4_000})
    .with_session(PROFILE, "haiku")
    .with_profile({PRESERVE: 0.25}, "tuning-a")
)
"""A value of the session, one of a profile, one that is saved."""


def fake_settings_page(layers: SettingLayers = HELD) -> SettingsPage:
    """The page of the layers; a profile that is set has no key."""
    names = ("offline", "haiku", "local-qwen", "tuning-a")
    missing = (
        missing_key_notice("haiku", "ANTHROPIC_API_KEY") if layers.session else None
    )
    return settings_page(
        layers, names, "/home/ada/settings.toml", (), missing_key=missing
    )


OFFLINE = ProfileRow(
    name="offline", provider="offline", model="offline", stream=False, is_built_in=True
)
KEY = "ANTHROPIC_API_KEY"
HAIKU = ProfileRow(
    name="haiku",
    provider="anthropic",
    model="claude-haiku-4-5",
    base_url="",
    key_source="environment",
    key_name=KEY,
    active=True,
)
LOCAL = ProfileRow(
    name="local-qwen",
    provider="ollama",
    model="qwen3:8b",
    base_url="http://localhost:11434",
    timeout=600.0,
)


def profiles_page(*more: ProfileRow) -> ProfilesPage:
    providers = ("anthropic", "openai", "gemini", "ollama", "offline")
    variables = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
    return ProfilesPage((OFFLINE, HAIKU, LOCAL, *more), providers, variables=variables)


def completions(text: str) -> CompletionList:
    if text == "/set compression.stratgy x":
        return CompletionList(text, 5, (), "Did you mean compression.strategy?")
    if text.startswith("/set "):
        typed = text.removeprefix("/set ")
        keys = tuple(
            (one.key + " ", one.key, one.help) for one in SETTINGS if typed in one.key
        )
        return CompletionList(text, 5, keys)
    commands = (
        ("/set ", "/set", "Set a value for this session."),
        ("/compact", "/compact", "Compact now."),
    )
    return CompletionList(
        text, 0, tuple(one for one in commands if one[0].startswith(text))
    )

"""Made-up settings, profiles and completions."""

from __future__ import annotations

from dataclasses import replace

from core.configuration.layers import SETTINGS
from core.presentation.dialog_model import CompletionList, ProfileRow, ProfilesPage, SettingsPage
from core.presentation.model import ControlGroup, SettingControl
from core.presentation.settings_page import missing_key_notice
from core.settings.schema import Setting, SettingKind, SettingValue

IN_SESSION: dict[str, tuple[SettingValue, str]] = {
    "compression.profile": ("haiku", "set by hand · nothing below"),
    "compression-preserve-threshold": (0.25, "profile tuning-a · saved is 20 %"),
}
"""The session values of the made-up page: value and source by key."""
HINTS = {"compression-top-preserve-threshold": "here #1–#83", "compression.summary-tokens": "at most 4,000"}


def _text(value: SettingValue | None) -> str:
    match value:
        case None:
            return "unset"
        case bool():
            return "on" if value else "off"
        case float():
            return f"{value:.0%}".replace("%", " %")
        case int():
            return f"{value:,}"
    return value


def _control(setting: Setting, in_session: dict[str, tuple[SettingValue, str]]) -> SettingControl:
    value, source = in_session.get(setting.key, (setting.default, ""))
    layer = "session" if setting.key in in_session else "saved" if "summary" in setting.key else "default"
    session = _text(value) if layer == "session" else "–"
    is_share = setting.kind is SettingKind.FRACTION
    return SettingControl(
        setting.key,
        setting.label,
        setting.kind.value,
        value,
        _text(value),
        layer,
        (("session", session), ("saved", "–"), ("default", _text(setting.default))),
        setting.help,
        setting.low or 0.0,
        setting.high or (1.0 if is_share else 10_000_000.0),
        setting.step,
        tuple(setting.choices),
        source or HINTS.get(setting.key, ""),
        command=f"/set {setting.key} {_text(value)} · --set {setting.key}={_text(value)}",
    )


def settings_page(held: dict[str, tuple[SettingValue, str]] | None = None) -> SettingsPage:
    """All settings, two of them set in the session."""
    held = IN_SESSION if held is None else held
    titles = dict.fromkeys(setting.section for setting in SETTINGS)
    groups = tuple(
        ControlGroup(title, tuple(_control(one, held) for one in SETTINGS if one.section == title))
        for title in titles
    )
    return SettingsPage(
        groups,
        ("offline", "haiku", "local-qwen", "tuning-a"),
        "offline",
        "/home/ada/.config/foldline/settings.toml",
        len(held),
        missing_key=missing_key_notice("haiku", "ANTHROPIC_API_KEY") if held else None,
    )


OFFLINE = ProfileRow(
    "offline",
    "offline",
    "offline",
    stream=False,
    about="Writes summaries here, without a model.",
    is_built_in=True,
)
HAIKU = ProfileRow(
    "haiku",
    "anthropic",
    "claude-haiku-4-5",
    key_source="environment",
    key_name="ANTHROPIC_API_KEY",
    parameters="temperature = 0.2",
    settings=(("compression.strategy", "middle-out"), ("compression-preserve-threshold", "25 %")),
    about="$1.00 in, $5.00 out per million tokens · window 200,000",
    active=True,
)
LOCAL = ProfileRow("local-qwen", "ollama", "qwen3:8b", "http://localhost:11434", timeout=600.0)


def profiles_page(*more: ProfileRow) -> ProfilesPage:
    """The built-in profile, one in use and a local one."""
    providers = ("anthropic", "openai", "gemini", "ollama", "offline")
    folder = "/home/ada/.config/foldline/profiles"
    variables = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
    return ProfilesPage((OFFLINE, HAIKU, LOCAL, *more), providers, folder, variables=variables)


def renamed(row: ProfileRow, name: str) -> ProfileRow:
    """A profile under another name, not in use."""
    return replace(row, name=name, active=False)


def completions(text: str) -> CompletionList:
    """Completions at the end of ``text``: commands, or keys after "/set "."""
    if text == "/set compression.stratgy x":
        return CompletionList(
            text, 5, (), "There is no setting 'compression.stratgy'. Did you mean compression.strategy?"
        )
    if text.startswith("/set "):
        typed = text.removeprefix("/set ")
        keys = tuple((one.key + " ", one.key, one.help) for one in SETTINGS if typed in one.key)
        return CompletionList(text, 5, keys)
    commands = (("/set ", "/set", "Set a value for this session."), ("/compact", "/compact", "Compact now."))
    return CompletionList(text, 0, tuple(one for one in commands if one[0].startswith(text)))

"""Parsing and completion of commands, and their errors."""

from __future__ import annotations

import pytest

from core.common.errors import InputError
from core.configuration.layers import SettingLayers
from core.configuration.slash_commands import (
    ProfileVerb,
    SlashCommand,
    SlashCompact,
    SlashProfile,
    SlashSet,
    SlashUnset,
    complete_command,
    parse_command,
)
from core.settings.keys import FILE_DEDUPE, LIMIT, PROFILE, STRATEGY, THRESHOLD
from core.strategies.registry import COMPRESSION_STRATEGIES

PROFILES = ("offline", "haiku", "local")


def offered(text: str, cursor: int | None = None) -> list[str]:
    """Return the completions at the cursor, by default at the end."""
    return [one.text for one in complete_command(text, len(text) if cursor is None else cursor, PROFILES)]


@pytest.mark.req("REQ-CS-007.1")
@pytest.mark.parametrize("name", COMPRESSION_STRATEGIES)
def test_every_strategy_can_be_set(name: str) -> None:
    assert parse_command(f"/set compression.strategy {name}") == SlashSet(STRATEGY, name)


@pytest.mark.req("REQ-CS-007.2")
def test_the_compression_profile_can_be_set() -> None:
    assert parse_command("/set compression.profile haiku") == SlashSet(PROFILE, "haiku")


@pytest.mark.req("REQ-CS-007.3")
@pytest.mark.parametrize("key", [STRATEGY, PROFILE])
def test_unset_brings_the_saved_value_back(key: str) -> None:
    command = parse_command(f"/set unset {key}")
    assert command == SlashUnset(key)
    layers = SettingLayers(saved={key: "one-shot"}).with_profile({key: "high-density"}, "p")
    layers = layers.with_session(key, "middle-out")
    assert layers.unset(command.key).resolve().text(key) == "one-shot"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("  /set   compression-threshold\t85% ", SlashSet(THRESHOLD, 0.85)),
        ("/set context-limit=200,000", SlashSet(LIMIT, 200_000)),
        ("/set chatCompression.profile 'my one'", SlashSet(PROFILE, "my one")),
        ("/set compression.density.fileDedupe off", SlashSet(FILE_DEDUPE, False)),
        ("/profile save tuning-a", SlashProfile(ProfileVerb.SAVE, "tuning-a")),
        ("/profile load haiku", SlashProfile(ProfileVerb.LOAD, "haiku")),
        ("/profile delete haiku", SlashProfile(ProfileVerb.DELETE, "haiku")),
        ("/profile list", SlashProfile(ProfileVerb.LIST)),
        ("/compact", SlashCompact()),
        ("/compact  the upload  bug ", SlashCompact("the upload  bug")),
    ],
)
def test_commands_are_understood(text: str, command: SlashCommand) -> None:
    assert parse_command(text) == command


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/sett compression.strategy x", "Did you mean /set?"),
        ("", "Commands: /set, /profile, /compact"),
        ("/set", "Write /set KEY VALUE"),
        ("/set unset", "Write /set unset KEY"),
        ("/set compression.strategie middle-out", "Did you mean compression.strategy?"),
        ("/set unset compresion.profile", "Did you mean compression.profile?"),
        ("/set compression.strategy midle-out", "Did you mean middle-out?"),
        ("/set compression-preserve-threshold", "from 0 up to 1"),
        ("/set compression-preserve-threshold 3", "from 0 up to 1"),
        ("/profile", "save, load, delete, list"),
        ("/profile laod x", "Did you mean load?"),
        ("/profile load", "Write /profile load NAME"),
        ("/profile list x", "takes no name"),
    ],
)
def test_slips_are_refused_with_what_was_meant(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_command(text)
    assert words in str(caught.value)


@pytest.mark.req("REQ-CS-007.4")
def test_strategies_are_completed() -> None:
    assert offered("/set compression.strategy ") == list(COMPRESSION_STRATEGIES)
    assert offered("/set compression.strategy hi") == ["high-density"]


@pytest.mark.req("REQ-CS-007.5")
def test_profiles_are_completed() -> None:
    assert offered("/set compression.profile ") == list(PROFILES)
    assert offered("/set compression.profile HA") == ["haiku"]
    assert offered("/profile load l") == ["local", "offline"]
    assert offered("/profile delete ") == ["haiku", "local"]

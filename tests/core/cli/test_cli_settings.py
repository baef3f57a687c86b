"""``foldline settings`` and ``foldline profiles``, and the layers of every command."""

from __future__ import annotations

from typing import Any

import pytest

from core.common.paths import config_dir
from core.configuration.profile_store import ProfileStore
from core.configuration.store import SavedSettings
from core.settings.keys import PRESERVE, STRATEGY
from core.settings.profile import Profile
from core.strategies.registry import COMPRESSION_STRATEGIES
from tests.core.cli.running_cli import CHAT, Cli

TUNED = Profile("tuned", "offline", "deterministic snapshot", settings={PRESERVE: 0.4})
HAIKU = Profile("haiku", "anthropic", "claude-haiku-4-5", key_env="NO_SUCH_KEY")


def by_key(found: Any) -> dict[str, Any]:
    return {one["key"]: one for one in found["settings"]}


@pytest.mark.req("REQ-CS-001.5", "REQ-CS-008.3", "REQ-CS-009.3", "REQ-CS-010.3", "REQ-HD-004.4")
def test_the_default_strategy_comes_from_its_declaration(cli: Cli) -> None:
    one = by_key(cli.json("settings"))[STRATEGY]
    assert (one["value"], one["layer"], one["default"]) == ("middle-out", "default", "middle-out")
    assert one["choices"] == list(COMPRESSION_STRATEGIES)


@pytest.mark.req("REQ-CS-009.1", "REQ-CS-009.2")
def test_hand_profile_saved_and_default_in_this_order(cli: Cli) -> None:
    SavedSettings().save({PRESERVE: 0.3})
    ProfileStore().save(TUNED)
    found = [
        by_key(cli.json("settings", *words))[PRESERVE]
        for words in ((), ("--profile", "tuned"), ("--profile", "tuned", "--set", f"{PRESERVE}=0.5"))
    ]
    values = [(one["value"], one["layer"], one["profile"]) for one in found]
    assert values == [(0.3, "saved", None), (0.4, "session", "tuned"), (0.5, "session", None)]
    assert found[0]["layers"] == {"session": None, "saved": 0.3, "default": 0.2}


@pytest.mark.parametrize("command", [("settings",), ("inspect", CHAT)])
def test_a_broken_settings_file_is_told_and_worked_around(cli: Cli, command: tuple[str, ...]) -> None:
    config_dir().mkdir(parents=True)
    path = config_dir() / "settings.toml"
    path.write_text("a = 1\nb = \n")
    assert cli.run(*command) == 0
    assert cli.err.startswith(f"warning: {path}, line 2: ")
    assert cli.err.count("\n") == 1
    assert path.read_text() == "a = 1\nb = \n"


@pytest.mark.req("REQ-CS-006A.1")
@pytest.mark.parametrize("command", [("settings",), ("inspect", CHAT), ("compact", CHAT)])
def test_an_unknown_profile_is_refused_with_the_known_ones(cli: Cli, command: tuple[str, ...]) -> None:
    ProfileStore().save(HAIKU)
    error = cli.error_text(*command, "--profile", "haikoo")
    assert error == "There is no profile 'haikoo'. Did you mean haiku? Known profiles: offline, haiku.\n"


def test_profiles_are_listed_with_the_place_of_their_key(cli: Cli) -> None:
    ProfileStore().save(HAIKU)
    ProfileStore().save(TUNED)
    (ProfileStore().folder / "bad.toml").write_text("provider = 1\n")
    assert cli.run("profiles") == 0
    assert "$NO_SUCH_KEY (not set)" in cli.out
    assert f"{PRESERVE}=0.4" in cli.out
    assert "bad.toml, line 1: provider" in cli.err
    found = {one["name"]: one for one in cli.json("profiles")["profiles"]}
    assert list(found) == ["offline", "haiku", "tuned"]
    assert found["haiku"]["key_env_set"] is False
    assert found["tuned"]["settings"] == {PRESERVE: 0.4}


@pytest.mark.req("REQ-CS-006A.2")
def test_a_profile_without_its_key_is_not_replaced_by_the_offline_one(cli: Cli) -> None:
    ProfileStore().save(HAIKU)
    for words in (("--profile", "haiku"), ("--set", "compression.profile=haiku")):
        assert cli.run("compact", CHAT, *words, "--yes") in (2, 3)
        assert cli.out == ""
        assert "haiku" in cli.err
        assert "NO_SUCH_KEY" in cli.err
    assert cli.run("compact", CHAT, "--profile", "haiku", "-s", COMPRESSION_STRATEGIES[1]) == 0

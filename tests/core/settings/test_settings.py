"""Declarations, layers and parsing of values."""

import re
from dataclasses import replace

import pytest

from core.common.errors import InputError
from core.settings.schema import (
    FILE_DEDUPE,
    HYBRID_FAILURE,
    LIMIT,
    PRESERVE,
    PROFILE,
    RETENTION,
    STRATEGY,
    THRESHOLD,
    TOP_PRESERVE,
    EffectiveValue,
    SettingLayer,
    SettingValue,
    Values,
)
from core.settings_store import slash_commands as slash
from core.settings_store.layers import (
    SETTINGS,
    SettingLayers,
    find_setting,
    parse_assignment,
)
from core.strategies.registry import COMPACTION_STRATEGIES


@pytest.mark.req("REQ-CS-009.3")
def test_resolution_has_no_default_of_its_own() -> None:
    for setting in SETTINGS:
        assert SettingLayers().effective(setting) == EffectiveValue(
            setting.default, SettingLayer.DEFAULT
        )
        assert SettingLayers().effective(replace(setting, default=None)).value is None


@pytest.mark.req("REQ-CS-010.1", "REQ-HD-009.6")
def test_session_values_are_typed() -> None:
    density = "compression.density."
    for key, good, bad in (
        ("compression.strategy", COMPACTION_STRATEGIES[-1], "none-such"),
        ("compression.profile", "haiku", 5),
        (density + "read-write-pruning", False, "off"),
        (density + "file-dedupe", False, 0),
        (density + "recency-pruning", True, 1),
        (density + "recency-retention", 5, 0.5),
    ):
        assert SettingLayers().with_session(key, good).session == {key: good}
        with pytest.raises(InputError):
            SettingLayers().with_session(key, bad)


@pytest.mark.req("REQ-CS-009.4")
def test_reading_a_strategy_that_has_no_value_fails_at_the_read() -> None:
    empty = Values({"compression.strategy": EffectiveValue(None, SettingLayer.DEFAULT)})
    with pytest.raises(InputError, match=r"compression\.strategy has no value"):
        empty.text("compression.strategy")


@pytest.mark.req(
    "REQ-HD-009.1",
    "REQ-HD-009.2",
    "REQ-HD-009.3",
    "REQ-HD-007.4",
    "REQ-HD-007.5",
    "REQ-HD-009.5",
)
def test_density_defaults() -> None:
    values = SettingLayers().resolve()
    switches = ("read-write-pruning", "file-dedupe", "recency-pruning")
    assert [values.flag(f"compression.density.{name}") for name in switches] == [
        True,
        True,
        False,
    ]
    assert values.integer("compression.density.recency-retention") == 3
    assert values.number("compression.density.compress-headroom") == 0.6


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("compression-treshold=0.5", "Did you mean compression.threshold"),
        ("nonsense=1", "See all of them with: foldline config list"),
        ("compression.threshold", "no value"),
        ("compression.threshold=0", "above 0"),
        ("compression.threshold=nan", "above 0"),
        ("compression.preserve-threshold=2", "from 0 up to 1"),
        ("compression.context-limit=many", "whole number"),
        ("compression.strategy=middle", "Did you mean middle-out"),
        ("compression.density.file-dedupe=perhaps", "true or false"),
    ],
)
def test_bad_assignments_say_what_is_taken(text: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        parse_assignment(text)


PROFILES = ("offline", "haiku", "local")


def offered(text: str) -> list[str]:
    return [one.text for one in slash.complete_command(text, len(text), PROFILES)]


@pytest.mark.req("REQ-CS-007.1")
@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
def test_every_strategy_can_be_set(name: str) -> None:
    assert slash.parse_command(f"/set compression.strategy {name}") == slash.SlashSet(
        STRATEGY, name
    )


@pytest.mark.req("REQ-CS-007.3")
@pytest.mark.parametrize("key", [STRATEGY, PROFILE])
def test_unset_brings_the_saved_value_back(key: str) -> None:
    command = slash.parse_command(f"/set unset {key}")
    assert command == slash.SlashUnset(key)
    layers = SettingLayers(saved={key: "one-shot"}).with_profile(
        {key: "high-density"}, "p"
    )
    layers = layers.with_session(key, "middle-out")
    assert layers.unset(command.key).resolve().text(key) == "one-shot"


@pytest.mark.req("REQ-CS-007.2")
@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/set compression.profile haiku", slash.SlashSet(PROFILE, "haiku")),
        ("  /set   compression.threshold\t85% ", slash.SlashSet(THRESHOLD, 0.85)),
        ("/set compression.context-limit=200,000", slash.SlashSet(LIMIT, 200_000)),
        (
            "/set chatCompression.contextPercentageThreshold 0.7",
            slash.SlashSet(THRESHOLD, 0.7),
        ),
        ("/set chatCompression.profile 'my one'", slash.SlashSet(PROFILE, "my one")),
        (
            "/set compression.density.file-dedupe off",
            slash.SlashSet(FILE_DEDUPE, False),
        ),
        (
            "/profile save tuning-a",
            slash.SlashProfile(slash.ProfileVerb.SAVE, "tuning-a"),
        ),
        ("/profile load haiku", slash.SlashProfile(slash.ProfileVerb.LOAD, "haiku")),
        (
            "/profile delete haiku",
            slash.SlashProfile(slash.ProfileVerb.DELETE, "haiku"),
        ),
        ("/profile list", slash.SlashProfile(slash.ProfileVerb.LIST)),
        ("/compact", slash.SlashCompact()),
        ("/compact  the upload  bug ", slash.SlashCompact("the upload  bug")),
    ],
)
def test_commands_are_understood(text: str, command: slash.SlashCommand) -> None:
    assert slash.parse_command(text) == command


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/sett compression.strategy x", "Did you mean /set?"),
        ("", "Commands: /set, /profile, /compact"),
        ("/set", "Write /set KEY VALUE"),
        ("/set unset", "Write /set unset KEY"),
        ("/set compression.strategie middle-out", "Did you mean compression.strategy?"),
        ("/set unset compresion.profile", "Did you mean compression.profile?"),
        ("/set compression.preserve-threshold", "from 0 up to 1"),
        ("/profile", "save, load, delete, list"),
        ("/profile laod x", "Did you mean load?"),
        ("/profile load", "Write /profile load NAME"),
        ("/profile list x", "takes no name"),
    ],
)
def test_slips_are_refused_with_what_was_meant(text: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        slash.parse_command(text)


@pytest.mark.req("REQ-CS-007.4")
def test_strategies_are_completed() -> None:
    assert offered("/set compression.strategy ") == list(COMPACTION_STRATEGIES)
    assert offered("/set compression.strategy hi") == ["high-density"]


@pytest.mark.req("REQ-CS-007.5")
def test_profiles_are_completed() -> None:
    assert offered("/set compression.profile ") == list(PROFILES)
    assert offered("/set compression.profile HA") == ["haiku"]
    assert offered("/profile load l") == ["local", "offline"]
    assert offered("/profile delete ") == ["haiku", "local"]


def test_commands_keys_switches_and_defaults_are_completed() -> None:
    assert offered("") == ["/set", "/profile", "/compact"]
    assert offered("/pr") == ["/profile"]
    assert offered("/set ") == [*(setting.key for setting in SETTINGS), "unset"]
    assert offered("/set dedupe") == [FILE_DEDUPE]
    assert offered("/set unset recency-r") == [RETENTION]
    assert offered(f"/set {FILE_DEDUPE} ") == ["true", "false"]
    assert offered(f"/set {PRESERVE} ") == ["0.2"]
    assert offered("/profile ") == ["save", "load", "delete", "list"]
    assert (
        offered("/compact the ")
        == offered("/nonsense ")
        == offered("/set no-such ")
        == []
    )


def test_keys_are_in_kebab_case_under_compression() -> None:
    for setting in SETTINGS:
        assert re.fullmatch(r"compression(\.[a-z]+(-[a-z]+)*)+", setting.key)


@pytest.mark.parametrize(
    ("assignment", "key", "value"),
    [
        ("context-limit=20k", LIMIT, 20_000),
        ("compression-preserve-threshold=30%", PRESERVE, 0.3),
        ("chatCompression.topPreserveThreshold=0.1", TOP_PRESERVE, 0.1),
        ("compression.density.fileDedupe=off", FILE_DEDUPE, False),
        ("hybrid.on_failure=truncate", HYBRID_FAILURE, "truncate"),
    ],
)
def test_former_names_of_keys_are_read(
    assignment: str, key: str, value: SettingValue
) -> None:
    assert parse_assignment(assignment) == (key, value)


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("preserve", TOP_PRESERVE),
        ("hybrid.tarqet", "compression.hybrid.target"),
        ("contextlimit", LIMIT),
        ("compresion.auto", "compression.auto"),
        ("compression.file_dedupe", FILE_DEDUPE),
    ],
)
def test_an_unknown_key_names_the_nearest(typed: str, key: str) -> None:
    with pytest.raises(InputError) as raised:
        find_setting(typed)
    assert f"Did you mean {key}" in raised.value.hint

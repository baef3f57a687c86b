"""Profiles: saved, loaded, validated, and never with a key."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.common.atomic_file import TargetExistsError
from core.common.errors import InputError
from core.configuration.layers import SettingLayers, find_setting
from core.configuration.profile_store import ProfileStore
from core.settings.keys import FILE_DEDUPE, PRESERVE, PROFILE, STRATEGY, THRESHOLD
from core.settings.profile import BUILT_IN, Profile
from core.settings.schema import EffectiveValue, SettingLayer

HAIKU = Profile(
    "haiku",
    "anthropic",
    "claude-haiku-4-5",
    key_env="ANTHROPIC_API_KEY",
    parameters={"temperature": 0.2, "stop": ["END"], "extra": {"depth": 1}},
    timeout=30.0,
    settings={STRATEGY: "one-shot", PROFILE: "haiku", FILE_DEDUPE: False},
)
KEY = "sk-" + "ant-" + "api03" + "A1b2C3d4" * 4


@pytest.fixture
def store(tmp_path: Path) -> ProfileStore:
    return ProfileStore(tmp_path / "profiles")


def written(store: ProfileStore, name: str, text: str) -> Path:
    store.folder.mkdir(exist_ok=True)
    path = store.folder / f"{name}.toml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.req("REQ-CS-007.6")
def test_a_profile_keeps_its_model_and_settings(store: ProfileStore) -> None:
    store.save(HAIKU)
    assert store.load("haiku") == HAIKU
    for key in (STRATEGY, PROFILE):
        assert find_setting(key).persist_to_profile


def test_offline_is_built_in_and_stays(store: ProfileStore) -> None:
    assert store.load("offline") is BUILT_IN
    assert BUILT_IN.is_offline
    for name in ("offline", "Offline"):
        with pytest.raises(InputError, match="built in"):
            store.save(replace(HAIKU, name=name))
    with pytest.raises(InputError, match="built in"):
        store.delete("offline")


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../x", "a/b", "a\\b", "/etc/x", "C:x"),
        *("a\0b", "a b", "a.", ".a", "CON", "nul.x", "x" * 65),
    ],
)
def test_names_cannot_leave_the_folder(store: ProfileStore, name: str) -> None:
    with pytest.raises(InputError, match="cannot be the name"):
        store.save(replace(HAIKU, name=name))
    with pytest.raises(InputError, match="cannot be the name"):
        store.delete(name)
    with pytest.raises(InputError, match="no profile"):
        store.load(name)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"key_env": "abcdef0123456789abcdef01"}, "looks like a key"),
        ({"key_env": KEY + "\n"}, "looks like a key"),
        ({"key_ring": KEY}, "looks like a key"),
        ({"key_ring": "0123456789abcdef" * 2}, "looks like a key"),
        ({"base_url": "https://me:secret@host/v1"}, "looks like a key"),
        ({"base_url": "https://host/v1?api_key=short"}, "looks like a key"),
        ({"parameters": {"extra_headers": {"x-api-key": "short"}}}, "looks like a key"),
        ({"parameters": {"user": [KEY]}}, "looks like a key"),
        ({"settings": {PROFILE: KEY}}, "looks like a key"),
        ({"key_env": "MY KEY"}, "environment variable"),
        ({"provider": ""}, "one line"),
        ({"model": "a\nb"}, "one line"),
        ({"base_url": "file:///etc/passwd"}, "http://"),
        ({"base_url": "http://host:99999"}, "http://"),
        ({"timeout": 0.0}, "86,400"),
        ({"timeout": float("nan")}, "86,400"),
        ({"total_timeout": 0.0}, "total_timeout cannot be 0.0"),
        ({"parameters": {"seed": None}}, "parameter seed"),
        ({"settings": {PRESERVE: 3}}, "from 0 up to 1"),
        ({"settings": {"nonsense": 3}}, "no setting"),
    ],
)
def test_what_no_profile_may_hold(store: ProfileStore, change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        store.save(replace(HAIKU, **change))
    assert words in str(caught.value)
    assert KEY not in str(caught.value)
    assert store.names() == ("offline",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("provider = \n", "line 1: "),
        ("provider = 'p'\n", "has no model"),
        ("provider = 'p'\nmodel = 5\n", "line 2: model cannot be 5"),
        ("provider = 'p'\nmodel = 'm'\ntimeout = true\n", "line 3: timeout"),
        ("provider = 'p'\nmodel = 'm'\ntotal_timeout = 'x'\n", "line 3: total_timeout"),
        ("provider = 'p'\nmodel = 'm'\nsettings = 1\n", "line 3: settings"),
        ("provider = 'p'\nmodel = 'm'\n[settings]\ncompression.mode = 'x'\n", "line 4: compression.mode"),
        ("provider = 'p'\nmodel = 'm'\napi_key = 'abc'\n", "api_key holds what looks like a key"),
    ],
)
def test_a_broken_profile_names_its_file_and_line(store: ProfileStore, text: str, words: str) -> None:
    path = written(store, "haiku", text)
    with pytest.raises(InputError) as caught:
        store.load("haiku")
    assert str(path) in str(caught.value)
    assert words in str(caught.value)
    assert path.read_text() == text


def test_a_loaded_profile_gives_session_values_and_its_name() -> None:
    layers = SettingLayers(saved={PRESERVE: 0.1}).with_profile({PRESERVE: 0.25, THRESHOLD: 0.5}, "tuning-a")
    assert layers.resolve().by_key[PRESERVE] == EffectiveValue(0.25, SettingLayer.SESSION, "tuning-a")
    by_hand = layers.with_session(PRESERVE, 0.3)
    assert by_hand.resolve().by_key[PRESERVE] == EffectiveValue(0.3, SettingLayer.SESSION)
    assert by_hand.for_profile() == {PRESERVE: 0.3, THRESHOLD: 0.5}
    reset = by_hand.with_session(PRESERVE, None)
    assert reset == layers
    saved = EffectiveValue(0.1, SettingLayer.SAVED)
    assert reset.with_session(PRESERVE, None).resolve().by_key[PRESERVE] == saved
    assert layers.with_profile({}, "offline").resolve().number(PRESERVE) == 0.1


def test_foreign_fields_and_comments_stay(store: ProfileStore) -> None:
    text = "# mine\nprovider = 'p'\nmodel = 'm' # old\nfuture = 1\n[settings]\n'later.key' = 2\n"
    path = written(store, "haiku", text)
    store.save(HAIKU)
    store.save(replace(HAIKU, parameters={}, settings={THRESHOLD: 0.5}))
    assert store.load("haiku") == replace(HAIKU, parameters={}, settings={THRESHOLD: 0.5})
    found = tomllib.loads(path.read_text())
    assert (found["future"], found["settings"]["later.key"]) == (1, 2)
    assert path.read_text().startswith("# mine\n")


def test_duplicate_and_delete(store: ProfileStore) -> None:
    store.save(HAIKU)
    assert store.duplicate("haiku", "copy") == replace(HAIKU, name="copy")
    assert store.duplicate("offline", "tuned").is_offline
    with pytest.raises(TargetExistsError):
        store.duplicate("offline", "copy")
    store.delete("haiku")
    with pytest.raises(InputError, match="There is no profile 'haiku'"):
        store.delete("haiku")
    assert store.names() == ("offline", "copy", "tuned")

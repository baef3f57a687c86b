"""Keys from the environment or the keyring, and one sentence where there is none."""

from __future__ import annotations

from collections.abc import Callable

import keyring
import pytest
from keyring.errors import InitError, KeyringLocked, NoKeyringError

from core.common.errors import InputError
from core.llm.credentials import SERVICE, find_key
from core.settings.profile import Profile

BY_ENV = Profile("haiku", "anthropic", "m", key_env="HAIKU_KEY")
BY_RING = Profile("haiku", "anthropic", "m", key_ring="haiku")


def ring(monkeypatch: pytest.MonkeyPatch, answer: Callable[[str, str], str | None]) -> None:
    monkeypatch.setattr(keyring, "get_password", answer)


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    ring(monkeypatch, lambda service, entry: f"{service}/{entry}")
    both = Profile("haiku", "anthropic", "m", key_env="HAIKU_KEY", key_ring="haiku")
    assert find_key(both, {"HAIKU_KEY": " abc\n"}) == "abc"
    assert find_key(both, {"HAIKU_KEY": ""}) == find_key(BY_RING, {}) == f"{SERVICE}/haiku"
    monkeypatch.setenv("HAIKU_KEY", "from outside")
    assert find_key(BY_ENV) == "from outside"


@pytest.mark.req("REQ-CS-006A.2")
def test_an_unset_variable_is_named_with_its_profile() -> None:
    for environment in ({}, {"HAIKU_KEY": "  "}):
        with pytest.raises(InputError, match=r"profile haiku has no key.*variable HAIKU_KEY is not set"):
            find_key(BY_ENV, environment)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NoKeyringError("none"), "offers no keyring"),
        (KeyringLocked("locked"), "is locked"),
        (InitError("no\nbus."), "does not answer (no bus)"),
        (OSError(2, "gone"), "does not answer"),
        (RuntimeError(), "does not answer (RuntimeError)"),
    ],
)
def test_a_keyring_that_fails_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def fail(service: str, entry: str) -> str:
        raise error

    ring(monkeypatch, fail)
    with pytest.raises(InputError) as caught:
        find_key(BY_RING, {})
    assert caught.value.message.startswith("The profile haiku has no key: ")
    assert words in caught.value.message
    assert "\n" not in str(caught.value)


def test_a_missing_entry_says_how_to_store_one(monkeypatch: pytest.MonkeyPatch) -> None:
    ring(monkeypatch, lambda service, entry: None)
    with pytest.raises(InputError, match="keyring set foldline haiku"):
        find_key(BY_RING, {})

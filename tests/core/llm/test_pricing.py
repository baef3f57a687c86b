"""Prices of calls, and which calls must be confirmed."""

from __future__ import annotations

import pytest

from core.llm.pricing import is_paid
from core.settings.profile import BUILT_IN, Profile

MINI = Profile("p", "openai", "gpt-4o-mini")
LOCAL = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("profile", "paid"),
    [
        (BUILT_IN, False),
        (MINI, True),
        (Profile("p", "openai", "no-such-model"), True),
        (Profile("p", "ollama_chat", "llama3"), False),
        (Profile("p", "openai", "qwen2.5-coder", LOCAL), False),
        (Profile("p", "openai", "llama", "http://192.168.1.7:8000/v1"), False),
        (Profile("p", "openai", "gpt-4o-mini", LOCAL), True),
        (Profile("p", "openai", "qwen2.5-coder", "https://models.example.org/v1"), True),
    ],
)
def test_what_may_cost_money_is_asked_about(profile: Profile, paid: bool) -> None:
    assert is_paid(profile) is paid

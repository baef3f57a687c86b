"""Prices of calls, and which calls must be confirmed."""

from __future__ import annotations

import pytest

from core.llm.pricing import is_paid
from core.llm.prompt_cache import READ_PRICE, WRITE_PRICE, CacheRates, break_even
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


@pytest.mark.parametrize(
    ("before", "after", "prefix", "read", "write", "calls"),
    [
        (150_000, 120_000, 20_000, READ_PRICE, WRITE_PRICE, 38.3),
        (150_000, 120_000, 100_000, READ_PRICE, WRITE_PRICE, 7.7),
        (150_000, 120_000, 20_000, 0.1, 1.0, 30.0),
        (150_000, 120_000, 20_000, 0.5, 1.0, 3.3),
    ],
)
def test_the_examples(before: int, after: int, prefix: int, read: float, write: float, calls: float) -> None:
    assert break_even(before, after, prefix, CacheRates(read, write)) == pytest.approx(calls, abs=0.05)

"""Prices of calls, and which calls must be confirmed."""

from __future__ import annotations

import pytest

from core.llm.pricing import call_cost, is_paid, max_output, maximum_price
from core.llm.prompt_cache import READ_PRICE, WRITE_PRICE, CacheRates, break_even
from core.llm.protocol import TokenUsage
from core.settings.profile import BUILT_IN, Profile

MINI = Profile("p", "openai", "gpt-4o-mini")
LOCAL = "http://127.0.0.1:8080/v1"


def test_the_price_before_a_call_is_that_of_the_table() -> None:
    result = maximum_price(1_000_000, 1_000_000, "openai/gpt-4o-mini")
    assert result.known
    assert result.total == pytest.approx(result.input + result.output) == pytest.approx(0.75)


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


def test_tokens_from_the_cache_cost_what_the_table_says() -> None:
    full = call_cost(MINI, TokenUsage(1000, 10)) or 0
    cached = call_cost(MINI, TokenUsage(1000, 10, cache_read=1000)) or 0
    assert 0 < cached < full
    assert call_cost(MINI, TokenUsage()) is None


def test_the_limit_of_the_answer_is_the_profiles_else_the_models_else_8000() -> None:
    assert max_output(MINI) == 8000
    assert max_output(Profile("p", "openai", "gpt-4-turbo")) == 4096
    assert max_output(Profile("p", "openai", "m", parameters={"max_tokens": 99})) == 99


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

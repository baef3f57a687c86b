"""Costs with a prompt cache, by the worked examples of field.md section 4.5."""

import pytest

from core.analysis.cost.summary_price import compaction_cost, count_unchanged_messages
from core.configuration.layers import SettingLayers
from core.llm.catalog import token_rates
from core.llm.prompt_cache import TokenRates, break_even
from core.preview.options import Preview
from core.preview.preview import compute_preview
from core.settings.keys import LIMIT, STRATEGY
from core.strategies.registry import COMPRESSION_STRATEGIES
from tests.builders import conversation, talk

FRESH = 1e-6
SHORT_CACHE = TokenRates("with a fee for writing", FRESH, 5e-6, FRESH * 0.1, FRESH * 1.25)
NO_FEE = TokenRates("without one", FRESH, 5e-6, FRESH * 0.1, FRESH)


@pytest.mark.parametrize(
    ("rates", "before", "after", "prefix", "summary", "calls"),
    [
        (SHORT_CACHE, 150_000, 120_000, 20_000, 0.0, 38.3),
        (SHORT_CACHE, 150_000, 120_000, 100_000, 0.0, 7.7),
        (NO_FEE, 150_000, 120_000, 20_000, 0.0, 30.0),
        (SHORT_CACHE, 150_000, 15_000, 12_000, 30_000 * FRESH, 2.5),
        (SHORT_CACHE, 150_000, 15_000, 12_000, 165_000 * FRESH, 12.5),
    ],
)
def test_it_has_paid_back_after_as_many_calls(
    rates: TokenRates, before: int, after: int, prefix: int, summary: float, calls: float
) -> None:
    found = break_even(before, after, prefix, rates, summary)
    assert found == pytest.approx(calls, abs=0.05)


def made(name: str, model: str = "claude-sonnet-4-5") -> Preview:
    talked = conversation(*talk(60, "word " * 60), model=model)
    return compute_preview(
        talked, SettingLayers().with_session(STRATEGY, name).with_session(LIMIT, 3000).resolve()
    )


def test_the_first_call_after_a_compaction_can_be_dearer_than_without_it() -> None:
    one = made(COMPRESSION_STRATEGIES[0])
    cost = compaction_cost(one)
    assert cost.first_changed == count_unchanged_messages(one.compaction, 60) > 0
    assert cost.rewritten == one.after_tokens + one.system_tokens - cost.prefix
    assert cost.first_after is not None
    assert cost.first_before is not None
    assert cost.later_after is not None
    assert cost.later_before is not None
    assert cost.first_after > cost.first_before
    assert cost.later_after < cost.later_before


def test_without_a_price_there_are_tokens_alone() -> None:
    cost = compaction_cost(made(COMPRESSION_STRATEGIES[1], model="nobody-knows-this"))
    assert (cost.rates, cost.summary, cost.break_even) == (None, None, None)
    assert cost.first_changed == 0


def test_rates_come_from_the_table() -> None:
    rates = token_rates("claude-sonnet-4-5")
    assert rates is not None
    assert rates.read == pytest.approx(rates.input * 0.1)
    assert rates.write == pytest.approx(rates.input * 1.25)
    assert token_rates("nobody-knows-this") is None

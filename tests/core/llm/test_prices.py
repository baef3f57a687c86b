"""Prices across a tier, computed by hand: 2 to 4 dollars of input above 200,000 tokens, 10 to 15 of
output."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.analysis.cost.summary_price import compaction_cost, pricing_model
from core.analysis.model import UnpaidRequests
from core.configuration.layers import SettingLayers
from core.formats.anthropic.blocks import writes_hour_cache
from core.llm.call_events import TokenUsage
from core.llm.catalog import token_rates
from core.llm.model_table import update_table
from core.llm.pricing import call_cost, maximum_price
from core.llm.prompt_cache import TokenRates
from core.preview.preview import compute_preview
from core.settings.keys import CACHE_LIFETIME, LIMIT, STRATEGY
from core.settings.profile import Profile
from tests.builders import conversation, talk
from tests.core.llm.model_asking import MILLIONTH, TIERED, forget_table, write_table

MODEL = "claude-tiered-9"
PROFILE = Profile("p", "anthropic", MODEL)


@pytest.fixture(autouse=True)
def _table(tmp_path: Path) -> Iterator[None]:
    update_table(write_table(tmp_path / "prices.json", {MODEL: dict(TIERED)}))
    forget_table()
    yield
    forget_table()


def rates(hour: bool = False) -> TokenRates:
    result = token_rates(MODEL, hour)
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("sent", "dollars"), [(200_000, 0.40 + 0.01), (200_001, 0.800004 + 0.015), (300_000, 1.20 + 0.015)]
)
def test_a_request_above_the_threshold_is_dearer_as_a_whole(sent: int, dollars: float) -> None:
    """0.2 M · 2 + 1,000 · 10; one token more: 0.200001 M · 4 + 1,000 · 15."""
    assert maximum_price(sent, 1000, MODEL).total == pytest.approx(dollars)
    assert pricing_model(MODEL, "").price(UnpaidRequests(((sent, 1000),))) == pytest.approx(dollars)
    assert call_cost(PROFILE, TokenUsage(sent, 1000)) == pytest.approx(dollars)


@pytest.mark.parametrize(
    ("written", "before", "after"),
    [
        ({"ephemeral_1h_input_tokens": 900, "ephemeral_5m_input_tokens": 0}, False, True),
        ({"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 900}, True, False),
        ({"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0}, True, True),
        (None, True, True),
    ],
)
def test_the_last_write_tells_the_lifetime(written: dict[str, int] | None, before: bool, after: bool) -> None:
    assert writes_hour_cache({"cache_creation": written}, before) is after


@pytest.mark.parametrize(
    ("reported", "lifetime", "millionths"),
    [(True, "reported", 4.0), (False, "reported", 2.5), (True, "5m", 2.5), (False, "1h", 4.0)],
)
def test_a_session_or_setting_tells_the_lifetime(reported: bool, lifetime: str, millionths: float) -> None:
    talked = conversation(*talk(60, "word " * 60), model=MODEL, hour_cache=reported)
    layers = SettingLayers().with_session(STRATEGY, "top-down-truncation").with_session(LIMIT, 3000)
    result = compaction_cost(compute_preview(talked, layers.with_session(CACHE_LIFETIME, lifetime).resolve()))
    assert result.rates is not None
    assert result.rates.write == pytest.approx(millionths * MILLIONTH)

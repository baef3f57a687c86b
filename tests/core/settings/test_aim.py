"""Sizes are typed in tokens or in percent, everywhere by the same rule."""

import pytest

from core.common.errors import InputError
from core.preview.preview import compute_preview
from core.settings.schema import (
    HEADROOM,
    HYBRID_TARGET,
    LIMIT,
    STRATEGY,
    TARGET,
    THRESHOLD,
    SettingKind,
    SettingValue,
    aim_size,
    aim_value,
    setting_text,
    share_of_aim,
    token_count,
)
from core.settings_store.layers import checked_value, find_setting, parse_assignment
from core.strategies.registry import find_strategy
from core.trials.axes import parse_axis
from core.trials.tune_values import BudgetUnit, parse_budget
from tests.core.strategies.strategy_running import values
from tests.support.builders import conversation, talk


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("20k", 20_000),
        ("20 K", 20_000),
        ("20,000", 20_000),
        ("20000", 20_000),
        ("20,000 tokens", 20_000),
        ("2.5k", 2_500),
        ("1.5M", 1_500_000),
        ("10 %", 0.1),
        ("10%", 0.1),
        ("10", 0.1),
        ("0.1", 0.1),
        ("0,1", 0.1),
        ("0,125", 0.125),
        ("12,5 %", 0.125),
        ("1,5k", 1_500),
        ("100", 1.0),
        ("101", 101),
        ("", None),
        ("20,00", None),
        ("ten", None),
        ("150 %", None),
        ("20k tokens of it", None),
    ],
)
def test_an_aim_is_read_in_tokens_and_in_percent(
    text: str, value: float | None
) -> None:
    assert aim_value(text) == value


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("200k", 200_000),
        ("1.5M", 1_500_000),
        ("4,000", 4_000),
        ("12", 12),
        ("2.5", None),
        ("2,5", None),
        ("1,5M", 1_500_000),
    ],
)
def test_a_number_of_tokens_is_no_percentage(text: str, count: int | None) -> None:
    assert token_count(text) == count
    assert token_count("10 %") is None


def test_an_aim_in_tokens_is_a_share_of_the_whole() -> None:
    assert share_of_aim(20_000, 200_000) == 0.1
    assert share_of_aim(0.3, 200_000) == 0.3


@pytest.mark.parametrize("key", [TARGET, HYBRID_TARGET, HEADROOM])
def test_a_target_is_set_in_tokens_on_the_command_line(key: str) -> None:
    assert parse_assignment(f"{key}=20k") == (key, 20_000)
    assert parse_assignment(f"{key}=70%") == (key, 0.7)
    assert parse_assignment(f"{key}=0.7") == (key, 0.7)
    assert setting_text(SettingKind.FRACTION, 20_000.0) == "20,000 tokens"
    with pytest.raises(InputError):
        parse_assignment(f"{key}=150%")


def test_other_shares_take_no_tokens() -> None:
    with pytest.raises(InputError):
        checked_value(find_setting(THRESHOLD), 20_000.0)


@pytest.mark.parametrize(
    ("strategy", "key"),
    [("tiered", TARGET), ("hybrid", HYBRID_TARGET), ("high-density", HEADROOM)],
)
def test_a_target_in_tokens_is_what_the_run_aims_for(strategy: str, key: str) -> None:
    session = conversation(
        *talk(60, "the server listens on port 8080 in src/app.py " * 9)
    )
    settings: dict[str, SettingValue] = {STRATEGY: strategy, key: 2_001.0, LIMIT: 9_000}
    chosen = values(**settings)
    assert compute_preview(session, chosen).result.compaction.target == 2_001


def test_a_budget_and_a_varied_setting_take_the_same_texts() -> None:
    assert parse_budget("20k") == (20_000, BudgetUnit.TOKENS)
    assert parse_budget("30") == (0.3, BudgetUnit.SHARE)
    axis = parse_axis(f"{TARGET}=20k:40k:10k", find_strategy("tiered"))
    assert axis.values == (20_000, 30_000, 40_000)


@pytest.mark.parametrize(
    ("aim", "limit", "size"),
    [
        (0.35, 200_000, 70_000),
        (1, 200_000, 200_000),
        (20_000, None, 20_000),
        (0.35, None, None),
        (0, 200_000, 0),
    ],
)
def test_an_aim_is_a_size_in_tokens(
    aim: float, limit: int | None, size: int | None
) -> None:
    assert aim_size(aim, limit) == size

"""Formats of numbers, and how they are rounded."""

import pytest

from core.common import number_format
from core.common.number_format import dollar_pair, dollar_text, half_up, share_of
from core.settings.schema import SettingKind, setting_text
from core.strategies.helpers import target_fraction
from core.strategies.registry import STRATEGIES
from tests.core.strategies.strategy_running import values


@pytest.mark.parametrize(
    ("number", "places", "text"),
    [
        (75.55, 1, "75.6"),
        (37.5, 0, "38"),
        (-75.55, 1, "-75.6"),
        (-0.04, 1, "0.0"),
        (99.96, 1, "100.0"),
    ],
)
def test_halves_are_rounded_up(number: float, places: int, text: str) -> None:
    assert half_up(number, places) == text


def test_every_whole_percent_of_a_window_is_exact() -> None:
    for limit in (100, 8_192, 84_000, 200_000):
        assert [share_of(limit, share / 100) for share in range(101)] == [
            share * limit // 100 for share in range(101)
        ]


def test_a_lowered_target_is_said_as_it_is_used() -> None:
    tiered = next(one for one in STRATEGIES if one.name == "tiered")
    fraction, told = target_fraction(
        tiered, values(compression_threshold=0.5), 0.6, 0.6
    )
    assert share_of(84_000, fraction) == 31_500
    assert (
        told
        == "The target of 60 % is not below the trigger of 50 %; 37.5 % is used instead."
    )


def test_figures_are_written_as_people_read_them() -> None:
    assert number_format.tokens("≈", 148203) == "≈148,203"
    assert number_format.tokens("=", None) == "–"
    assert number_format.signed(-84445) == "−84,445"
    assert number_format.signed(1204) == "+1,204"
    assert number_format.signed(0) == "0"
    assert number_format.percent(0.57) == "57.0 %"
    assert number_format.setting_percent(0.19876) == "20 %"
    assert number_format.setting_percent(0.001) == "0.1 %"
    assert number_format.span(82, 412) == "#83–#412"
    assert number_format.span(82, 83) == "#83"
    assert number_format.span(5, 5) == "–"
    assert number_format.plural(1, "message") == "1 message"
    assert number_format.plural(2000, "message") == "2,000 messages"
    assert number_format.size(41_200) == "41 kB"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        *(
            (950, "950"),
            (999, "999"),
            (1000, "1k"),
            (6310, "6.3k"),
            (9960, "10k"),
            (148203, "148k"),
        ),
        *((1_250_000, "1.2M"), (999_600, "1M"), (None, "–")),
    ],
)
def test_short_figures(number: int | None, text: str) -> None:
    assert number_format.abbreviated(number) == text


def test_settings_read_as_people_write_them() -> None:
    assert setting_text(SettingKind.FRACTION, 0.85) == "85 %"
    assert setting_text(SettingKind.FRACTION, 0.0687) == "6.9 %"
    assert setting_text(SettingKind.FLAG, False) == "off"
    assert setting_text(SettingKind.WHOLE, 200000) == "200,000"
    assert setting_text(SettingKind.TEXT, None) == "–"


def test_a_part_is_never_rounded_up_to_the_whole_or_to_a_bar() -> None:
    assert number_format.percent(399 / 400, 0) == "99 %"
    assert number_format.percent(0.99999) == "99.9 %"
    assert number_format.percent(1, 0) == "100 %"
    assert number_format.context_share(99_999, 100_000) == "[ctx: 99%]"
    assert number_format.percent_below(0.5664, 0.57) == "56.6 %"
    assert number_format.percent_below(0.5, 0.57) == "50 %"


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0.0, "$0.00"), (0.11, "$0.11"), (0.0096, "$0.01"), (0.0021, "$0.002")],
)
def test_an_amount_has_three_decimals_below_a_cent_alone(
    amount: float, text: str
) -> None:
    assert dollar_text(amount) == text


@pytest.mark.parametrize(
    ("before", "after", "texts"),
    [
        (0.09, 0.07, ("$0.09", "$0.07")),
        (0.0212, 0.0188, ("$0.021", "$0.019")),
        (0.0850, 0.0845, ("$0.0850", "$0.0845")),
        (0.0283, 0.0136, ("$0.028", "$0.014")),
        (0.00022, 0.00021, ("$0.00022", "$0.00021")),
        (0.02, 0.02, ("$0.02", "$0.02")),
        (None, 0.02, ("–", "$0.02")),
    ],
)
def test_two_amounts_show_how_far_they_are_apart(
    before: float | None, after: float | None, texts: tuple[str, str]
) -> None:
    assert dollar_pair(before, after) == texts


def test_a_result_has_one_figure_for_what_it_saves() -> None:
    texts = [
        number_format.reduction_percent(saved) for saved in (0.425, -0.03, 0.0, 0.999)
    ]
    assert texts == ["−43 %", "+3 %", "0 %", "−99 %"]

"""Formats of numbers."""

import pytest

from core.common import number_format
from core.settings.schema import SettingKind, setting_text


def test_tokens_carry_their_mark() -> None:
    assert number_format.tokens("≈", 148203) == "≈148,203"
    assert number_format.tokens("=", None) == "–"


@pytest.mark.parametrize(
    ("number", "text"),
    [(950, "950"), (999, "999"), (1000, "1k"), (6310, "6.3k"), (9960, "10k"), (148203, "148k")],
)
def test_short_figures(number: int, text: str) -> None:
    assert number_format.abbreviated(number) == text


def test_short_figures_of_millions_and_of_nothing() -> None:
    assert number_format.abbreviated(1_250_000) == "1.2M"
    assert number_format.abbreviated(999_600) == "1M"
    assert number_format.abbreviated(None) == "–"


def test_differences_have_a_true_minus() -> None:
    assert number_format.signed(-84445) == "−84,445"
    assert number_format.signed(1204) == "+1,204"
    assert number_format.signed(0) == "0"


def test_percent() -> None:
    assert number_format.percent(0.57) == "57.0 %"
    assert number_format.setting_percent(0.19876) == "20 %"
    assert number_format.setting_percent(0.001) == "0.1 %"


def test_ranges_count_from_one() -> None:
    assert number_format.span(82, 412) == "#83–#412"
    assert number_format.span(82, 83) == "#83"
    assert number_format.span(5, 5) == "–"


def test_plurals_and_sizes() -> None:
    assert number_format.plural(1, "message") == "1 message"
    assert number_format.plural(2000, "message") == "2,000 messages"
    assert number_format.size(41_200) == "41 kB"


def test_settings_read_as_people_write_them() -> None:
    assert setting_text(SettingKind.FRACTION, 0.85) == "85 %"
    assert setting_text(SettingKind.FLAG, False) == "off"
    assert setting_text(SettingKind.WHOLE, 200000) == "200,000"
    assert setting_text(SettingKind.TEXT, None) == "–"

"""A size that is aimed for is typed in tokens or in percent."""

import pytest

from core.settings.aim import aim_share


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("20k", 0.1),
        ("20 K", 0.1),
        ("20,000", 0.1),
        ("20000", 0.1),
        ("2.5k", 0.0125),
        ("10 %", 0.1),
        ("10%", 0.1),
        ("10", 0.1),
        ("100", 1.0),
        ("101", 101 / 200_000),
        ("", None),
        ("20,00", None),
        ("ten", None),
        ("20k tokens of it", None),
    ],
)
def test_an_aim_is_read_in_tokens_and_in_percent(text: str, share: float | None) -> None:
    assert aim_share(text, 200_000) == share


def test_without_a_limit_no_aim_is_read() -> None:
    assert aim_share("20k", 0) is None

"""White space as the reference trims it."""

from __future__ import annotations

from core.common.javascript_whitespace import trim


def test_a_byte_order_mark_goes_and_control_characters_stay() -> None:
    assert trim("\ufeff\u2028 a b \r\n") == "a b"
    assert trim("\x1ca\x85") == "\x1ca\x85"

"""Sizes as a person types them: in tokens or in percent."""

from __future__ import annotations

import re

_SIZE = re.compile(
    r"""
    (?P<number> \d{1,3}(?:,\d{3})+ | \d*\.\d+ | \d+ )  # 20,000 or 20.5 or 20
    \s* (?P<unit> k | m | % )?
    (?: \s* tokens? )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FACTORS = {"k": 1_000, "m": 1_000_000}
MOST_PERCENT = 100
"""A number without a unit up to this is a percentage: nobody aims for 20 tokens."""


def aim_value(text: str) -> float | None:
    """Return what "20k", "20,000", "10 %", "10" or "0.1" aims for: a share up to 1, tokens above it;
    None for anything else."""
    match = _SIZE.fullmatch(text.strip().replace("_", ""))
    if match is None:
        return None
    number, unit = (
        float(match["number"].replace(",", "")),
        (match["unit"] or "").lower(),
    )
    if unit in _FACTORS:
        tokens = number * _FACTORS[unit]
        return tokens if tokens > MOST_PERCENT else None
    if unit == "%" or 1 < number <= MOST_PERCENT:
        number /= 100
        return number if number <= 1 else None
    return number


def token_count(text: str) -> int | None:
    """Return a number of tokens: "20k", "20,000", "1.5M"; None for anything else."""
    match = _SIZE.fullmatch(text.strip().replace("_", ""))
    if match is None or match["unit"] == "%":
        return None
    factor = _FACTORS.get((match["unit"] or "").lower(), 1)
    number = float(match["number"].replace(",", "")) * factor
    if factor > 1 or number.is_integer():
        return round(number)
    return None


def share_of_aim(value: float, whole: float) -> float:
    """Return a size that is set as a share, or in tokens, as a share of ``whole`` tokens."""
    if value <= 1 or whole <= 0:
        return value
    return value / whole

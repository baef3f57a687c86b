"""A size that is aimed for, as a person types it: in tokens or in percent."""

from __future__ import annotations

import re

_AIM = re.compile(
    r"""
    (?P<number> \d{1,3}(?:,\d{3})+ | \d+(?:\.\d+)? )  # 20,000 or 20.5
    \s* (?P<unit> k | % )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MOST_PERCENT = 100
"""A number without a unit up to this is a percentage: nobody aims for 20 tokens."""


def aim_share(text: str, whole: int) -> float | None:
    """Return what "20k", "20,000" or "10 %" is of ``whole`` tokens, from 0 to 1 and above; None for
    anything else."""
    match = _AIM.fullmatch(text.strip())
    if match is None or whole <= 0:
        return None
    number = float(match["number"].replace(",", ""))
    unit = (match["unit"] or "").lower()
    if unit == "k":
        return number * 1_000 / whole
    if unit == "%" or number <= _MOST_PERCENT:
        return number / 100
    return number / whole

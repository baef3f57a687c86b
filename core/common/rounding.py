"""Shares and rounding as a person calculates them: 37.5 % of 84,000 is 31,500, and 75.55 rounds to 75.6."""

from __future__ import annotations

_FINE = 6  # decimals of a product of floats that are believed


def share_of(whole: int, fraction: float) -> int:
    """That fraction of a whole, without decimals; 0.375 of 84,000 is 31,500, though floats are below it."""
    return int(round(whole * fraction, _FINE))


def half_up(number: float, places: int = 0) -> str:
    """A number with so many decimals, halves away from zero."""
    units = round(abs(number) * 10 ** (places + _FINE))
    whole, rest = divmod((units + 10**_FINE // 2) // 10**_FINE, 10**places)
    sign = "-" if number < 0 and (whole or rest) else ""
    return f"{sign}{whole}.{rest:0{places}d}" if places else f"{sign}{whole}"

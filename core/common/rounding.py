"""Decimal rounding: 37.5 % of 84,000 is 31,500, and 75.55 rounds to 75.6."""

from __future__ import annotations

_EXACT_DECIMALS = 6  # further decimals of a product of floats are noise


def share_of(total: int, fraction: float) -> int:
    """Return the fraction of a whole, rounded down; 0.375 of 84,000 is 31,500, though floats are below it."""
    return int(round(total * fraction, _EXACT_DECIMALS))


def half_up(number: float, places: int = 0) -> str:
    """Return the number with ``places`` decimals, halves rounded away from zero."""
    units = round(abs(number) * 10 ** (places + _EXACT_DECIMALS))
    integer, decimals = divmod((units + 10**_EXACT_DECIMALS // 2) // 10**_EXACT_DECIMALS, 10**places)
    sign = "-" if number < 0 and (integer or decimals) else ""
    return f"{sign}{integer}.{decimals:0{places}d}" if places else f"{sign}{integer}"

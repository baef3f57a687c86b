"""Fields whose type a file does not promise: each of these answers, whatever it is handed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from core.common.json_value import Json
from core.transcript.model import NO_EXTRA

_SECONDS_END = 100_000_000_000  # as seconds the year 5138, as milliseconds 1973


def fields_of(value: Json) -> Mapping[str, Json]:
    """The value where it is an object, else the empty mapping."""
    return value if isinstance(value, dict) else NO_EXTRA


def list_of(value: Json) -> Sequence[Json]:
    """The value where it is a list, else the empty tuple."""
    return value if isinstance(value, list) else ()


def string_of(value: Json) -> str:
    """The value where it is a string, else ""."""
    return value if isinstance(value, str) else ""


def number_of(value: Json) -> int | None:
    """A count (tokens, messages): a number as a whole one, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return int(value)
    except (OverflowError, ValueError):
        return None


def sum_of(*values: Json) -> int | None:
    """The sum of those values that are counts, None where there is none."""
    numbers = [number for number in map(number_of, values) if number is not None]
    return sum(numbers) if numbers else None


def prompt_tokens(whole: Json, *cached: Json) -> int | None:
    """The size of a request. Some agents report it whole with the cached share beside it, others
    without that share: a figure that is at least the cached ones is taken as the whole."""
    figure, share = number_of(whole), sum_of(*cached) or 0
    return None if figure is None else figure if figure >= share else figure + share


def moment_of(value: Json) -> str:
    """A time as ISO 8601: text as it is; a number as seconds or milliseconds since 1970."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    try:
        seconds = value if abs(value) < _SECONDS_END else value / 1000
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return ""

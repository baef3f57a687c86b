"""Access to fields whose type a file does not guarantee."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from core.common.json_value import MAX_COUNT, MISSING, Json
from core.transcript.model import NO_EXTRA

_MAX_SECONDS = 100_000_000_000  # as seconds the year 5138, as milliseconds 1973
_MAX_DIGITS = 20  # of 64 bits


def content_parts(content: Json) -> Sequence[Json]:
    """Return the parts of a message's content; a text is one part."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)


def fields_of(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else NO_EXTRA


def list_of(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()


def string_of(value: Json) -> str:
    return value if isinstance(value, str) else ""


def coerce_text(value: Json) -> str:
    """Return an id or name as text: as it is, "" for null or absent, else as Python writes it."""
    if isinstance(value, str):
        return value
    return "" if value is None or value is MISSING else str(value)


def other_fields(record: Mapping[str, Json], known: Collection[str]) -> Mapping[str, Json]:
    """Return the fields that are not ``known``; always the same empty mapping if there are none."""
    return {key: value for key, value in record.items() if key not in known} or NO_EXTRA


def nested(value: Json, *names: str) -> Json:
    """Return the value at a path of fields, None if it is not there."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def number_of(value: Json) -> int | None:
    """Return a count (tokens, messages) as an integer, None for anything but a number up to
    MAX_COUNT."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if -MAX_COUNT <= value <= MAX_COUNT else None  # false for NaN, too


def written_number(text: str) -> int | None:
    """Return the number of 64 bits that decimal digits write, None for any other text."""
    digits = text.removeprefix("-")
    return int(text) if digits.isdecimal() and len(digits) <= _MAX_DIGITS else None


def sum_of(*values: Json) -> int | None:
    """Return the sum of those values that are counts, None if there are none."""
    numbers = [number for number in map(number_of, values) if number is not None]
    return sum(numbers) if numbers else None


def request_tokens(input_tokens: Json, *cache_tokens: Json) -> int | None:
    """Return the size of a request in tokens. Some agents include cached tokens in it, others do
    not: a figure that is at least the cached tokens is taken to include them."""
    tokens, cached_tokens = number_of(input_tokens), sum_of(*cache_tokens) or 0
    return tokens if tokens is None or tokens >= cached_tokens else tokens + cached_tokens


def iso_timestamp(value: Json) -> str:
    """Return a time as ISO 8601: text as it is, a number as seconds or milliseconds since 1970."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return string_of(value)
    try:
        seconds = value if abs(value) < _MAX_SECONDS else value / 1000
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return ""

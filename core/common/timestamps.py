"""Times as conversations hold them, ISO 8601 texts, and those of files."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

_LAST = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


def to_milliseconds(timestamp: str) -> int | None:
    """Milliseconds since 1970 of an ISO time, None where it is none; without a zone it is taken for UTC."""
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


def file_time(seconds: float, zone: tzinfo | None = None) -> datetime:
    """The time of a file in seconds since 1970, local unless a zone is given; held between 1970 and 9999.

    A wrong clock, or a program, may give a file any time, which no calendar has to know.
    """
    return datetime.fromtimestamp(min(max(seconds, 0.0), _LAST), zone)

"""Times of messages (ISO 8601) and of files."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LATEST = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


def to_milliseconds(timestamp: str) -> int | None:
    """Return milliseconds since 1970 of an ISO time, UTC if it has no zone; None if it is not one."""
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


def file_time(seconds: float, zone: tzinfo | None = None) -> datetime:
    """Convert a file's time in seconds since 1970, local if no zone is given, clamped to 1970 to 9999.

    A wrong clock may give a file a time outside the calendar's range.
    """
    return datetime.fromtimestamp(min(max(seconds, 0.0), _LATEST), zone)


def day_text(moment: datetime, now: datetime) -> str:
    """Return a short time: today 14:02, yesterday, Nov 19, Nov 19 2024."""
    if moment.date() == now.date():
        return f"today {moment:%H:%M}"
    if moment.date() == (now - timedelta(days=1)).date():
        return "yesterday"
    date = f"{_MONTHS[moment.month - 1]} {moment.day}"
    return date if moment.year == now.year else f"{date} {moment.year}"

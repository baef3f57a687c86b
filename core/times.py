"""Times as conversations hold them: ISO 8601 texts."""

from __future__ import annotations

from datetime import UTC, datetime


def milliseconds(timestamp: str) -> int | None:
    """Milliseconds since 1970 of an ISO time, None where it is none; without a zone it is taken for UTC."""
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)

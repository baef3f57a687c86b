"""Names of files as they can be shown."""

from __future__ import annotations

from pathlib import Path


def shown_name(path: str | Path) -> str:
    """The last part of a path in one line: what cannot be seen, or turns the writing round, is a blank."""
    name = Path(path).name
    if name.isprintable():
        return name
    from core.view.excerpts import clean  # late: the start screen shows names before the first paint

    return clean(name)

"""File names and paths for display."""

from __future__ import annotations

from pathlib import Path


def shown_name(path: str | Path) -> str:
    """Return the last part of a path on one line, with blanks for invisible and bidirectional characters."""
    name = Path(path).name
    if name.isprintable():
        return name
    from core.common.excerpts import (
        one_line_text,  # late: the start screen shows names before the first paint
    )

    return one_line_text(name)


def shown_path(path: Path, home: Path) -> str:
    """Return the path with ``~`` for the home folder."""
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)

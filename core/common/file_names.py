"""Names and paths of files as they can be shown."""

from __future__ import annotations

from pathlib import Path


def shown_name(path: str | Path) -> str:
    """The last part of a path in one line: what cannot be seen, or turns the writing round, is a blank."""
    name = Path(path).name
    if name.isprintable():
        return name
    from core.common.excerpts import (
        one_line_text,  # late: the start screen shows names before the first paint
    )

    return one_line_text(name)


def shown_path(path: Path, home: Path) -> str:
    """A path with the home folder as ~."""
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)

"""Saving a table as a CSV file."""

from __future__ import annotations

from pathlib import Path

from core.app.messages import FileExportedEvent
from core.common.atomic_file import write_atomic
from core.presentation.model import NoticeAction


def save_csv(path: str, data: bytes, source: Path | None) -> FileExportedEvent:
    """Write over an existing file, never over ``source``; InputError where it cannot be written."""
    target = Path(path)
    write_atomic(target, data, overwrite=True, source=source)
    links = (NoticeAction("Show in folder", "show", str(target.parent)),)
    return FileExportedEvent(path, f"Wrote {target.name}.", actions=links)

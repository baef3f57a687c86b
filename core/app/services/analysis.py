"""What services of analyses share: results that are known already, and tables that are saved."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from core.app.events import FileExportedEvent
from core.common.atomic_file import write_atomic
from core.presentation.model import NoticeAction

if TYPE_CHECKING:
    pass


_T = TypeVar("_T")


class ResultCache(Generic[_T]):
    """Results by name, computed for one ``key``, with the seconds that they took."""

    def __init__(self) -> None:
        self.key: Hashable = None
        self.results: dict[Any, _T] = {}
        self._seconds: dict[Hashable, float] = {}

    def switch_to(self, key: Hashable) -> None:
        if key != self.key:
            self.key, self.results, self._seconds = key, {}, {}

    def compute(self, name: Hashable, results: Iterator[_T]) -> None:
        """Take the next of the results."""
        started = time.monotonic()
        self.results[name] = next(results)
        self._seconds[name] = time.monotonic() - started

    def seconds(self, names: Iterable[Hashable]) -> float:
        return sum(self._seconds.get(name, 0.0) for name in names)


def save_table(path: str, data: bytes, source: Path | None = None) -> FileExportedEvent:
    """Write a CSV file over an existing one, never over ``source``."""
    target = Path(path)
    write_atomic(target, data, overwrite=True, source=source)
    links = (NoticeAction("Show in folder", "show", str(target.parent)),)
    return FileExportedEvent(path, f"Wrote {target.name}.", actions=links)

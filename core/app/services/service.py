"""What services work on: the workspace of a window, or an open conversation; results that are known
already, and tables that are saved."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from core.app.events import FileExportedEvent
from core.common.atomic_file import write_atomic
from core.common.errors import Cancelled
from core.presentation.model import NoticeAction

if TYPE_CHECKING:
    from core.analysis.analysis_input import AnalysisInput
    from core.app.workspace import Workspace


_T = TypeVar("_T")


class Service:
    """Methods for the window over the workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace


class AnalysisWorkspace(Protocol):
    """An open conversation with its settings: behind a window, or of a command line."""

    price_as: str

    @property
    def summary_profile_name(self) -> str:
        """The profile that writes the summaries of runs."""
        ...

    def analysis_input(self) -> AnalysisInput: ...

    def must_texts(self) -> tuple[str, ...]:
        """The texts that must survive, of files and as typed."""
        ...

    def whole_input(self) -> AnalysisInput:
        """The same for a replay, which goes through the whole session where no part of it was asked
        for."""
        ...


class AnalysisService:
    """Methods over an open conversation."""

    def __init__(self, workspace: AnalysisWorkspace) -> None:
        self._workspace = workspace

    def _while_current(self, steps: Iterator[_T]) -> Iterator[_T]:
        """Yield the steps of an analysis; raise Cancelled once the open file or its settings are
        others, whose results the caches may hold by then."""
        key = self._workspace.analysis_input().key
        for value in steps:
            yield value
            if self._workspace.analysis_input().key != key:
                raise Cancelled


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

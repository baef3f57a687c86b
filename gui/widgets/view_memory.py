"""Values of a view that are remembered for each transcript while the window is open."""

from __future__ import annotations

from typing import Generic, TypeVar

_T = TypeVar("_T")


class PerTranscript(Generic[_T]):
    """Values by path; ``path`` is that of the open transcript, "" before the first."""

    def __init__(self, first: _T) -> None:
        self._first = first
        self._kept: dict[str, _T] = {}
        self.path = ""

    def turn_to(self, path: str, now: _T) -> _T:
        """Store ``now`` for the open transcript; return the stored value of the next one."""
        if self.path:
            self._kept[self.path] = now
        self.path = path
        return self._kept.get(path, self._first)

"""What a view remembers of each transcript while the window is open."""

from __future__ import annotations

from typing import Generic, TypeVar

_T = TypeVar("_T")


class PerTranscript(Generic[_T]):
    """By path; ``path`` is that of the transcript that is open, "" before the first."""

    def __init__(self, first: _T) -> None:
        self._first = first
        self._kept: dict[str, _T] = {}
        self.path = ""

    def turn_to(self, path: str, now: _T) -> _T:
        """Keep what is known ``now`` of the open transcript; what is known of the next one."""
        if self.path:
            self._kept[self.path] = now
        self.path = path
        return self._kept.get(path, self._first)

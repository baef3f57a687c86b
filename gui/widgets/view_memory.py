"""Values of a view that are remembered for each transcript while the window is open."""

from __future__ import annotations

from typing import Generic, TypeVar

_T = TypeVar("_T")


class PerTranscript(Generic[_T]):
    """Values by path; ``path`` is that of the open transcript, "" before the first."""

    def __init__(self, default: _T) -> None:
        self._default = default
        self._values: dict[str, _T] = {}
        self.path = ""

    def switch_to(self, path: str, value: _T) -> _T:
        """Store ``value`` for the open transcript; return the stored value of the next one."""
        if self.path:
            self._values[self.path] = value
        self.path = path
        return self._values.get(path, self._default)

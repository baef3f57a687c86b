"""What was used last stays at hand: a few things, and no more than they may weigh together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

_T = TypeVar("_T")


class RecentCache(Generic[_T]):
    """The last used of some things, the newest first. The newest always stays; the others while there are
    at most ``most`` in all and those others weigh at most ``room`` bytes, as ``weigh`` tells."""

    def __init__(self, most: int, room: int, weigh: Callable[[_T], int]) -> None:
        self._most, self._room, self._weigh = most, room, weigh
        self._things: list[_T] = []

    def __iter__(self) -> Iterator[_T]:
        return iter(tuple(self._things))

    def __len__(self) -> int:
        return len(self._things)

    @property
    def weight(self) -> int:
        """Bytes of all but the newest."""
        return sum(map(self._weigh, self._things[1:]))

    def find(self, fits: Callable[[_T], bool]) -> _T | None:
        """The newest that fits, which is the newest from now on; None where there is none."""
        for place, one in enumerate(self._things):
            if fits(one):
                self._things.insert(0, self._things.pop(place))
                return one
        return None

    def put(self, new: _T) -> None:
        """Keep one more as the newest; what is one too many or too heavy goes, the longest unused first."""
        self._things.insert(0, new)
        while len(self._things) > self._most or (len(self._things) > 1 and self.weight > self._room):
            self._things.pop()

    def drop(self) -> None:
        """Keep the newest no longer."""
        del self._things[:1]

    def clear(self) -> None:
        """Keep nothing."""
        self._things.clear()

"""A cache of recently used items, bounded by number and weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

_T = TypeVar("_T")


class RecentCache(Generic[_T]):
    """The last used items, newest first. The newest always stays; of the others at most ``most`` in all,
    weighing at most ``room`` bytes by ``weigh``."""

    def __init__(self, most: int, room: int, weigh: Callable[[_T], int]) -> None:
        self._most, self._room, self._weigh = most, room, weigh
        self._items: list[_T] = []

    def __iter__(self) -> Iterator[_T]:
        return iter(tuple(self._items))

    def __len__(self) -> int:
        return len(self._items)

    @property
    def weight(self) -> int:
        """Bytes of all items but the newest."""
        return sum(map(self._weigh, self._items[1:]))

    def find(self, fits: Callable[[_T], bool]) -> _T | None:
        """Return the first item that fits and make it the newest; None if none does."""
        for index, item in enumerate(self._items):
            if fits(item):
                self._items.insert(0, self._items.pop(index))
                return item
        return None

    def add(self, new: _T) -> None:
        """Add the newest item; evict the least recently used beyond the bounds."""
        self._items.insert(0, new)
        while len(self._items) > self._most or (len(self._items) > 1 and self.weight > self._room):
            self._items.pop()

    def remove(self) -> None:
        """Remove the newest item."""
        del self._items[:1]

    def clear(self) -> None:
        self._items.clear()

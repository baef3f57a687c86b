"""A fixed sequence whose elements are loaded when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

_T = TypeVar("_T")


class LazySequence(Sequence[_T]):
    """A registry of declarations whose modules a process should only import for those that it uses."""

    def __init__(self, loaders: Sequence[Callable[[], _T]]) -> None:
        self._loaders = loaders
        self._loaded: dict[int, _T] = {}

    def __len__(self) -> int:
        return len(self._loaders)

    @overload
    def __getitem__(self, index: int) -> _T: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[_T, ...]: ...

    def __getitem__(self, index: int | slice) -> _T | tuple[_T, ...]:
        if isinstance(index, slice):
            return tuple(self[one] for one in range(*index.indices(len(self))))
        position = range(len(self))[index]
        if position not in self._loaded:
            self._loaded[position] = self._loaders[position]()
        return self._loaded[position]

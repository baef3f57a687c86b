"""The type of parsed JSON values, of objects that become such, and the marker of a missing one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache
from typing import Any, Protocol, TypeAlias, TypeVar, overload, runtime_checkable

Json: TypeAlias = Any
"""A parsed JSON value: None, bool, int, float, str, list or dict of such."""


@runtime_checkable
class MessageObject(Protocol):
    """A message, or a part of one, as the packages of the APIs return it."""

    def model_dump(
        self, *, mode: str, by_alias: bool, exclude_none: bool
    ) -> dict[str, Any]: ...


MAX_COUNT = 1 << 53
"""Largest count of a file that is believed: above it, floats and other parsers of JSON lose
digits."""


class Missing(Enum):
    """The value of a JSON field that is absent, as distinct from null."""

    MISSING = "missing"


MISSING = Missing.MISSING

_T = TypeVar("_T")


class LazySequence(Sequence[_T]):
    """A registry of declarations whose modules a process should only import for those that it
    uses."""

    def __init__(self, loaders: Sequence[Callable[[], _T]]) -> None:
        self._loaders = tuple(map(cache, loaders))

    def __len__(self) -> int:
        return len(self._loaders)

    @overload
    def __getitem__(self, index: int) -> _T: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[_T, ...]: ...

    def __getitem__(self, index: int | slice) -> _T | tuple[_T, ...]:
        if isinstance(index, slice):
            return tuple(load() for load in self._loaders[index])
        return self._loaders[index]()

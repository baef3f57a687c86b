"""Imports modules when a name of theirs is first used: the names of a package, and the declarations
of a registry.

A package that has to start at once names in one module what it needs later: for the type checker
it imports these names, at run time they come from a table by the function that is made here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, TypeVar, overload

_T = TypeVar("_T")


def late_names(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module of ``package``. ``modules`` has for each name the
    module in which it is ("..engine.passes"), and its own name there where that is another
    ("..engine.session:AgentSession"), "*" for the module itself ("sqlite3:*")."""

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"{package} has no name {name!r} that is loaded late.")
        module, _, own = modules[name].partition(":")
        loaded = import_module(module, package)
        if own == "*":
            return loaded
        return getattr(loaded, own or name)

    return load


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

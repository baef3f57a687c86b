"""Remembers what was found in texts: every strategy looks for facts in the same messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar, cast

_P = ParamSpec("_P")
_T = TypeVar("_T")


def cached_by_text(find: Callable[_P, Iterator[_T]]) -> Callable[_P, tuple[_T, ...]]:
    """Keep what a function found in the latest texts."""

    @lru_cache(maxsize=4096)
    @wraps(find)
    def find_once(*args: _P.args, **kwargs: _P.kwargs) -> tuple[_T, ...]:
        return tuple(find(*args, **kwargs))

    return cast("Callable[_P, tuple[_T, ...]]", find_once)

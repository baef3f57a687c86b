"""Declarations of installed packages: entry points that add formats, strategies, exporters, prompts
and settings."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from glob import escape as glob_escape
from glob import glob
from pathlib import Path
from typing import Any, TypeVar, overload

from core.common.errors import Cancelled, FoldlineError, InputError
from core.common.excerpts import one_line_text

_T = TypeVar("_T")
_MAX_ERROR = 300  # characters of a plugin's error


class PluginRegistry(Sequence[_T]):
    """The built-in declarations, then those of plugins, which are looked up when the built-in ones
    end."""

    def __init__(
        self, built_in: Sequence[_T], plugins: Callable[[], Sequence[_T]]
    ) -> None:
        self.built_in, self._plugins = built_in, plugins

    def __len__(self) -> int:
        return len(self.built_in) + len(self._plugins())

    @overload
    def __getitem__(self, index: int) -> _T: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[_T, ...]: ...

    def __getitem__(self, index: int | slice) -> _T | tuple[_T, ...]:
        if isinstance(index, int) and 0 <= index < len(self.built_in):
            return self.built_in[index]
        return (*self.built_in, *self._plugins())[index]


def load_plugins(
    group: str, kind: type[_T], built_in_names: Sequence[str]
) -> tuple[tuple[str, _T], ...]:
    """Return what installed packages declare under an entry point group, each with "package
    version".

    A declaration that cannot be used is left out with one warning.
    """
    if f"[{group}]" not in _declared_entry_points():
        return ()
    # Late: takes longer than reading a small transcript.
    from importlib.metadata import (
        entry_points,
    )

    loaded: dict[str, tuple[str, _T]] = {}
    for entry in sorted(
        entry_points(group=group), key=lambda entry: (_package(entry), entry.name)
    ):
        package = _package(entry)
        declared = None
        try:
            declared = entry.load()
            if isinstance(declared, kind):
                problem = ""
            else:
                problem = f"{entry.value} is no {kind.__name__}"
        except (
            Exception,
            SystemExit,
        ) as error:  # whatever a package of others does when imported
            problem = error_text(error)
        # Of a setting.
        name = getattr(declared, "name", "") or getattr(declared, "key", "")
        if not problem and name in (*built_in_names, *loaded):
            problem = f'the name "{name}" is taken'
        if problem or not isinstance(declared, kind):
            warn(package, f"was left out: {problem}")
        else:
            loaded[name] = package, declared
    return tuple(loaded.values())


@cache
def _declared_entry_points() -> str:
    """Return the declarations of all installed packages as text."""
    texts = []
    for folder in sys.path:
        for path in glob(
            os.path.join(glob_escape(folder), "*-info", "entry_points.txt")
        ):
            with suppress(OSError):
                texts.append(Path(path).read_text("utf-8", "replace"))
    return "\n".join(texts)


def _package(entry: Any) -> str:
    return f"{entry.dist.name} {entry.dist.version}"


def error_text(error: BaseException) -> str:
    return one_line_text(f"{type(error).__name__}: {error}", _MAX_ERROR)


@cache
def warn(package: str, problem: str) -> None:
    """Log what a plugin did wrong, once in a process."""
    logging.getLogger("foldline").warning(
        "The plugin %s %s. %s", package, problem, _way_out(package)
    )


def _way_out(package: str) -> str:
    return f"Update it, or remove it with: pip uninstall {package.split()[0]}"


def guarded(call: Callable[..., _T], package: str) -> Callable[..., _T]:
    """Return a plugin's function whose unexpected errors become an InputError that names the
    package."""
    return partial(_call, call, package)


def _call(call: Callable[..., _T], package: str, *arguments: Any) -> _T:
    try:
        return call(*arguments)
    except (FoldlineError, Cancelled):
        raise
    except Exception as error:
        raise InputError(
            f"The plugin {package} failed: {error_text(error)}.", _way_out(package)
        ) from error

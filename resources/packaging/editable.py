"""Foldline, installed from its repository: foldline.core and foldline.gui are its modules core and
gui."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Finder:
    """Gives a module of the repository under its installed name."""

    @classmethod
    def find_spec(
        cls, name: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        """A name that is not ours is left to others."""
        ours = name.startswith(("foldline.core", "foldline.gui"))
        return ModuleSpec(name, cls) if ours else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Python makes a module that ``exec_module`` replaces."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Import takes what is in sys.modules after this call."""
        sys.modules[module.__name__] = import_module(
            module.__name__.removeprefix("foldline.")
        )


sys.meta_path.insert(
    0, _Finder
)  # first, or the folder of core would be searched under the other name

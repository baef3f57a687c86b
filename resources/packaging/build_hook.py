"""Packs the tree under ``foldline``: there ``from core.x import`` becomes ``from foldline.core.x
import``."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "foldline"
_OURS = re.compile(rb"from\s+(?=(?:core|gui)\b)")
_INIT = (
    '"""Foldline: see where a conversation folds. A script imports foldline.api."""\n'
)
_API = """from typing import TYPE_CHECKING

from foldline.core import api as _api
from foldline.core.api import __all__ as __all__

if TYPE_CHECKING:
    from foldline.core.api import *


def __getattr__(name: str) -> object:
    return getattr(_api, name)
"""
_ADAPTER = """from foldline.core.integrations.hosts.{name} import *
from foldline.core.integrations.hosts.{name} import __all__ as __all__
"""
_NO_ADAPTERS = ("__init__", "history_compactor")
_HERE = Path(__file__).resolve().parent


def renamed(source: bytes) -> bytes:
    """A module's source with its imports from core and gui as they are named once installed."""
    lines = source.splitlines(keepends=True)
    found = (
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)
    )
    for node in sorted(
        found, key=lambda node: node.col_offset, reverse=True
    ):  # two may share a line
        line, start = lines[node.lineno - 1], node.col_offset
        if match := _OURS.match(line, start):
            lines[node.lineno - 1] = (
                line[: match.end()] + f"{PACKAGE}.".encode() + line[match.end() :]
            )
    return b"".join(lines)


class Hook(BuildHookInterface[Any]):
    """What hatchling calls before and after it packs a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Give hatchling the files that differ from those of the repository."""
        self.staged = TemporaryDirectory()
        root, editable = Path(self.root), version == "editable"
        written = {
            f"{PACKAGE}/__init__.py": (_HERE / "editable.py").read_bytes()
            if editable
            else _INIT.encode(),
            f"{PACKAGE}/__main__.py": renamed(
                (root / "gui" / "__main__.py").read_bytes()
            ),
            f"{PACKAGE}/api.py": _API.encode(),
            f"{PACKAGE}/py.typed": b"",
            f"{PACKAGE}/integrations/__init__.py": b"",
        }
        for path in sorted((root / "core" / "integrations" / "hosts").glob("*.py")):
            if path.stem not in _NO_ADAPTERS:
                name = f"{PACKAGE}/integrations/{path.name}"
                written[name] = _ADAPTER.format(name=path.stem).encode()
        if not editable:
            for one in self.build_config.builder.recurse_selected_project_files():
                if one.path.endswith(".py"):
                    written[one.distribution_path] = renamed(
                        Path(one.path).read_bytes()
                    )
        place = build_data["force_include_editable" if editable else "force_include"]
        for number, (name, source) in enumerate(written.items()):
            path = Path(self.staged.name, str(number))
            path.write_bytes(source)
            place[str(path)] = name

    def finalize(
        self, version: str, build_data: dict[str, Any], artifact_path: str
    ) -> None:
        """Remove the files that were written."""
        self.staged.cleanup()

"""Names that sessions of many repositories share, and that a model writes without having read
them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("common_names.txt")


@cache
def common_names() -> frozenset[str]:
    """Return the names of the shipped list, as ``name_key`` gives them.

    ``python -m tests.tools.common_names`` makes the list."""
    lines = _FILE.read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))

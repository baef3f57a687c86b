"""The type of parsed JSON values and the marker of a missing one."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A parsed JSON value: None, bool, int, float, str, list or dict of such."""


class Missing(Enum):
    """The value of a JSON field that is absent, as distinct from null (llxprt.md section 21)."""

    MISSING = "missing"


MISSING = Missing.MISSING

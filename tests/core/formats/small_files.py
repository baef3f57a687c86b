"""One small transcript of every format; a tuple is lines of JSON, anything else one JSON value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from core.common.json_value import Json

_FILES = json.loads(Path(__file__).with_name("recorded").joinpath("files", "small.json").read_text("utf-8"))
SMALL: Mapping[str, Json] = {
    name: tuple(file["lines"]) if "lines" in file else file["value"] for name, file in _FILES.items()
}


def written(value: Json) -> bytes:
    """Return the bytes of a transcript in this shape."""
    return ("\n".join(map(json.dumps, value)) if isinstance(value, tuple) else json.dumps(value)).encode()

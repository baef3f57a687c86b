"""The model table: the one given by the user, else the one shipped with litellm."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import orjson

from core.common.atomic_file import create_parent_folder, write_atomic
from core.common.errors import InputError
from core.common.json_value import Json
from core.common.paths import data_dir
from core.tokens.encodings import litellm_folder

ModelRows = Mapping[str, Mapping[str, Json]]

NO_TABLE_HINT = "Install one: pip install 'foldline-slim[models]'"
SAMPLE_ROW = "sample_spec"  # the row of the table that documents the others
SHIPPED_FILE = (
    "model_prices_and_context_window_backup.json"  # file name of the table in litellm's folder
)
_MODES = frozenset({"chat", "completion", "responses", None})
_TOO_LARGE = 64_000_000  # bytes; the table of 2026 has 3 MB
_PRICES = (
    *("input_cost_per_token", "output_cost_per_token"),
    *("cache_read_input_token_cost", "cache_creation_input_token_cost"),
)
_VARIANTS = ("k_tokens", "_above_1hr")  # ends of the names of further prices that are used


@dataclass(frozen=True, slots=True)
class ModelTableFile:
    """A table on disk; ``is_user_table``: by the user."""

    path: Path
    is_user_table: bool
    modified: datetime
    size: int


def user_table_path() -> Path:
    return data_dir() / "models.json"


def table_file() -> ModelTableFile | None:
    """Return the table of the user, else the shipped one; None where there is none."""
    folder = litellm_folder()
    candidates = ((user_table_path(), True), *(((folder / SHIPPED_FILE, False),) if folder else ()))
    files = [
        table
        for path, is_user_table in candidates
        if (table := _file(path, is_user_table)) is not None
    ]
    return next(iter(files), None)


def _file(path: Path, is_user_table: bool) -> ModelTableFile | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return ModelTableFile(
        path, is_user_table, datetime.fromtimestamp(stat.st_mtime, UTC), stat.st_size
    )


def why_unlisted(model: str) -> str:
    """Return why a model has no row, as the rest of a sentence."""
    if table_file() is None:
        return f"there is no model table. {NO_TABLE_HINT}"
    return f"{model} is not in the model table"


@cache
def table_rows() -> ModelRows:
    """Return the rows of chat models; empty where no table can be read."""
    file = table_file()
    try:
        raw = orjson.loads(file.path.read_bytes()) if file else {}
    except (OSError, ValueError):
        return {}
    return _chat_rows(raw) if isinstance(raw, dict) else {}


def update_table(source: Path) -> int:
    """Store a copy of a table for future prices; return the number of its chat models. Raises
    InputError where it is invalid or cannot be stored."""
    data = _read(source)
    rows = _chat_rows(_checked(data, source))
    if not any("input_cost_per_token" in row for row in rows.values()):
        raise InputError(f"{source} has no model with a price for its tokens.", _SHAPE)
    create_parent_folder(user_table_path())
    write_atomic(user_table_path(), data, overwrite=True, source=source)
    return len(rows)


def reset_table() -> bool:
    """Return to the shipped table; False where there was no other. Raises InputError."""
    try:
        user_table_path().unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InputError(f"{user_table_path()} cannot be removed: {error.strerror}.") from error
    return True


_SHAPE = (
    "It must be a JSON object of models by name, like litellm's "
    "model_prices_and_context_window.json."
)


def _read(source: Path) -> bytes:
    try:
        with source.open("rb") as file:
            data = file.read(_TOO_LARGE + 1)
    except OSError as error:
        cause = (error.strerror or str(error)).lower()
        raise InputError(f"{source} cannot be read: {cause}.", "Check the path.") from error
    if len(data) > _TOO_LARGE:
        raise InputError(
            f"{source} is larger than {_TOO_LARGE // 1_000_000} MB, too large for a table "
            f"of models."
        )
    return data


def _checked(data: bytes, source: Path) -> Mapping[str, Json]:
    try:
        raw = json.loads(data)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{source} is not JSON: {error.msg} in line {error.lineno}.", _SHAPE
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source} is not JSON.", _SHAPE) from error
    if not isinstance(raw, dict) or not raw:
        raise InputError(f"{source} is not a table of models.", _SHAPE)
    for name, row in raw.items():
        if name != SAMPLE_ROW and (fault := _row_fault(row)):
            raise InputError(f"{source}: the row of {name!r} {fault}.", _SHAPE)
    return raw


def _row_fault(row: Json) -> str:
    """Return the fault of a row as the end of a sentence; "" without one."""
    if not isinstance(row, dict):
        return "is not an object"
    for field, value in row.items():
        is_used = field in _PRICES or (field.startswith(_PRICES) and field.endswith(_VARIANTS))
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_price = value is None or (is_number and math.isfinite(value) and value >= 0)
        if is_used and not is_price:
            return f"has {field} that is not a price in dollars per token"
    return ""


def _chat_rows(raw: Mapping[str, Json]) -> ModelRows:
    return {
        name: row
        for name, row in raw.items()
        if name != SAMPLE_ROW and isinstance(row, dict) and row.get("mode") in _MODES
    }

"""The result of one density pass and helpers shared by the passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.common.excerpts import (
    trim,
)
from core.common.json_value import Json
from core.facts.file_accesses import resolve_path
from core.transcript.compaction import FateStep
from core.transcript.model import Block, Message, Text, Thinking, ToolResponse


@dataclass(frozen=True, slots=True)
class DensityPassResult:
    """Removals in order of finding, replacements and steps by index, and the number of pruned
    items."""

    removals: tuple[int, ...]
    replacements: Mapping[int, Message]
    steps: Mapping[int, FateStep]
    count: int


READ_WRITE_RULE = "read-write pruning"

NO_CHANGES = DensityPassResult((), {}, {}, 0)


def is_blank_text(block: Block) -> bool:
    return isinstance(block, Text) and not trim(block.text)


def is_message_content(block: Block) -> bool:
    """Return whether a block can be a message on its own: neither blank text nor thinking."""
    return not is_blank_text(block) and not isinstance(block, Thinking)


def is_response(block: Block) -> bool:
    return isinstance(block, ToolResponse)


def concrete_paths(arguments: Json, root: str) -> tuple[str, ...]:
    """Return the resolved paths of a multi-file read; none where one of them is a pattern."""
    if isinstance(arguments, dict):
        paths = arguments.get("paths")
    else:
        paths = None
    if isinstance(paths, list):
        file_paths = [path for path in paths if isinstance(path, str)]
    else:
        file_paths = []
    if any("*" in path or "?" in path for path in file_paths):
        return ()
    return tuple(resolve_path(path, root) for path in file_paths)


def last_rewrite(
    paths: Sequence[str], index: int, writes: Mapping[str, int]
) -> int | None:
    """Return the last write after a multi-file read; None if any file was not written again."""
    latest = [writes.get(path, -1) for path in paths]
    if latest and min(latest) > index:
        return max(latest)
    return None

"""What one density pass hands on: changed messages, a count, and why each was changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.common.javascript_whitespace import trim
from core.common.json_value import Json
from core.facts.file_accesses import resolve_path
from core.transcript.compaction import FateStep
from core.transcript.model import Block, Message, Text, Thinking, ToolResponse


@dataclass(frozen=True, slots=True)
class DensityPassResult:
    """Removals in order of finding, replacements and steps by index, and how many things went."""

    removals: tuple[int, ...]
    replacements: Mapping[int, Message]
    steps: Mapping[int, FateStep]
    count: int


READ_WRITE_RULE = "read-write pruning"

NOTHING = DensityPassResult((), {}, {}, 0)


def is_blank_text(block: Block) -> bool:
    """True for a text block without visible characters."""
    return isinstance(block, Text) and not trim(block.text)


def is_substance(block: Block) -> bool:
    """True for a block that can stand alone in a message: neither blank text nor thinking."""
    return not is_blank_text(block) and not isinstance(block, Thinking)


def is_response(block: Block) -> bool:
    """True for a tool response."""
    return isinstance(block, ToolResponse)


def concrete_paths(arguments: Json, root: str) -> tuple[str, ...]:
    """The files that a read of several names, resolved; none where one of them is a pattern."""
    paths = arguments.get("paths") if isinstance(arguments, dict) else None
    named = [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []
    if any("*" in path or "?" in path for path in named):
        return ()
    return tuple(resolve_path(path, root) for path in named)


def many_superseded_by(paths: Sequence[str], index: int, writes: Mapping[str, int]) -> int | None:
    """The last of the writes after a read of several files; None where one was not written again."""
    found = [writes.get(path, -1) for path in paths]
    return max(found) if found and min(found) > index else None

"""Recency pruning: only the newest results of each tool keep their payload (REQ-HD-007)."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.strategies.density.pass_result import NO_CHANGES, DensityPassResult
from core.transcript.compaction import FateKind, FateStep
from core.transcript.images import media_data, media_tokens
from core.transcript.model import (
    Message,
    Speaker,
    ToolResponse,
    with_blocks,
    with_result,
)
from core.transcript.tool_pairs import is_failed_result

RULE = "recency pruning"
POINTER = "[Result pruned — re-run tool to retrieve]"  # REQ-HD-007.2
_CHARACTERS_PER_TOKEN = 4  # per token, approximately


def prune_older_results(
    messages: Sequence[Message],
    retention: float,
    view: Mapping[int, Message],
    removed: frozenset[int],
    *,
    only_shorter: bool,
) -> DensityPassResult:
    """Replace the payload of results beyond the newest ``retention`` of their tool by a pointer.
    ``view`` holds messages replaced by earlier passes. A retention below 1 counts as 1
    (REQ-HD-013.6), NaN prunes nothing. With ``only_shorter`` (safe mode) a result no longer than
    the pointer is counted but stays, and a failed one gets the pointer as its error: later readers
    must not take it for a success."""
    # NaN compares with nothing, so every result would go.
    if math.isnan(retention):
        return NO_CHANGES
    keep = max(1.0, retention)
    seen: dict[str, int] = defaultdict(int)
    replacements: dict[int, Message] = {}
    steps: dict[int, FateStep] = {}
    count = 0
    for index in range(len(messages) - 1, -1, -1):
        message = view.get(index, messages[index])
        if index in removed or message.speaker is not Speaker.TOOL:
            continue
        block_indices = _prunable_blocks(message, seen, keep, only_shorter=only_shorter)
        if block_indices:
            replacements[index] = _with_pointers(
                message, block_indices, safe=only_shorter
            )
            steps[index] = _step(message, block_indices, keep)
            count += len(block_indices)
    if replacements:
        return DensityPassResult((), replacements, steps, count)
    return NO_CHANGES


def _prunable_blocks(
    message: Message, seen: dict[str, int], keep: float, *, only_shorter: bool
) -> frozenset[int]:
    block_indices: set[int] = set()
    for block_index in range(len(message.blocks) - 1, -1, -1):
        block = message.blocks[block_index]
        if not isinstance(block, ToolResponse) or block.result == POINTER:
            continue
        seen[block.name] += 1
        if seen[block.name] > keep and not (only_shorter and _is_short(block)):
            block_indices.add(block_index)
    return frozenset(block_indices)


def _is_short(block: ToolResponse) -> bool:
    """Return whether the pointer saves little; the length is doubled, as the pointer costs many
    tokens."""
    result = block.result
    if result is None or result is MISSING:
        return True
    parts = list(map(_without_data, result)) if isinstance(result, list) else result
    text = parts if isinstance(parts, str) else json.dumps(parts, default=str)
    return len(text) <= 2 * len(POINTER)


def _without_data(part: Json) -> Json:
    """Return a result part with image data replaced by as much text as the image costs."""
    data = media_data(part)
    if data is None:
        return part
    return " " * (_CHARACTERS_PER_TOKEN * media_tokens(data))


def _with_pointers(
    message: Message, block_indices: frozenset[int], *, safe: bool
) -> Message:
    blocks = tuple(
        _pointer(block, safe)
        if block_index in block_indices and isinstance(block, ToolResponse)
        else block
        for block_index, block in enumerate(message.blocks)
    )
    return with_blocks(message, blocks)


def _pointer(block: ToolResponse, safe: bool) -> ToolResponse:
    pointer = with_result(block, POINTER)
    if safe and is_failed_result(block) and not is_failed_result(pointer):
        return replace(pointer, error=POINTER)
    return pointer


def _step(message: Message, block_indices: frozenset[int], keep: float) -> FateStep:
    names = dict.fromkeys(
        getattr(message.blocks[block_index], "name", "")
        for block_index in sorted(block_indices)
    )
    if keep < 2:
        newest = "newest result"
    else:
        newest = f"{int(keep)} newest results"
    reason = f"Beyond the {newest} of {', '.join(names) or 'its tool'}: the payload became a pointer."
    return FateStep(RULE, FateKind.EDITED, reason)

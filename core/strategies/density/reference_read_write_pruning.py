"""Read-write pruning exactly as in the reference, faults included (llxprt.md section 8.3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.facts.file_accesses import path_argument, resolve_path
from core.strategies.density.pass_result import (
    READ_WRITE_RULE,
    DensityPassResult,
    concrete_paths,
    is_blank_text,
    is_response,
    last_rewrite,
)
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Message, Speaker, ToolCall, ToolResponse
from core.transcript.tool_kinds import READ_MANY_FILES, REFERENCE_READS, REFERENCE_WRITES


def prune_reference_reads(messages: Sequence[Message], root: str) -> DensityPassResult:
    """Remove reads followed by any later write of the same file; joined by id alone."""
    writes = _latest_writes(messages, root)
    by_message: dict[int, set[str]] = defaultdict(set)
    newer: dict[str, int] = {}
    for index, call in _calls(messages):
        write = _superseded_by(call, index, writes, root) if call.name in REFERENCE_READS else None
        if write is not None:
            by_message[index].add(call.id)
            newer[call.id] = write
    removals: list[int] = []
    replacements: dict[int, Message] = {}
    for index, ids in by_message.items():
        _cut_calls(index, messages[index], ids, removals, replacements)
    count = _cut_responses(messages, set(newer), removals, replacements)
    steps = _steps(messages, removals, replacements, newer)
    return DensityPassResult(tuple(removals), replacements, steps, count)


def _calls(messages: Sequence[Message]) -> list[tuple[int, ToolCall]]:
    return [
        (index, block)
        for index, message in enumerate(messages)
        if message.speaker is Speaker.AI
        for block in message.blocks
        if isinstance(block, ToolCall)
    ]


def _latest_writes(messages: Sequence[Message], root: str) -> Mapping[str, int]:
    latest: dict[str, int] = {}
    for index, call in _calls(messages):
        path = path_argument(call.arguments)
        if call.name in REFERENCE_WRITES and path is not None:
            latest[resolve_path(path, root)] = index
    return latest


def _superseded_by(call: ToolCall, index: int, writes: Mapping[str, int], root: str) -> int | None:
    """Return the index of the write that makes a read stale, None if there is none (REQ-HD-005.1, .9)."""
    if call.name == READ_MANY_FILES:
        return last_rewrite(concrete_paths(call.arguments, root), index, writes)
    path = path_argument(call.arguments)
    write = -1 if path is None else writes.get(resolve_path(path, root), -1)
    return write if write > index else None


def _cut_calls(
    index: int, message: Message, ids: set[str], removals: list[int], replacements: dict[int, Message]
) -> None:
    rest = tuple(b for b in message.blocks if not (isinstance(b, ToolCall) and b.id in ids))
    calls = sum(isinstance(block, ToolCall) for block in message.blocks)
    if len(ids) == calls and all(is_blank_text(block) for block in rest):
        removals.append(index)
    else:
        replacements[index] = replace(message, blocks=rest)


def _cut_responses(
    messages: Sequence[Message], stale: set[str], removals: list[int], replacements: dict[int, Message]
) -> int:
    count = 0
    for index, message in enumerate(messages):
        if message.speaker is not Speaker.TOOL:
            continue
        rest = tuple(b for b in message.blocks if not (isinstance(b, ToolResponse) and b.call_id in stale))
        removed = len(message.blocks) - len(rest)
        if not removed:
            continue
        count += removed
        if not rest or (all(map(is_response, message.blocks)) and not any(map(is_response, rest))):
            removals.append(index)
        else:
            replacements[index] = replace(message, blocks=rest)
    return count


def _steps(
    messages: Sequence[Message],
    removals: Sequence[int],
    replacements: Mapping[int, Message],
    newer: Mapping[str, int],
) -> Mapping[int, FateStep]:
    steps: dict[int, FateStep] = {}
    for index in (*removals, *replacements):
        ids = [b.id if isinstance(b, ToolCall) else getattr(b, "call_id", "") for b in messages[index].blocks]
        write = max((newer[id_] for id_ in ids if id_ in newer), default=-1)
        kind = FateKind.EDITED if index in replacements else FateKind.PRUNED
        reason = f"The file is written later, in #{write + 1}; the reference asks no more than that."
        steps[index] = FateStep(READ_WRITE_RULE, kind, reason, (write,) if write >= 0 else ())
    return steps

"""The density step: runs three passes in order, merges their results, and applies them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from core.common.errors import StrategyError
from core.settings.schema import Mode
from core.strategies.base import DensityConfig, DensityResult
from core.strategies.density import (
    file_dedupe,
    read_write_pruning,
    recency_pruning,
    reference_read_write_pruning,
)
from core.strategies.density.pass_result import NO_CHANGES, DensityPassResult
from core.transcript.compaction import DensityCounters, Fate, FateStep
from core.transcript.model import Message


def optimize_history(history: Sequence[Message], config: DensityConfig) -> DensityResult:
    """Return the changes that the density passes make to a raw history. Order as in the reference:
    read-write, dedupe, then recency on their result (llxprt.md section 8.1)."""
    safe = config.mode is Mode.SAFE
    root = config.workspace_root
    reads = NO_CHANGES
    if config.read_write_pruning:
        reads = (read_write_pruning if safe else reference_read_write_pruning).prune(history, root)
    removed = frozenset(reads.removals)
    files = NO_CHANGES
    if config.file_dedupe:
        dedupe = file_dedupe.dedupe_files if safe else file_dedupe.dedupe_reference
        files = dedupe(history, root, removed)
    view = {**reads.replacements, **files.replacements}
    results = NO_CHANGES
    if config.recency_pruning:
        results = recency_pruning.prune(history, config.recency_retention, view, removed, only_shorter=safe)
    return merge_passes(reads, files, results)


def merge_passes(
    reads: DensityPassResult, files: DensityPassResult, results: DensityPassResult
) -> DensityResult:
    counters = DensityCounters(reads.count, files.count, results.count)
    removed = frozenset(reads.removals)
    view = {**reads.replacements, **files.replacements, **results.replacements}
    replacements = {index: new for index, new in view.items() if index not in removed}
    return DensityResult(reads.removals, replacements, counters, _fates((reads, files, results)))


def _fates(passes: Sequence[DensityPassResult]) -> dict[int, Fate]:
    steps: dict[int, list[FateStep]] = {}
    for result in passes:
        for index, step in result.steps.items():
            steps.setdefault(index, []).append(step)
    return {index: Fate(tuple(steps_of_message)) for index, steps_of_message in steps.items()}


def apply_density(history: Sequence[Message], result: DensityResult) -> tuple[Message, ...]:
    """Return the history with replacements and removals applied (REQ-HD-003.1 to .3). Raises StrategyError
    before any change: duplicate removals (DENSITY_INVALID_RESULT), an index in both (DENSITY_CONFLICT), an
    index out of range (DENSITY_INDEX_OUT_OF_BOUNDS)."""
    _check(len(history), result)
    messages, is_kept = list(history), bytearray(b"\1") * len(history)
    for index, message in result.replacements.items():
        messages[index] = message
    for index in result.removals:
        is_kept[index] = 0
    return tuple(compress(messages, is_kept))


def _check(length: int, result: DensityResult) -> None:
    removed = set(result.removals)
    if len(removed) != len(result.removals):
        raise StrategyError("The density result removes a message twice.", code="DENSITY_INVALID_RESULT")
    overlap = sorted(removed & result.replacements.keys())
    if overlap:
        text = f"The density result removes and replaces message #{overlap[0] + 1}."
        raise StrategyError(text, code="DENSITY_CONFLICT")
    for index in (*result.removals, *result.replacements):
        if not 0 <= index < length:
            text = f"The density result names message #{index + 1} of {length}."
            raise StrategyError(text, code="DENSITY_INDEX_OUT_OF_BOUNDS")

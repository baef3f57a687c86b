"""The density step: three passes in order, merged into one result, and that result applied."""

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
from core.strategies.density.pass_result import NOTHING, DensityPassResult
from core.transcript.compaction import DensityCounters, Fate, FateStep
from core.transcript.model import Message


def optimize_history(history: Sequence[Message], config: DensityConfig) -> DensityResult:
    """What the density passes would change in a raw history; synchronous, the input stays.

    Order as in the reference: read-write, dedupe, recency on what they left (llxprt.md section 8.1).
    """
    safe = config.mode is Mode.SAFE
    root = config.workspace_root
    reads = NOTHING
    if config.read_write_pruning:
        reads = (read_write_pruning if safe else reference_read_write_pruning).prune(history, root)
    removed = frozenset(reads.removals)
    files = NOTHING
    if config.file_dedupe:
        dedupe = file_dedupe.dedupe_files if safe else file_dedupe.dedupe_reference
        files = dedupe(history, root, removed)
    view = {**reads.replacements, **files.replacements}
    results = NOTHING
    if config.recency_pruning:
        results = recency_pruning.prune(history, config.recency_retention, view, removed, only_shorter=safe)
    return merge_passes(reads, files, results)


def merge_passes(
    reads: DensityPassResult, files: DensityPassResult, results: DensityPassResult
) -> DensityResult:
    """The three passes as one result; no message is removed and replaced."""
    counters = DensityCounters(reads.count, files.count, results.count)
    removed = frozenset(reads.removals)
    view = {**reads.replacements, **files.replacements, **results.replacements}
    replacements = {index: new for index, new in view.items() if index not in removed}
    return DensityResult(reads.removals, replacements, counters, _fates((reads, files, results)))


def _fates(passes: Sequence[DensityPassResult]) -> dict[int, Fate]:
    steps: dict[int, list[FateStep]] = {}
    for one in passes:
        for index, step in one.steps.items():
            steps.setdefault(index, []).append(step)
    return {index: Fate(tuple(found)) for index, found in steps.items()}


def apply_density(history: Sequence[Message], result: DensityResult) -> tuple[Message, ...]:
    """The history with replacements put in and removals taken out (REQ-HD-003.1 to .3).

    Raises StrategyError before anything is done: duplicate removals (DENSITY_INVALID_RESULT), an
    index in both (DENSITY_CONFLICT), an index out of range (DENSITY_INDEX_OUT_OF_BOUNDS).
    """
    _check(len(history), result)
    left, stays = list(history), bytearray(b"\1") * len(history)
    for index, message in result.replacements.items():
        left[index] = message
    for index in result.removals:
        stays[index] = 0
    return tuple(compress(left, stays))


def _check(length: int, result: DensityResult) -> None:
    gone = set(result.removals)
    if len(gone) != len(result.removals):
        raise StrategyError("The density result removes a message twice.", code="DENSITY_INVALID_RESULT")
    both = sorted(gone & result.replacements.keys())
    if both:
        text = f"The density result removes and replaces message #{both[0] + 1}."
        raise StrategyError(text, code="DENSITY_CONFLICT")
    for index in (*result.removals, *result.replacements):
        if not 0 <= index < length:
            text = f"The density result names message #{index + 1} of {length}."
            raise StrategyError(text, code="DENSITY_INDEX_OUT_OF_BOUNDS")

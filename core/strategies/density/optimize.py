"""The density step: runs three passes in order, merges their results, and applies them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress

from core.common.errors import StrategyError
from core.settings.schema import Mode
from core.strategies.base import DensityResult, DensitySettings
from core.strategies.density.file_dedupe import FileInclusions
from core.strategies.density.pass_result import NO_CHANGES, DensityPassResult
from core.strategies.density.read_write_pruning import (
    FileUses,
    StaleRead,
    find_stale_reads,
    prune_reference_reads,
    without_calls,
)
from core.strategies.density.recency_pruning import prune_older_results
from core.transcript.compaction import DensityCounters, Fate, FateStep
from core.transcript.model import Message


def optimize_history(
    history: Sequence[Message], settings: DensitySettings
) -> DensityResult:
    """Return the changes that the density passes make to a raw history."""
    if settings.mode is Mode.SAFE:
        return IncrementalDensity()(history, settings)
    reads = files = results = NO_CHANGES
    if settings.read_write_pruning:
        reads = prune_reference_reads(history, settings.workspace_root)
    removed = frozenset(reads.removals)
    if settings.file_dedupe:
        inclusions = FileInclusions(settings.workspace_root, safe=False)
        inclusions.add(enumerate(history))
        files = inclusions.dedupe(history, removed)
    if settings.recency_pruning:
        view = {**reads.replacements, **files.replacements}
        results = prune_older_results(
            history, settings.recency_retention, view, removed, only_shorter=False
        )
    return _merge_passes(reads, files, results)


def _merge_passes(*passes: DensityPassResult) -> DensityResult:
    """Merge the results of read-write pruning, file dedupe and recency pruning."""
    reads, *_ = passes
    replacements: dict[int, Message] = {}
    steps: dict[int, list[FateStep]] = {}
    for result in passes:
        replacements |= result.replacements
        for index, step in result.steps.items():
            steps.setdefault(index, []).append(step)
    for index in reads.removals:
        # What a pass removed needs no replacement of another.
        replacements.pop(index, None)
    counters = DensityCounters(*(result.count for result in passes))
    fates = {index: Fate(tuple(found)) for index, found in steps.items()}
    return DensityResult(reads.removals, replacements, counters, fates)


def apply_density(
    history: Sequence[Message], result: DensityResult
) -> tuple[Message, ...]:
    """Return the history with replacements and removals applied (REQ-HD-003.1 to .3). Raises
    StrategyError before any change: duplicate removals (DENSITY_INVALID_RESULT), an index in both
    (DENSITY_CONFLICT), an index out of range (DENSITY_INDEX_OUT_OF_BOUNDS)."""
    removed = set(result.removals)
    count = len(history)
    if len(removed) != len(result.removals):
        raise StrategyError(
            "The density result removes a message twice.", code="DENSITY_INVALID_RESULT"
        )
    if overlap := sorted(removed & result.replacements.keys()):
        text = f"The density result removes and replaces message #{overlap[0] + 1}."
        raise StrategyError(text, code="DENSITY_CONFLICT")
    for index in (*result.removals, *result.replacements):
        if not 0 <= index < count:
            text = f"The density result names message #{index + 1} of {count}."
            raise StrategyError(text, code="DENSITY_INDEX_OUT_OF_BOUNDS")
    messages = list(history)
    # Removing from a list one by one takes quadratic time.
    is_kept = bytearray(b"\1") * count
    for index, message in result.replacements.items():
        messages[index] = message
    for index in result.removals:
        is_kept[index] = 0
    return tuple(compress(messages, is_kept))


Optimize = Callable[[Sequence[Message], DensitySettings], DensityResult]


def incremental_optimize(optimize: Optimize) -> Optimize:
    """Return an equivalent of ``optimize`` for one history, incremental where ``optimize`` is our
    own."""
    return IncrementalDensity() if optimize is optimize_history else optimize


class IncrementalDensity:
    """An incremental ``optimize_history``: continues with the last history and new messages at its
    end, and starts over for any other."""

    def __init__(self) -> None:
        self._root: str | None = None
        self._history: tuple[Message, ...] = ()
        self._stale: list[StaleRead] = []
        self._uses = FileUses("")
        self._inclusions = FileInclusions("")

    def __call__(
        self, history: Sequence[Message], settings: DensitySettings
    ) -> DensityResult:
        if settings.mode is not Mode.SAFE:
            return optimize_history(history, settings)
        self._update(tuple(history), settings.workspace_root)
        reads = files = results = NO_CHANGES
        if settings.read_write_pruning:
            candidates = {
                read.use.place: read.use for read in self._stale
            } | self._uses.reads_to_check
            self._stale = find_stale_reads(candidates.values(), self._uses)
            self._uses.reads_to_check.clear()
            reads = without_calls(history, self._stale)
        removed = frozenset(reads.removals)
        if settings.file_dedupe:
            files = self._inclusions.dedupe(history, removed)
        if settings.recency_pruning:
            view = {**reads.replacements, **files.replacements}
            results = prune_older_results(
                history, settings.recency_retention, view, removed, only_shorter=True
            )
        return _merge_passes(reads, files, results)

    def _update(self, history: tuple[Message, ...], root: str) -> None:
        # Comparing is fast: identical objects are not compared.
        if root != self._root or history[: len(self._history)] != self._history:
            self._history, self._stale = (), []
            self._uses = FileUses(root)
            self._inclusions = FileInclusions(root)
        self._root = None  # after an error below the next call starts over
        new = tuple(enumerate(history[len(self._history) :], len(self._history)))
        self._uses.add(new)
        self._inclusions.add(new)
        self._history, self._root = history, root

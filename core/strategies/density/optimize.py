"""The density step: runs three passes in order, merges their results, and applies them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import compress

from core.common.errors import StrategyError
from core.settings.schema import Mode
from core.strategies.base import DensityConfig, DensityResult
from core.strategies.density.file_dedupe import FileInclusions
from core.strategies.density.pass_result import NO_CHANGES, DensityPassResult
from core.strategies.density.read_write_pruning import (
    CallPlace,
    FileUses,
    StaleRead,
    find_stale_reads,
    without_calls,
)
from core.strategies.density.recency_pruning import prune_older_results
from core.strategies.density.reference_read_write_pruning import prune_reference_reads
from core.transcript.compaction import DensityCounters, Fate, FateStep
from core.transcript.model import Message, Speaker


def optimize_history(history: Sequence[Message], config: DensityConfig) -> DensityResult:
    """Return the changes that the density passes make to a raw history. Order as in the reference:
    read-write, dedupe, then recency on their result (llxprt.md section 8.1)."""
    if config.mode is Mode.SAFE:
        return IncrementalDensity()(history, config)
    reads = files = results = NO_CHANGES
    if config.read_write_pruning:
        reads = prune_reference_reads(history, config.workspace_root)
    removed = frozenset(reads.removals)
    if config.file_dedupe:
        inclusions = FileInclusions(config.workspace_root, safe=False)
        inclusions.add(enumerate(history))
        files = inclusions.dedupe(history, removed, int)
    if config.recency_pruning:
        view = {**reads.replacements, **files.replacements}
        results = prune_older_results(history, config.recency_retention, view, removed, only_shorter=False)
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
        replacements.pop(index, None)
    counters = DensityCounters(*(result.count for result in passes))
    fates = {index: Fate(tuple(found)) for index, found in steps.items()}
    return DensityResult(reads.removals, replacements, counters, fates)


def apply_density(history: Sequence[Message], result: DensityResult) -> tuple[Message, ...]:
    """Return the history with replacements and removals applied (REQ-HD-003.1 to .3). Raises StrategyError
    before any change: duplicate removals (DENSITY_INVALID_RESULT), an index in both (DENSITY_CONFLICT), an
    index out of range (DENSITY_INDEX_OUT_OF_BOUNDS)."""
    removed, count = set(result.removals), len(history)
    if len(removed) != len(result.removals):
        raise StrategyError("The density result removes a message twice.", code="DENSITY_INVALID_RESULT")
    if overlap := sorted(removed & result.replacements.keys()):
        text = f"The density result removes and replaces message #{overlap[0] + 1}."
        raise StrategyError(text, code="DENSITY_CONFLICT")
    for index in (*result.removals, *result.replacements):
        if not 0 <= index < count:
            text = f"The density result names message #{index + 1} of {count}."
            raise StrategyError(text, code="DENSITY_INDEX_OUT_OF_BOUNDS")
    messages, is_kept = list(history), bytearray(b"\1") * count
    for index, message in result.replacements.items():
        messages[index] = message
    for index in result.removals:
        is_kept[index] = 0
    return tuple(compress(messages, is_kept))


Optimize = Callable[[Sequence[Message], DensityConfig], DensityResult]


def incremental_optimize(optimize: Optimize) -> Optimize:
    """Return an equivalent of ``optimize`` for one history, incremental where ``optimize`` is our own."""
    return IncrementalDensity() if optimize is optimize_history else optimize


class IncrementalDensity:
    """An incremental ``optimize_history``. It continues with the last history, or with the history after the
    last result, and new messages at the end. For any other history, and for changes that it cannot track, it
    starts over."""

    def __init__(self) -> None:
        self._root: str | None = None
        self._history: tuple[Message, ...] = ()
        self._result: DensityResult | None = None
        self._stale: list[StaleRead] = []
        self._removed: list[StaleRead] = []  # removed by the last result
        self._numbers: list[int] = []  # of the messages of the history, ascending
        self._next_number = 0
        self._remaining_blocks: dict[int, list[int]] = {}  # original positions, for messages that lost blocks
        self._uses, self._inclusions = FileUses(""), FileInclusions("")

    def __call__(self, history: Sequence[Message], config: DensityConfig) -> DensityResult:
        if config.mode is not Mode.SAFE:
            return optimize_history(history, config)
        self._update(tuple(history), config.workspace_root)
        self._removed = self._stale_reads() if config.read_write_pruning else []
        reads = without_calls(self._history, self._removed, self._current_place)
        removed = frozenset(reads.removals)
        files = results = NO_CHANGES
        if config.file_dedupe:
            files = self._inclusions.dedupe(self._history, removed, self._index)
        if config.recency_pruning:
            view = {**reads.replacements, **files.replacements}
            results = prune_older_results(
                self._history, config.recency_retention, view, removed, only_shorter=True
            )
        self._result = _merge_passes(reads, files, results)
        return self._result

    def _reset(self, root: str) -> None:
        self._root, self._history, self._result = root, (), None
        self._stale, self._removed = [], []
        self._numbers, self._next_number, self._remaining_blocks = [], 0, {}
        self._uses, self._inclusions = FileUses(root), FileInclusions(root)

    def _update(self, history: tuple[Message, ...], root: str) -> None:
        # Comparing is fast: identical objects are not compared.
        grows = history[: len(self._history)] == self._history
        if root != self._root or not (grows or self._continues_result(history)):
            self._reset(root)
        self._root = None  # after an error below the next call starts over
        new = history[len(self._history) :]
        numbered = tuple(enumerate(new, self._next_number))
        self._next_number += len(new)
        self._numbers += [number for number, _ in numbered]
        self._uses.add(numbered)
        self._inclusions.add(numbered)
        self._history, self._root = history, root

    def _continues_result(self, history: tuple[Message, ...]) -> bool:
        """Return whether the history continues the last result; that result is then accepted."""
        result = self._result
        if result is None or result.is_empty:
            return False
        remaining = apply_density(self._history, result)
        if history[: len(remaining)] != remaining or not self._can_accept(result):
            return False
        self._accept(result)
        self._history, self._result = remaining, None
        return True

    def _can_accept(self, result: DensityResult) -> bool:
        """Return False where the remaining history would be interpreted differently than before."""
        if result.counters.recency_pruned or not self._uses.can_remove(read.use for read in self._removed):
            return False
        changed_indices = {self._current_place(place)[0] for place in _removed_places(self._removed)}
        return not any(self._history[index].speaker is Speaker.HUMAN for index in changed_indices)

    def _accept(self, result: DensityResult) -> None:
        """Remove from the index what the last result removed."""
        for number, blocks in self._find_remaining_blocks().items():
            self._remaining_blocks[number] = blocks
        for index in result.replacements:
            if self._history[index].speaker is Speaker.HUMAN:
                number = self._numbers[index]
                self._inclusions.remove(number)
                self._inclusions.add(((number, result.replacements[index]),))
        self._uses.remove(read.use for read in self._removed)
        removed_places = {read.use.place for read in self._removed}
        self._stale = [read for read in self._stale if read.use.place not in removed_places]
        self._removed = []
        removed = frozenset(result.removals)
        self._numbers = [number for index, number in enumerate(self._numbers) if index not in removed]

    def _find_remaining_blocks(self) -> Mapping[int, list[int]]:
        """Return the original positions of the remaining blocks, for messages that lose some."""
        positions_by_number: dict[int, list[int]] = {}
        for number, block in _removed_places(self._removed):
            if number not in positions_by_number:
                count = len(self._history[self._index(number)].blocks)
                positions_by_number[number] = list(self._remaining_blocks.get(number, range(count)))
            positions_by_number[number].remove(block)
        return positions_by_number

    def _stale_reads(self) -> list[StaleRead]:
        uses = self._uses
        candidates = {read.use.place: read.use for read in self._stale} | uses.reads_to_check
        self._stale = find_stale_reads(candidates.values(), uses)
        uses.reads_to_check.clear()
        return self._stale

    def _index(self, number: int) -> int:
        return bisect_left(self._numbers, number)

    def _current_place(self, place: CallPlace) -> CallPlace:
        number, block = place
        remaining = self._remaining_blocks.get(number)
        return self._index(number), block if remaining is None else bisect_left(remaining, block)


def _removed_places(stale: Sequence[StaleRead]) -> list[CallPlace]:
    return [
        place
        for read in stale
        for place in (read.use.place, *(answer_place for _, answer_place in read.use.answers))
    ]

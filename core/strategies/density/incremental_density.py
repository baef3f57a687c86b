"""The density step with a cache for one history that grows or runs under other switches. An agent runs the
step on every turn with only a few new messages; a turn costs what is new or changes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from core.settings.schema import Mode
from core.strategies.base import DensityConfig, DensityResult
from core.strategies.density.file_dedupe import FileInclusions
from core.strategies.density.file_uses import CallPlace, FileUses
from core.strategies.density.optimize import apply_density, merge_passes, optimize_history
from core.strategies.density.pass_result import NOTHING
from core.strategies.density.read_write_pruning import StaleRead, stale_among, without_calls
from core.strategies.density.recency_pruning import prune
from core.transcript.model import Message, Speaker

Optimize = Callable[[Sequence[Message], DensityConfig], DensityResult]


def incremental_optimize(given: Optimize) -> Optimize:
    """Return an equivalent of ``given`` for one history, incremental where ``given`` is our own."""
    return IncrementalDensity() if given is optimize_history else given


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
        self._next = 0
        self._remaining_blocks: dict[int, list[int]] = {}  # original positions, for messages that lost blocks
        self._uses, self._inclusions = FileUses(""), FileInclusions("")

    def __call__(self, history: Sequence[Message], config: DensityConfig) -> DensityResult:
        if config.mode is not Mode.SAFE:
            return optimize_history(history, config)
        self._update(tuple(history), config.workspace_root)
        self._removed = self._stale_reads() if config.read_write_pruning else []
        reads = without_calls(self._history, self._removed, self._at_place)
        removed = frozenset(reads.removals)
        files = (
            self._inclusions.dedupe(self._history, removed, self._index) if config.file_dedupe else NOTHING
        )
        results = NOTHING
        if config.recency_pruning:
            view = {**reads.replacements, **files.replacements}
            results = prune(self._history, config.recency_retention, view, removed, only_shorter=True)
        self._result = merge_passes(reads, files, results)
        return self._result

    def _reset(self, root: str) -> None:
        self._root, self._history, self._result = root, (), None
        self._stale, self._removed = [], []
        self._numbers, self._next, self._remaining_blocks = [], 0, {}
        self._uses, self._inclusions = FileUses(root), FileInclusions(root)

    def _update(self, history: tuple[Message, ...], root: str) -> None:
        if root != self._root or not (
            self._starts_with(history, self._history) or self._continues_result(history)
        ):
            self._reset(root)
        self._root = None  # after an error below the next call starts over
        new = history[len(self._history) :]
        numbered = tuple(enumerate(new, self._next))
        self._next += len(new)
        self._numbers += [number for number, _ in numbered]
        self._uses.add(numbered)
        self._inclusions.add(numbered)
        self._history, self._root = history, root

    @staticmethod
    def _starts_with(history: tuple[Message, ...], known: tuple[Message, ...]) -> bool:
        return history[: len(known)] == known  # fast: identical objects are not compared

    def _continues_result(self, history: tuple[Message, ...]) -> bool:
        """Return whether the history continues the last result; that result is then accepted."""
        result = self._result
        if result is None or result.is_empty:
            return False
        remaining = apply_density(self._history, result)
        if not self._starts_with(history, remaining) or not self._can_accept(result):
            return False
        self._accept(result)
        self._history, self._result = remaining, None
        return True

    def _can_accept(self, result: DensityResult) -> bool:
        """Return False where the remaining history would be interpreted differently than before."""
        if result.counters.recency_pruned or not self._uses.can_forget(one.use for one in self._removed):
            return False
        reads = {self._at_place(place)[0] for place in _removed_places(self._removed)}
        return not any(self._history[index].speaker is Speaker.HUMAN for index in reads)

    def _accept(self, result: DensityResult) -> None:
        """Remove from the index what the last result removed."""
        for number, blocks in self._blocks_left().items():
            self._remaining_blocks[number] = blocks
        for index in result.replacements:
            if self._history[index].speaker is Speaker.HUMAN:
                number = self._numbers[index]
                self._inclusions.forget(number)
                self._inclusions.add(((number, result.replacements[index]),))
        self._uses.forget(one.use for one in self._removed)
        gone = {one.use.place for one in self._removed}
        self._stale = [one for one in self._stale if one.use.place not in gone]
        self._removed = []
        removed = frozenset(result.removals)
        self._numbers = [number for index, number in enumerate(self._numbers) if index not in removed]

    def _blocks_left(self) -> Mapping[int, list[int]]:
        """Return the original positions of the remaining blocks, for messages that lose some."""
        left: dict[int, list[int]] = {}
        for number, block in _removed_places(self._removed):
            if number not in left:
                count = len(self._history[self._index(number)].blocks)
                left[number] = list(self._remaining_blocks.get(number, range(count)))
            left[number].remove(block)
        return left

    def _stale_reads(self) -> list[StaleRead]:
        uses = self._uses
        doubtful = {one.use.place: one.use for one in self._stale} | uses.doubtful
        self._stale = stale_among(doubtful.values(), uses)
        uses.doubtful.clear()
        return self._stale

    def _index(self, number: int) -> int:
        return bisect_left(self._numbers, number)

    def _at_place(self, place: CallPlace) -> CallPlace:
        number, block = place
        left = self._remaining_blocks.get(number)
        return self._index(number), block if left is None else bisect_left(left, block)


def _removed_places(stale: Sequence[StaleRead]) -> list[CallPlace]:
    """Return the places of the calls and responses removed with these reads."""
    return [place for one in stale for place in (one.use.place, *(at for _, at in one.use.answers))]

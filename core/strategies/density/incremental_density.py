"""The density step for one history that is looked at again and again: as it grows, or under other switches.

An agent runs the step on every turn, and only a few messages are new each time. What the passes know of
the others is kept, so that a turn costs what is new and what changes, not the whole history.
"""

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
    """A density step that gives the same results as ``given``; ours with a memory for one history."""
    return IncrementalDensity() if given is optimize_history else given


class IncrementalDensity:
    """``optimize_history``, called again: with the history that it was given last, or what its last result
    made of that, and with messages added. Any other history begins anew, and so does what cannot be
    followed."""

    def __init__(self) -> None:
        self._root: str | None = None
        self._known: tuple[Message, ...] = ()
        self._made: DensityResult | None = None
        self._stale: list[StaleRead] = []
        self._going: list[StaleRead] = []  # those that the last result takes away
        self._numbers: list[int] = []  # of the messages of the history, ascending
        self._next = 0
        self._left: dict[int, list[int]] = {}  # blocks of messages that lost some, by their first places
        self._uses, self._inclusions = FileUses(""), FileInclusions("")

    def __call__(self, history: Sequence[Message], config: DensityConfig) -> DensityResult:
        """What the density passes would change; the same as ``optimize_history`` says."""
        if config.mode is not Mode.SAFE:
            return optimize_history(history, config)
        self._follow(tuple(history), config.workspace_root)
        self._going = self._look_again() if config.read_write_pruning else []
        reads = without_calls(self._known, self._going, self._at_place)
        removed = frozenset(reads.removals)
        files = self._inclusions.dedupe(self._known, removed, self._at) if config.file_dedupe else NOTHING
        results = NOTHING
        if config.recency_pruning:
            view = {**reads.replacements, **files.replacements}
            results = prune(self._known, config.recency_retention, view, removed, only_shorter=True)
        self._made = merge_passes(reads, files, results)
        return self._made

    def _begin(self, root: str) -> None:
        self._root, self._known, self._made = root, (), None
        self._stale, self._going = [], []
        self._numbers, self._next, self._left = [], 0, {}
        self._uses, self._inclusions = FileUses(root), FileInclusions(root)

    def _follow(self, history: tuple[Message, ...], root: str) -> None:
        if root != self._root or not (self._begins(history, self._known) or self._took_over(history)):
            self._begin(root)
        self._root = None  # an error in what follows would leave half of it: the next call begins anew
        new = history[len(self._known) :]
        numbered = tuple(enumerate(new, self._next))
        self._next += len(new)
        self._numbers += [number for number, _ in numbered]
        self._uses.add(numbered)
        self._inclusions.add(numbered)
        self._known, self._root = history, root

    @staticmethod
    def _begins(history: tuple[Message, ...], known: tuple[Message, ...]) -> bool:
        return history[: len(known)] == known  # messages that are the same object are not compared

    def _took_over(self, history: tuple[Message, ...]) -> bool:
        """True where the history is what the last result made; it is then known as that."""
        made = self._made
        if made is None or made.is_empty:
            return False
        left = apply_density(self._known, made)
        if not self._begins(history, left) or not self._can_take(made):
            return False
        self._take(made)
        self._known, self._made = left, None
        return True

    def _can_take(self, made: DensityResult) -> bool:
        """False where what is left of the history would be understood in another way than before."""
        if made.counters.recency_pruned or not self._uses.can_forget(one.use for one in self._going):
            return False
        reads = {self._at_place(place)[0] for place in _gone(self._going)}
        return not any(self._known[index].speaker is Speaker.HUMAN for index in reads)

    def _take(self, made: DensityResult) -> None:
        """Forget what the last result took away."""
        for number, blocks in self._kept_blocks().items():
            self._left[number] = blocks
        for index in made.replacements:
            if self._known[index].speaker is Speaker.HUMAN:
                number = self._numbers[index]
                self._inclusions.forget(number)
                self._inclusions.add(((number, made.replacements[index]),))
        self._uses.forget(one.use for one in self._going)
        gone = {one.use.place for one in self._going}
        self._stale = [one for one in self._stale if one.use.place not in gone]
        self._going = []
        removed = frozenset(made.removals)
        self._numbers = [number for index, number in enumerate(self._numbers) if index not in removed]

    def _kept_blocks(self) -> Mapping[int, list[int]]:
        """For the messages that lose blocks the first places of those that stay."""
        left: dict[int, list[int]] = {}
        for number, block in _gone(self._going):
            if number not in left:
                count = len(self._known[self._at(number)].blocks)
                left[number] = list(self._left.get(number, range(count)))
            left[number].remove(block)
        return left

    def _look_again(self) -> list[StaleRead]:
        """The stale reads: among those that were before, and those that may be since."""
        uses = self._uses
        doubtful = {one.use.place: one.use for one in self._stale} | uses.doubtful
        self._stale = stale_among(doubtful.values(), uses)
        uses.doubtful.clear()
        return self._stale

    def _at(self, number: int) -> int:
        return bisect_left(self._numbers, number)

    def _at_place(self, place: CallPlace) -> CallPlace:
        number, block = place
        left = self._left.get(number)
        return self._at(number), block if left is None else bisect_left(left, block)


def _gone(stale: Sequence[StaleRead]) -> list[CallPlace]:
    """The places of calls and responses that go with these reads."""
    return [place for one in stale for place in (one.use.place, *(at for _, at in one.use.answers))]

"""The tree of a session in which each record names the one that it follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import first_words
from core.transcript.model import ConversationBranch, LostParent


@dataclass(slots=True)
class RecordTree:
    """Records by id; those of one id are one record, whose parent the first of them names."""

    parents: dict[str, str] = field(default_factory=dict)
    last_lines: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    """Records whose parent is not in the file, with their lines; they follow the one before."""

    def add(self, id: str, parent: str, line: int) -> None:
        self.parents.setdefault(id, parent)
        self.last_lines[id] = line

    def chains(self) -> list[set[str]]:
        """Return the ids of each branch, from a record that none follows to the root, the last one
        first."""
        leaves = self.parents.keys() - {*self.parents.values()}
        return [*map(self._chain, sorted(leaves, key=self.last_lines.__getitem__, reverse=True))]

    def lost_parents(self, chain: set[str]) -> list[LostParent]:
        """Return the records of a chain whose parent is not in the file: who resumes it gets what
        follows the last of these."""
        lost = [id for id in self.lost if id in chain]
        if not lost:
            return []
        order = [id for id in self.parents if id in chain]
        reached = len(order) - order.index(lost[-1])
        found = [LostParent(self.lost[id], reached, len(order)) for id in lost]
        return [one for one in found if reached < one.total]

    def _chain(self, leaf: str) -> set[str]:
        chain: set[str] = set()
        while leaf and leaf not in chain:
            chain.add(leaf)
            leaf = self.parents.get(leaf, "")
        return chain


def listed_branches(
    chains: Sequence[set[str]],
    messages: Sequence[JsonRecord],
    id_of: Callable[[JsonRecord], str],
    text_of: Callable[[JsonRecord], str],
) -> tuple[ConversationBranch, ...]:
    """Describe each branch by its first words that not all branches have; none if there is only
    one."""
    if len(chains) < 2:
        return ()
    shared = set.intersection(*chains)
    branches: list[ConversationBranch] = []
    for number, chain in enumerate(chains, 1):
        own = [record for record in messages if id_of(record) in chain]
        later = [record for record in own if id_of(record) not in shared] or own
        title = first_words(next(filter(None, map(text_of, later)), ""))
        branches.append(ConversationBranch(number, title, len(own), later[0].line if later else 0))
    return tuple(branches)

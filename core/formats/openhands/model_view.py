"""The views of an OpenHands model over time, stored once: entries with when they were added and removed.

A session may hold thousands of condensations with long views, so copies would grow with their product.
Reading is linear in the events and in the offsets of summaries.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, overload

from core.transcript.model import Message, Source

VisibleMessage: TypeAlias = int | Message | None
"""A message in the view: its index, a smaller message if some events were removed, None if all were."""
_END = 0


@dataclass(slots=True)
class OpenHandsEntry:
    """An event of the message at ``slot`` (-1: of none), or a summary, in the model's view.

    It was added after ``added_at`` condensations; condensation ``removed_at`` (from 1) removed it, 0 for
    none.
    """

    id: str
    slot: int = -1
    source: Source | None = None
    summary: Message | None = None
    added_at: int = 0
    removed_at: int = 0


@dataclass(slots=True)
class OpenHandsTimeline:
    """All entries in the order of the view: ``next_places`` links all, ``next_in_view`` and
    ``previous_in_view`` those in the view now; place 0 is both ends. ``changed_messages`` has the parts
    of messages from a condensation on, if not whole."""

    entries: list[OpenHandsEntry] = field(default_factory=lambda: [OpenHandsEntry("")])
    next_places: list[int] = field(default_factory=lambda: [_END])
    next_in_view: list[int] = field(default_factory=lambda: [_END])
    previous_in_view: list[int] = field(default_factory=lambda: [_END])
    changed_messages: dict[int, list[tuple[int, VisibleMessage]]] = field(default_factory=dict)
    _by_id: dict[str, list[int]] = field(default_factory=dict)
    _summaries: list[int] = field(default_factory=list)

    def append(self, entry: OpenHandsEntry) -> None:
        self._insert_after(entry, self.previous_in_view[_END])

    def insert(self, entry: OpenHandsEntry, offset: int) -> None:
        """Insert an entry after the first ``offset`` entries of the view."""
        place = _END
        for _ in range(offset):
            if self.next_in_view[place] == _END:
                break
            place = self.next_in_view[place]
        self._insert_after(entry, place)

    def _insert_after(self, entry: OpenHandsEntry, previous: int) -> None:
        """Insert an entry right after another, before all removed ones."""
        place = len(self.entries)
        self.entries.append(entry)
        self.next_places.append(self.next_places[previous])
        self.next_places[previous] = place
        self.next_in_view.append(self.next_in_view[previous])
        self.previous_in_view.append(previous)
        self.previous_in_view[self.next_in_view[previous]] = place
        self.next_in_view[previous] = place
        self._by_id.setdefault(entry.id, []).append(place)
        if entry.summary is not None:
            self._summaries.append(place)

    def remove(self, ids: Iterable[str], number: int, *, summaries: bool) -> list[OpenHandsEntry]:
        """Remove entries by id for condensation ``number``, with ``summaries`` also all summaries."""
        places = [place for id_ in ids for place in self._by_id.pop(id_, ())]
        if summaries:
            places += [place for place in self._summaries if not self.entries[place].removed_at]
            self._summaries.clear()
        removed: list[OpenHandsEntry] = []
        for place in places:
            entry = self.entries[place]
            if entry.removed_at:
                continue
            entry.removed_at = number
            (
                self.next_in_view[self.previous_in_view[place]],
                self.previous_in_view[self.next_in_view[place]],
            ) = self.next_in_view[place], self.previous_in_view[place]
            removed.append(entry)
        return removed

    def view(self) -> Iterator[OpenHandsEntry]:
        place = self.next_in_view[_END]
        while place != _END:
            yield self.entries[place]
            place = self.next_in_view[place]

    def view_after(self, number: int) -> Iterator[int | Message]:
        """Yield the view right after condensation ``number`` (from 1), as messages."""
        seen_slots: set[int] = set()
        place = self.next_places[_END]
        while place != _END:
            entry = self.entries[place]
            place = self.next_places[place]
            if entry.added_at >= number or 0 < entry.removed_at <= number:
                continue
            if entry.summary is not None:
                yield entry.summary
            elif entry.slot >= 0 and entry.slot not in seen_slots:
                seen_slots.add(entry.slot)
                visible = self.message_after(entry.slot, number)
                if visible is not None:
                    yield visible

    def message_after(self, slot: int, number: int) -> VisibleMessage:
        """Return what represented a message right after a condensation."""
        changes = self.changed_messages.get(slot, ())
        index = bisect_right(changes, number, key=lambda change: change[0])
        return changes[index - 1][1] if index else slot


class CondensedView(Sequence[int | Message]):
    """The view right after one condensation: computed on access, equal to a tuple of its entries."""

    __slots__ = ("_length", "_number", "_timeline")

    def __init__(self, timeline: OpenHandsTimeline, number: int, length: int) -> None:
        self._timeline, self._number, self._length = timeline, number, length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int | Message]:
        return self._timeline.view_after(self._number)

    @overload
    def __getitem__(self, index: int) -> int | Message: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int | Message, ...]: ...
    def __getitem__(self, index: int | slice) -> int | Message | tuple[int | Message, ...]:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((self._number, self._length))

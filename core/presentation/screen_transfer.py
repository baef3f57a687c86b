"""Sends the per-message columns of a screen to the window only once."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from core.presentation.bounded_cache import RecentCache
from core.presentation.model import MessageRows, RowsReadEvent, Screen
from core.presentation.packed_texts import PackedTexts

NO_ROWS = MessageRows(b"", b"", b"", b"", array("q"), PackedTexts(), PackedTexts())


def joined_rows(parts: Sequence[MessageRows]) -> MessageRows:
    tokens = array("q")
    for one in parts:
        tokens.extend(one.tokens)
    return MessageRows(
        b"".join(one.speakers for one in parts),
        b"".join(one.kinds for one in parts),
        b"".join(one.errors for one in parts),
        b"".join(one.mono for one in parts),
        tokens,
        PackedTexts.joined(one.lead for one in parts),
        PackedTexts.joined(one.text for one in parts),
    )


_PARTS = ("after", "fates", "after_fates", "origin", "partners", "runs", "handles", "valid")
"""Per-message fields of a screen."""
_MOST, _ROOM = 4 * len(_PARTS), 48_000_000
"""Cached parts and their bytes: enough for four results of 100,000 messages."""
_BYTES = {"after": 100, "partners": 200, "runs": 250}
"""Approximate bytes per entry; other parts are columns of numbers."""
_NUMBER = 8


@dataclass(frozen=True, slots=True)
class _SentPart:
    """A part that was sent, with its number."""

    number: int
    name: str
    value: Any
    weight: int


def _weight(name: str, part: Any) -> int:
    """Estimate the bytes of a part, equally at both ends."""
    if name == "handles":
        return sum(3 * _NUMBER * len(handle.stops) for handle in part)
    return len(part) * _BYTES.get(name, _NUMBER)


@dataclass(frozen=True, slots=True)
class _RepeatedPart:
    """A reference to a part that was sent before."""

    number: int


class SentParts:
    """The parts sent so far; one instance at each end processes every event in order. Both ends cache the
    same parts, so that a repeated result is the same objects in the window, without packing or comparing."""

    def __init__(self) -> None:
        self._parts: list[MessageRows] = []
        self._cache = RecentCache(_MOST, _ROOM, attrgetter("weight"))
        self._count = 0

    def packed(self, event: Any) -> Any:
        """Return the event with known parts replaced by references."""
        if isinstance(event, RowsReadEvent):
            self._add_rows(event)
        elif isinstance(event, Screen):
            sent = replace(event, **{name: self._pack_part(name, getattr(event, name)) for name in _PARTS})
            if self._rows() == event.before and len(event.before):  # fast: same pieces of text
                return replace(sent, before=NO_ROWS, before_is_known=True)
            self._parts = [event.before]
            return sent
        return event

    def unpacked(self, event: Any) -> Any:
        """Return the event with references resolved."""
        if isinstance(event, RowsReadEvent):
            self._add_rows(event)
        elif isinstance(event, Screen):
            event = replace(event, **{name: self._unpack_part(name, getattr(event, name)) for name in _PARTS})
            if event.before_is_known:
                return replace(event, before=self._rows(), before_is_known=False)
            self._parts = [event.before]
        return event

    def _pack_part(self, name: str, part: Any) -> Any:
        known = self._cache.find(lambda one: one.value is part and one.name == name)
        if known is not None:
            return _RepeatedPart(known.number)
        self._remember(name, part)
        return part

    def _unpack_part(self, name: str, part: Any) -> Any:
        if not isinstance(part, _RepeatedPart):
            self._remember(name, part)
            return part
        known = self._cache.find(lambda one: one.number == part.number)
        assert known is not None  # both caches are equal
        return known.value

    def _remember(self, name: str, part: Any) -> None:
        self._count += 1
        self._cache.add(_SentPart(self._count, name, part, _weight(name, part)))

    def _add_rows(self, part: RowsReadEvent) -> None:
        if part.start == 0:
            self._parts = []
            self._cache.clear()
        self._parts.append(part.rows)

    def _rows(self) -> MessageRows:
        if len(self._parts) != 1:
            self._parts = [joined_rows(self._parts)]
        return self._parts[0]

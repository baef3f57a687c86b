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
    for part in parts:
        tokens.extend(part.tokens)
    return MessageRows(
        b"".join(part.speakers for part in parts),
        b"".join(part.kinds for part in parts),
        b"".join(part.errors for part in parts),
        b"".join(part.mono for part in parts),
        tokens,
        PackedTexts.joined(part.lead for part in parts),
        PackedTexts.joined(part.text for part in parts),
    )


_PARTS = ("after", "fates", "after_fates", "origin", "partners", "runs", "handles", "valid")
"""Per-message fields of a screen."""
_MAX_PARTS, _MAX_BYTES = 4 * len(_PARTS), 48_000_000
"""Cached parts and their bytes: enough for four results of 100,000 messages."""
_ITEM_BYTES = {"after": 100, "partners": 200, "runs": 250}
"""Approximate bytes per entry; other parts are columns of numbers."""
_NUMBER_BYTES = 8


@dataclass(frozen=True, slots=True)
class _SentPart:
    """A part that was sent, with its number."""

    number: int
    name: str
    value: Any
    byte_size: int


def _weight(name: str, part: Any) -> int:
    """Estimate the bytes of a part, equally at both ends."""
    if name == "handles":
        return sum(3 * _NUMBER_BYTES * len(handle.stops) for handle in part)
    return len(part) * _ITEM_BYTES.get(name, _NUMBER_BYTES)


@dataclass(frozen=True, slots=True)
class _RepeatedPart:
    """A reference to a part that was sent before."""

    number: int


class SentParts:
    """The parts sent so far; one instance at each end processes every event in order. Both ends cache the
    same parts, so that a repeated result is the same objects in the window, without packing or comparing."""

    def __init__(self) -> None:
        self._parts: list[MessageRows] = []
        self._cache = RecentCache(_MAX_PARTS, _MAX_BYTES, attrgetter("byte_size"))
        self._count = 0

    def pack(self, event: Any) -> Any:
        """Return the event with known parts replaced by references."""
        if isinstance(event, RowsReadEvent):
            self._add_rows(event)
        elif isinstance(event, Screen):
            packed_event = replace(
                event, **{name: self._pack_part(name, getattr(event, name)) for name in _PARTS}
            )
            if self._rows() == event.before and len(event.before):  # fast: same pieces of text
                return replace(packed_event, before=NO_ROWS, before_is_known=True)
            self._parts = [event.before]
            return packed_event
        return event

    def unpack(self, event: Any) -> Any:
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
        sent_part = self._cache.find(lambda candidate: candidate.value is part and candidate.name == name)
        if sent_part is not None:
            return _RepeatedPart(sent_part.number)
        self._remember(name, part)
        return part

    def _unpack_part(self, name: str, part: Any) -> Any:
        if not isinstance(part, _RepeatedPart):
            self._remember(name, part)
            return part
        sent_part = self._cache.find(lambda candidate: candidate.number == part.number)
        assert sent_part is not None  # both caches are equal
        return sent_part.value

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

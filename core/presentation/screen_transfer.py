"""Sends to the window once what a screen shows of each message: a later one of the same leaves it out."""

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
    """The rows of neighbouring parts as one."""
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
"""The fields of a screen that hold something for each message; those of one result are made once."""
_MOST, _ROOM = 4 * len(_PARTS), 48_000_000
"""Parts that both ends keep, and what they may weigh in bytes: those of four results of 100,000 messages."""
_BYTES = {"after": 100, "partners": 200, "runs": 250}
"""What an entry of a part weighs about; the other parts are columns of numbers."""
_NUMBER = 8


@dataclass(frozen=True, slots=True)
class _SentPart:
    """A part that has crossed the pipe, by its number."""

    number: int
    name: str
    value: Any
    weight: int


def _weight(name: str, part: Any) -> int:
    """Bytes of a part, about; the same at both ends, whatever its texts share with others."""
    if name == "handles":
        return sum(3 * _NUMBER * len(handle.stops) for handle in part)
    return len(part) * _BYTES.get(name, _NUMBER)


@dataclass(frozen=True, slots=True)
class _RepeatedPart:
    """Stands for a part that has crossed the pipe before."""

    number: int


class SentParts:
    """What has crossed the pipe so far; one at each end, told of every event in order.

    Both ends keep the same parts of the last screens, so that a result which is shown again is the same
    objects in the window, and is neither packed nor unpacked nor compared message by message.
    """

    def __init__(self) -> None:
        self._parts: list[MessageRows] = []
        self._kept = RecentCache(_MOST, _ROOM, attrgetter("weight"))
        self._count = 0

    def packed(self, event: Any) -> Any:
        """The event as it is sent."""
        if isinstance(event, RowsReadEvent):
            self._note(event)
        elif isinstance(event, Screen):
            sent = replace(event, **{name: self._sent(name, getattr(event, name)) for name in _PARTS})
            if self._rows() == event.before and len(event.before):  # quick: the texts are the same pieces
                return replace(sent, before=NO_ROWS, before_is_known=True)
            self._parts = [event.before]
            return sent
        return event

    def unpacked(self, event: Any) -> Any:
        """The event as it was before it was packed."""
        if isinstance(event, RowsReadEvent):
            self._note(event)
        elif isinstance(event, Screen):
            event = replace(event, **{name: self._come(name, getattr(event, name)) for name in _PARTS})
            if event.before_is_known:
                return replace(event, before=self._rows(), before_is_known=False)
            self._parts = [event.before]
        return event

    def _sent(self, name: str, part: Any) -> Any:
        known = self._kept.find(lambda one: one.value is part and one.name == name)
        if known is not None:
            return _RepeatedPart(known.number)
        self._keep(name, part)
        return part

    def _come(self, name: str, part: Any) -> Any:
        if not isinstance(part, _RepeatedPart):
            self._keep(name, part)
            return part
        known = self._kept.find(lambda one: one.number == part.number)
        assert known is not None  # both ends keep the same
        return known.value

    def _keep(self, name: str, part: Any) -> None:
        self._count += 1
        self._kept.put(_SentPart(self._count, name, part, _weight(name, part)))

    def _note(self, part: RowsReadEvent) -> None:
        if part.start == 0:
            self._parts = []
            self._kept.clear()
        self._parts.append(part.rows)

    def _rows(self) -> MessageRows:
        if len(self._parts) != 1:
            self._parts = [joined_rows(self._parts)]
        return self._parts[0]

"""Sends the rows of a transcript to the window only once."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

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


class SentRows:
    """The rows that were sent last; one instance at each end processes every event in order."""

    def __init__(self) -> None:
        self._parts: list[MessageRows] = []

    def pack(self, event: Any) -> Any:
        """Return the event without the rows that the other end has."""
        if isinstance(event, RowsReadEvent):
            self._add(event)
        elif isinstance(event, Screen):
            if len(event.before) and self._rows() == event.before:  # fast: same pieces of text
                return replace(event, before=NO_ROWS, before_is_known=True)
            self._parts = [event.before]
        return event

    def unpack(self, event: Any) -> Any:
        """Return the event with its rows."""
        if isinstance(event, RowsReadEvent):
            self._add(event)
        elif isinstance(event, Screen):
            if event.before_is_known:
                return replace(event, before=self._rows(), before_is_known=False)
            self._parts = [event.before]
        return event

    def _add(self, event: RowsReadEvent) -> None:
        if event.start == 0:
            self._parts = []
        self._parts.append(event.rows)

    def _rows(self) -> MessageRows:
        if len(self._parts) != 1:
            self._parts = [joined_rows(self._parts)]
        return self._parts[0]

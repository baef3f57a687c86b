"""Sends the rows of a transcript to the window only once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.presentation.model import NO_ROWS, MessageRows, RowsReadEvent, Screen


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
            self._parts = [MessageRows.joined(self._parts)]
        return self._parts[0]

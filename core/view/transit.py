"""Sends the rows of a history to the window once: a screen that shows the same ones leaves them out."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.view.texts import Texts
from core.view.values import Rows, RowsPart, Screen

NO_ROWS = Rows(b"", b"", b"", b"", array("q"), Texts(), Texts())


def joined(parts: Sequence[Rows]) -> Rows:
    """The rows of neighbouring parts as one."""
    tokens = array("q")
    for one in parts:
        tokens.extend(one.tokens)
    return Rows(
        b"".join(one.speakers for one in parts),
        b"".join(one.kinds for one in parts),
        b"".join(one.errors for one in parts),
        b"".join(one.mono for one in parts),
        tokens,
        Texts.joined(one.lead for one in parts),
        Texts.joined(one.text for one in parts),
    )


class Transit:
    """What has crossed the pipe so far; one at each end, told of every event in order."""

    def __init__(self) -> None:
        self._parts: list[Rows] = []

    def packed(self, event: Any) -> Any:
        """The event as it is sent."""
        if isinstance(event, RowsPart):
            self._note(event)
        elif isinstance(event, Screen):
            if self._rows() == event.before and len(event.before):  # quick: the texts are the same pieces
                return replace(event, before=NO_ROWS, before_is_known=True)
            self._parts = [event.before]
        return event

    def unpacked(self, event: Any) -> Any:
        """The event as it was before it was packed."""
        if isinstance(event, RowsPart):
            self._note(event)
        elif isinstance(event, Screen):
            if event.before_is_known:
                return replace(event, before=self._rows(), before_is_known=False)
            self._parts = [event.before]
        return event

    def _note(self, part: RowsPart) -> None:
        if part.start == 0:
            self._parts = []
        self._parts.append(part.rows)

    def _rows(self) -> Rows:
        if len(self._parts) != 1:
            self._parts = [joined(self._parts)]
        return self._parts[0]

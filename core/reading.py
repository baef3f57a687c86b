"""Reading a transcript step by step: progress, what the window shows first, rows as they are counted."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.conversation import Conversation, Message
from core.counts import count_messages
from core.desk import Event, Open, Reading, Working
from core.errors import Cancelled
from core.formats import load_explained
from core.formats.base import Format
from core.garbage import give_back, set_aside, uncollected
from core.tokens import Counter
from core.view import rows
from core.view.transit import joined
from core.view.values import Rows, RowsPart

CANCEL, STOP_READING, NEWER = "cancel", "stop-reading", "newer"
"""What ``interrupted`` answers; an empty text means go on."""

PART = 5_000
"""Rows of one batch: at most 2 MB, so that receiving it never stalls the window."""

_EVERY = 0.05


@dataclass(slots=True)
class Watch:
    """Reports progress now and then, and stops work that nobody wants any more."""

    emit: Callable[[Event], None]
    interrupted: Callable[[], str]
    stops_for_newer: bool = False
    _last: float = field(default=0.0)

    def reading(self, fraction: float, text: str) -> None:
        """Progress of reading; raises Cancelled."""
        if self._due():
            self.emit(Reading(fraction, text))

    def working(self, fraction: float, text: str) -> None:
        """Progress of anything else; raises Cancelled."""
        if self._due():
            self.emit(Working(text, fraction))

    def stop(self) -> bool:
        """Whether to stop reading here and show what was read; raises Cancelled."""
        return self._asked() == STOP_READING

    def check(self) -> None:
        """Raise Cancelled where the person asked for it or for something newer."""
        self._asked()

    def _due(self) -> bool:
        now = time.monotonic()
        if now - self._last < _EVERY:
            return False
        self._last = now
        self._asked()
        return True

    def _asked(self) -> str:
        reason = self.interrupted()
        if reason == CANCEL or (reason == NEWER and self.stops_for_newer):
            raise Cancelled
        return reason


@dataclass(slots=True)
class _Arrivals:
    """Sends the rows of messages while the rest is read; they are not counted yet."""

    watch: Watch
    generation: int
    sent: int = 0

    def take(self, messages: Sequence[Message]) -> None:
        for start in range(0, len(messages), PART):
            part = rows.rows(messages[start : start + PART])
            self.watch.check()
            self.watch.emit(RowsPart(self.generation, self.sent, part))
            self.sent += len(part)


def read(command: Open, watch: Watch, generation: int) -> tuple[Conversation, Format, str]:
    """The conversation that a command names, its format and why; InputError where it cannot be read.

    Rows are sent on the way where reading takes long; those that are counted replace them.
    """
    with set_aside():
        found = load_explained(
            command.path,
            format=command.format,
            conversation=command.conversation,
            branch=command.branch,
            progress=watch.reading,
            stop=watch.stop,
            seen=_Arrivals(watch, generation).take,
        )
    give_back()  # the records that the messages were made of
    return found


def read_again(command: Open, watch: Watch) -> tuple[Conversation, Format, str]:
    """Like ``read``, without rows on the way: those that are shown stay until all is known."""
    return load_explained(
        command.path,
        format=command.format,
        conversation=command.conversation,
        branch=command.branch,
        progress=watch.working,
    )


def count_rows(conversation: Conversation, counter: Counter, watch: Watch, generation: int) -> Rows:
    """Count all messages and send their rows in batches as they are counted; the whole at the end."""
    parts: list[Rows] = []

    def on_batch(first: int, counts: array[int]) -> None:
        for start in range(0, len(counts), PART):
            some = counts[start : start + PART]
            messages = conversation.messages[first + start : first + start + len(some)]
            parts.append(rows.rows(messages, some, conversation.cwd))
            watch.emit(RowsPart(generation, first + start, parts[-1]))

    with uncollected():
        count_messages(conversation, counter, watch.working, on_batch)
    give_back()  # what counting long texts needed
    return joined(parts)

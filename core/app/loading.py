"""Loads a transcript for the window: reads it, counts it in a thread, and reports rows and progress
while that runs."""

from __future__ import annotations

import re
import time
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from operator import is_

import orjson

from core.app.events import Event, OpenRequest, ReadingProgressEvent, WorkingEvent
from core.common.errors import Cancelled
from core.formats.common.format import Format, ReadRequest
from core.formats.registry import load_with_reason
from core.llm.catalog import choose_model
from core.presentation.lists import row_texts as rows
from core.presentation.model import MessageRows, RowsReadEvent
from core.tokens.counter import TokenCounter, count_messages, counter_for
from core.transcript.model import Conversation, Message
from core.transcript.scopes import opening_scope

CANCEL, STOP_READING, NEWER = "cancel", "stop-reading", "newer"
"""Results of ``interrupted``; an empty text means continue."""

_REPORT_SECONDS = 0.05


@dataclass(slots=True)
class ProgressReporter:
    """Reports progress at intervals, and raises Cancelled for work that is no longer wanted."""

    emit: Callable[[Event], None]
    interrupted: Callable[[], str]
    stops_for_newer: bool = False
    is_stopped: bool = False  # the conversation is incomplete
    _last: float = field(default=0.0)

    def reading(self, fraction: float, text: str) -> None:
        if self._due():
            self.emit(ReadingProgressEvent(fraction, text))

    def working(self, fraction: float, text: str) -> None:
        if self._due():
            self.emit(WorkingEvent(text, fraction))

    def stop(self) -> bool:
        """Return whether to stop reading here and show what was read; raises Cancelled."""
        self.is_stopped = self.is_stopped or self._interruption() == STOP_READING
        return self.is_stopped

    def check(self) -> None:
        """Raise Cancelled where the user cancelled or something newer waits."""
        self._interruption()

    def _due(self) -> bool:
        now = time.monotonic()
        if now - self._last < _REPORT_SECONDS:
            return False
        self._last = now
        self._interruption()
        return True

    def _interruption(self) -> str:
        reason = self.interrupted()
        if reason == CANCEL or (reason == NEWER and self.stops_for_newer):
            raise Cancelled
        return reason


BATCH_SIZE = 5_000
"""Rows per batch: at most 2 MB, so that receiving it never stalls the window."""

_HEAD = 1 << 16  # bytes
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')
_BATCH_SECONDS = 0.1  # seconds between two batches of rows


class StreamingRows:
    """Messages of a file as far as it is read. Their rows are sent to ``show`` with the number of
    the first.

    ``cwd`` is a guess of the session's working folder, by which paths in rows are shortened.
    """

    def __init__(self, show: Callable[[int, MessageRows], None], cwd: str = "") -> None:
        self._show, self._cwd = show, cwd
        self._messages: list[Message] = []
        self._parts: list[MessageRows] = []  # of the first messages
        self._shown = 0
        self._next = 0.0

    def add(self, messages: Sequence[Message]) -> None:
        """Add the messages read since the last call; show them unless rows were shown just now."""
        self._messages.extend(messages)
        if time.monotonic() < self._next:
            return
        for first in range(self._shown, len(self._messages), BATCH_SIZE):
            part = rows.message_rows(
                self._messages[first : first + BATCH_SIZE], None, self._cwd
            )
            self._parts.append(part)
            self._shown += len(part)
            self._show(first, part)
        self._next = time.monotonic() + _BATCH_SECONDS

    def counted_rows(
        self, messages: Sequence[Message], first: int, counts: array[int], cwd: str
    ) -> MessageRows:
        """Return rows of messages of the conversation, from number ``first``; shown texts are
        reused."""
        known = max(0, self._shown - first)
        if cwd != self._cwd or not all(
            map(is_, messages[:known], self._messages[first : self._shown])
        ):
            known = 0
        if not known:
            return rows.message_rows(messages, counts, cwd)
        if len(self._parts) > 1:
            self._parts = [MessageRows.joined(self._parts)]
        shown = self._parts[0].sliced(first, first + len(messages))
        texts = MessageRows.joined(
            (shown, rows.message_rows(messages[known:], None, cwd))
        )
        return rows.with_counts(texts, messages, counts)


def guess_cwd(path: str) -> str:
    """Return the working folder that a file's beginning names first; empty where it names none."""
    try:
        with open(path, "rb") as file:
            found = _CWD.search(file.read(_HEAD))
        if found:
            return str(orjson.loads(found[1]))
        return ""
    except (OSError, ValueError):
        return ""


@dataclass(frozen=True, slots=True)
class CountedConversation:
    """A conversation whose rows were sent; their tokens are counted by ``counter``, that of
    ``model``."""

    conversation: Conversation
    format: Format
    format_reason: str
    model: str
    counter: TokenCounter
    rows: MessageRows


class BackgroundCounting:
    """Counts messages in a thread while the rest of their file is read; ``counter`` then knows
    their tokens.

    Nothing else may use the counter before ``end``.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter
        self._executor = ThreadPoolExecutor(1, "counting")
        self._is_ended = False

    def add(self, messages: Sequence[Message]) -> None:
        self._executor.submit(self._count, messages)

    def end(self) -> None:
        """End counting soon, perhaps before all messages are counted."""
        self._is_ended = True
        self._executor.shutdown(cancel_futures=True)

    def _count(self, messages: Sequence[Message]) -> None:
        for _ in self.counter.count_each(messages, self._check):
            pass

    def _check(self) -> None:
        if self._is_ended:
            raise Cancelled


def load_counted(
    command: OpenRequest, reporter: ProgressReporter, generation: int, model: str = ""
) -> CountedConversation:
    """Read and count what a command names, by ``model``, else by that of the file.

    Uncounted rows are sent where reading takes long; counted ones replace them. Raises InputError
    if the file cannot be read, or lacks the scope that is named.
    """

    def show(first: int, rows: MessageRows) -> None:
        reporter.check()
        reporter.emit(RowsReadEvent(generation, first, rows))

    def on_messages(messages: Sequence[Message]) -> None:
        counting.add(messages)
        streaming.add(messages)

    streaming = StreamingRows(show, guess_cwd(command.path))
    counting = BackgroundCounting(counter_for(model))
    try:
        request = ReadRequest(
            command.conversation,
            command.branch,
            reporter.reading,
            reporter.stop,
            on_messages,
        )
        conversation, reader, why = load_with_reason(
            command.path, request, format=command.format
        )
    finally:
        counting.end()
    opening_scope(conversation, command.scope)
    chosen = choose_model(conversation, model)
    counter = counting.counter.for_method_of(counter_for(chosen))
    rows = _count_rows(conversation, counter, streaming, reporter, generation)
    return CountedConversation(conversation, reader, why, chosen, counter, rows)


def read_again(
    command: OpenRequest, reporter: ProgressReporter
) -> tuple[Conversation, Format, str]:
    """Read a file without rows on the way: those that are shown stay until all is read."""
    request = ReadRequest(command.conversation, command.branch, reporter.working)
    return load_with_reason(command.path, request, format=command.format)


def _count_rows(
    conversation: Conversation,
    counter: TokenCounter,
    streaming: StreamingRows,
    reporter: ProgressReporter,
    generation: int,
) -> MessageRows:
    """Count all messages and send their rows in batches as they are counted; return all of them."""
    parts: list[MessageRows] = []

    def on_batch(first: int, counts: array[int]) -> None:
        for start in range(0, len(counts), BATCH_SIZE):
            batch = counts[start : start + BATCH_SIZE]
            messages = conversation.messages[first + start : first + start + len(batch)]
            parts.append(
                streaming.counted_rows(messages, first + start, batch, conversation.cwd)
            )
            reporter.emit(RowsReadEvent(generation, first + start, parts[-1]))

    count_messages(conversation, counter, reporter.working, on_batch)
    return MessageRows.joined(parts)

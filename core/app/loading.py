"""Reads and counts a transcript step by step: progress, first rows, rows as they are counted."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from core.app.events import OpenRequest
from core.app.progress import ProgressReporter
from core.app.streaming_rows import PART, StreamingRows, guess_cwd
from core.common.errors import Cancelled
from core.formats.common.format import Format, ReadRequest
from core.formats.registry import load_with_reason
from core.llm.catalog import choose_model
from core.presentation.model import MessageRows, RowsReadEvent
from core.tokens.counter import TokenCounter, counter_for
from core.tokens.message_tokens import count_messages
from core.transcript.model import Conversation, Message
from core.transcript.scopes import ALL, check_scope


@dataclass(frozen=True, slots=True)
class CountedConversation:
    """A conversation whose rows were sent; their tokens are counted by ``counter``, that of ``model``."""

    conversation: Conversation
    format: Format
    format_reason: str
    model: str
    counter: TokenCounter
    rows: MessageRows


class BackgroundCounting:
    """Counts messages in a thread while the rest of their file is read; ``counter`` then knows their tokens.

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

    Uncounted rows are sent where reading takes long; counted ones replace them. Raises InputError if the file
    cannot be read, or lacks the scope that is named.
    """

    def show(first: int, part: MessageRows) -> None:
        reporter.check()
        reporter.emit(RowsReadEvent(generation, first, part))

    def on_messages(messages: Sequence[Message]) -> None:
        counting.add(messages)
        streaming.add(messages)

    streaming = StreamingRows(show, guess_cwd(command.path))
    counting = BackgroundCounting(counter_for(model))
    try:
        request = ReadRequest(
            command.conversation, command.branch, reporter.reading, reporter.stop, on_messages
        )
        conversation, reader, why = load_with_reason(command.path, request, format=command.format)
    finally:
        counting.end()
    check_scope(conversation, command.scope or ALL)
    chosen = choose_model(conversation, model)
    counter = counting.counter.for_method_of(counter_for(chosen))
    rows = _count_rows(conversation, counter, streaming, reporter, generation)
    return CountedConversation(conversation, reader, why, chosen, counter, rows)


def read_again(command: OpenRequest, reporter: ProgressReporter) -> tuple[Conversation, Format, str]:
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
        for start in range(0, len(counts), PART):
            batch = counts[start : start + PART]
            messages = conversation.messages[first + start : first + start + len(batch)]
            parts.append(streaming.counted_rows(messages, first + start, batch, conversation.cwd))
            reporter.emit(RowsReadEvent(generation, first + start, parts[-1]))

    count_messages(conversation, counter, reporter.working, on_batch)
    return MessageRows.joined(parts)

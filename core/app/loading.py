"""Reads and counts a transcript step by step: progress, first rows, rows as they are counted."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from core.app.early_counting import BackgroundCounts
from core.app.messages import OpenFileCommand
from core.app.progress import ProgressReporter
from core.app.reopening import ReopenedCounts, reopen_counts
from core.app.streaming_rows import PART, StreamedMessages, StreamingRows, guess_cwd
from core.common.garbage_collection import give_back, paused_collection, set_aside
from core.formats.common.format import Format
from core.formats.registry import load_with_reason
from core.llm.catalog import choose_model
from core.presentation.model import MessageRows, RowsReadEvent
from core.presentation.screen_transfer import joined_rows
from core.tokens.counter import TokenCounter, counter_for
from core.tokens.counting_process import CountingProcess
from core.tokens.message_tokens import count_messages, message_token_counts
from core.transcript.model import Conversation
from core.transcript.scopes import ALL, check_scope


@dataclass(frozen=True, slots=True)
class LoadedConversation:
    """A conversation, its format and the reason for it; the messages that were shown and counted while it
    was read; and the cached counts where the file is large."""

    conversation: Conversation
    format: Format
    format_reason: str
    streamed: StreamedMessages
    reopening: ReopenedCounts | None = None
    is_whole: bool = True  # false where reading was stopped


@dataclass(frozen=True, slots=True)
class CountedConversation:
    """A conversation whose rows were sent; their tokens are counted by ``counter``, that of ``model``.
    ``reopening`` caches them where the file is large and was read to its end."""

    conversation: Conversation
    format: Format
    format_reason: str
    model: str
    counter: TokenCounter
    rows: MessageRows
    reopening: ReopenedCounts | None


def read(
    command: OpenFileCommand,
    watch: ProgressReporter,
    generation: int,
    counting: CountingProcess | None = None,
    model: str = "",
) -> LoadedConversation:
    """Read what a command names; InputError where it cannot be read, or lacks the scope that is named.

    Rows are sent on the way where reading takes long; those that are counted replace them. With ``counting``,
    messages are counted meanwhile, for ``model`` where one is set.
    """

    def show(first: int, part: MessageRows) -> None:
        watch.check()
        watch.emit(RowsReadEvent(generation, first, part))

    counter = counter_for(model, counting)
    cached = reopen_counts(command, counter.method.encoding, counting)
    former = cached.rows if cached is not None else None
    is_ahead = counting is not None and cached is not None and former is None and counter.method.encoding
    ahead = BackgroundCounts(counter, counting) if is_ahead and counting is not None else None
    streaming = StreamingRows(show, guess_cwd(command.path), ahead, former)
    with set_aside():
        conversation, reader, why = load_with_reason(
            command.path,
            format=command.format,
            conversation=command.conversation,
            branch=command.branch,
            progress=watch.reading,
            stop=watch.stop,
            on_messages=streaming.add,
        )
        found = streaming.match(conversation.messages, conversation.cwd)
    del streaming
    give_back()  # the records that the messages were made of
    check_scope(conversation, command.scope or ALL)
    return LoadedConversation(conversation, reader, why, found, cached, not watch.is_stopped)


def count_conversation(
    loaded: LoadedConversation,
    watch: ProgressReporter,
    generation: int,
    counting: CountingProcess | None = None,
    override: str = "",
) -> CountedConversation:
    """Count a conversation that was read, by the model of ``override``, else by that of the file."""
    model = choose_model(loaded.conversation, override)
    counter = counter_for(model, counting)
    rows = count_rows(loaded, counter, watch, generation)
    reopening = loaded.reopening if loaded.is_whole else None
    return CountedConversation(
        loaded.conversation, loaded.format, loaded.format_reason, model, counter, rows, reopening
    )


def read_again(command: OpenFileCommand, watch: ProgressReporter) -> tuple[Conversation, Format, str]:
    """Read like ``read``, without rows on the way: those that are shown stay until all is read."""
    return load_with_reason(
        command.path,
        format=command.format,
        conversation=command.conversation,
        branch=command.branch,
        progress=watch.working,
    )


def count_rows(
    loaded: LoadedConversation, counter: TokenCounter, watch: ProgressReporter, generation: int
) -> MessageRows:
    """Count all messages and send their rows in batches as they are counted; return all of them."""
    conversation, found = loaded.conversation, loaded.streamed
    parts: list[MessageRows] = []

    def on_batch(first: int, counts: array[int]) -> None:
        for start in range(0, len(counts), PART):
            batch = counts[start : start + PART]
            messages = conversation.messages[first + start : first + start + len(batch)]
            parts.append(found.rows(messages, first + start, batch))
            watch.emit(RowsReadEvent(generation, first + start, parts[-1]))

    with paused_collection():
        cached = loaded.reopening
        if cached is None or cached.encoding != counter.method.encoding:
            count_messages(conversation, counter, watch.working, on_batch)
        else:
            counts = cached.counts(conversation, watch.check) or found.counts(counter)
            message_token_counts(conversation.messages, counter, watch.working, on_batch, counts)
            cached.begin_keeping()
    give_back()  # what counting long texts needed
    return joined_rows(parts)

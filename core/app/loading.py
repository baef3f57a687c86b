"""Reading a transcript step by step: progress, what the window shows first, rows as they are counted."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

from core.app.early_counting import BackgroundCounts
from core.app.messages import Event, OpenFileCommand, ReadingProgressEvent, WorkingEvent
from core.app.reopening import ReopenedCounts, reopen_counts
from core.app.streaming_rows import PART, StreamedMessages, StreamingRows, guess_cwd
from core.common.errors import Cancelled
from core.common.garbage_collection import give_back, paused_collection, set_aside
from core.formats.common.format import Format
from core.formats.registry import load_explained
from core.llm.catalog import choose_model
from core.presentation.model import MessageRows, RowsReadEvent
from core.presentation.screen_transfer import joined_rows
from core.tokens.counter import TokenCounter, counter_for
from core.tokens.counting_process import CountingProcess
from core.tokens.message_tokens import count_messages, message_token_counts
from core.transcript.model import Conversation
from core.transcript.scopes import ALL, check_scope

CANCEL, STOP_READING, NEWER = "cancel", "stop-reading", "newer"
"""What ``interrupted`` answers; an empty text means go on."""

_EVERY = 0.05


@dataclass(frozen=True, slots=True)
class LoadedConversation:
    """A conversation, its format and why; what of it was shown and counted while it was read; and what the
    cache folder has of it, where the file is large."""

    conversation: Conversation
    format: Format
    why: str
    found: StreamedMessages
    reopening: ReopenedCounts | None = None
    is_whole: bool = True  # reading was not stopped


@dataclass(frozen=True, slots=True)
class CountedConversation:
    """A conversation that was read, and its rows, which were sent: their tokens are ``counter``'s, that of
    ``model``. ``reopen_counts`` keeps them where the file is large and was read to its end."""

    conversation: Conversation
    format: Format
    why: str
    model: str
    counter: TokenCounter
    rows: MessageRows
    reopening: ReopenedCounts | None


@dataclass(slots=True)
class ProgressReporter:
    """Reports progress now and then, and stops work that nobody wants any more."""

    emit: Callable[[Event], None]
    interrupted: Callable[[], str]
    stops_for_newer: bool = False
    has_stopped: bool = False  # reading was stopped: what was read is not all
    _last: float = field(default=0.0)

    def reading(self, fraction: float, text: str) -> None:
        """Progress of reading; raises Cancelled."""
        if self._due():
            self.emit(ReadingProgressEvent(fraction, text))

    def working(self, fraction: float, text: str) -> None:
        """Progress of anything else; raises Cancelled."""
        if self._due():
            self.emit(WorkingEvent(text, fraction))

    def stop(self) -> bool:
        """Whether to stop reading here and show what was read; raises Cancelled."""
        self.has_stopped = self.has_stopped or self._asked() == STOP_READING
        return self.has_stopped

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


def read(
    command: OpenFileCommand,
    watch: ProgressReporter,
    generation: int,
    tally: CountingProcess | None = None,
    model: str = "",
) -> LoadedConversation:
    """What a command names; InputError where it cannot be read, or has not the scope that is named.

    Rows are sent on the way where reading takes long; those that are counted replace them. Where there is
    a ``tally``, it counts meanwhile, for ``model`` as far as that was asked for.
    """

    def show(first: int, part: MessageRows) -> None:
        watch.check()
        watch.emit(RowsReadEvent(generation, first, part))

    counter = counter_for(model, tally)
    known = reopen_counts(command, counter.method.encoding, tally)
    former = known.rows if known is not None else None
    is_ahead = tally is not None and known is not None and former is None and counter.method.encoding
    ahead = BackgroundCounts(counter, tally) if is_ahead and tally is not None else None
    arrivals = StreamingRows(show, guess_cwd(command.path), ahead, former)
    with set_aside():
        conversation, reader, why = load_explained(
            command.path,
            format=command.format,
            conversation=command.conversation,
            branch=command.branch,
            progress=watch.reading,
            stop=watch.stop,
            seen=arrivals.take,
        )
        found = arrivals.found(conversation.messages, conversation.cwd)
    del arrivals
    give_back()  # the records that the messages were made of
    check_scope(conversation, command.scope or ALL)
    return LoadedConversation(conversation, reader, why, found, known, not watch.has_stopped)


def count_conversation(
    loaded: LoadedConversation,
    watch: ProgressReporter,
    generation: int,
    tally: CountingProcess | None = None,
    override: str = "",
) -> CountedConversation:
    """A conversation that was read, counted by the model that was asked for, else by that of the file."""
    model = choose_model(loaded.conversation, override)
    counter = counter_for(model, tally)
    rows = count_rows(loaded, counter, watch, generation)
    kept = loaded.reopening if loaded.is_whole else None
    return CountedConversation(loaded.conversation, loaded.format, loaded.why, model, counter, rows, kept)


def read_again(command: OpenFileCommand, watch: ProgressReporter) -> tuple[Conversation, Format, str]:
    """Like ``read``, without rows on the way: those that are shown stay until all is known."""
    return load_explained(
        command.path,
        format=command.format,
        conversation=command.conversation,
        branch=command.branch,
        progress=watch.working,
    )


def count_rows(
    loaded: LoadedConversation, counter: TokenCounter, watch: ProgressReporter, generation: int
) -> MessageRows:
    """Count all messages and send their rows in batches as they are counted; the whole at the end."""
    conversation, found = loaded.conversation, loaded.found
    parts: list[MessageRows] = []

    def on_batch(first: int, counts: array[int]) -> None:
        for start in range(0, len(counts), PART):
            some = counts[start : start + PART]
            messages = conversation.messages[first + start : first + start + len(some)]
            parts.append(found.rows(messages, first + start, some))
            watch.emit(RowsReadEvent(generation, first + start, parts[-1]))

    with paused_collection():
        known = loaded.reopening
        if known is None or known.encoding != counter.method.encoding:
            count_messages(conversation, counter, watch.working, on_batch)
        else:
            counts = known.counts(conversation, watch.check) or found.counts(counter)
            message_token_counts(conversation.messages, counter, watch.working, on_batch, counts)
            known.begin_keeping()
    give_back()  # what counting long texts needed
    return joined_rows(parts)

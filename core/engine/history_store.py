"""The history of one agent: its messages, their tokens, and a lock for changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from operator import is_not
from threading import RLock
from typing import TypeAlias

from core.common.errors import StrategyError
from core.common.number_format import context_compacted, context_share, size_change
from core.settings.schema import Mode
from core.strategies.base import DensityResult
from core.strategies.density.optimize import apply_density
from core.strategies.draft import curated_indices
from core.transcript.compaction import DensityCounters, NoOp
from core.transcript.model import Message, Speaker

# Events of a history store and of a session, and the callbacks that receive them.


class AddOutcome(StrEnum):
    """How a store took a message."""

    ADDED = "in"
    QUEUED = "queued"  # reference mode, while a compaction runs
    REFUSED = "refused"  # reference mode: a speaker that it does not know


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """``add`` was called, whatever the store did with the message."""

    message: Message
    outcome: AddOutcome


@dataclass(frozen=True, slots=True)
class HistoryCleared:
    """The store was emptied, or will be when the compaction ends."""


@dataclass(frozen=True, slots=True)
class HistoryReplaced:
    """The content changed otherwise than by adding; it has ``count`` messages now."""

    count: int


@dataclass(frozen=True, slots=True)
class TokensUpdated:
    """The total in tokens, base offset included, and by how much it changed."""

    total: int
    delta: int


StoreChange: TypeAlias = MessageAdded | HistoryCleared | HistoryReplaced | TokensUpdated
StoreWatcher: TypeAlias = Callable[[StoreChange], None]


class CompressionCause(StrEnum):
    THRESHOLD = "threshold"
    MANUAL = "manual"
    EMERGENCY = "emergency"


@dataclass(frozen=True, slots=True)
class ContextWarning:
    """The history has grown beyond the warning threshold; reported once until it is below again.
    Tokens."""

    tokens: int
    limit: int

    @property
    def fraction(self) -> float:
        return self.tokens / self.limit


@dataclass(frozen=True, slots=True)
class DensityStarted:
    """The density step of a strategy is about to look at the history."""

    strategy: str


@dataclass(frozen=True, slots=True)
class DensityApplied:
    """A density result was applied; totals in tokens."""

    before: int
    after: int
    counters: DensityCounters


@dataclass(frozen=True, slots=True)
class CompressionStarted:
    """A strategy begins."""

    strategy: str
    cause: CompressionCause


@dataclass(frozen=True, slots=True)
class CompressionEnded:
    """A strategy is done. ``failed``: it raised; ``no_op``: why nothing was applied."""

    strategy: str
    failed: bool = False
    no_op: NoOp | None = None


@dataclass(frozen=True, slots=True)
class SummaryRequested:
    """A summariser is asked for a summary."""

    profile: str
    model: str


@dataclass(frozen=True, slots=True)
class ProviderUsage:
    """The tokens of a summary; None if not reported."""

    profile: str
    model: str
    input_tokens: int | None
    output_tokens: int | None


@dataclass(frozen=True, slots=True)
class CompactionStatus:
    """A compaction was applied: totals in tokens before and after, and what set it off."""

    before: int
    after: int
    cause: CompressionCause


EngineEvent: TypeAlias = (
    ContextWarning
    | DensityStarted
    | DensityApplied
    | CompressionStarted
    | CompressionEnded
    | SummaryRequested
    | ProviderUsage
    | CompactionStatus
)
EventListener: TypeAlias = Callable[[EngineEvent], None]


def no_listener(event: EngineEvent) -> None:
    """Ignore the event."""


def event_notice(event: EngineEvent) -> str:
    """Return the text for the user, "" for events without one."""
    match event:
        case ContextWarning():
            return context_share(event.tokens, event.limit)
        case CompactionStatus():
            return context_compacted(size_change(event.before, event.after))
        case _:
            return ""


_REFERENCE_SPEAKERS = (Speaker.HUMAN, Speaker.AI, Speaker.TOOL)


def apply_edits(messages: list[Message], after: Mapping[int, Message | None]) -> None:
    """Replace messages of a list by index; None deletes one."""
    for index in sorted(after, reverse=True):
        message = after[index]
        if message is None:
            del messages[index]
        else:
            messages[index] = message


class HistoryStore:
    """A history store (REQ-HD-003). Any thread may add at any time. ``count`` returns the tokens of
    one message and should be cheap for a message that it counted before. ``reference`` mode refuses
    messages of other speakers than human, ai and tool, and queues changes while a compaction runs.
    ``safe`` mode takes everything at once."""

    def __init__(
        self, count: Callable[[Message], int], mode: Mode = Mode.SAFE, base: int = 0
    ) -> None:
        self.mode = mode
        self.additions = (
            0  # messages handed over so far, refused and queued ones included
        )
        self.replacements = 0  # changes of the content otherwise than by adding
        self._count = count
        self._base = base
        self._messages: list[Message] = []
        self._raw: tuple[Message, ...] | None = ()
        self._curated: tuple[Mode, list[Message], int] | None = (
            None  # with the count of messages looked at
        )
        self._tokens = 0
        self._queue: list[Message | None] = []  # None: clear
        self._compacting = False
        self._watchers: list[StoreWatcher] = []
        self._lock = RLock()

    @property
    def raw(self) -> tuple[Message, ...]:
        """All messages as they are now, as a copy (REQ-HD-003.5)."""
        with self._lock:
            if self._raw is None:
                self._raw = tuple(self._messages)
            return self._raw

    @property
    def curated(self) -> tuple[Message, ...]:
        """The messages for providers and strategies: without empty ai messages."""
        with self._lock:
            return tuple(self.curated_view())

    def curated_view(self) -> Sequence[Message]:
        """Return the curated messages without a copy, for callers that do not keep them."""
        with self._lock:
            if self._curated is None or self._curated[0] is not self.mode:
                self._curated = self.mode, [], 0
            mode, curated, seen_count = self._curated
            new = self._messages[seen_count:]
            curated += [new[index] for index in curated_indices(new, mode)]
            self._curated = mode, curated, len(self._messages)
            return curated

    @property
    def total(self) -> int:
        """Tokens of the history and of the base offset (the system prompt)."""
        return self._tokens + self._base

    @property
    def base(self) -> int:
        """Tokens sent beside the history; never compacted."""
        return self._base

    @base.setter
    def base(self, tokens: int) -> None:
        with self._lock:
            delta = tokens - self._base
            self._base = tokens
            self._notify(TokensUpdated(self.total, delta))

    @property
    def compacting(self) -> bool:
        return self._compacting

    def messages_from(self, index: int) -> list[Message]:
        with self._lock:
            return self._messages[index:]

    def estimate(self, messages: Sequence[Message]) -> int:
        """Return the tokens of some messages, without the base offset."""
        return sum(map(self._count, messages))

    def observe(self, callback: StoreWatcher) -> None:
        """Call back on every change, in its thread; the callback must not wait for another
        thread."""
        self._watchers.append(callback)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other threads from changing the store meanwhile (REQ-HD-002.10); for short work."""
        with self._lock:
            yield

    def add(self, message: Message) -> AddOutcome:
        """Add a message; if the counter raises, it is not added."""
        with self._lock:
            outcome = self._add_outcome(message)
            if outcome is AddOutcome.ADDED:
                tokens = self._count(message)
                self._messages.append(message)
                self._tokens += tokens
                self._raw = None
                self._notify(TokensUpdated(self.total, tokens))
            elif outcome is AddOutcome.QUEUED:
                self._queue.append(message)
            self.additions += 1
            self._notify(MessageAdded(message, outcome))
            return outcome

    def clear(self) -> None:
        """Remove all messages; the base offset stays."""
        with self._lock:
            if self._compacting and self.mode is Mode.REFERENCE:
                self._queue.append(None)
            else:
                self._set_messages((), 0)
            self._notify(HistoryCleared())

    def apply_density(self, result: DensityResult) -> None:
        """Replace, then remove, then count everything (REQ-HD-003.1 to .4). Raises StrategyError
        for a result that does not fit, or in safe mode while a compaction runs; errors of the
        counter pass through. After any error the history is unchanged."""
        with self._lock:
            if self._compacting and self.mode is Mode.SAFE:
                text = "A density result cannot be applied while a compaction runs."
                raise StrategyError(text, code="DENSITY_WHILE_COMPRESSING")
            messages = apply_density(self._messages, result)
            self._set_messages(messages, self.estimate(messages))
            self._notify(HistoryReplaced(len(messages)))

    def recount(self) -> int:
        """Count everything again and return the total (REQ-HD-003.6)."""
        with self._lock:
            self._set_messages(tuple(self._messages), self.estimate(self._messages))
            return self.total

    def start_compaction(self) -> None:
        """Mark the store as compacting; in reference mode changes are queued from here on."""
        with self._lock:
            self._compacting = True

    def end_compaction(self) -> None:
        """End the compaction and, in reference mode, carry out the queued changes in order. As in
        the reference, tokens of queued messages are added after a queued clear has set the total to
        zero: messages added before that clear are gone but still counted."""
        with self._lock:
            self._compacting = False
            queued_messages, self._queue = self._queue, []
            added_tokens = 0
            for message in queued_messages:
                if message is None:
                    self._set_messages((), 0)
                elif message.speaker in _REFERENCE_SPEAKERS:
                    self._messages.append(message)
                    added_tokens += self._count(message)
            if queued_messages:
                self._set_messages(tuple(self._messages), self._tokens + added_tokens)
                self._notify(HistoryReplaced(len(self._messages)))

    def replace_oldest(
        self, before: Sequence[Message], after: Sequence[Message]
    ) -> bool:
        """Replace ``before``, the oldest messages, by ``after``; later messages stay."""
        with self._lock:
            oldest = self._messages[: len(before)]
            if len(oldest) < len(before) or any(map(is_not, oldest, before)):
                return False
            messages = (*after, *self._messages[len(before) :])
            self._set_messages(messages, self.estimate(messages))
            self._notify(HistoryReplaced(len(messages)))
            return True

    def edit(
        self, before: Mapping[int, Message], after: Mapping[int, Message | None]
    ) -> bool:
        """Replace messages by index; None removes one. Returns False and changes nothing if those
        of ``before`` are no longer at their indices. Errors of the counter leave the store
        unchanged."""
        with self._lock:
            messages = self._messages
            count = len(self._messages)
            if any(
                index >= count or messages[index] is not message
                for index, message in before.items()
            ):
                return False
            new = [message for message in after.values() if message is not None]
            delta = self.estimate(new) - self.estimate(tuple(before.values()))
            apply_edits(messages, after)
            self.replacements += 1
            self._tokens = self._tokens + delta
            self._raw = None
            self._curated = None
            self._notify(TokensUpdated(self.total, delta))
            self._notify(HistoryReplaced(len(messages)))
            return True

    def _add_outcome(self, message: Message) -> AddOutcome:
        if self.mode is Mode.SAFE:
            return AddOutcome.ADDED
        if self._compacting:
            return AddOutcome.QUEUED
        return (
            AddOutcome.ADDED
            if message.speaker in _REFERENCE_SPEAKERS
            else AddOutcome.REFUSED
        )

    def _set_messages(self, messages: Sequence[Message], tokens: int) -> None:
        delta = tokens - self._tokens
        self.replacements += 1
        self._messages = list(messages)
        self._tokens = tokens
        self._raw = None
        self._curated = None
        self._notify(TokensUpdated(self.total, delta))

    def _notify(self, change: StoreChange) -> None:
        for callback in tuple(self._watchers):
            callback(change)

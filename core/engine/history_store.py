"""The history of one agent: messages, their tokens, and the lock under which they are replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import is_not
from threading import RLock

from core.common.errors import StrategyError
from core.engine.events import (
    AddOutcome,
    HistoryCleared,
    HistoryReplaced,
    MessageAdded,
    StoreChange,
    StoreWatcher,
    TokensUpdated,
)
from core.settings.schema import Mode
from core.strategies.base import DensityResult
from core.strategies.curated_history import curated_indices
from core.strategies.density.optimize import apply_density
from core.transcript.model import Message, Speaker

_KNOWN = (Speaker.HUMAN, Speaker.AI, Speaker.TOOL)


def apply_edits(messages: list[Message], after: Mapping[int, Message | None]) -> None:
    """Change a list by place; what stands behind a message that goes moves up."""
    for place in sorted(after, reverse=True):
        message = after[place]
        if message is None:
            del messages[place]
        else:
            messages[place] = message


class HistoryStore:
    """A history store (REQ-HD-003, llxprt.md section 10). Any thread may add at any time.

    ``count`` gives the tokens of one message; asking again for the same message should be cheap.
    In ``reference`` mode messages of other speakers than human, ai and tool are refused, and what
    comes while a compression runs waits in line. In ``safe`` mode everything is taken at once.
    """

    def __init__(self, count: Callable[[Message], int], mode: Mode = Mode.SAFE, base: int = 0) -> None:
        self.mode = mode
        self.additions = 0  # messages handed over so far, refused and queued ones included
        self.hidden = 0  # tokens of the base that nobody can see; a strategy is told of them
        self.replacements = 0  # times that the content changed otherwise than by adding
        self._count = count
        self._base = base
        self._messages: list[Message] = []
        self._raw: tuple[Message, ...] | None = ()
        self._kept: tuple[Mode, list[Message], int] | None = None  # curated, of so many messages
        self._tokens = 0
        self._queue: list[Message | None] = []  # None: clear
        self._compressing = False
        self._watchers: list[StoreWatcher] = []
        self._lock = RLock()

    # Reading

    @property
    def raw(self) -> tuple[Message, ...]:
        """All messages, as they are now; the store's own list cannot be reached (REQ-HD-003.5)."""
        with self._lock:
            if self._raw is None:
                self._raw = tuple(self._messages)
            return self._raw

    @property
    def curated(self) -> tuple[Message, ...]:
        """The messages without empty ai ones: what a provider and a strategy are given."""
        with self._lock:
            return tuple(self.kept())

    def kept(self) -> Sequence[Message]:
        """The same as it grows, without a copy: for those who look at its end and keep nothing."""
        with self._lock:
            if self._kept is None or self._kept[0] is not self.mode:
                self._kept = self.mode, [], 0
            mode, kept, looked_at = self._kept
            new = self._messages[looked_at:]
            kept += [new[index] for index in curated_indices(new, mode)]
            self._kept = mode, kept, len(self._messages)
            return kept

    @property
    def total(self) -> int:
        """Tokens of the history and of the base offset (the system prompt)."""
        return self._tokens + self._base

    @property
    def base(self) -> int:
        """Tokens of what is sent beside the history; never compressed."""
        return self._base

    @base.setter
    def base(self, tokens: int) -> None:
        with self._lock:
            delta, self._base = tokens - self._base, tokens
            self._tell(TokensUpdated(self.total, delta))

    @property
    def compressing(self) -> bool:
        """True between ``start_compression`` and ``end_compression``."""
        return self._compressing

    def since(self, place: int) -> list[Message]:
        """The messages from a place on: what a caller that knows the others looks at."""
        with self._lock:
            return self._messages[place:]

    def estimate(self, messages: Sequence[Message]) -> int:
        """Tokens of some messages, without the base offset."""
        return sum(map(self._count, messages))

    def watch(self, callback: StoreWatcher) -> None:
        """Call back on every change, in the thread that makes it; the callback must not wait for others."""
        self._watchers.append(callback)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep every other thread from changing the store meanwhile (REQ-HD-002.10); for short work."""
        with self._lock:
            yield

    # Writing

    def add(self, message: Message) -> AddOutcome:
        """Take a message. Errors of the counter reach the caller, and the message stays outside."""
        with self._lock:
            arrival = self._arrival(message)
            if arrival is AddOutcome.IN:
                self._append((message,))
            elif arrival is AddOutcome.QUEUED:
                self._queue.append(message)
            self.additions += 1
            self._tell(MessageAdded(message, arrival))
            return arrival

    def clear(self) -> None:
        """Forget all messages; the base offset stays."""
        with self._lock:
            queued = self._compressing and self.mode is Mode.REFERENCE
            if queued:
                self._queue.append(None)
            else:
                self._set((), 0)
            self._tell(HistoryCleared(queued))

    def apply_density(self, result: DensityResult) -> None:
        """Replacements, then removals, then a full recount (REQ-HD-003.1 to .4).

        Raises StrategyError for a result that does not fit, or in safe mode while a summary is being
        written; errors of the counter pass through. The history is whole in each case.
        """
        with self._lock:
            if self._compressing and self.mode is Mode.SAFE:
                text = "A density result cannot be applied while a compression runs."
                raise StrategyError(text, code="DENSITY_WHILE_COMPRESSING")
            messages = apply_density(self._messages, result)
            self._set(messages, self.estimate(messages))
            self._tell(HistoryReplaced(len(messages)))

    def recount(self) -> int:
        """Count everything anew and return the total (REQ-HD-003.6)."""
        with self._lock:
            self._set(tuple(self._messages), self.estimate(self._messages))
            return self.total

    # Compression

    def start_compression(self) -> None:
        """Take the compression lock; in reference mode changes wait in line from here on."""
        with self._lock:
            self._compressing = True

    def end_compression(self) -> None:
        """Give the lock back and, in reference mode, do what waits in line, first come first served.

        As there, tokens of queued messages arrive after a queued clear has set the total to zero:
        what was added before that clear is gone and still counted (llxprt.md section 10).
        """
        with self._lock:
            self._compressing = False
            queue, self._queue = self._queue, []
            arriving = 0
            for message in queue:
                if message is None:
                    self._set((), 0)
                elif message.speaker in _KNOWN:
                    self._messages.append(message)
                    arriving += self._count(message)
            if queue:
                self._set(tuple(self._messages), self._tokens + arriving)
                self._tell(HistoryReplaced(len(self._messages)))

    def rebuild(self, before: Sequence[Message], after: Sequence[Message]) -> bool:
        """Put ``after`` in the place of ``before``, the oldest messages; later ones stay behind it.

        One step for every other thread. False, and nothing is done, where the store no longer
        begins with these very messages. Errors of the counter leave it as it was.
        """
        with self._lock:
            held = self._messages[: len(before)]
            if len(held) < len(before) or any(map(is_not, held, before)):
                return False
            messages = (*after, *self._messages[len(before) :])
            self._set(messages, self.estimate(messages))
            self._tell(HistoryReplaced(len(messages)))
            return True

    def edit(self, before: Mapping[int, Message], after: Mapping[int, Message | None]) -> bool:
        """Put messages in the place of others, by place; None takes one out. False, and nothing is done,
        where those of ``before`` do not stand there any more. Errors of the counter leave the store as it
        was."""
        with self._lock:
            held, count = self._messages, len(self._messages)
            if any(place >= count or held[place] is not message for place, message in before.items()):
                return False
            new = {place: message for place, message in after.items() if message is not None}
            delta = self.estimate(tuple(new.values())) - self.estimate(tuple(before.values()))
            apply_edits(held, after)
            self.replacements += 1
            self._tokens, self._raw, self._kept = self._tokens + delta, None, None
            self._tell(TokensUpdated(self.total, delta))
            self._tell(
                HistoryReplaced(count, new)
                if len(held) == count
                else HistoryReplaced(len(held), None, min(after))
            )
            return True

    def _arrival(self, message: Message) -> AddOutcome:
        if self.mode is Mode.SAFE:
            return AddOutcome.IN
        if self._compressing:
            return AddOutcome.QUEUED
        return AddOutcome.IN if message.speaker in _KNOWN else AddOutcome.REFUSED

    def _append(self, messages: Sequence[Message]) -> None:
        tokens = self.estimate(messages)
        self._messages.extend(messages)
        self._tokens += tokens
        self._raw = None
        self._tell(TokensUpdated(self.total, tokens))

    def _set(self, messages: Sequence[Message], tokens: int) -> None:
        delta = tokens - self._tokens
        self.replacements += 1
        self._messages, self._tokens, self._raw, self._kept = list(messages), tokens, None, None
        self._tell(TokensUpdated(self.total, delta))

    def _tell(self, change: StoreChange) -> None:
        for callback in tuple(self._watchers):
            callback(change)

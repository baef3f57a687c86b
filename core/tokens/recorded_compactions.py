"""What the agent's own compactions did: messages and tokens before and after, and what was read again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from core.facts.file_accesses import file_accesses
from core.tokens.counter import TokenCounter
from core.transcript.model import (
    ContextChange,
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Text,
    tool_calls,
    tool_responses,
)
from core.transcript.scopes import messages_left_by, replaces_messages, with_cleared_results
from core.transcript.tool_kinds import FileOperation
from core.transcript.tool_outcomes import is_failed_result


@dataclass(frozen=True, slots=True)
class MeasuredCompaction:
    """One recorded compaction by our count, of the history alone: system prompt and tools are not in it.

    Before is None where what it removed is not in the file, ``tokens_after`` where what it left cannot
    be counted. ``reads`` are the file reads from there to the next recorded compaction or the end,
    ``again`` those of a file read before it.
    """

    number: int
    messages_before: int | None
    tokens_before: int | None
    messages_after: int
    tokens_after: int | None
    reads: int
    again: int

    @property
    def tax(self) -> float | None:
        """Share of the later file reads that read again what had been read; None without any read."""
        return self.again / self.reads if self.reads else None


def context_growth(found: RecordedCompaction, own: MeasuredCompaction | None) -> int | None:
    """By how many tokens the context grew (below 0: shrank), as reported, else by our count."""
    if found.tokens_before is not None and found.tokens_after is not None:
        return found.tokens_after - found.tokens_before
    if own is None or own.tokens_after is None or own.tokens_before is None:
        return None
    return own.tokens_after - own.tokens_before


def standing_summary(conversation: Conversation, one: RecordedCompaction) -> tuple[Message, ...]:
    """The summary where it is a message of the session: the one at the position (Roo, Anthropic)."""
    at = conversation.messages[one.position : one.position + 1]
    return at if at and not one.summary and _is_summary(at[0]) else ()


def _is_summary(message: Message) -> bool:
    return bool(message.flags & MessageFlag.RECORDED_SUMMARY) or any(
        (isinstance(block, Opaque) and block.kind == "compaction")
        or (isinstance(block, Text) and block.extra.get("type") == "compaction")
        for block in message.blocks
    )


def measure_compactions(conversation: Conversation, counter: TokenCounter) -> tuple[MeasuredCompaction, ...]:
    """All recorded compactions of a conversation, in one pass over its messages.

    Messages and tokens are those of ``core.transcript.scopes.history_of_scope``: before N, and what N left.
    """
    if not conversation.recorded:
        return ()
    context = RecordedContext(conversation, counter)
    found: list[MeasuredCompaction] = []
    taxes = _rereads(conversation)
    for number, (one, (reads, again)) in enumerate(zip(conversation.recorded, taxes, strict=True), 1):
        context.go_to(one.position)
        had: tuple[int | None, int | None] = (context.messages, context.tokens)
        context.compact(one)
        stands = standing_summary(conversation, one)
        unknown = context.is_unknown or not (context.messages or stands) or any(map(_is_hidden, stands))
        after = None if unknown else context.tokens + counter.messages(stands)
        left = context.messages + len(stands)
        before = (None, None) if one.lost else had
        found.append(MeasuredCompaction(number, *before, left, after, reads, again))
    return tuple(found)


@dataclass(slots=True)
class RecordedContext:
    """The context as it grows and is compacted: its size, and what clearings made of messages."""

    conversation: Conversation
    counter: TokenCounter
    messages: int = 0
    tokens: int = 0
    is_unknown: bool = False
    _at: int = 0
    _start: int = 0  # the messages from here on are all in it
    _kept: set[int] = field(default_factory=set)
    _new: list[Message] = field(default_factory=list)
    _now: dict[int, Message] = field(default_factory=dict)
    _gone: set[str] = field(default_factory=set)
    _answered: dict[str, list[int]] = field(init=False)  # where results stand, not yet cleared, last first

    def __post_init__(self) -> None:
        wanted = {id_ for one in self.conversation.recorded for id_ in one.cleared}
        self._answered = {id_: [] for id_ in wanted}
        messages = self.conversation.messages if wanted else ()
        for index in reversed(range(len(messages))):
            for response in tool_responses(messages[index]):
                if response.call_id in wanted:
                    self._answered[response.call_id].append(index)

    def go_to(self, position: int) -> None:
        """Add the messages up to a position."""
        some = self.conversation.messages[self._at : position]
        self.messages += len(some)
        self.tokens += self.counter.messages(some)
        self._at = max(self._at, position)

    def compact(self, one: RecordedCompaction) -> None:
        """Do what the agent did."""
        self.is_unknown = not replaces_messages(one) and not one.cleared
        for id_ in one.cleared:
            self._clear(id_)
        if replaces_messages(one):
            self._fold(one)

    def _clear(self, id_: str) -> None:
        later = self._answered[id_]
        while later and later[-1] < self._at:
            index = later.pop()
            old = self._message(index)
            self._now[index] = with_cleared_results(old, (id_,))
            if index >= self._start or index in self._kept:
                self.tokens += self.counter.message(self._now[index]) - self.counter.message(old)
        for place, message in enumerate(self._new if id_ not in self._gone else ()):
            self._new[place] = with_cleared_results(message, (id_,))
            self.tokens += self.counter.message(self._new[place]) - self.counter.message(message)
        self._gone.add(id_)

    def _fold(self, one: RecordedCompaction) -> None:
        if one.change is not None:
            self._change(one.change, one.position)
            return
        left = messages_left_by(one)
        kept = [index for index in left if isinstance(index, int)]
        self._new = [with_cleared_results(new, self._gone) for new in left if isinstance(new, Message)]
        self._kept, self._start = set(kept), one.position
        self.messages = len(left)
        self.tokens = self.counter.messages((*self._new, *map(self._message, kept)))
        self.is_unknown = any(_is_hidden(message) for message in self._new)

    def _change(self, change: ContextChange, position: int) -> None:
        """Like ``_fold``, for what it costs: what was taken out and put in, not all that stayed."""
        self._kept.update(range(self._start, position))
        self._start = position
        gone = {id(one) for one in change.took if isinstance(one, Message)}
        places = [one for one in change.took if isinstance(one, int)]
        old = [one for one in self._new if id(one) in gone]
        self._kept.difference_update(places)
        self._new = [one for one in self._new if id(one) not in gone] + list(change.put)
        self.messages += len(change.put) - len(places) - len(old)
        self.tokens += self.counter.messages(change.put)
        self.tokens -= self.counter.messages((*old, *map(self._message, places)))
        self.is_unknown = any(_is_hidden(message) for message in self._new)

    def _message(self, index: int) -> Message:
        return self._now.get(index, self.conversation.messages[index])


def _is_hidden(message: Message) -> bool:
    return any(isinstance(block, Opaque) and block.tokens is None for block in message.blocks)


def _rereads(conversation: Conversation) -> Iterator[tuple[int, int]]:
    """For each recorded compaction: the later file reads until the next, and those of a known file."""
    positions = [one.position for one in conversation.recorded]
    reads = _reads(conversation)
    known: set[str] = set()
    place = 0
    while place < len(reads) and reads[place][0] < positions[0]:
        known.add(reads[place][1])
        place += 1
    for end in [*positions[1:], len(conversation.messages)]:
        later: list[str] = []
        while place < len(reads) and reads[place][0] < end:
            later.append(reads[place][1])
            place += 1
        yield len(later), sum(path in known for path in later)
        known.update(later)


def _reads(conversation: Conversation) -> list[tuple[int, str]]:
    """Message index and path of every file read that did not fail, in order."""
    root = conversation.cwd or "/"
    found = [
        (index, call.id, access.path)
        for index, message in enumerate(conversation.messages)
        for call in tool_calls(message)
        for access in file_accesses(call, root)
        if access.act is FileOperation.READ
    ]
    lost = _failed(conversation.messages, {id_ for _, id_, _ in found})
    return [(index, path) for index, id_, path in found if id_ not in lost]


def _failed(messages: Iterable[Message], wanted: set[str]) -> set[str]:
    return {
        response.call_id
        for message in messages
        for response in tool_responses(message)
        if response.call_id in wanted and is_failed_result(response)
    }

"""Measurements of recorded compactions: messages and tokens before and after, and repeated reads."""

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
    """Measurements of one recorded compaction, without system prompt and tools.

    Before is None if the file lacks what it removed, ``tokens_after`` if the rest cannot be counted.
    ``reads`` are the file reads up to the next recorded compaction, ``again`` those of a file read before.
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
        """Return the share of later file reads that repeat an earlier one; None without reads."""
        return self.again / self.reads if self.reads else None


def context_growth(found: RecordedCompaction, own: MeasuredCompaction | None) -> int | None:
    """Return the tokens by which the context grew (negative: shrank), as reported or by our count."""
    if found.tokens_before is not None and found.tokens_after is not None:
        return found.tokens_after - found.tokens_before
    if own is None or own.tokens_after is None or own.tokens_before is None:
        return None
    return own.tokens_after - own.tokens_before


def standing_summary(conversation: Conversation, one: RecordedCompaction) -> tuple[Message, ...]:
    """Return the summary if it is the message at the position (Roo, Anthropic)."""
    at = conversation.messages[one.position : one.position + 1]
    return at if at and not one.summary and _is_summary(at[0]) else ()


def _is_summary(message: Message) -> bool:
    return bool(message.flags & MessageFlag.RECORDED_SUMMARY) or any(
        (isinstance(block, Opaque) and block.kind == "compaction")
        or (isinstance(block, Text) and block.extra.get("type") == "compaction")
        for block in message.blocks
    )


def measure_compactions(conversation: Conversation, counter: TokenCounter) -> tuple[MeasuredCompaction, ...]:
    """Measure all recorded compactions in one pass over the messages.

    Counts are those of ``history_of_scope``: the scope before N, and what N left.
    """
    if not conversation.recorded:
        return ()
    context = RecordedContext(conversation, counter)
    measured: list[MeasuredCompaction] = []
    taxes = _rereads(conversation)
    for number, (one, (reads, again)) in enumerate(zip(conversation.recorded, taxes, strict=True), 1):
        context.go_to(one.position)
        size: tuple[int | None, int | None] = (context.messages, context.tokens)
        context.compact(one)
        summary = standing_summary(conversation, one)
        unknown = context.is_unknown or not (context.messages or summary) or any(map(_is_hidden, summary))
        after = None if unknown else context.tokens + counter.messages(summary)
        left = context.messages + len(summary)
        before = (None, None) if one.is_source_lost else size
        measured.append(MeasuredCompaction(number, *before, left, after, reads, again))
    return tuple(measured)


@dataclass(slots=True)
class RecordedContext:
    """The size of a context that grows and is compacted, with the cleared forms of its messages."""

    conversation: Conversation
    counter: TokenCounter
    messages: int = 0
    tokens: int = 0
    is_unknown: bool = False
    _at: int = 0
    _start: int = 0  # all messages from here on are in the context
    _kept: set[int] = field(default_factory=set)
    _new: list[Message] = field(default_factory=list)
    _cleared_messages: dict[int, Message] = field(default_factory=dict)
    _cleared_ids: set[str] = field(default_factory=set)
    _answered: dict[str, list[int]] = field(init=False)  # indices of results not yet cleared, last first

    def __post_init__(self) -> None:
        wanted = {id_ for one in self.conversation.recorded for id_ in one.cleared}
        self._answered = {id_: [] for id_ in wanted}
        messages = self.conversation.messages if wanted else ()
        for index in reversed(range(len(messages))):
            for response in tool_responses(messages[index]):
                if response.call_id in wanted:
                    self._answered[response.call_id].append(index)

    def go_to(self, position: int) -> None:
        added = self.conversation.messages[self._at : position]
        self.messages += len(added)
        self.tokens += self.counter.messages(added)
        self._at = max(self._at, position)

    def compact(self, one: RecordedCompaction) -> None:
        self.is_unknown = not replaces_messages(one) and not one.cleared
        for id_ in one.cleared:
            self._clear(id_)
        if replaces_messages(one):
            self._replace_context(one)

    def _clear(self, id_: str) -> None:
        later = self._answered[id_]
        while later and later[-1] < self._at:
            index = later.pop()
            old = self._message(index)
            self._cleared_messages[index] = with_cleared_results(old, (id_,))
            if index >= self._start or index in self._kept:
                self.tokens += self.counter.message(self._cleared_messages[index]) - self.counter.message(old)
        for place, message in enumerate(self._new if id_ not in self._cleared_ids else ()):
            self._new[place] = with_cleared_results(message, (id_,))
            self.tokens += self.counter.message(self._new[place]) - self.counter.message(message)
        self._cleared_ids.add(id_)

    def _replace_context(self, one: RecordedCompaction) -> None:
        if one.change is not None:
            self._apply_change(one.change, one.position)
            return
        left = messages_left_by(one)
        kept = [index for index in left if isinstance(index, int)]
        self._new = [with_cleared_results(new, self._cleared_ids) for new in left if isinstance(new, Message)]
        self._kept, self._start = set(kept), one.position
        self.messages = len(left)
        self.tokens = self.counter.messages((*self._new, *map(self._message, kept)))
        self.is_unknown = any(_is_hidden(message) for message in self._new)

    def _apply_change(self, change: ContextChange, position: int) -> None:
        """Apply removed and added messages at the cost of these, not of all that stayed."""
        self._kept.update(range(self._start, position))
        self._start = position
        removed = {id(one) for one in change.removed if isinstance(one, Message)}
        places = [one for one in change.removed if isinstance(one, int)]
        old = [one for one in self._new if id(one) in removed]
        self._kept.difference_update(places)
        self._new = [one for one in self._new if id(one) not in removed] + list(change.added)
        self.messages += len(change.added) - len(places) - len(old)
        self.tokens += self.counter.messages(change.added)
        self.tokens -= self.counter.messages((*old, *map(self._message, places)))
        self.is_unknown = any(_is_hidden(message) for message in self._new)

    def _message(self, index: int) -> Message:
        return self._cleared_messages.get(index, self.conversation.messages[index])


def _is_hidden(message: Message) -> bool:
    return any(isinstance(block, Opaque) and block.tokens is None for block in message.blocks)


def _rereads(conversation: Conversation) -> Iterator[tuple[int, int]]:
    """Yield per recorded compaction the file reads until the next, and how many repeat an earlier one."""
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
    """Return message index and path of every successful file read, in order."""
    root = conversation.cwd or "/"
    reads = [
        (index, call.id, access.path)
        for index, message in enumerate(conversation.messages)
        for call in tool_calls(message)
        for access in file_accesses(call, root)
        if access.act is FileOperation.READ
    ]
    failed = _failed(conversation.messages, {id_ for _, id_, _ in reads})
    return [(index, path) for index, id_, path in reads if id_ not in failed]


def _failed(messages: Iterable[Message], wanted: set[str]) -> set[str]:
    return {
        response.call_id
        for message in messages
        for response in tool_responses(message)
        if response.call_id in wanted and is_failed_result(response)
    }

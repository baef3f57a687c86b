"""Measurements of recorded compactions: messages and tokens before and after, and repeated reads."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from core.facts.file_accesses import file_accesses
from core.facts.shell_actions import shell_command
from core.tokens.counter import TokenCounter
from core.transcript.model import (
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)
from core.transcript.scopes import (
    context_after_compaction,
    replaces_messages,
    with_cleared_results,
)
from core.transcript.tool_kinds import FileOperation
from core.transcript.tool_pairs import answer_text, is_failed_result

# How much an agent brought back behind a compaction.


TURNS = 20
"""Answers of the model behind a compaction in which it is looked for."""


@dataclass(frozen=True, slots=True)
class BroughtBack:
    """Calls that brought back what a compaction had removed, and the ``tokens`` of these calls and
    their results. A file and a command count once: then they are in the context again. A command
    counts where its output is the same as before, so that it told nothing new."""

    files: int = 0
    commands: int = 0
    edits: int = 0  # that failed, of files that had been read
    tokens: int = 0


# What an agent had to bring back behind a recorded compaction: files that it read again, commands
# that gave the same output again, edits that failed.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """One call with its result: the file that it read or tried to edit, or its command and
    output."""

    index: int
    call: ToolCall
    response: ToolResponse
    read: str = ""
    failed_edit: str = ""
    command: tuple[str, str] = ("", "")


def brought_back(
    conversation: Conversation, counter: TokenCounter
) -> tuple[BroughtBack, ...]:
    """Return what was brought back behind each recorded compaction, up to the next."""
    if not conversation.recorded:
        return ()
    uses = list(_uses(conversation))
    boundaries = [one.boundary for one in conversation.recorded]
    ends = [*boundaries[1:], len(conversation.messages)]
    return tuple(
        _behind(
            recorded, uses, _window_end(conversation, recorded.boundary, end), counter
        )
        for recorded, end in zip(conversation.recorded, ends, strict=True)
    )


def _window_end(conversation: Conversation, start: int, end: int) -> int:
    """Return where the last of the turns ends that are looked at."""
    turns = 0
    for index in range(start, end):
        turns += conversation.messages[index].speaker is Speaker.AI
        if turns > TURNS:
            return index
    return end


def _uses(conversation: Conversation) -> Iterator[_Use]:
    root = conversation.cwd or "/"
    responses = {
        response.call_id: response
        for message in conversation.messages
        for response in tool_responses(message)
    }
    for index, message in enumerate(conversation.messages):
        for call in tool_calls(message):
            if (response := responses.get(call.id)) is not None:
                yield _use(index, call, response, root)


def _use(index: int, call: ToolCall, response: ToolResponse, root: str) -> _Use:
    use = _Use(index=index, call=call, response=response)
    has_failed = is_failed_result(response)
    for access in file_accesses(call, root):
        if access.operation is FileOperation.READ and not has_failed:
            return replace(use, read=access.path)
        if access.operation is FileOperation.EDIT and has_failed:
            return replace(use, failed_edit=access.path)
    command = shell_command(call).strip()
    output = answer_text(response).strip()
    if command and output:
        return replace(use, command=(command, output))
    return use


def _behind(
    recorded: RecordedCompaction, uses: Sequence[_Use], end: int, counter: TokenCounter
) -> BroughtBack:
    before = [use for use in uses if use.index < recorded.boundary]
    removed = _removed(recorded, before)
    files = {use.read for use in removed} - {""}
    commands = {use.command for use in removed} - {("", "")}
    found = BroughtBack()
    tokens = 0
    for use in uses:
        if not recorded.boundary <= use.index < end:
            continue
        if use.read in files:
            files.discard(use.read)
            found = replace(found, files=found.files + 1)
        elif use.command in commands:
            commands.discard(use.command)
            found = replace(found, commands=found.commands + 1)
        elif use.failed_edit in files:
            found = replace(found, edits=found.edits + 1)
        else:
            continue
        tokens += counter.block(use.call) + counter.block(use.response)
    return replace(found, tokens=tokens)


def _removed(recorded: RecordedCompaction, before: Sequence[_Use]) -> list[_Use]:
    """Return the uses whose results are not in the context any more."""
    cleared: Collection[str] = recorded.cleared
    if not replaces_messages(recorded):
        return [use for use in before if use.call.id in cleared]
    kept = {one for one in context_after_compaction(recorded) if isinstance(one, int)}
    return [use for use in before if use.index not in kept or use.call.id in cleared]


SELDOM = ("summary", "opaque")
"""Kinds of compactions that an agent makes seldom: others may be part of every request."""


LEAST_FREED = 0.1
"""A compaction that frees less of the context is in vain."""
LOOP_REQUESTS = 5
"""A compaction so few requests after another is a loop."""
THRASH_ANSWERS = 2
"""Answers of the model between two compactions, at most, where several in a row thrash: those of a
loop may still be worth their cost, these are not."""


def is_in_vain(before: int | None, after: int | None) -> bool:
    """Return whether a compaction freed next to nothing of ``before`` tokens; False where one of
    its sizes is not known."""
    if not before or after is None:
        return False
    return before - after < LEAST_FREED * before


def reported_sizes(conversation: Conversation) -> list[tuple[int | None, int | None]]:
    """Return the size before and after each compaction as recorded; of one that replaced the
    context else those of the requests that were reported around it."""
    recorded, usage = conversation.recorded, conversation.usage
    indices = [one.message_index for one in usage]
    ends = [*(one.boundary for one in recorded[1:]), len(conversation.messages) + 1]
    sizes: list[tuple[int | None, int | None]] = []
    for one, end in zip(recorded, ends, strict=True):
        before, after = one.tokens_before, one.tokens_after
        at = bisect_left(indices, one.boundary)
        if one.kind in SELDOM and before is None and at > 0:
            before = usage[at - 1].context
        if (
            one.kind in SELDOM
            and after is None
            and at < len(usage)
            and indices[at] < end
        ):
            after = usage[at].context
        sizes.append((before, after))
    return sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCompaction:
    """Measurements of one recorded compaction, without system prompt and tools.

    Before is None if the file lacks what it removed, ``tokens_after`` if the rest cannot be
    counted. ``reads`` are the file reads up to the next recorded compaction, ``repeated_reads``
    those of a file read before. ``again`` is what the next turns brought back of what it removed.
    ``next_request`` is the reported size of the first request behind it, where the file has no size
    after.
    """

    number: int
    messages_before: int | None
    tokens_before: int | None
    messages_after: int
    tokens_after: int | None
    reads: int
    repeated_reads: int
    again: BroughtBack = field(default_factory=BroughtBack)
    next_request: int | None = None

    @property
    def reread_share(self) -> float | None:
        """Return the share of later file reads that repeat an earlier one; None without reads."""
        if self.reads:
            return self.repeated_reads / self.reads
        return None


def context_growth(
    recorded: RecordedCompaction, measured: MeasuredCompaction | None
) -> int | None:
    """Return the tokens by which the context grew (negative: shrank), as reported or by our
    count."""
    if recorded.tokens_before is not None and recorded.tokens_after is not None:
        return recorded.tokens_after - recorded.tokens_before
    if (
        measured is None
        or measured.tokens_after is None
        or measured.tokens_before is None
    ):
        return None
    return measured.tokens_after - measured.tokens_before


def summary_at_boundary(
    conversation: Conversation, recorded: RecordedCompaction
) -> tuple[Message, ...]:
    """Return the summary if it is the message at the boundary (Roo, Anthropic)."""
    found = conversation.messages[recorded.boundary : recorded.boundary + 1]
    return found if found and not recorded.summary and _is_summary(found[0]) else ()


def _is_summary(message: Message) -> bool:
    return bool(message.flags & MessageFlag.RECORDED_SUMMARY) or any(
        (isinstance(block, Opaque) and block.kind == "compaction")
        or (isinstance(block, Text) and block.extra.get("type") == "compaction")
        for block in message.blocks
    )


def measure_compactions(
    conversation: Conversation, counter: TokenCounter
) -> tuple[MeasuredCompaction, ...]:
    """Measure all recorded compactions in one pass over the messages.

    Counts are those of ``history_of_scope``: the scope before N, and what N left.
    """
    if not conversation.recorded:
        return ()

    context = RecordedHistory(conversation=conversation, counter=counter)
    measured: list[MeasuredCompaction] = []
    reread_counts = _rereads(conversation)
    brought = brought_back(conversation, counter)
    sizes = reported_sizes(conversation)
    for number, (recorded, (reads, repeated), again) in enumerate(
        zip(conversation.recorded, reread_counts, brought, strict=True), 1
    ):
        context.advance_to(recorded.boundary)
        size: tuple[int | None, int | None] = (context.messages, context.tokens)
        context.compact(recorded)
        summary = summary_at_boundary(conversation, recorded)
        is_unknown = (
            context.is_unknown
            or not (context.messages or summary)
            or any(map(_is_hidden, summary))
        )
        if is_unknown:
            tokens_after = None
        else:
            tokens_after = context.tokens + counter.messages(summary)
        messages_after = context.messages + len(summary)
        # A file that begins with the compaction holds nothing of what it replaced.
        is_source_lost = recorded.is_source_lost or not size[0]
        messages_before, tokens_before = (None, None) if is_source_lost else size
        measured.append(
            MeasuredCompaction(
                number=number,
                messages_before=messages_before,
                tokens_before=tokens_before,
                messages_after=messages_after,
                tokens_after=tokens_after,
                reads=reads,
                repeated_reads=repeated,
                again=again,
                next_request=sizes[number - 1][1]
                if recorded.tokens_after is None
                else None,
            )
        )
    return tuple(measured)


@dataclass(slots=True, kw_only=True)
class RecordedHistory:
    """The size of a context that grows and is compacted, with the cleared forms of its messages."""

    conversation: Conversation
    counter: TokenCounter
    messages: int = 0
    tokens: int = 0
    is_unknown: bool = False
    _boundary: int = 0
    _start: int = 0  # all messages from here on are in the context
    _kept: set[int] = field(default_factory=set)
    _new_messages: list[Message] = field(default_factory=list)
    _cleared_messages: dict[int, Message] = field(default_factory=dict)
    _cleared_ids: set[str] = field(default_factory=set)
    _responses_by_id: dict[str, list[int]] = field(
        init=False
    )  # indices of results not yet cleared, last first

    def __post_init__(self) -> None:
        cleared_ids = {
            id_ for recorded in self.conversation.recorded for id_ in recorded.cleared
        }
        self._responses_by_id = {id_: [] for id_ in cleared_ids}
        if cleared_ids:
            messages = self.conversation.messages
        else:
            messages = ()
        for index in reversed(range(len(messages))):
            for response in tool_responses(messages[index]):
                if response.call_id in cleared_ids:
                    self._responses_by_id[response.call_id].append(index)

    def advance_to(self, boundary: int) -> None:
        added = self.conversation.messages[self._boundary : boundary]
        self.messages += len(added)
        self.tokens += self.counter.messages(added)
        self._boundary = max(self._boundary, boundary)

    def compact(self, recorded: RecordedCompaction) -> None:
        self.is_unknown = not replaces_messages(recorded) and not recorded.cleared
        for id_ in recorded.cleared:
            self._clear(id_)
        if replaces_messages(recorded):
            self._replace_context(recorded)

    def _clear(self, id_: str) -> None:
        later = self._responses_by_id[id_]
        while later and later[-1] < self._boundary:
            index = later.pop()
            old = self._message(index)
            self._cleared_messages[index] = with_cleared_results(old, (id_,))
            if index >= self._start or index in self._kept:
                self.tokens += self.counter.message(
                    self._cleared_messages[index]
                ) - self.counter.message(old)
        for number, message in enumerate(
            self._new_messages if id_ not in self._cleared_ids else ()
        ):
            self._new_messages[number] = with_cleared_results(message, (id_,))
            self.tokens += self.counter.message(
                self._new_messages[number]
            ) - self.counter.message(message)
        self._cleared_ids.add(id_)

    def _replace_context(self, recorded: RecordedCompaction) -> None:
        context = context_after_compaction(recorded)
        kept_indices = [index for index in context if isinstance(index, int)]
        self._new_messages = [
            with_cleared_results(new_message, self._cleared_ids)
            for new_message in context
            if isinstance(new_message, Message)
        ]
        self._kept = set(kept_indices)
        self._start = recorded.boundary
        self.messages = len(context)
        self.tokens = self.counter.messages(
            (*self._new_messages, *map(self._message, kept_indices))
        )
        self.is_unknown = any(_is_hidden(message) for message in self._new_messages)

    def _message(self, index: int) -> Message:
        return self._cleared_messages.get(index, self.conversation.messages[index])


def _is_hidden(message: Message) -> bool:
    return any(
        isinstance(block, Opaque) and block.tokens is None for block in message.blocks
    )


def _rereads(conversation: Conversation) -> Iterator[tuple[int, int]]:
    """Yield per recorded compaction the file reads until the next, and how many repeat an earlier
    one."""
    boundaries = [recorded.boundary for recorded in conversation.recorded]
    reads = _reads(conversation)
    known_paths: set[str] = set()
    read_index = 0
    while read_index < len(reads) and reads[read_index][0] < boundaries[0]:
        known_paths.add(reads[read_index][1])
        read_index += 1
    for end in [*boundaries[1:], len(conversation.messages)]:
        later_paths: list[str] = []
        while read_index < len(reads) and reads[read_index][0] < end:
            later_paths.append(reads[read_index][1])
            read_index += 1
        yield len(later_paths), sum(path in known_paths for path in later_paths)
        known_paths.update(later_paths)


def _reads(conversation: Conversation) -> list[tuple[int, str]]:
    """Return message index and path of every successful file read, in order."""
    root = conversation.cwd or "/"
    reads = [
        (index, call.id, access.path)
        for index, message in enumerate(conversation.messages)
        for call in tool_calls(message)
        for access in file_accesses(call, root)
        if access.operation is FileOperation.READ
    ]
    failed = _failed(conversation.messages, {id_ for _, id_, _ in reads})
    return [(index, path) for index, id_, path in reads if id_ not in failed]


def _failed(messages: Iterable[Message], call_ids: set[str]) -> set[str]:
    return {
        response.call_id
        for message in messages
        for response in tool_responses(message)
        if response.call_id in call_ids and is_failed_result(response)
    }

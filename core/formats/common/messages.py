"""What readers make of records: messages, blocks by a table, pairs of calls and results, sizes,
notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any

from core.common.json_value import MAX_COUNT, MISSING, Json
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    number_of,
    other_fields,
)
from core.transcript.model import (
    NO_CACHE,
    NO_EXTRA,
    Block,
    ImportNote,
    ImportReport,
    LostParent,
    Message,
    MessageFlag,
    Opaque,
    ReportedCache,
    ReportedUsage,
    Source,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    tool_calls,
    with_blocks,
)

_MAX_WARNINGS = 200
# A note quotes the file, which may be megabytes long.
_MAX_CHARACTERS = 300


class ImportNotes:
    """Records read, records skipped by kind, and warnings with their line (0: the whole file)."""

    def __init__(self) -> None:
        self.records = 0
        self._current_line = 0  # line of the current record
        self._first_lines: dict[str, int] = {}  # line by kind
        self._skipped: Counter[str] = Counter()
        self._warnings: dict[ImportNote, None] = {}
        self._repaired: dict[ImportNote, None] = {}
        self._lost_parents: Sequence[LostParent] = ()
        self._dropped_count = 0

    def track_lines(self, records: Iterable[JsonRecord]) -> Iterator[JsonRecord]:
        """Yield the records; records skipped meanwhile are noted at their lines."""
        try:
            for record in records:
                self._current_line = record.line
                yield record
        finally:
            self._current_line = 0

    def skip(self, kind: str, count: int = 1, *, line: int = 0) -> None:
        """Count records that are no messages; ``line`` is theirs unless it is the one being
        read."""
        # Only a new kind is cleaned: the same kinds come thousands of times.
        if kind not in self._skipped:
            kind = plain_line(kind)
            if line := line or self._current_line:
                self._first_lines.setdefault(kind, line)
        self._skipped[kind] += count

    def warn(self, line: int, text: str) -> None:
        """Add a warning once, up to a limit, so that a damaged file does not fill the memory."""
        note = ImportNote(line, plain_line(text))
        # Millions of equal defects are one note.
        if note in self._warnings:
            return
        if len(self._warnings) < _MAX_WARNINGS:
            self._warnings[note] = None
        else:
            self._dropped_count += 1

    def repair(self, line: int, text: str) -> None:
        """Note once a defect that was repaired while reading."""
        if len(self._repaired) < _MAX_WARNINGS:
            self._repaired[ImportNote(line, plain_line(text))] = None

    def lose_parents(self, lost: Sequence[LostParent]) -> None:
        """Note the lines whose parent is not in the file, with a warning each."""
        self._lost_parents = lost
        for one in lost:
            self.warn(one.line, f"the row {one.text}")

    def report(self) -> ImportReport:
        """Return the report so far; skipped kinds by count, warnings by line."""
        warnings = sorted(self._warnings, key=lambda note: note.line)
        if self._dropped_count:
            warnings.append(
                ImportNote(0, f"and {self._dropped_count} more warnings of this file")
            )
        repaired = tuple(sorted(self._repaired, key=lambda note: note.line))
        skipped = tuple(self._skipped.most_common())
        return ImportReport(
            self.records,
            skipped,
            tuple(warnings),
            repaired,
            dict(self._first_lines),
            tuple(self._lost_parents),
        )


def plain_line(text: str) -> str:
    """Return the text as one short printable line; it may quote the file."""
    if len(text) > _MAX_CHARACTERS:
        text = f"{text[:_MAX_CHARACTERS]}…"
    # A quoted text must not move the cursor of a terminal.
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " for c in text)


MADE_ID: Mapping[str, Json] = {"$made_id": True}
INPUT_TOKEN_FIELDS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)
"""Fields of a usage that add up to the size of a request."""


def speaker_of(
    role: Json,
    speakers: Mapping[str, Speaker],
    notes: ImportNotes,
    line: int,
    noun: str = "role",
) -> Speaker:
    """Return the speaker of a role; UNKNOWN, with a warning, for any other value."""
    if isinstance(role, str) and role in speakers:
        return speakers[role]
    notes.warn(
        line, f"the {noun} {coerce_text(role)[:40]!r} is not known; kept as unknown"
    )
    return Speaker.UNKNOWN


def opaque_flag(blocks: Iterable[Block]) -> MessageFlag:
    return MessageFlag.OPAQUE if Opaque in map(type, blocks) else MessageFlag.NONE


def joined_flags(first: MessageFlag, second: MessageFlag) -> MessageFlag:
    """Return ``first | second``, which for the usual NONE is left out: operators of flags are
    slow."""
    if second is MessageFlag.NONE:
        return first
    return first | second


def record_messages(
    source: Source,
    parts: Iterable[tuple[Speaker, Sequence[Block]]],
    flags: MessageFlag = MessageFlag.NONE,
    id: str = "",
    time: str = "",
    extra: Mapping[str, Json] = NO_EXTRA,
) -> list[Message]:
    """Return the messages of one record, one for each speaker in it."""
    return [
        Message(
            speaker=speaker,
            blocks=tuple(blocks),
            # Messages of one record share their place; the part tells them apart.
            sources=(replace(source, part=part) if part else source,),
            flags=joined_flags(flags, opaque_flag(blocks)),
            id=id,
            timestamp=time,
            extra=extra,
        )
        for part, (speaker, blocks) in enumerate(parts)
    ]


def split_by_speaker(
    blocks: Sequence[Block], speaker: Speaker = Speaker.HUMAN
) -> tuple[tuple[Speaker, tuple[Block, ...]], ...]:
    """Split a user's record into tool responses and, after them, all other blocks; another
    speaker's record stays whole."""
    # The API sends results first, whatever the order in the record.
    responses = tuple(block for block in blocks if isinstance(block, ToolResponse))
    if speaker is not Speaker.HUMAN or not responses:
        return ((speaker, tuple(blocks)),)
    others = tuple(block for block in blocks if not isinstance(block, ToolResponse))
    if others:
        return ((Speaker.TOOL, responses), (Speaker.HUMAN, others))
    return ((Speaker.TOOL, responses),)


def unreadable_message(
    record: JsonRecord,
    notes: ImportNotes,
    problem: str = "a message is not an object",
    kind: str = "message",
) -> Message:
    """Return a record that cannot be read as an opaque message, with a warning."""
    notes.warn(record.line, f"{problem}; kept as it is")
    block = Opaque(kind, record.value)
    return Message(
        speaker=Speaker.UNKNOWN,
        blocks=(block,),
        sources=(record.source(),),
        flags=MessageFlag.OPAQUE,
    )


@dataclass(frozen=True, slots=True)
class BlockShape:
    """The fields that hold the attributes of a block, in the order of these: texts, then values of
    any type (``default`` if absent). A part without one of the ``required`` texts does not have
    this shape."""

    block: Callable[..., Block]
    texts: tuple[str, ...]
    values: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    default: Any = MISSING


def shaped_block(
    part: Json,
    shapes: Mapping[str, BlockShape],
    ignored: Sequence[str] = ("type",),
    kind: str = "",
) -> Block:
    """Convert a part by the shape of its type (or ``kind``); Opaque if it has none of the shapes.
    Its extra are the fields that are neither attributes nor ``ignored``."""
    value = fields_of(part)
    kind = kind or coerce_text(value.get("type"))
    shape = shapes.get(kind)
    is_complete = shape is not None and all(
        isinstance(value.get(name), str) for name in shape.required
    )
    if shape is None or not is_complete or not isinstance(part, dict):
        return Opaque(kind or "unknown", part)
    texts = (coerce_text(value.get(name)) for name in shape.texts)
    values = (value.get(name, shape.default) for name in shape.values)
    known = (*ignored, *shape.texts, *shape.values)
    return shape.block(*texts, *values, extra=other_fields(value, known))


def bare_part(
    part: Json, notes: ImportNotes, line: int, noun: str = "content part"
) -> Block:
    """Convert a part that is no object: a text, or what is kept as Opaque with a warning."""
    if isinstance(part, str):
        return Text(part, {"$string": True})
    notes.warn(line, f"a {noun} is not an object; kept as it is")
    return Opaque("unknown", part)


def call_block(
    call: Json,
    shape: BlockShape,
    notes: ImportNotes,
    line: int,
    *ignored: str,
    kind: str = "tool_call",
) -> Block:
    """Convert a call by its shape; one that is no object is kept as Opaque, with a warning."""
    if not isinstance(call, dict):
        notes.warn(line, "a tool call is not an object; kept as it is")
    return shaped_block(call, {kind: shape}, ignored, kind)


_LINKED = (ToolCall, ToolResponse)


def link_calls(
    messages: Sequence[Message], notes: ImportNotes | None = None
) -> tuple[Message, ...]:
    """Pair calls and responses without an id in order, and name responses after their call: the
    nearest earlier one with that id, else the first later one. ``notes`` gets a repair for each
    generated id."""
    linked = [
        block
        for message in messages
        for block in message.blocks
        if isinstance(block, _LINKED)
    ]
    # The pass is left out where nothing is to mend, which is the case for nearly all files.
    if any(map(_lacks_id, linked)):
        messages = _with_tool_names(_with_ids(messages, notes))
    elif any(isinstance(block, ToolResponse) and not block.name for block in linked):
        messages = _with_tool_names(messages)
    return tuple(messages)


def _lacks_id(block: Block) -> bool:
    return (isinstance(block, ToolCall) and not block.id) or (
        isinstance(block, ToolResponse) and not block.call_id
    )


class _OpenCalls:
    """The calls that wait for a result, in order; ``known`` are the ids of all calls so far."""

    def __init__(self, answered: Collection[str]) -> None:
        self._answered = answered
        self._tools: dict[str, str] = {}  # by the ids of the calls that wait
        self.known: set[str] = set()

    def with_id(self, block: Block, new_id: str) -> Block:
        if isinstance(block, ToolCall):
            return self._call(block, new_id)
        if isinstance(block, ToolResponse) and not block.call_id:
            return self._result(block, new_id)
        return block

    def _call(self, call: ToolCall, new_id: str) -> ToolCall:
        if not call.id:
            call = replace(call, id=new_id, extra={**call.extra, **MADE_ID})
        self.known.add(call.id)
        # A call with an answer elsewhere must not take the result of another.
        if call.id not in self._answered:
            self._tools[call.id] = call.name
        return call

    def _result(self, result: ToolResponse, new_id: str) -> ToolResponse:
        """Return a result with the id of the first call that waits, of its tool if it names one."""
        waiting = (
            # A result may name its tool; then only a call of that one can be meant.
            call
            for call, tool in self._tools.items()
            if result.name in ("", tool)
        )
        id_ = next(waiting, new_id)
        self._tools.pop(id_, None)
        return replace(result, call_id=id_, extra={**result.extra, **MADE_ID})


def _with_ids(
    messages: Sequence[Message], notes: ImportNotes | None
) -> Sequence[Message]:
    """Give calls and results without an id one: a result that of the first call before it, of its
    tool if it names one, that has no result; a result without such a call gets an id of its own."""
    blocks = [block for message in messages for block in message.blocks]
    calls = _OpenCalls(
        {block.call_id for block in blocks if isinstance(block, ToolResponse)}
    )
    linked_messages: list[Message] = []
    for index, message in enumerate(messages):
        # Of all messages: a call that has an id waits for a result, too.
        with_ids = tuple(
            calls.with_id(block, f"no-id-{index}-{n}")
            for n, block in enumerate(message.blocks)
        )
        if any(map(_lacks_id, message.blocks)):
            if notes:
                if message.sources:
                    line = message.sources[0].line
                else:
                    line = 0
                is_alone = _has_lone_result(with_ids, calls.known)
                if is_alone:
                    how = "no call waits for it"
                else:
                    how = "they are paired in order"
                notes.repair(line, f"a call or result has no id; {how}")
            message = with_blocks(message, with_ids)
        linked_messages.append(message)
    return linked_messages


def _has_lone_result(blocks: Sequence[Block], known: Collection[str]) -> bool:
    """Return whether a result that was given an id has no call."""
    results = [block for block in blocks if isinstance(block, ToolResponse)]
    return any("$made_id" in one.extra and one.call_id not in known for one in results)


def _with_tool_names(messages: Sequence[Message]) -> Sequence[Message]:
    latest_calls: dict[str, ToolCall] = {}
    first_calls: dict[str, ToolCall] = {}
    # A result may stand above its call; the first later one is better than none.
    for message in messages:
        for call in tool_calls(message):
            first_calls.setdefault(call.id, call)

    def named(block: Block) -> Block:
        if isinstance(block, ToolCall):
            latest_calls[block.id] = block
        elif isinstance(block, ToolResponse) and not block.name:
            # Ids recur in some logs, so the nearest call above is the right one.
            for known in (latest_calls, first_calls):
                call = known.get(block.call_id)
                if call is not None and call.name:
                    return with_call(block, call)
        return block

    linked_messages: list[Message] = []
    for message in messages:
        blocks = tuple(map(named, message.blocks))
        # Unchanged messages stay the same objects, whose counts are known.
        is_same = all(map(is_, blocks, message.blocks))
        linked_messages.append(message if is_same else with_blocks(message, blocks))
    return linked_messages


def with_call(block: ToolResponse, call: ToolCall) -> ToolResponse:
    """Return the response with its call's name and id."""
    return ToolResponse(call.id, call.name, block.result, block.error, block.extra)


@dataclass(slots=True)
class UsageReports:
    """Reports by the record of the answer; in a record of several messages the last one was
    reported."""

    _reports: dict[tuple[int, int], tuple[int, int | None, str, ReportedCache]] = field(
        default_factory=dict
    )

    def add(
        self,
        source: Source,
        context: int | None,
        output: int | None = None,
        model: str = "",
        cache: ReportedCache = NO_CACHE,
    ) -> None:
        """Note the size of the request that a record answers, if it is reported."""
        # Probably a size of 0 is written for requests that failed.
        if context and context > 0:
            self._reports[source.line, source.start] = context, output, model, cache

    def reported_usage(self, messages: Sequence[Message]) -> tuple[ReportedUsage, ...]:
        # The last message of a record is the answer that was reported.
        indices = {
            (message.sources[0].line, message.sources[0].start): index
            for index, message in enumerate(messages)
            if message.speaker is Speaker.AI and message.sources
        }
        return tuple(
            ReportedUsage(index, *self._reports[record])
            for record, index in indices.items()
            if record in self._reports
        )


def reported_cache(
    read: Json, written: Json = None, cost: Json = None
) -> ReportedCache:
    """Return what a usage reports of the prompt cache, and its cost."""
    # Probably a cost of 0 is written where the price is not known.
    if isinstance(cost, int | float) and 0 < cost < MAX_COUNT:
        price = float(cost)
    else:
        price = None
    return ReportedCache(number_of(read), number_of(written), price)


def openai_usage(value: Json) -> tuple[int | None, int | None]:
    """Return tokens of request (with cached ones) and answer, as OpenAI's and similar APIs report
    them."""
    usage = fields_of(value)
    return number_of(usage.get("prompt_tokens")), number_of(
        usage.get("completion_tokens")
    )


_LANGCHAIN_KINDS = ("human", "ai", "system", "tool", "function", "chat", "remove")


def langchain_fields(value: Json) -> Mapping[str, Json] | None:
    """Return the fields of a message of LangChain in any shape, with ``type``; None for other
    values."""
    if not isinstance(value, dict):
        return None
    if value.get("type") == "constructor":
        name = value.get("id")
        kwargs = value.get("kwargs")
        if isinstance(name, list) and name:
            class_name = name[-1]
        else:
            class_name = ""
        if (
            not isinstance(kwargs, dict)
            or not isinstance(class_name, str)
            or "Message" not in class_name
        ):
            return None
        return {**kwargs, "type": _message_kind(class_name)}
    kind = _message_kind(coerce_text(value.get("type")))
    if kind not in _LANGCHAIN_KINDS:
        return None
    inner = value.get("data")
    if isinstance(inner, dict):
        return {**inner, "type": kind}
    if "content" in value:
        return {**value, "type": kind}
    return None


# Streamed messages have the word in their name.
def _message_kind(name: str) -> str:
    return name.removesuffix("Chunk").removesuffix("Message").lower()

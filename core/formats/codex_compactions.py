"""Reads compactions that Codex recorded: ``compacted`` lines and their replacement histories.

The new history replaces all messages before the line. Messages that are in the file already are
referred to by index, so that nothing is counted twice; the others are read from the line, with its
byte range as source and their index in it as ``part``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.common.json_parsing import (
    JsonRecord,
    fields_of,
    list_of,
    nested,
    number_of,
    string_of,
)
from core.formats.common.messages import ImportNotes, link_calls, reported_cache
from core.formats.openai_responses_items import (
    ResponseItemHistory,
    item_type,
    payload_text,
    read_item,
    summary_item,
)
from core.transcript.model import (
    REASONING_TOKENS,
    Block,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    ReportedCache,
    ReportedUsage,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    with_blocks,
)

ItemWithSource: TypeAlias = tuple[Json, Source]
"""An item and its source."""

FindItem: TypeAlias = Callable[[str], ItemWithSource | None]
"""Finds an item of the file by its id."""

NEVER_SENT = ("ghost_snapshot", "compaction_trigger")
"""Items of a file that are in no request: a snapshot of the work tree, and the order to compact."""


@dataclass(slots=True)
class EarlierMessages:
    """The messages before a compaction, by content. ``added_count`` counts those added."""

    indices_by_content: dict[tuple[object, ...], list[int]] = field(
        default_factory=lambda: defaultdict(list)
    )
    added_count: int = 0

    def add_new(self, messages: Sequence[Message]) -> None:
        """Add the messages since the last call."""
        for index in range(self.added_count, len(messages)):
            self.indices_by_content[content_key(messages[index])].append(index)
        self.added_count = len(messages)


def content_key(message: Message) -> tuple[object, ...]:
    """Return the content of a message without ids and bookkeeping; equal for equal content."""
    return (message.speaker, *map(_block_key, message.blocks))


def _block_key(block: Block) -> tuple[object, ...]:
    match block:
        case Text() | Thinking():
            # Encrypted reasoning has no words: two thoughts differ in their blobs alone.
            return type(block), block.text, str(block.extra.get("encrypted_content"))
        case Media():
            return type(block), block.data
        case ToolCall():
            return block.id, block.name, str(block.arguments)
        case ToolResponse():
            return block.call_id, str(block.result)
        case Opaque():
            # Probably the id of a blob changes when it is sent again; the blob stays.
            return block.kind, string_of(
                fields_of(block.raw).get("encrypted_content")
            ) or str(block.raw)
    return type(block), block.code


def read_compaction(
    record: JsonRecord,
    messages: Sequence[Message],
    system: Sequence[Message],
    earlier_messages: EarlierMessages,
    find_item: FindItem,
    notes: ImportNotes,
) -> RecordedCompaction:
    """Read one ``compacted`` line; the caller adds token counts. ``system`` are the messages of the
    system part: they stay there and do not count as left."""
    payload = record.value["payload"]
    earlier_messages.add_new(messages)
    new_items = _new_history_items(payload, record, find_item, notes)
    context_after: Sequence[int | Message]
    if new_items is None:
        context_after = _context_after_text(payload, record, messages, notes)
    else:
        system_keys = {content_key(message) for message in system}
        new_history = [
            m
            for m in _messages(new_items, record, notes)
            if content_key(m) not in system_keys
        ]
        marked = _with_summary_mark(new_history, payload_text(payload))
        context_after = _context_after(marked, earlier_messages)
    context_messages = [
        messages[entry] if isinstance(entry, int) else entry for entry in context_after
    ]
    summary = tuple(
        message
        for message in context_messages
        if message.flags & MessageFlag.RECORDED_SUMMARY
    )
    return RecordedCompaction(
        kind=_kind(summary),
        boundary=len(messages),
        summary=summary,
        kept=tuple(sorted(entry for entry in context_after if isinstance(entry, int))),
        source=record.source(),
        context_after=tuple(context_after),
    )


def _context_after(
    new_history: Sequence[Message], earlier_messages: EarlierMessages
) -> tuple[int | Message, ...]:
    """Return the messages of the new history, earlier ones by index. Of equal ones the newest
    stayed, because Codex keeps messages from the end."""
    context_after: list[int | Message] = []
    used_indices: set[int] = set()
    for message in reversed(new_history):
        matches = [
            index
            for index in earlier_messages.indices_by_content.get(
                content_key(message), ()
            )
            if index not in used_indices
        ]
        used_indices.update(matches[-1:])
        context_after.append(matches[-1] if matches else message)
    return tuple(reversed(context_after))


def _kind(summary: Sequence[Message]) -> str:
    """Return "replace" without a summary: the history was only replaced, say by the newest
    messages."""
    if not summary:
        return "replace"
    return (
        "opaque"
        if any(message.flags & MessageFlag.OPAQUE for message in summary)
        else "summary"
    )


def _with_summary_mark(messages: Sequence[Message], summary: str) -> list[Message]:
    marked = list(messages)
    if not summary or any(
        message.flags & MessageFlag.RECORDED_SUMMARY for message in marked
    ):
        return marked
    # Codex puts the summary last, and an earlier message may quote it.
    for index in reversed(range(len(marked))):
        texts = [
            block.text for block in marked[index].blocks if isinstance(block, Text)
        ]
        if marked[index].speaker is Speaker.HUMAN and any(
            summary in text for text in texts
        ):
            marked[index] = replace(
                marked[index], flags=marked[index].flags | MessageFlag.RECORDED_SUMMARY
            )
            break
    return marked


def _new_history_items(
    payload: Mapping[str, Json],
    record: JsonRecord,
    find_item: FindItem,
    notes: ImportNotes,
) -> list[ItemWithSource] | None:
    items = payload.get("replacement_history")
    entries = payload.get("replacement_history_entries")
    if isinstance(items, list):
        return [(item, record.source(number)) for number, item in enumerate(items)]
    if not isinstance(entries, list):
        return None
    # Probably entries refer to items because whole ones stored each image again.
    items_with_sources: list[ItemWithSource] = []
    for number, entry in enumerate(entries):
        fields = fields_of(entry)
        if "item" in fields:
            found_item = None
        else:
            found_item = find_item(string_of(fields.get("item_id")))
        if "item" in fields:
            items_with_sources.append((fields["item"], record.source(number)))
        elif found_item is not None:
            items_with_sources.append(found_item)
        else:
            notes.warn(
                record.line,
                "a compaction refers to an item that is not in the file; left out",
            )
    return items_with_sources


def _messages(
    items_with_sources: Sequence[ItemWithSource], record: JsonRecord, notes: ImportNotes
) -> tuple[Message, ...]:
    history = ResponseItemHistory()
    for value, source in items_with_sources:
        if item_type(value) not in NEVER_SENT:
            history.add(read_item(value, notes, record.line), source)
    history.close()
    return link_calls(history.messages)


def _context_after_text(
    payload: Mapping[str, Json],
    record: JsonRecord,
    messages: Sequence[Message],
    notes: ImportNotes,
) -> list[int | Message]:
    """Do the same for a line with only a text: the user's messages stayed, and the text after
    them."""
    kept = [
        index
        for index, message in enumerate(messages)
        if message.speaker is Speaker.HUMAN
    ]
    if not payload_text(payload):
        return [*kept]
    items = _messages([(summary_item(payload), record.source())], record, notes)
    return [
        *kept,
        *(replace(message, flags=MessageFlag.RECORDED_SUMMARY) for message in items),
    ]


def without_repeated_items(
    items: Sequence[tuple[int, RecordedCompaction]], lines: Sequence[RecordedCompaction]
) -> tuple[RecordedCompaction, ...]:
    """Return all compactions of a file in order; an item that the next line repeats is not counted
    again."""
    line_by_boundary = {line.boundary - 1: line for line in lines}
    unrepeated_items = [
        item
        for index, item in items
        if index not in line_by_boundary
        or index not in line_by_boundary[index].context_after
    ]
    return tuple(
        sorted((*unrepeated_items, *lines), key=lambda compaction: compaction.boundary)
    )


_SPEAKERS: Mapping[str, Speaker] = {
    "user_message": Speaker.HUMAN,
    "agent_message": Speaker.AI,
    "UserMessage": Speaker.HUMAN,
    "AgentMessage": Speaker.AI,
}


def event_token_counts(payload: Mapping[str, Json]) -> tuple[int, int] | None:
    """Return the tokens of the last request, and of the context with its answer; None if not
    counted. After a compaction Codex counts only the latter, which is then returned for both."""
    usage = fields_of(nested(payload, "info", "last_token_usage"))
    if payload.get("type") != "token_count":
        return None
    request = _count(usage.get("input_tokens"))
    total = _count(usage.get("total_tokens"))
    if request or total:
        return (request or total, total or request)
    return None


def event_model_limit(payload: Mapping[str, Json]) -> int:
    """Return the model's context window if an event names it, else 0."""
    model_limit = nested(payload, "info", "model_context_window")
    return _count(model_limit) or _count(payload.get("model_context_window"))


def _count(value: Json) -> int:
    return max(0, number_of(value) or 0)


def event_message(payload: Mapping[str, Json], source: Source) -> Message | None:
    """Return the message that an event shows; None for bookkeeping events."""
    kind = string_of(payload.get("type"))
    words = payload.get("message")
    if kind == "agent_reasoning" and (thought := string_of(payload.get("text"))):
        return Message(
            speaker=Speaker.AI, blocks=(Thinking(thought),), sources=(source,)
        )
    # Paginated rollouts have their prompts as completed items only.
    if kind == "item_completed":
        item = fields_of(payload.get("item"))
        parts = (fields_of(part).get("text") for part in list_of(item.get("content")))
        text = "\n".join(part for part in parts if isinstance(part, str))
        kind = string_of(item.get("type"))
        words = text or None
    speaker = _SPEAKERS.get(kind)
    if speaker and isinstance(words, str):
        return Message(speaker=speaker, blocks=(Text(words),), sources=(source,))
    return None


@dataclass(slots=True)
class CodexUsageReports:
    """Reports by the first item of their answer. A report follows the answer and the output of its
    tools, which were not in the reported request. Old versions wrote it before the answer: their
    first report has no answer before it."""

    reports: list[ReportedUsage] = field(default_factory=list)
    # Reported tokens by the message of the answer.
    reasoning: dict[int, int] = field(default_factory=dict)
    _unreported_answer: int = -1  # the message of an answer without a report
    _reports_come_first: bool | None = (
        None  # reports come before their answers; None: no report yet
    )
    _waiting_report: tuple[int, int | None, str, ReportedCache] | None = None
    _last_total: Json = None

    def add_answer(self, message: int) -> None:
        """Note an item of an answer, by the index of its message."""
        if self._waiting_report is not None:
            self._add(message, self._waiting_report)
            self._waiting_report = None
        elif self._unreported_answer < 0:
            self._unreported_answer = message

    def add_compaction(self) -> None:
        """Forget the answer before a compaction, which has no report."""
        self._unreported_answer, self._waiting_report = -1, None

    def take_back(self, message: int) -> None:
        """Forget the reports of answers from a message on."""
        self.reports = [
            report for report in self.reports if report.message_index < message
        ]
        self.reasoning = {
            index: tokens for index, tokens in self.reasoning.items() if index < message
        }
        self._unreported_answer, self._waiting_report = -1, None

    def add_report(self, payload: Mapping[str, Json], model: str) -> None:
        """Note an event; one with the sums of the last event repeats it."""
        usage = fields_of(nested(payload, "info", "last_token_usage"))
        total = nested(payload, "info", "total_token_usage")
        request = _count(usage.get("input_tokens"))
        # Probably Codex repeats an event when only the rate limits changed.
        if not request or (total is not None and total == self._last_total):
            return
        self._last_total = total
        if self._reports_come_first is None:
            self._reports_come_first = self._unreported_answer < 0
        cache = reported_cache(usage.get("cached_input_tokens"))
        report = (request, number_of(usage.get("output_tokens")), model, cache)
        if self._reports_come_first:
            self._waiting_report = report
        elif self._unreported_answer >= 0:
            self._add(self._unreported_answer, report)
            self.reasoning[self._unreported_answer] = _count(
                usage.get("reasoning_output_tokens")
            )
        self._unreported_answer = -1

    def _add(
        self, message: int, report: tuple[int, int | None, str, ReportedCache]
    ) -> None:
        """Add a report, unless the answer continues the last reported message: no index names its
        request."""
        if not self.reports or self.reports[-1].message_index < message:
            self.reports.append(ReportedUsage(message, *report))


def with_reported_reasoning(
    messages: Sequence[Message], reasoning: Mapping[int, int]
) -> tuple[Message, ...]:
    """Return the messages with the reported size of encrypted reasoning, which Codex sends again,
    at the first reasoning of each answer."""
    sized = list(messages)
    for index, tokens in reasoning.items():
        if index < len(sized) and tokens:
            blocks = sized[index].blocks
        else:
            blocks = ()
        for number, block in enumerate(blocks):
            if isinstance(block, Thinking) and block.extra.get("encrypted_content"):
                noted = replace(block, extra={**block.extra, REASONING_TOKENS: tokens})
                sized[index] = with_blocks(
                    sized[index], (*blocks[:number], noted, *blocks[number + 1 :])
                )
                break
    return tuple(sized)

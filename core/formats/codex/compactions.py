"""Compactions that Codex recorded: ``compacted`` lines and the history that each put in place.

What a line put in place replaces all that was before it (formats.md section 2). Messages of it that
stand in the file already are named by their index, so that nothing is counted twice; those that only
the line holds are read from it, with its byte range as source and their place in it as ``part``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.tool_linking import link_calls
from core.formats.openai_responses.items import (
    ResponseItemHistory,
    _summary_item,
    item_type,
    payload_text,
    read_item,
)
from core.transcript.model import (
    Block,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

PlacedMessages: TypeAlias = tuple[Json, Source]
"""An item and where it stands."""

FindItem: TypeAlias = Callable[[str], PlacedMessages | None]
"""Finds an item of the file by its id."""

_NEVER_SENT = ("ghost_snapshot", "compaction_trigger")


@dataclass(slots=True)
class EarlierMessages:
    """The messages before a compaction, found by what they say. ``seen`` counts those looked at."""

    places: dict[tuple[object, ...], list[int]] = field(default_factory=lambda: defaultdict(list))
    seen: int = 0

    def look(self, messages: Sequence[Message]) -> None:
        """Take up the messages that came since the last time."""
        for index in range(self.seen, len(messages)):
            self.places[content_key(messages[index])].append(index)
        self.seen = len(messages)


def content_key(message: Message) -> tuple[object, ...]:
    """What a message says, without ids and bookkeeping; equal for equal content."""
    return (message.speaker, *map(_block_key, message.blocks))


def _block_key(block: Block) -> tuple[object, ...]:
    match block:
        case Text():
            return ("text", block.text)
        case Thinking():
            return ("thinking", block.text, str(block.extra.get("encrypted_content")))
        case Media():
            return ("media", block.data)
        case ToolCall():
            return ("call", block.id, block.name, str(block.arguments))
        case ToolResponse():
            return ("response", block.call_id, str(block.result))
        case Opaque():
            return ("opaque", block.kind, _secret(block.raw))
    return ("code", block.code)


def _secret(raw: Json) -> str:
    own = raw.get("encrypted_content") if isinstance(raw, dict) else None
    return own if isinstance(own, str) else str(raw)


def read_compaction(
    record: JsonRecord,
    messages: Sequence[Message],
    system: Sequence[Message],
    earlier: EarlierMessages,
    find: FindItem,
    notes: ImportNotes,
) -> RecordedCompaction:
    """The value of one ``compacted`` line. ``system`` are the messages of the system part: they stay
    there and are no part of what is left. Counts of tokens are the caller's to add."""
    payload = record.value["payload"]
    earlier.look(messages)
    placed = _placed(payload, record, find, notes)
    if placed is None:
        return _older(payload, record, messages, notes)
    system_keys = {content_key(message) for message in system}
    made = [m for m in _messages(placed, record, notes) if content_key(m) not in system_keys]
    left = _left(_marked(made, payload_text(payload)), earlier)
    every = [messages[entry] if isinstance(entry, int) else entry for entry in left]
    summary = tuple(message for message in every if message.flags & MessageFlag.RECORDED_SUMMARY)
    return RecordedCompaction(
        kind=_kind(summary),
        position=len(messages),
        summary=summary,
        kept=tuple(sorted(entry for entry in left if isinstance(entry, int))),
        source=Source(record.line, record.start, record.end),
        left=left,
    )


def _left(made: Sequence[Message], earlier: EarlierMessages) -> tuple[int | Message, ...]:
    """The messages that a line put in place, those that stood before it by their index.

    Of equal ones the newest stayed, for Codex keeps messages from the end.
    """
    found: list[int | Message] = []
    used: set[int] = set()
    for message in reversed(made):
        again = [index for index in earlier.places.get(content_key(message), ()) if index not in used]
        used.update(again[-1:])
        found.append(again[-1] if again else message)
    return tuple(reversed(found))


def _kind(summary: Sequence[Message]) -> str:
    """Without a summary the history was only replaced (by the newest messages, for example)."""
    if not summary:
        return "replace"
    return "opaque" if any(message.flags & MessageFlag.OPAQUE for message in summary) else "summary"


def _marked(messages: Sequence[Message], summary: str) -> list[Message]:
    """The messages, with the one marked that holds the line's own summary, where no item stands for it."""
    found = list(messages)
    if not summary or any(message.flags & MessageFlag.RECORDED_SUMMARY for message in found):
        return found
    for index in reversed(range(len(found))):
        texts = [block.text for block in found[index].blocks if isinstance(block, Text)]
        if found[index].speaker is Speaker.HUMAN and any(summary in text for text in texts):
            found[index] = replace(found[index], flags=found[index].flags | MessageFlag.RECORDED_SUMMARY)
            break
    return found


def _placed(
    payload: Mapping[str, Json], record: JsonRecord, find: FindItem, notes: ImportNotes
) -> list[PlacedMessages] | None:
    """The items that the line puts in place, each with its source; None where it names none."""
    items, entries = payload.get("replacement_history"), payload.get("replacement_history_entries")
    if isinstance(items, list):
        return [(item, _part(record, number)) for number, item in enumerate(items)]
    if not isinstance(entries, list):
        return None
    found: list[PlacedMessages] = []
    for number, entry in enumerate(entries):
        fields = entry if isinstance(entry, dict) else {}
        id_ = fields.get("item_id")
        placed = find(id_) if isinstance(id_, str) and "item" not in fields else None
        if "item" in fields:
            found.append((fields["item"], _part(record, number)))
        elif placed is not None:
            found.append(placed)
        else:
            notes.warn(record.line, "a compaction refers to an item that is not in the file; left out")
    return found


def _part(record: JsonRecord, number: int) -> Source:
    return Source(record.line, record.start, record.end, number)


def _messages(
    placed: Sequence[PlacedMessages], record: JsonRecord, notes: ImportNotes
) -> tuple[Message, ...]:
    answers = ResponseItemHistory()
    ended = False
    for value, source in placed:
        if item_type(value) not in _NEVER_SENT:
            item = read_item(value, notes, record.line)
            answers.add(item, source, alone=ended)
            ended = item.ends
    answers.close()
    return link_calls(answers.messages)


def _older(
    payload: Mapping[str, Json], record: JsonRecord, messages: Sequence[Message], notes: ImportNotes
) -> RecordedCompaction:
    """A line with a text only: the person's messages stayed, and the text after them."""
    summary: tuple[Message, ...] = ()
    if payload_text(payload):
        made = _messages([(_summary_item(payload), _part(record, 0))], record, notes)
        summary = tuple(replace(message, flags=MessageFlag.RECORDED_SUMMARY) for message in made)
    kept = tuple(index for index, message in enumerate(messages) if message.speaker is Speaker.HUMAN)
    return RecordedCompaction(
        kind=_kind(summary),
        position=len(messages),
        summary=summary,
        kept=kept,
        source=Source(record.line, record.start, record.end),
        left=(*kept, *summary),
    )


def recorded_twice(
    items: Sequence[tuple[int, RecordedCompaction]], lines: Sequence[RecordedCompaction]
) -> tuple[RecordedCompaction, ...]:
    """All compactions of a file in order: an item right before the line that holds it is that line's."""
    own = {line.position - 1: line for line in lines}
    others = [item for index, item in items if index not in own or index not in own[index].left]
    return tuple(sorted((*others, *lines), key=_position))


def _position(compaction: RecordedCompaction) -> int:
    return compaction.position

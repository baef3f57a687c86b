"""Messages and flags for content that a reader does not understand and keeps as it is."""

from __future__ import annotations

from collections.abc import Iterable

from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import JsonRecord
from core.transcript.model import Block, Message, MessageFlag, Opaque, Speaker


def opaque_flag(blocks: Iterable[Block]) -> MessageFlag:
    return MessageFlag.OPAQUE if any(type(block) is Opaque for block in blocks) else MessageFlag.NONE


def unreadable_message(record: JsonRecord, notes: ImportNotes, name: str = "a message") -> Message:
    """Return the message of a record that is not an object, with a warning."""
    notes.warn(record.line, f"{name} is not an object; kept as it is")
    block = Opaque("message", record.value)
    return Message(Speaker.UNKNOWN, (block,), (record.source(),), MessageFlag.OPAQUE)

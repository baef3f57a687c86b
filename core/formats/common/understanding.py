"""Judges if a reader understood a file: most messages have a speaker and content."""

from __future__ import annotations

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.source_bytes import read_source
from core.transcript.model import Conversation, Message, Opaque, SourceDocument, Speaker, Text, Thinking

_METADATA_FIELDS = (
    *("role", "type", "model", "name", "cwd", "version"),
    *("status", "from", "speaker", "source", "kind"),
)
"""Fields whose texts are no content."""
_MAX_REREAD_MESSAGES = 20  # empty messages whose records are read again
_READABLE_KINDS = ("search_result", "document")  # kinds of opaque block whose words exporters know
_ENCRYPTED_WORDS = ("encrypted", "redacted", "signature", "compaction")
"""Words in the kind or fields of content that its provider encrypted or redacted."""


def is_mostly_unreadable(conversation: Conversation) -> bool:
    """Return whether most messages have no known speaker, or no content although their record has words.
    Content closed by its provider is content. Records are read again only if that may decide."""
    messages, document = conversation.messages, conversation.document
    unknown_messages = [
        message for message in messages if message.speaker is Speaker.UNKNOWN or _is_opaque(message)
    ]
    if 2 * len(unknown_messages) > len(messages):
        return True
    empty_messages = [
        m for m in messages if m.speaker is not Speaker.UNKNOWN and not any(map(_has_content, m.blocks))
    ]
    empty_messages = [message for message in empty_messages if not _is_opaque(message)]
    if 2 * (len(unknown_messages) + len(empty_messages)) <= len(messages):
        return False
    return any(_has_text(message, document) for message in empty_messages[:_MAX_REREAD_MESSAGES])


def _is_opaque(message: Message) -> bool:
    """Return whether a message holds only words that were not understood."""
    if any(map(_has_content, message.blocks)):
        return False
    return any(isinstance(block, Opaque) and _has_words(block.raw) for block in message.blocks)


def _has_content(block: Json) -> bool:
    if isinstance(block, Text):
        return bool(block.text.strip())
    if isinstance(block, Thinking):
        return bool(block.text.strip() or block.extra)
    if type(block) is Opaque:
        return block.tokens is not None or block.kind in _READABLE_KINDS or _is_encrypted(block)
    return True


def _is_encrypted(block: Opaque) -> bool:
    names = (block.kind, *block.raw) if isinstance(block.raw, dict) else (block.kind,)
    return any(word in name for name in names for word in _ENCRYPTED_WORDS)


def _has_text(message: Message, document: SourceDocument) -> bool:
    """Return whether the record of a message without content holds words."""
    try:
        records = (parse_bytes(read_source(document, source)) for source in message.sources)
        return any(_has_words(record.value) for record in records if not record.error)
    except InputError:
        return False


def _is_metadata_field(name: str) -> bool:
    return name in _METADATA_FIELDS or name.lower().endswith(
        ("id", "_at", "time", "timestamp", "type", "agent")
    )


def _has_words(value: Json) -> bool:
    if isinstance(value, dict):
        return any(_has_words(item) for name, item in value.items() if not _is_metadata_field(name))
    if isinstance(value, list):
        return any(map(_has_words, value))
    return isinstance(value, str) and bool(value.strip())

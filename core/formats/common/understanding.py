"""Judges if a reader understood a file: most messages have a speaker and content."""

from __future__ import annotations

from collections.abc import Sequence

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.open_document import read_source
from core.transcript.model import (
    Conversation,
    Message,
    Opaque,
    SourceDocument,
    Speaker,
    Text,
    Thinking,
    tool_calls,
    tool_responses,
)

_METADATA_FIELDS = (
    *("role", "type", "model", "name", "cwd", "version"),
    *("status", "from", "speaker", "source", "kind"),
)
"""Fields whose texts are no content."""
_METADATA_ENDINGS = ("id", "_at", "time", "timestamp", "type", "agent")
_MIN_UNPAIRED = 2  # results without a call: one may be what an excerpt begins with
_MAX_REREAD_MESSAGES = 20  # empty messages whose records are read again
_READABLE_KINDS = (
    "search_result",
    "document",
)  # kinds of opaque block whose words exporters know
_ENCRYPTED_WORDS = ("encrypted", "redacted", "signature", "compaction")
"""Words in the kind or fields of content that its provider encrypted or redacted."""


def _unknown_and_empty(messages: Sequence[Message]) -> tuple[int, list[Message]]:
    """Return how many messages have a speaker or content that is not known, and those without
    content."""
    unknown_count = 0
    empty: list[Message] = []
    for message in messages:
        has_content = any(map(_has_content, message.blocks))
        if message.speaker is Speaker.UNKNOWN or (
            not has_content and _is_opaque(message)
        ):
            unknown_count += 1
        elif not has_content:
            empty.append(message)
    return unknown_count, empty


def is_understood(conversation: Conversation) -> bool:
    """Return whether there is something to show and most of it was understood: messages have a
    known speaker, and content if their record has words. Content closed by its provider is content.
    Records are read again only if that may decide."""
    messages, document = conversation.messages, conversation.document
    if not messages:
        return is_empty(conversation) and bool(
            conversation.system.texts or conversation.recorded
        )
    unknown_count, empty = _unknown_and_empty(messages)
    if 2 * unknown_count > len(messages):
        return False
    if 2 * (unknown_count + len(empty)) <= len(messages):
        return True
    return not any(
        _record_has_words(message, document) for message in empty[:_MAX_REREAD_MESSAGES]
    )


def pairs_any(conversation: Conversation) -> bool:
    """Return whether a result answers a call of the messages."""
    called = {
        call.id for message in conversation.messages for call in tool_calls(message)
    }
    answers = (
        one for message in conversation.messages for one in tool_responses(message)
    )
    return any(answer.call_id in called for answer in answers)


def pairs_nothing(conversation: Conversation) -> bool:
    """Return whether there are several results of tools, and none answers a call of the
    messages."""
    called, count = set[str](), 0
    for message in conversation.messages:
        called.update(call.id for call in tool_calls(message))
        for response in tool_responses(message):
            if response.call_id in called:
                return False
            count += 1
    return count >= _MIN_UNPAIRED


def has_nothing(conversation: Conversation) -> bool:
    """Return whether a session has records, but nothing of them to show."""
    report = conversation.report
    has_content = (
        conversation.messages or conversation.system.texts or conversation.recorded
    )
    return not has_content and bool(report.records or report.skipped)


def is_empty(conversation: Conversation) -> bool:
    """Return whether a session has no messages but only valid records; its last line may be cut
    off."""
    report = conversation.report
    return not conversation.messages and len(report.warnings) <= dict(
        report.skipped
    ).get("not JSON", 0)


def _is_opaque(message: Message) -> bool:
    """Return whether a message without content holds words that were not understood."""
    return any(
        isinstance(block, Opaque) and _has_words(block.raw) for block in message.blocks
    )


def _has_content(block: Json) -> bool:
    if isinstance(block, Text):
        return bool(block.text.strip())
    if isinstance(block, Thinking):
        return bool(block.text.strip() or block.extra)
    if (
        type(block) is not Opaque
        or block.tokens is not None
        or block.kind in _READABLE_KINDS
    ):
        return True
    if isinstance(block.raw, dict):
        names = (block.kind, *block.raw)
    else:
        names = (block.kind,)
    return any(word in name for name in names for word in _ENCRYPTED_WORDS)


def _record_has_words(message: Message, document: SourceDocument) -> bool:
    try:
        records = (
            parse_bytes(read_source(document, source)) for source in message.sources
        )
        return any(_has_words(record.value) for record in records if not record.error)
    except InputError:
        return False


def _has_words(value: Json) -> bool:
    if isinstance(value, dict):
        return any(
            _has_words(item)
            for name, item in value.items()
            if name not in _METADATA_FIELDS
            and not name.lower().endswith(_METADATA_ENDINGS)
        )
    if isinstance(value, list):
        return any(map(_has_words, value))
    return isinstance(value, str) and bool(value.strip())

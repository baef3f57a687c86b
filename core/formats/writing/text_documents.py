"""Converts plain-text documents, which only Anthropic's format holds, to text blocks."""

from __future__ import annotations

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, list_of, string_of
from core.formats.writing.base import ExportInput
from core.transcript.image_tokens import is_words
from core.transcript.model import (
    Block,
    Media,
    Message,
    Opaque,
    Text,
    with_blocks,
)


def as_texts(given: ExportInput, to: str) -> tuple[ExportInput, int]:
    """Return the input with its documents as texts if the format ``to`` needs that, and their count."""
    if given.conversation.format not in FAMILY or to in FAMILY:
        return given, 0
    count = sum(_document_text(block) is not None for message in given.messages for block in message.blocks)
    return given.each(_with_texts), count


def _with_texts(message: Message) -> Message:
    words = [_document_text(block) for block in message.blocks]
    if all(text is None for text in words):
        return message
    blocks = zip(words, message.blocks, strict=True)
    return with_blocks(message, tuple(block if text is None else Text(text) for text, block in blocks))


def _document_text(block: Block) -> str | None:
    """Return the text of a document or search result, under its title; None for any other block."""
    if isinstance(block, Media) and is_words(block):
        return _titled(block.caption, block.data)
    raw = fields_of(block.raw) if isinstance(block, Opaque) else {}
    if raw.get("type") == "search_result":
        return _text_of_parts(raw.get("title"), raw.get("content"))
    source = fields_of(raw.get("source"))
    is_document = raw.get("type") == "document" and source.get("type") == "content"
    return _text_of_parts(raw.get("title"), source.get("content")) if is_document else None


def _text_of_parts(title: Json, content: Json) -> str | None:
    """Return the joined texts; None if any part is not text."""
    if isinstance(content, str):
        return _titled(string_of(title), content)
    texts = [fields_of(part).get("text") for part in list_of(content)]
    known = [text for text in texts if isinstance(text, str)]
    return _titled(string_of(title), "\n\n".join(known)) if known and len(known) == len(texts) else None


def _titled(title: str, text: str) -> str:
    return f"{title}\n\n{text}" if title else text


FAMILY = frozenset({"claude_code", "anthropic_messages"})
"""Source formats whose blocks have this shape, so that their further fields may come along."""

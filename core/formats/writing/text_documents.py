"""Converts plain-text documents, which only Anthropic's format holds, to text blocks."""

from __future__ import annotations

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, list_of, string_of
from core.formats.writing.base import ExportInput
from core.transcript.image_tokens import is_plain_text
from core.transcript.model import Block, Media, Message, Opaque, Text, with_blocks


def documents_as_texts(export_input: ExportInput, target_format: str) -> tuple[ExportInput, int]:
    """Return the input with its documents as texts if the format ``target_format`` needs that, and their
    count."""
    if export_input.conversation.format not in ANTHROPIC_FAMILY or target_format in ANTHROPIC_FAMILY:
        return export_input, 0
    count = sum(
        _document_text(block) is not None for message in export_input.messages for block in message.blocks
    )
    return export_input.map_messages(_with_texts), count


def _with_texts(message: Message) -> Message:
    texts = [_document_text(block) for block in message.blocks]
    if all(text is None for text in texts):
        return message
    blocks = zip(texts, message.blocks, strict=True)
    return with_blocks(message, tuple(block if text is None else Text(text) for text, block in blocks))


def _document_text(block: Block) -> str | None:
    """Return the text of a document or search result, under its title; None for any other block."""
    if isinstance(block, Media) and is_plain_text(block):
        return _with_title(block.caption, block.data)
    raw = fields_of(block.raw) if isinstance(block, Opaque) else {}
    if raw.get("type") == "search_result":
        return _text_of_parts(raw.get("title"), raw.get("content"))
    source = fields_of(raw.get("source"))
    is_document = raw.get("type") == "document" and source.get("type") == "content"
    return _text_of_parts(raw.get("title"), source.get("content")) if is_document else None


def _text_of_parts(title: Json, content: Json) -> str | None:
    """Return the joined texts; None if any part is not text."""
    if isinstance(content, str):
        return _with_title(string_of(title), content)
    texts = [fields_of(part).get("text") for part in list_of(content)]
    known_texts = [text for text in texts if isinstance(text, str)]
    return (
        _with_title(string_of(title), "\n\n".join(known_texts))
        if known_texts and len(known_texts) == len(texts)
        else None
    )


def _with_title(title: str, text: str) -> str:
    return f"{title}\n\n{text}" if title else text


ANTHROPIC_FAMILY = frozenset({"claude_code", "anthropic_messages"})
"""Source formats whose blocks have this shape, so that their further fields may come along."""

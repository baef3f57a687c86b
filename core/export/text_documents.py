"""Documents of plain text, which only Anthropic's messages hold as such, as the texts that they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.conversation import Block, Media, Message, Text, with_blocks
from core.export.anthropic_blocks import FAMILY
from core.export.base import ExportInput
from core.images import is_words


def as_texts(given: ExportInput, to: str) -> tuple[ExportInput, int]:
    """What is written in the format ``to``, and how many documents in it became texts."""
    if given.conversation.format not in FAMILY or to in FAMILY:
        return given, 0
    known: dict[int, Message] = {}

    def read(messages: Sequence[Message]) -> tuple[Message, ...]:
        for message in messages:
            if id(message) not in known:
                known[id(message)] = _read(message)
        return tuple(known[id(message)] for message in messages)

    result = given.compaction
    made = replace(
        given,
        conversation=replace(given.conversation, messages=read(given.conversation.messages)),
        history=replace(given.history, messages=read(given.history.messages)),
        compaction=result and replace(result, messages=read(result.messages)),
    )
    return made, sum(map(_is_document, (block for message in given.messages for block in message.blocks)))


def _read(message: Message) -> Message:
    """The message; itself where it holds no such document."""
    if not any(map(_is_document, message.blocks)):
        return message
    return with_blocks(message, tuple(_text(block) for block in message.blocks))


def _is_document(block: Block) -> bool:
    return isinstance(block, Media) and is_words(block)


def _text(block: Block) -> Block:
    if not isinstance(block, Media) or not _is_document(block):
        return block
    return Text(f"{block.caption}\n\n{block.data}" if block.caption else block.data)

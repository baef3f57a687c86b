"""The calibration that an export carries, so that the file says the size that it was shown with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.transcript.model import (
    REASONING_TOKENS,
    Block,
    CarriedSizes,
    Conversation,
    Message,
    Opaque,
    Thinking,
    with_blocks,
)

FIELD = "foldline_sizes"
"""Key of the calibration, in the first record of a file or in the object that is the file."""
_MAX_FACTOR, _MAX_TOKENS = 3.0, 2**53


def reported_block_tokens(block: Block) -> int | None:
    """Return the tokens that the provider reported for content that cannot be read."""
    if isinstance(block, Opaque):
        return block.tokens
    if isinstance(block, Thinking) and block.extra:
        tokens = block.extra.get(REASONING_TOKENS)
    else:
        tokens = None
    return tokens if isinstance(tokens, int) else None


def carried_sizes_json(
    sizes: CarriedSizes, messages: Sequence[Message]
) -> dict[str, Json]:
    """Return what a file of these messages carries."""
    unreadable = [reported_block_tokens(block) for block in _opaque_blocks(messages)]
    return {
        "factor": sizes.factor,
        "overhead": sizes.overhead,
        "requests": sizes.requests,
        "error": sizes.error,
        "model": sizes.model,
        "messages": len(messages),
        **({"unreadable": unreadable} if any(unreadable) else {}),
    }


def carried_sizes(value: Json) -> CarriedSizes | None:
    """Return what a record carries; None if there is nothing, or nothing usable."""
    note = value.get(FIELD) if isinstance(value, dict) else None
    if not isinstance(note, dict):
        return None
    factor, error, unreadable = (
        note.get("factor"),
        note.get("error"),
        note.get("unreadable"),
    )
    if not isinstance(factor, int | float) or not 0 < factor <= _MAX_FACTOR:
        return None
    tokens = list(map(_count, unreadable)) if isinstance(unreadable, list) else []
    return CarriedSizes(
        factor=float(factor),
        overhead=_tokens(note.get("overhead")),
        requests=_count(note.get("requests")) or 0,
        error=float(error)
        if isinstance(error, int | float) and 0 <= error < 1
        else None,
        model=str(note.get("model") or ""),
        messages=_count(note.get("messages")) or 0,
        unreadable=tuple(tokens),
    )


def _tokens(value: Json) -> int | None:
    return value if type(value) is int and abs(value) <= _MAX_TOKENS else None


def _count(value: Json) -> int | None:
    number = _tokens(value)
    if number is None:
        return None
    return max(0, number)


def _opaque_blocks(messages: Iterable[Message]) -> Iterator[Block]:
    return (
        block
        for message in messages
        for block in message.blocks
        if isinstance(block, Opaque | Thinking)
    )


def with_carried_sizes(conversation: Conversation, first_record: Json) -> Conversation:
    """Return a conversation with the calibration that the first record of its file carries, if
    any."""
    sizes = carried_sizes(first_record)
    if sizes is None or conversation.number != 1:
        return conversation
    # a summary may have become a recorded compaction
    sizes = replace(sizes, messages=min(sizes.messages, len(conversation.messages)))
    messages = _restored_messages(conversation.messages, sizes)
    return replace(
        conversation,
        messages=messages,
        carried=sizes,
        model=conversation.model or sizes.model,
    )


def _restored_messages(
    messages: Sequence[Message], sizes: CarriedSizes
) -> tuple[Message, ...]:
    """Return the messages of a file that carries sizes: unreadable content has its reported tokens
    again, and no message has the carried field."""
    exported = messages[: sizes.messages]
    is_same = sum(1 for _ in _opaque_blocks(exported)) == len(sizes.unreadable)
    tokens = iter(sizes.unreadable if is_same else ())
    restored = []
    for message in exported:
        if is_same and any(
            isinstance(block, Opaque | Thinking) for block in message.blocks
        ):
            message = with_blocks(
                message, tuple(_with_tokens(block, tokens) for block in message.blocks)
            )
        if FIELD in message.extra:
            message = replace(message, extra=_without_field(message.extra))
        restored.append(message)
    return (*restored, *messages[sizes.messages :])


def _without_field(extra: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in extra.items() if key != FIELD}


def _with_tokens(block: Block, tokens: Iterator[int | None]) -> Block:
    if not isinstance(block, Opaque | Thinking):
        return block
    reported = next(tokens)
    if reported is None or reported_block_tokens(block) is not None:
        return block
    if isinstance(block, Opaque):
        return replace(block, tokens=reported)
    return replace(block, extra={**block.extra, REASONING_TOKENS: reported})

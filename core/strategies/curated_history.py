"""The curated history that strategies work on: without empty ai messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.common.characters import (
    trim,
)
from core.common.json_value import MISSING
from core.settings.schema import Mode
from core.strategies.helpers import single_fate
from core.transcript.compaction import Fate, FateKind
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_NEVER_EMPTY = (ToolCall, ToolResponse, Opaque)
DROPPED: Fate = single_fate(
    FateKind.DROPPED, "empty message", "An ai message without content; it says nothing."
)


def curated_indices(messages: Sequence[Message], mode: Mode) -> tuple[int, ...]:
    """Return the indices of all but empty ai messages."""
    return tuple([index for index, message in enumerate(messages) if not is_empty(message, mode)])


def has_empty_message(messages: Iterable[Message]) -> bool:
    """Return whether the reference would have left out one of the inputs of ``compress``."""
    return any(
        message.speaker is Speaker.AI and is_empty(message, Mode.REFERENCE) for message in messages
    )


def is_empty(message: Message, mode: Mode) -> bool:
    """Return whether this is an ai message without content in the given mode."""
    if message.speaker is not Speaker.AI:
        return False
    for block in message.blocks:  # a plain loop: this runs for every message on every turn
        if (mode is Mode.SAFE and isinstance(block, _NEVER_EMPTY)) or _has_content(block):
            return False
    return True


def _has_content(block: Block) -> bool:
    if isinstance(block, ToolCall):  # the most common block
        arguments = block.arguments  # JavaScript's truth: empty lists and objects are true
        is_true = arguments is not MISSING and (
            isinstance(arguments, dict | list) or bool(arguments)
        )
        return bool(block.name) and is_true
    match block:
        case Text(text=text) | Code(code=text):
            return "!" <= text[:1] <= "~" or bool(trim(text))  # the latter reads all of a long text
        case ToolResponse():
            return bool(block.call_id) and block.result is not MISSING
        case Media():
            return bool(block.mime and block.data)
        case Thinking():
            return _has_thinking(block)
        case Opaque():
            # The reference treats unknown block types as code.
            if isinstance(block.raw, dict):
                code = block.raw.get("code")
            else:
                code = None
            return isinstance(code, str) and bool(trim(code))


def _has_thinking(block: Thinking) -> bool:
    if block.extra.get("sourceField") == "thinking":
        return bool(trim(block.text)) and bool(block.extra.get("signature"))
    encrypted = block.extra.get("encryptedContent")
    return bool(trim(block.text)) or (isinstance(encrypted, str) and bool(trim(encrypted)))

"""The curated history that strategies work on: without empty ai messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.common.excerpts import (
    trim,
)
from core.common.json_value import MISSING, Json
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
    return tuple(
        [index for index, message in enumerate(messages) if not is_empty(message, mode)]
    )


def has_empty_message(messages: Iterable[Message]) -> bool:
    """Return whether the reference would have left out one of the inputs of ``compress``."""
    return any(
        message.speaker is Speaker.AI and is_empty(message, Mode.REFERENCE)
        for message in messages
    )


def is_empty(message: Message, mode: Mode) -> bool:
    """Return whether this is an ai message without content in the given mode."""
    if message.speaker is not Speaker.AI:
        return False
    for (
        block
    ) in message.blocks:  # a plain loop: this runs for every message on every turn
        if (mode is Mode.SAFE and isinstance(block, _NEVER_EMPTY)) or _has_content(
            block
        ):
            return False
    return True


def _is_true_in_javascript(value: Json) -> bool:
    """Return JavaScript's truth of a value: empty lists and objects are true."""
    return value is not MISSING and (isinstance(value, dict | list) or bool(value))


def _has_words(text: str) -> bool:
    return "!" <= text[:1] <= "~" or bool(
        trim(text)
    )  # the latter reads all of a long text


def _has_content(block: Block) -> bool:
    if isinstance(block, ToolCall):  # the most common block
        return bool(block.name) and _is_true_in_javascript(block.arguments)
    match block:
        case Text(text=text) | Code(code=text):
            return _has_words(text)
        case ToolResponse():
            return bool(block.call_id) and block.result is not MISSING
        case Media():
            return bool(block.mime and block.data)
        case Thinking():
            return _has_thinking(block)
        case Opaque():
            # The reference treats unknown block types as code.
            code = block.raw.get("code") if isinstance(block.raw, dict) else None
            return isinstance(code, str) and _has_words(code)


def _has_thinking(block: Thinking) -> bool:
    if block.extra.get("sourceField") == "thinking":
        return bool(trim(block.text)) and bool(block.extra.get("signature"))
    encrypted = block.extra.get("encryptedContent")
    return bool(trim(block.text)) or (
        isinstance(encrypted, str) and bool(trim(encrypted))
    )

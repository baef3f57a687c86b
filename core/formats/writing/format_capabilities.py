"""What each format can hold, and messages converted to that without writing anything.

Files that Foldline writes are compared with these messages, and results of compactions are judged by them.
They are made from what the exporter declares, never from what it wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from core.common.json_value import MISSING
from core.formats.writing.plain_text import code_text, plain_result
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
    with_blocks,
)

_LIST_OF_TOOLS = "tool_search_output"  # a kind of result that holds a list of tools and no words


class ErrorSupport(StrEnum):
    WORDS = "words"  # a field of its own beside the result
    MARK = "mark"  # that the result is one
    NONE = "none"


class ThinkingSupport(StrEnum):
    ALL = "all"
    SIGNED = "signed"
    NONE = "none"


class SystemPlacement(StrEnum):
    """Where among its messages a format holds those of the system; elsewhere they become the user's."""

    NOWHERE = "nowhere"
    BEHIND = "behind"  # those in front are its system prompt
    ANYWHERE = "anywhere"


@dataclass(frozen=True, slots=True)
class FormatCapabilities:
    """What the messages of a format can hold; the rest is left out or changed, with a warning.

    ``family``: formats whose blocks are written with all their fields. ``from_user``: a conversation begins
    with the user. ``media``: images and the like. ``one_text``: the texts of a message are joined.
    ``calls_beside``: calls are stored beside the words of a message, so that words behind a call move before
    it.
    """

    family: Collection[str] = ()
    errors: ErrorSupport = ErrorSupport.MARK
    thoughts: ThinkingSupport = ThinkingSupport.NONE
    media: bool = True
    system: SystemPlacement = SystemPlacement.BEHIND
    call_ids: bool = True
    code: bool = False
    one_text: bool = False
    calls_beside: bool = False
    from_user: bool = False


_ANTHROPIC = ("claude_code", "anthropic_messages")
_GEMINI = ("gemini", "gemini_cli")
_RESPONSES = ("codex_rollout", "openai_responses")

HOLDS: Mapping[str, FormatCapabilities] = {
    "claude_code": FormatCapabilities(
        _ANTHROPIC, thoughts=ThinkingSupport.SIGNED, system=SystemPlacement.NOWHERE, from_user=True
    ),
    "anthropic_messages": FormatCapabilities(
        _ANTHROPIC, thoughts=ThinkingSupport.SIGNED, system=SystemPlacement.NOWHERE, from_user=True
    ),
    "openai_chat": FormatCapabilities(errors=ErrorSupport.NONE, calls_beside=True),
    "openai_responses": FormatCapabilities(_RESPONSES, ErrorSupport.NONE),
    "codex_rollout": FormatCapabilities(_RESPONSES, ErrorSupport.NONE),
    "gemini": FormatCapabilities(
        _GEMINI, thoughts=ThinkingSupport.ALL, system=SystemPlacement.NOWHERE, from_user=True
    ),
    "gemini_cli": FormatCapabilities(
        _GEMINI,
        thoughts=ThinkingSupport.ALL,
        system=SystemPlacement.NOWHERE,
        from_user=True,
        calls_beside=True,
    ),
    "llxprt": FormatCapabilities(
        errors=ErrorSupport.WORDS, thoughts=ThinkingSupport.ALL, system=SystemPlacement.NOWHERE, code=True
    ),
    "pi_agent": FormatCapabilities(
        thoughts=ThinkingSupport.ALL, system=SystemPlacement.NOWHERE, from_user=True
    ),
    "openhands": FormatCapabilities(
        thoughts=ThinkingSupport.ALL, system=SystemPlacement.ANYWHERE, from_user=True, calls_beside=True
    ),
    "swe_agent": FormatCapabilities(errors=ErrorSupport.NONE, calls_beside=True),
    "sharegpt": FormatCapabilities(
        errors=ErrorSupport.NONE, media=False, call_ids=False, one_text=True, calls_beside=True
    ),
}
"""Every format that is written and read again, by name."""

DEFAULT = "claude_code"
"""The default export format for conversations of a format that is only read."""


def adapted_message(message: Message, holds: FormatCapabilities, *, same: bool) -> Message:
    """Return a message as the format would hold it; ``same``: its blocks are of the format's family. Returns
    the same object if the format holds all of it, and a message without blocks if it holds nothing."""
    blocks = tuple(found for block in message.blocks for found in _adapted_blocks(block, holds, same))
    texts = [block.text for block in blocks if isinstance(block, Text)] if holds.one_text else []
    if len(texts) > 1:
        blocks = (Text("\n".join(texts)), *(block for block in blocks if not isinstance(block, Text)))
    if holds.calls_beside and has_words_behind(message):
        blocks = tuple(sorted(blocks, key=lambda block: isinstance(block, ToolCall)))
    speaker = message.speaker
    if speaker is Speaker.UNKNOWN or (speaker is Speaker.SYSTEM and holds.system is SystemPlacement.NOWHERE):
        speaker = speaker if same else Speaker.HUMAN
    if speaker is not message.speaker:
        return replace(message, blocks=blocks, speaker=speaker)
    unchanged = len(blocks) == len(message.blocks) and all(map(_is_same_block, blocks, message.blocks))
    return message if unchanged else with_blocks(message, blocks)


def has_words_behind(message: Message) -> bool:
    kinds = [isinstance(block, ToolCall) for block in message.blocks if isinstance(block, Text | ToolCall)]
    return kinds != sorted(kinds)


def _is_same_block(one: Block, other: Block) -> bool:
    return one is other


def _adapted_blocks(block: Block, holds: FormatCapabilities, same: bool) -> Iterator[Block]:
    match block:
        case ToolResponse():
            yield _adapted_response(block, holds, same)
        case Code() if not (same or holds.code):
            yield Text(code_text(block))
        case Thinking() if not same:
            if holds.thoughts is ThinkingSupport.ALL or (
                holds.thoughts is ThinkingSupport.SIGNED and block.extra.get("signature")
            ):
                yield block
        case Media() if not (same or holds.media):
            return
        case Opaque() if not same:
            return
        case _:
            yield block


def _adapted_response(block: ToolResponse, holds: FormatCapabilities, is_family: bool) -> ToolResponse:
    """Return a result with the error that would be read again; a changed error has the result's own words."""
    if is_family and block.extra.get("$item") == _LIST_OF_TOOLS and not isinstance(block.result, list):
        return replace(block, result=[])
    if block.error is MISSING or holds.errors is ErrorSupport.WORDS:
        return block
    text = plain_result(block)
    error = text if holds.errors is ErrorSupport.MARK else MISSING
    result = text if block.result in (None, "", MISSING) else block.result
    if error == block.error and result is block.result:
        return block
    return replace(block, result=result, error=error)

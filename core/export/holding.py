"""The messages as a format holds them: what an exporter converts them to, without writing anything.

The files that Foldline writes are compared with these messages, and results of compactions are judged by
them. They are made from what the exporter declares, never from what it wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from core.conversation import (
    MISSING,
    Block,
    Code,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolResponse,
    with_blocks,
)
from core.export.plain import code_text, plain_result, split_data_url


class Errors(StrEnum):
    """What a format holds of the error of a tool result."""

    WORDS = "words"  # a field of its own beside the result
    MARK = "mark"  # that the result is one
    NONE = "none"


class Thoughts(StrEnum):
    """Which thinking of another format a format holds."""

    ALL = "all"
    SIGNED = "signed"
    NONE = "none"


class System(StrEnum):
    """Where among its messages a format holds those of the system; elsewhere they become the user's."""

    NOWHERE = "nowhere"
    BEHIND = "behind"  # those in front are its system prompt
    ANYWHERE = "anywhere"


@dataclass(frozen=True, slots=True)
class Holds:
    """What the messages of a format have a place for; the rest is left out or changed, with a warning.

    ``family`` are the formats whose blocks are written with all their fields. ``from_user``: a conversation
    begins with the user. ``media`` are the beginnings of MIME types; what is not held becomes a note of it.
    """

    family: Collection[str] = ()
    errors: Errors = Errors.MARK
    thoughts: Thoughts = Thoughts.NONE
    media: tuple[str, ...] = ("",)
    system: System = System.BEHIND
    call_ids: bool = True
    code: bool = False
    from_user: bool = False


def held(message: Message, holds: Holds, *, same: bool) -> Message:
    """A message that is not written as it stands in its source; ``same``: its blocks are of the family.

    The same object where the format holds all of it. A message of which nothing is left has no blocks.
    """
    blocks = tuple(found for block in message.blocks for found in _held(block, holds, same))
    speaker = message.speaker
    if speaker is Speaker.UNKNOWN or (speaker is Speaker.SYSTEM and holds.system is System.NOWHERE):
        speaker = speaker if same else Speaker.HUMAN
    if speaker is not message.speaker:
        return replace(message, blocks=blocks, speaker=speaker)
    unchanged = len(blocks) == len(message.blocks) and all(map(_is, blocks, message.blocks))
    return message if unchanged else with_blocks(message, blocks)


def _is(one: Block, other: Block) -> bool:
    return one is other


def _held(block: Block, holds: Holds, same: bool) -> Iterator[Block]:
    match block:
        case ToolResponse():
            yield _response(block, holds)
        case Code() if not (same or holds.code):
            yield Text(code_text(block))
        case Thinking() if not same:
            if holds.thoughts is Thoughts.ALL or (
                holds.thoughts is Thoughts.SIGNED and block.extra.get("signature")
            ):
                yield block
        case Media() if not same:
            yield from _media(block, holds)
        case Opaque() if not same:
            return
        case _:
            yield block


def _response(block: ToolResponse, holds: Holds) -> ToolResponse:
    """A result with the error that is read from it again: of one that was changed, its own words."""
    if block.error is MISSING or holds.errors is Errors.WORDS:
        return block
    text = plain_result(block)
    error = text if holds.errors is Errors.MARK else MISSING
    result = text if block.result in (None, "", MISSING) else block.result
    if error == block.error and result is block.result:
        return block
    return replace(block, result=result, error=error)


def _media(block: Media, holds: Holds) -> Iterator[Block]:
    mime = split_data_url(block.mime, block.data)[0]
    if mime.startswith(holds.media) if mime else bool(holds.media):
        yield block

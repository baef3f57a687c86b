"""Compares conversions: the source without what the warnings name, with what was read again."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from core.common.json_value import MISSING
from core.export.export import EXPORTERS, export_history
from core.formats.registry import load_conversation
from core.formats.writing.exporter import ExportGroup, ExportInput
from core.formats.writing.plain_text import code_text, result_as_text, result_media
from core.lint.fitting import fitted_input
from core.transcript.alignment import canonical_parts
from core.transcript.model import (
    Block,
    Code,
    Conversation,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import answer_text
from tests.core.formats.exporting import unchanged_export

WRITTEN = tuple(
    one.name
    for one in EXPORTERS
    if one.group is ExportGroup.TRANSCRIPT and one.name != "markdown"
)
"""Transcript formats that are read and written."""


def export_to(given: ExportInput, to: str, folder: Path) -> tuple[Path, str]:
    exported = export_history(given, to)
    path = folder / "written"
    path.write_bytes(exported.data)
    return path, " ".join(exported.warnings)


def lost_and_made_up(
    conversation: Conversation, to: str, folder: Path
) -> tuple[list[object], list[object]]:
    path, warnings = export_to(unchanged_export(conversation), to, folder)
    again = (
        load_conversation(path, format=to)
        if path.stat().st_size
        else replace(conversation, messages=())
    )
    fitted, _ = fitted_input(
        unchanged_export(conversation), to
    )  # ids and names as it takes them
    messages = fitted.messages
    ours = [left for message in messages for left in _without(message, warnings)]
    before, after = Counter(_pieces(ours)), Counter(_pieces(again.messages))
    whole, readable = (
        Counter(_pieces(messages)),
        Counter(_pieces(_readable(again.messages))),
    )
    return list(before - after), list(readable - (whole | before))


def _readable(messages: Sequence[Message]) -> Iterator[Message]:
    """Return the messages without unreadable parts; an item may come back with fewer fields."""
    for message in messages:
        yield replace(
            message,
            blocks=tuple(b for b in message.blocks if not isinstance(b, Opaque)),
        )


def _pieces(messages: Iterable[Message]) -> Iterator[bytes]:
    """Return all content; an empty message is no piece."""
    nothing = {
        key
        for speaker in Speaker
        for key in canonical_parts(Message(speaker=speaker, blocks=()))
    }
    for message in messages:
        yield from (key for key in canonical_parts(message) if key not in nothing)


def _without(message: Message, warnings: str) -> Iterator[Message]:
    """Return a message as a target with these warnings holds it; nothing if it becomes empty."""
    blocks = [held for block in message.blocks for held in _held(block, warnings)]
    texts = [block.text for block in blocks if isinstance(block, Text)]
    if len(texts) > 1 and "several texts of a message as one" in warnings:
        blocks = [
            Text("\n".join(texts)),
            *(block for block in blocks if not isinstance(block, Text)),
        ]
    words = {
        Speaker.SYSTEM: ("system message as",),
        Speaker.UNKNOWN: ("unknown role as", "unknown message as"),
    }
    renamed = any(word in warnings for word in words.get(message.speaker, ()))
    if blocks:
        yield replace(
            message,
            blocks=tuple(blocks),
            speaker=Speaker.HUMAN if renamed else message.speaker,
        )


def _held(block: Block, warnings: str) -> tuple[Block, ...]:
    match block:
        case Thinking() if (
            "thinking" in warnings or "several thoughts as one" in warnings
        ):
            return ()
        case Opaque() if (
            block.kind or "unknown block"
        ) in warnings or "another agent" in warnings:
            return ()
        case Media() if any(
            word in warnings for word in ("media,", "media.", "media (", "linked image")
        ):
            return ()
        case Code() if "code block as text" in warnings:
            return (Text(code_text(block)),)
        case ToolCall() if "call arguments that are not an object" in warnings:
            odd = block.arguments not in (None, MISSING) and not isinstance(
                block.arguments, dict
            )
            return (
                replace(block, arguments={"arguments": block.arguments})
                if odd
                else block,
            )
        case ToolResponse() if (
            "media of a tool result" in warnings or "media in a tool result" in warnings
        ):
            media = result_media(block)
            words = answer_text(block) or (
                result_as_text(block) if "beside it" not in warnings else ""
            )
            gone = "media in a tool result" in warnings
            return (
                (replace(block, result=words), *(() if gone else media))
                if media
                else (block,)
            )
    return (block,)


def turns(messages: Sequence[Message]) -> list[str]:
    """Return the roles in turns: results are the user's, as for the APIs; neighbours of one role
    are joined."""
    roles = ["ai" if message.speaker is Speaker.AI else "user" for message in messages]
    return [
        role
        for place, role in enumerate(roles)
        if not place or role != roles[place - 1]
    ]

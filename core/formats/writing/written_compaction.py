"""Converts a compaction to the messages that its export will hold."""

from __future__ import annotations

from core.formats.writing.base import ExportInput, export_messages
from core.formats.writing.format_capabilities import DEFAULT, HOLDS, adapted_message
from core.transcript.compaction import Compaction
from core.transcript.model import Conversation, Message
from core.transcript.scopes import History


def as_written(
    conversation: Conversation, past: History, run: Compaction, to: str = ""
) -> tuple[Message, ...]:
    """Return one message for each message of a run, as its export holds it; empty if nothing is left. ``to``
    is the format of the export, by default the conversation's own. Conversations of a read-only format are
    judged by the default export, except for messages that the run left unchanged."""
    if run.no_op is not None:
        return run.messages
    name = next(name for name in (to, conversation.format, DEFAULT) if name in HOLDS)
    holds = HOLDS[name]
    stays = name != to or name == conversation.format
    shaped = conversation.format in (name, *holds.family)
    return tuple(
        piece.message
        if stays and piece.unchanged
        else adapted_message(piece.message, holds, same=shaped and piece.origin is not None)
        for piece in export_messages(ExportInput(conversation, past, run))
    )

"""Converts a compaction to the messages that its export will hold."""

from __future__ import annotations

from core.formats.writing.base import ExportInput, export_messages
from core.formats.writing.format_capabilities import CAPABILITIES, DEFAULT_FORMAT, adapted_message
from core.transcript.compaction import Compaction
from core.transcript.model import Conversation, Message
from core.transcript.scopes import History


def messages_as_exported(
    conversation: Conversation, history: History, compaction: Compaction, target_format: str = ""
) -> tuple[Message, ...]:
    """Return one message for each message of a run, as its export holds it; empty if nothing is left.
    ``target_format`` is the format of the export, by default the conversation's own. Conversations of a
    read-only format are judged by the default export, except for messages that the run left unchanged."""
    if compaction.no_op is not None:
        return compaction.messages
    name = next(name for name in (target_format, conversation.format, DEFAULT_FORMAT) if name in CAPABILITIES)
    capabilities = CAPABILITIES[name]
    keeps_unchanged = name != target_format or name == conversation.format
    is_same_family = conversation.format in (name, *capabilities.family)
    return tuple(
        piece.message
        if keeps_unchanged and piece.is_unchanged
        else adapted_message(
            piece.message, capabilities, same_family=is_same_family and piece.origin is not None
        )
        for piece in export_messages(ExportInput(conversation, history, compaction))
    )

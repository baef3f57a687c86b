"""The declaration of a transcript format, and where readers keep fields that they do not interpret.

**Extra fields.** ``Block.extra`` and ``Message.extra`` hold every field of the block's or
record's JSON object that no attribute of the value represents, under its own name and as
given (``cache_control``, ``citations``, ``caller``, ``signature``, ``content_parts``, ...). A
writer builds the fields it knows from the attributes and then lays the extra fields over them, so
an extra field wins: a value of an unexpected type (an id that is a number, a name that is null)
stays in ``extra`` under its own name beside the readable attribute.

**Foldline's own notes** start with ``$`` and are never written:

======================  ==========================================================================
``$content``            of a message: its content was ``"string"``, ``"null"`` or ``"absent"``;
                        without the note it was a list. Of a ToolResponse: ``"absent"``.
``$arguments``          of an OpenAI call: the original text of the arguments, if writing the parsed
                        value (compact, non-ASCII unescaped) would not reproduce it. Write it
                        while it still parses to ``arguments``.
``$object``             of an OpenAI call: the arguments were an object, not a text.
``$function``           of an OpenAI call: further fields of its ``function`` object.
``$legacy``             an OpenAI ``function_call`` (of a call) or role ``function`` (of a response).
``$field``              of a Thinking or Text: the OpenAI message field or part that held it.
``$source``             of a Media: ``source.type`` of an Anthropic block, or the type of an OpenAI
                        part; its other source fields are in ``$source_extra``.
``$string``             of a Text: it was a bare string in a list.
``$item``               of a call or response: the type of its Responses item where that is not
                        ``function_call`` or ``function_call_output``.
``$response``           of a Gemini response: the one field of its ``response`` object that holds it;
                        further fields of a part's own object are in ``$function``.
``$result``             of a response in a Gemini CLI record: its result was a ``"string"`` or text
                        ``"parts"``. ``$of``: the call that a block beside a response belongs to.
``$thought``            of a Thinking: the thought that a Gemini CLI record held.
``$made_id``            of a call or response: the file has no id; this one was generated to pair it.
======================  ==========================================================================

**Opaque** blocks hold their whole JSON in ``raw`` and are written back unchanged.

**One record, several messages.** If a record holds calls and their results together (Gemini's
``toolCalls``, opencode's tool parts), it becomes an ai message (``part`` 0) and one tool message (``part`` 1)
with the same byte range; the writer joins them again (``core.formats.writing.base.group_by_record``).

**Codex and Responses** messages have no ``extra``: their items are read again from the sources, one for
each item of an answer (core.formats.openai_responses.items).

**Pi** messages have no ``extra``: their entry is read again.

**Claude Code** messages have no ``extra`` except ``$content``, **OpenHands** messages none: their
record is the line or event, re-read by ``core.formats.common.open_document.read_source``. For every format,
the raw record of an unchanged message is the byte range of its sources; one record that became two messages
has the same range twice, with ``part`` 0 and 1; one message of several Claude Code lines has one source per
line.

**Layout** (``Conversation.layout``) describes the container:

=================  ===============================================================================
``container``      ``"jsonl"`` (records are lines), ``"array"`` (records are elements of the top
                   array) or ``"object"`` (records are elements of an array inside an object)
``path``           keys and indices from the top of the JSON value to the array of records: ``[]``,
                   ``["messages"]``, ``[3, "messages"]``. For ``jsonl`` from the value of the line
``line``           the line (from 1) that holds the conversation, if one line of a JSONL file
                   is a whole conversation; absent if each line is a record
``beside``         names of the other fields of the object that holds the array
``system``         sources of the records that went into ``Conversation.system``, as
                   ``[line, start, end]``; a top-level ``system`` field is re-read from the document
``opens_with``     ``"session_start"`` for an llxprt recording
``wrapped``        of a Codex rollout: its lines have a type and a payload; ``events`` is true where
                   messages were read from events because there are no items
``member``         the file inside a zip that holds the conversation, where there is one
=================  ===============================================================================

All other top-level fields are re-read from the document (``core.formats.common.open_document``).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.formats.common.document import OpenedDocument
from core.transcript.model import Conversation, Message, Progress, no_progress

StopCheck: TypeAlias = Callable[[], bool]
"""Called regularly while reading; true ends the reading."""


def never_stop() -> bool:
    return False


MessageObserver: TypeAlias = Callable[[Sequence[Message]], None]
"""Receives messages while the rest is still being read."""


def ignore_messages(messages: Sequence[Message]) -> None: ...


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What to read: a conversation of the file (from 1), a branch of it, and who is notified.

    ``branch`` is a path through a session that forks (``Conversation.branches``); an unknown number raises
    InputError. ``on_messages`` is called regularly with the messages read since its last call, so that they
    can be shown early, by readers of formats whose files grow large; the returned Conversation is final.
    """

    conversation: int = 1
    branch: int = 1
    progress: Progress = no_progress
    stop: StopCheck = never_stop
    on_messages: MessageObserver = ignore_messages


FormatScore: TypeAlias = tuple[float, str]
"""How surely a file is of a format, from 0 to 1, and the reason in a few words for the user."""


@dataclass(frozen=True, slots=True)
class Format:
    """One transcript format: its stable name, its label for the user, and its reader. ``score`` judges by
    content alone. ``read`` raises InputError for a file or conversation that it cannot read.
    ``real_file_seen`` is False if the reader was written from a description only."""

    name: str
    label: str
    about: str
    score: Callable[[OpenedDocument], FormatScore]
    read: Callable[[OpenedDocument, ReadRequest], Conversation]
    real_file_seen: bool = True


_INTERVAL = 0.02  # seconds; a faster read is shown as a whole


class RowPublisher:
    """Says when messages are due, so that readers construct them only to be shown."""

    def __init__(self, on_messages: MessageObserver) -> None:
        self._on_messages = on_messages
        self._due_at = math.inf if on_messages is ignore_messages else time.monotonic() + _INTERVAL

    @property
    def is_due(self) -> bool:
        """True if the messages read since the last ``show`` should be shown now."""
        return time.monotonic() >= self._due_at

    def show(self, messages: Sequence[Message]) -> None:
        """Pass on messages that later records are not expected to change."""
        if messages:
            self._on_messages(messages)
        self._due_at = time.monotonic() + _INTERVAL

"""The declaration of a transcript format. FORMATS.md says where readers keep what they do not
interpret."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import TypeAlias

from core.formats.common.document import OpenedDocument
from core.transcript.model import Conversation, Message, Progress, no_progress

StopCheck: TypeAlias = Callable[[], bool]
"""Called regularly while reading; true ends the reading."""


def never_stop() -> bool:
    return False


FIRST_WITH_MESSAGES = 0
"""Instead of the number of a conversation: the first one of the file that has messages."""


MessageObserver: TypeAlias = Callable[[Sequence[Message]], None]
"""Receives messages while the rest is still being read."""


def ignore_messages(messages: Sequence[Message]) -> None: ...


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What to read: a conversation of the file (from 1), a branch of it, and who is notified.

    ``branch`` is a path through a session that forks (``Conversation.branches``); an unknown number
    raises InputError. ``on_messages`` is called regularly with the messages read since its last
    call, so that they can be shown early, by readers of formats whose files grow large; the
    returned Conversation is final.
    """

    conversation: int = 1
    branch: int = 1
    progress: Progress = no_progress
    stop: StopCheck = never_stop
    on_messages: MessageObserver = ignore_messages


FormatScore: TypeAlias = tuple[float, str]
"""How surely a file is of a format, from 0 to 1, and the reason in a few words for the user."""


class ReadOnly(StrEnum):
    """Why Foldline writes no files of a format."""

    NO_IMPORT = "no import by its program is known"
    DATABASE = "Foldline does not write into a database that an agent owns"
    RECORD = "it records what was sent or shown, and no agent continues from it"


class ReaderEvidence(StrEnum):
    """What a reader was written from."""

    REAL_FILE = "real file"
    FIXTURE = "public fixture"
    DESCRIPTION = "description"


@dataclass(frozen=True, slots=True)
class Format:
    """One transcript format: its stable name, its label for the user, and its reader. ``score``
    judges by content alone. ``read`` raises InputError for a file or conversation that it cannot
    read. ``package`` is the plugin that declares it, "" for Foldline itself; ``read_only`` is the
    reason if no exporter has this name."""

    name: str
    label: str
    about: str
    score: Callable[[OpenedDocument], FormatScore]
    read: Callable[[OpenedDocument, ReadRequest], Conversation]
    _: KW_ONLY
    evidence: ReaderEvidence = ReaderEvidence.REAL_FILE
    package: str = ""
    read_only: ReadOnly = ReadOnly.NO_IMPORT


_INTERVAL = 0.02  # seconds; a faster read is shown as a whole


class RowPublisher:
    """Says when messages are due, so that readers construct them only to be shown."""

    def __init__(self, on_messages: MessageObserver) -> None:
        self._on_messages = on_messages
        self._shown_count = 0
        if on_messages is ignore_messages:
            self._due_at = math.inf
        else:
            self._due_at = time.monotonic() + _INTERVAL

    @property
    def is_due(self) -> bool:
        """True if the messages read since the last ``show`` should be shown now."""
        return time.monotonic() >= self._due_at

    def show(self, messages: Sequence[Message], growing: int = -1) -> None:
        """Pass on the messages since the last call, up to the one at ``growing``, which may still
        change."""
        if growing >= self._shown_count:
            end = growing
        else:
            end = len(messages)
        if new := messages[self._shown_count : end]:
            self._on_messages(new)
        self._shown_count = max(self._shown_count, end)
        self._due_at = time.monotonic() + _INTERVAL

"""Names a session by what its first messages say, and a message by its content: both survive that a
file is renamed, grows or is converted."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from core.transcript.alignment import canonical_parts
from core.transcript.model import Message

_FIRST = 2  # messages that identify a conversation
_DIGITS = 24


def session_file(messages: Sequence[Message], folder: Path) -> Path:
    """Return the file in a folder that belongs to a session."""
    digest = hashlib.sha256("".join(map(message_digest, messages[:_FIRST])).encode()).hexdigest()
    return folder / f"{digest[:_DIGITS]}.json"


def message_digest(message: Message) -> str:
    whole = hashlib.sha256()
    for piece in canonical_parts(message):
        whole.update(len(piece).to_bytes(8, "big") + piece)
    return whole.hexdigest()[:_DIGITS]

"""Reads the last message of a session from the end of its file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from core.common.errors import InputError
from core.formats.common.document import DocumentContainer, open_text
from core.formats.common.format import ReadRequest, StopCheck
from core.formats.discovery.find_sessions import SessionFile, no_check
from core.formats.discovery.first_prompts import first_spoken_words
from core.formats.registry import detect_format, load_conversation
from core.transcript.model import Conversation, SourceDocument, Speaker

_HEAD_SIZE = 65_536  # bytes at the beginning of a longer file, to detect its format
_END_SIZES = (65_536, 1_048_576)
"""Bytes to read at the end; the second if the first part has no message, as one result may fill it."""

_SPEAKERS = (Speaker.HUMAN, Speaker.AI)


def last_message(session: SessionFile, check: Callable[[], None] = no_check) -> str:
    """Return the last words of user or model in a session on one line, "" if they cannot be read. Of a long
    file only both ends are read, so that it must have lines and a message near its end. ``check`` may raise
    Cancelled."""

    def stop() -> bool:
        check()
        return False

    try:
        return _last_words_of_file(session.path, stop)
    except (InputError, OSError):
        return ""


def _last_words_of_file(path: Path, stop: StopCheck) -> str:
    with path.open("rb") as file:
        size, head = os.fstat(file.fileno()).st_size, file.read(_HEAD_SIZE)
        for length in _END_SIZES:
            if size <= _HEAD_SIZE + length:
                return _last_words(load_conversation(path, stop=stop))
            file.seek(-length, os.SEEK_END)
            if words := _last_words_of_end(path.name, head, file.read(), stop):
                return words
    return ""


def _last_words_of_end(name: str, head: bytes, end: bytes, stop: StopCheck) -> str:
    """Return the last words in the lines of an end. Raises InputError if the file is not JSONL."""
    start, (_, _, rest) = head[: head.rfind(b"\n") + 1], end.partition(b"\n")
    opened = open_text(SourceDocument(name, data=start + rest))
    if opened.container is not DocumentContainer.LINES:
        raise InputError(f"{name} is not made of lines.")
    return _last_words(detect_format(opened)[0].read(opened, ReadRequest(stop=stop)), start.count(b"\n"))


def _last_words(conversation: Conversation, after_line: int = 0) -> str:
    messages = reversed(conversation.messages)
    last_messages = (
        message for message in messages if any(source.line > after_line for source in message.sources)
    )
    return next(
        filter(
            None, (first_spoken_words(message) for message in last_messages if message.speaker in _SPEAKERS)
        ),
        "",
    )

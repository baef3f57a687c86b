"""What was said last in a session, from the end of its file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from core.common.errors import InputError
from core.common.garbage_collection import paused_collection
from core.formats.common.document import DocumentContainer, open_text
from core.formats.common.format import ReadRequest, StopCheck
from core.formats.discovery.find_sessions import SessionFile, no_check
from core.formats.discovery.first_prompts import first_spoken_words
from core.formats.registry import detect_format, load_conversation
from core.transcript.model import Conversation, SourceDocument, Speaker

_HEAD = 65_536
"""Bytes at the beginning of a longer file, which tell its format."""
_ENDS = (65_536, 1_048_576)
"""Bytes that are read at its end; the more where nobody speaks in the fewer, which one result may fill."""

_SAYS = (Speaker.HUMAN, Speaker.AI)


def last_message(found: SessionFile, check: Callable[[], None] = no_check) -> str:
    """The last words of a person or a model in a session, on one line; "" where they cannot be had.

    Of a long file only both ends are read, which takes a format of lines: "" for one JSON value, a packed
    file, one that is broken or gone, or where nobody speaks at the end. ``check`` is called now and then; it
    may raise Cancelled.
    """

    def stop() -> bool:
        check()
        return False

    try:
        return _said_last(found.path, stop)
    except (InputError, OSError):
        return ""


def _said_last(path: Path, stop: StopCheck) -> str:
    with path.open("rb") as file:
        size, head = os.fstat(file.fileno()).st_size, file.read(_HEAD)
        for length in _ENDS:
            if size <= _HEAD + length:
                return _last(load_conversation(path, stop=stop))
            file.seek(-length, os.SEEK_END)
            if said := _said_at_end(path.name, head, file.read(), stop):
                return said
    return ""


def _said_at_end(name: str, head: bytes, end: bytes, stop: StopCheck) -> str:
    """The last words in the lines of an end; InputError where both ends are no lines of a transcript."""
    start, (_, _, rest) = head[: head.rfind(b"\n") + 1], end.partition(b"\n")
    with paused_collection():
        opened = open_text(SourceDocument(name, data=start + rest))
        if opened.container is not DocumentContainer.LINES:
            raise InputError(f"{name} is not made of lines.")
        return _last(detect_format(opened)[0].read(opened, ReadRequest(stop=stop)), start.count(b"\n"))


def _last(conversation: Conversation, behind: int = 0) -> str:
    """The last words that stand behind so many lines."""
    messages = reversed(conversation.messages)
    late = (one for one in messages if any(source.line > behind for source in one.sources))
    return next(filter(None, (first_spoken_words(one) for one in late if one.speaker in _SAYS)), "")

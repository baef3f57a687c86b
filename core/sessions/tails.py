"""What was said last in a session, from the end of its file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from core.conversation import Conversation, Document, Speaker
from core.errors import InputError
from core.formats import detect, load
from core.formats.base import Request, Stop
from core.formats.opened import Container, open_text
from core.garbage import uncollected
from core.sessions.find import Found, no_check
from core.sessions.heads import spoken

_END = 65_536
"""Bytes that are read at the end of a longer file; as many at its beginning tell the format."""

_SAYS = (Speaker.HUMAN, Speaker.AI)


def last_message(found: Found, check: Callable[[], None] = no_check) -> str:
    """The last words of a person or a model in a session, on one line; "" where they cannot be had.

    Of a file longer than a few kB only both ends are read, which takes a format of lines: "" for one JSON
    value, a packed file, one that is broken or gone. ``check`` is called now and then; it may
    raise Cancelled.
    """

    def stop() -> bool:
        check()
        return False

    try:
        return _last(_read(found.path, stop))
    except (InputError, OSError):
        return ""


def _read(path: Path, stop: Stop) -> Conversation:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size <= _END:
            return load(path, stop=stop)
        head = file.read(_END)
        file.seek(-_END, os.SEEK_END)
        end = file.read()
    return _read_lines(path.name, head, end, stop)


def _read_lines(name: str, head: bytes, end: bytes, stop: Stop) -> Conversation:
    """The whole lines of both ends as one transcript; InputError where they are none."""
    whole = head[: head.rfind(b"\n") + 1] + end[end.find(b"\n") + 1 :]
    with uncollected():
        opened = open_text(Document(name, data=whole))
        if opened.container is not Container.LINES:
            raise InputError(f"{name} is not made of lines.")
        return detect(opened)[0].read(opened, Request(stop=stop))


def _last(conversation: Conversation) -> str:
    said = (spoken(one) for one in reversed(conversation.messages) if one.speaker in _SAYS)
    return next(filter(None, said), "")

"""Streams messages while the rest of a file is still being read."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from core.common.errors import InputError
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import Format, MessageObserver, ReadRequest, ignore_messages
from core.formats.common.open_document import document_length, read_part
from core.transcript.model import Message, SourceDocument

FIRST_SIZE = 1 << 20
"""Bytes to read first: more rows than a screen has, within hundredths of a second."""
MIN_FILE_SIZE = 8 << 20
"""Smaller files are read fast enough without this."""
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


def show_first_messages(reader: Format, opened: OpenedDocument, request: ReadRequest) -> None:
    """Pass on the first messages of a large JSONL file before the rest is read. The file's own reader reads
    the beginning as if it were the whole file; the Conversation read later is final."""
    if request.on_messages is ignore_messages or opened.container is not DocumentContainer.LINES:
        return
    if document_length(opened.document) < MIN_FILE_SIZE:
        return
    data = read_part(opened.document, 0, FIRST_SIZE)
    data = data[: data.rfind(b"\n") + 1]
    if not data.strip():
        return
    beginning = SourceDocument(opened.document.name, None, data, len(data))
    plain_request = ReadRequest(request.conversation, request.branch)
    try:
        conversation = reader.read(
            OpenedDocument(beginning, opened.container, opened.head, format=opened.format), plain_request
        )
    except InputError:  # the conversation begins later; the full read reports errors
        return
    request.on_messages(conversation.messages)

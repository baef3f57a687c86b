"""Shows the first messages of a large JSONL file before the rest is read.

The file's own reader reads the beginning as if it were the whole file; the Conversation read later is final.
"""

from __future__ import annotations

from core.common.errors import InputError
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import Format, ReadRequest, ignore_messages
from core.formats.common.open_document import document_length, read_part
from core.transcript.model import SourceDocument

FIRST_SIZE = 1 << 20
"""Bytes to read first: more rows than a screen has, within hundredths of a second."""
MIN_FILE_SIZE = 8 << 20
"""Smaller files are read fast enough without this."""


def show_first_messages(reader: Format, opened: OpenedDocument, request: ReadRequest) -> None:
    """Pass the first messages of the wanted conversation of a large JSONL file to ``seen``."""
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

"""The first messages of a large file of lines, shown before the rest of it is read.

The beginning of the file is read by its own reader as if it were the whole, so no reader has to know of
it; what these messages are in the end is in the Conversation.
"""

from __future__ import annotations

from core.common.errors import InputError
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import Format, ReadRequest, ignore_messages
from core.formats.common.open_document import document_length, read_part
from core.transcript.model import SourceDocument

FIRST = 1 << 20
"""Bytes of the beginning that are shown: more rows than a screen has, read in hundredths of a second."""
LARGE = 8 << 20
"""Bytes from which a file takes long enough for it."""


def show_first(reader: Format, opened: OpenedDocument, request: ReadRequest) -> None:
    """Hand the first messages of the wanted conversation to ``seen``; of small and other files none."""
    if request.seen is ignore_messages or opened.container is not DocumentContainer.LINES:
        return
    if document_length(opened.document) < LARGE:
        return
    data = read_part(opened.document, 0, FIRST)
    data = data[: data.rfind(b"\n") + 1]
    if not data.strip():
        return
    beginning = SourceDocument(opened.document.name, None, data, len(data))
    asked = ReadRequest(request.conversation, request.branch)
    try:
        found = reader.read(
            OpenedDocument(beginning, opened.container, opened.head, format=opened.format), asked
        )
    except InputError:  # the conversation lies further on; what is wrong with the file is said by its reader
        return
    request.seen(found.messages)

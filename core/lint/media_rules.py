"""What is wrong with the bytes of an image: base64 that is none, or another type than is said."""

from __future__ import annotations

import base64
from collections.abc import Iterator

from core.formats.common.media import TruncatedText
from core.lint.common_rules import ERROR, LintedHistory, LintFinding
from core.transcript.image_tokens import DIGEST_MARK, media_data
from core.transcript.model import Block, Media, Message, ToolResponse

_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"%PDF", "application/pdf"),
)
"""First bytes of files, with their type. BMP is left out: two letters begin other files too."""
_WEBP = b"RIFF", b"WEBP"
_GROUP = 4  # characters of base64 that stand for three bytes
_HEAD = 64  # characters of base64 that are decoded for the type


def broken_media(history: LintedHistory) -> Iterator[LintFinding]:
    """Find images whose base64 is broken (all APIs refuse them), or whose bytes are of another type
    than their message says (Anthropic compares the two)."""
    for index, message in enumerate(history.messages):
        for mime, data in _encoded(message):
            if not _is_base64(data):
                text = "holds an image or a document whose base64 is broken."
                yield history.finding(ERROR, "media-data", index, text)
                continue
            found = _type_of(data)
            is_compared = history.api.name == "anthropic" or found == "image/tiff"
            if is_compared and found and mime.startswith("image/") and found != _plain(mime):
                text = f"says {mime} of an image that is {found}."
                yield history.finding(ERROR, "media-type", index, text)


def _encoded(message: Message) -> Iterator[tuple[str, str]]:
    """Yield type and base64 of the media of a message, without links and words."""
    for block in message.blocks:
        for media in _media_of(block):
            if media is not None and media[1] and ":" not in media[1][:10]:
                yield media


def _media_of(block: Block) -> Iterator[tuple[str, str] | None]:
    if isinstance(block, Media):
        is_encoded = block.extra.get("$source") in (None, "base64", "inlineData", "image_url")
        is_known = block.mime.startswith(("image/", "application/pdf")) or not block.mime
        is_link = block.extra.get("$source") is None and not block.mime
        yield _split(block.mime, block.data) if is_encoded and is_known and not is_link else None
    elif isinstance(block, ToolResponse) and isinstance(block.result, list):
        for part in block.result:
            data = media_data(part)
            source = part.get("source") if isinstance(part, dict) else None
            if data and isinstance(source, dict) and source.get("type") == "base64":
                yield _split(str(source.get("media_type", "")), data)


def _split(mime: str, data: str) -> tuple[str, str]:
    """Return type and base64, of a data URL as well."""
    if not data.startswith("data:"):
        return mime, data
    head, mark, rest = data.partition(";base64,")
    return (head.removeprefix("data:"), rest) if mark else (mime, "")


def _is_base64(data: str) -> bool:
    if isinstance(data, TruncatedText):
        return data.size % _GROUP == 0  # the rest is in the file, and was base64 in its beginning
    if DIGEST_MARK in data:
        return True
    text = data.replace("\n", "").replace("\r", "")
    try:
        base64.b64decode(text, validate=True)
    except ValueError:
        return False
    return True


def _type_of(data: str) -> str:
    """Return the type of an image by its first bytes, "" for none that is known."""
    head = data[:_HEAD].partition(DIGEST_MARK)[0]
    try:
        start = base64.b64decode(head[: len(head) // _GROUP * _GROUP])
    except ValueError:
        return ""
    if start.startswith(_WEBP[0]) and start[8:12] == _WEBP[1]:
        return "image/webp"
    return next((mime for first, mime in _STARTS if start.startswith(first)), "")


def _plain(mime: str) -> str:
    return "image/jpeg" if mime == "image/jpg" else mime

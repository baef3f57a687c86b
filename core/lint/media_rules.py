"""What is wrong with the bytes of an image: base64 that is none, or another type than is said."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.media import TruncatedText
from core.lint.common_rules import ERROR, LintedHistory, LintFinding
from core.transcript.image_tokens import DIGEST_MARK, media_data
from core.transcript.images import image_line
from core.transcript.model import (
    Block,
    Media,
    Message,
    Text,
    ToolResponse,
    with_blocks,
    with_result,
)

_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"%PDF", "application/pdf"),
)
"""First bytes of files, with their type. BMP is left out: two letters begin other files too."""
_ENCODED_SOURCES = (None, "base64", "inlineData", "image_url", "input_image")
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


def with_mended_media(message: Message, provider: str) -> Message:
    """Return the message with a line for each image whose base64 is broken, and with the type of
    the others as their bytes are; the same object if there is nothing to mend."""
    blocks = tuple(_mended(block, provider) for block in message.blocks)
    is_same = all(new is old for new, old in zip(blocks, message.blocks, strict=True))
    return message if is_same else with_blocks(message, blocks)


def _mended(block: Block, provider: str) -> Block:
    """Return a block with its first image that can be mended."""
    for media in _media_of(block):
        if media is None or not _is_encoded(media[1]):
            continue
        mended = _mended_media(block, provider, *media)
        if mended is not None:
            return mended
    return block


def _is_encoded(data: str) -> bool:
    """Return whether the data are base64 by their form: neither missing nor a link."""
    return bool(data) and ":" not in data[:10]


def _mended_media(block: Block, provider: str, mime: str, data: str) -> Block | None:
    """Return the block without broken base64 or with the type of the bytes, None if it is in
    order. Only Anthropic compares the two types."""
    found = _type_of(data)
    is_wrong_type = bool(provider == "anthropic" and found and found != _plain(mime))
    is_broken = not _is_base64(data)
    if isinstance(block, Media):
        if is_broken:
            return Text(image_line(""))
        if is_wrong_type and mime.startswith("image/"):
            return replace(block, mime=found)
        return None

    if isinstance(block, ToolResponse) and (is_wrong_type or is_broken):
        return with_result(block, [_mended_part(part, provider) for part in block.result])
    return None


def _mended_part(part: Json, provider: str) -> Json:
    media = _encoded_part(part)
    if media is None:
        return part
    if not _is_base64(media[1]):
        kind = "input_text" if part.get("type") == "input_image" else "text"
        return {"type": kind, "text": image_line("")}
    source, found = part.get("source"), _type_of(media[1])
    if provider != "anthropic" or not found or not isinstance(source, dict):
        return part
    return {**part, "source": {**source, "media_type": found}}


def _encoded(message: Message) -> Iterator[tuple[str, str]]:
    """Yield type and base64 of the media of a message, without links and words."""
    for block in message.blocks:
        for media in _media_of(block):
            if media is not None and _is_encoded(media[1]):
                yield media


def _media_of(block: Block) -> Iterator[tuple[str, str] | None]:
    if isinstance(block, Media):
        is_encoded = block.extra.get("$source") in _ENCODED_SOURCES
        is_known = block.mime.startswith(("image/", "application/pdf")) or not block.mime
        is_link = block.extra.get("$source") is None and not block.mime
        yield _split(block.mime, block.data) if is_encoded and is_known and not is_link else None
    elif isinstance(block, ToolResponse) and isinstance(block.result, list):
        yield from map(_encoded_part, block.result)


def _encoded_part(part: Json) -> tuple[str, str] | None:
    """Return type and base64 of an image in a result; None for anything else."""
    data = media_data(part)
    if data and data.startswith("data:"):
        return _split("", data)
    source = part.get("source") if isinstance(part, dict) else None
    if data and isinstance(source, dict) and source.get("type") == "base64":
        return str(source.get("media_type", "")), data
    return None


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

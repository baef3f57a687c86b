"""Limits of providers on images and on the bytes of a request, from ``provider_limits.toml``."""

from __future__ import annotations

import base64
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from core.common import number_format
from core.common.json_value import Json
from core.formats.common.document import TruncatedText, text_length
from core.lint.common_rules import (
    ERROR,
    WARNING,
    LintedHistory,
    LintFinding,
    LintProvider,
    RequestModel,
)
from core.llm.catalog import choose_model, find_model_limit
from core.transcript.images import (
    DIGEST_MARK,
    header_part,
    image_line,
    images_of,
    media_data,
    media_size,
)
from core.transcript.model import (
    Block,
    Code,
    Conversation,
    Media,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    with_blocks,
    with_result,
)

DOCUMENTED = "documented"
SIZE_RULES = ("media-count", "media-pixels", "media-bytes", "request-bytes")
_MEGABYTE = 1_048_576


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderLimit:
    """One row of the table, which explains the fields; ``model_limit`` 0 is any window."""

    provider: str
    rule: str
    per: str
    most: int
    source: str
    date: str
    status: str
    service: str = ""
    models: str = ""
    model_limit: int = 0
    from_images: int = 0


@dataclass(frozen=True, slots=True)
class SentImage:
    """An image of a request: its message, its number among the images there, pixels (0, 0 if its
    header has none) and bytes as encoded; a link has none."""

    index: int
    number: int
    width: int
    height: int
    bytes: int


@dataclass(frozen=True, slots=True)
class MediaUse:
    """The images of messages, and the bytes that a request of them has at least."""

    images: tuple[SentImage, ...]
    request_bytes: int

    @property
    def image_bytes(self) -> int:
        return sum(image.bytes for image in self.images)


@cache
def provider_limits() -> tuple[ProviderLimit, ...]:

    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))[
        "limit"
    ]
    return tuple(ProviderLimit(**row) for row in rows)


def request_model(conversation: Conversation) -> RequestModel:
    """Return the model of a session and its window. A window above those of the table counts only
    where the file reports it: whether a request uses a model's long window is not in the file."""
    name = choose_model(conversation)
    model_limit = (
        conversation.reported_limit or find_model_limit(conversation, name, None).tokens
    )
    decisive = max(limit.model_limit for limit in provider_limits())
    # A name may stand for a model with a long window that few requests use.
    if (
        conversation.reported_limit is None
        and model_limit is not None
        and model_limit > decisive
    ):
        model_limit = None
    thinking = conversation.layout.get("thinking", "")
    return RequestModel(name, model_limit, thinking)


def media_use(messages: Sequence[Message]) -> MediaUse:
    images = tuple(
        SentImage(
            index,
            number,
            *(media_size(header_part(data)) or (0, 0)),
            _encoded_bytes(data),
        )
        for index, message in enumerate(messages)
        for number, data in enumerate(images_of(message))
    )
    return MediaUse(
        images,
        sum(_bytes_of(block) for message in messages for block in message.blocks),
    )


def _encoded_bytes(data: str) -> int:
    if data.startswith("data:"):
        # A data URL is longer than its data, and limits are those of the data.
        return text_length(data) - data.find(",") - 1
    # A link costs the request nothing; the provider fetches it.
    if ":" in data[:10]:
        return 0
    return text_length(data)


def _bytes_of(block: Block) -> int:
    match block:
        case Text(text=text) | Code(code=text):
            return _text_bytes(text)
        case Thinking(text=text, extra=extra):
            # The signature of a thought goes back with it and is often longer than the thought.
            return _text_bytes(text) + _json_bytes(dict(extra))
        case ToolCall(arguments=value) | ToolResponse(result=value) | Opaque(raw=value):
            return _json_bytes(value)
        case Media(data=data):
            return text_length(data)


def _json_bytes(value: Json) -> int:
    if isinstance(value, str):
        return _text_bytes(value)
    if isinstance(value, Mapping):
        return sum(len(key) + _json_bytes(item) for key, item in value.items())
    if isinstance(value, list):
        return sum(map(_json_bytes, value))
    # Numbers and signs are counted as one byte, so that the sum is a least size.
    return 1


def _text_bytes(text: str) -> int:
    # Trimmed images are ASCII; their whole size is known without reading them again.
    if text.isascii():
        return text_length(text)
    return len(text.encode("utf-8", "surrogatepass"))


def broken_limits(history: LintedHistory) -> Iterator[LintFinding]:
    """Find what is more or larger than the provider takes; those on the whole request have the
    index -1."""
    use = media_use(history.messages)
    for row in limits_of(history):
        if len(use.images) >= row.from_images:
            for index, text in _excesses(row, use, history):
                severity = (
                    # A limit seen in practice, or one of an unknown window, may not hold: it is
                    # no error.
                    ERROR
                    if row.status == DOCUMENTED and is_certain_limit(row, history.model)
                    else WARNING
                )
                yield LintFinding(
                    severity, f"{history.api.name}.{row.rule}", text, index
                )


def limits_of(history: LintedHistory) -> list[ProviderLimit]:
    """Return the limits for a provider and a model, those that may hold included."""
    return request_limits(history.api, history.model)


def request_limits(api: LintProvider, model: RequestModel) -> list[ProviderLimit]:
    """Return the limits of an API for a model, those that may hold included."""
    return [
        row
        for row in provider_limits()
        if row.provider == api.name and _applies(row, model)
    ]


def _applies(row: ProviderLimit, model: RequestModel) -> bool:
    has_limit = (
        not row.model_limit
        or model.model_limit is None
        or model.model_limit <= row.model_limit
    )
    # An unknown window may be one for which the limit holds, so it applies as a warning.
    return has_limit and (
        not row.models or bool(re.search(row.models, model.name.lower()))
    )


def is_certain_limit(row: ProviderLimit, model: RequestModel) -> bool:
    """Return whether a limit that applies is known to hold: the size of the model's window may not
    be."""
    return not row.model_limit or model.model_limit is not None


def _excesses(
    row: ProviderLimit, use: MediaUse, history: LintedHistory
) -> Iterator[tuple[int, str]]:
    """Yield the message, -1 for the whole, and the sentence of each excess."""
    takes = f"{row.service or history.api.label} takes {limit_text(row)}"
    if row.status != DOCUMENTED:
        takes += f" ({row.status})"
    if row.rule == "media-count" and row.per == "message":
        for index, count in _images_by_turn(use, history):
            if count > row.most:
                yield index, f"{history.name(index)} holds {count:,} images; {takes}."
        return

    of_request = _request_excess(row, use)
    if of_request:
        yield -1, f"{of_request}; {takes}."
    if row.per != "image":
        return
    for image in use.images:
        if breaks_limit(image, row):
            size = _image_size(image, row)
            yield (
                image.index,
                f"{history.name(image.index)} holds an image of {size}; {takes}.",
            )


def _images_by_turn(use: MediaUse, history: LintedHistory) -> Iterator[tuple[int, int]]:
    """Yield the first message of each turn and the images of the turn."""
    for _, indices in history.turns:
        yield indices[0], sum(image.index in indices for image in use.images)


def _request_excess(row: ProviderLimit, use: MediaUse) -> str:
    """Return what the whole request has too much of, "" for nothing."""
    if row.rule == "media-count":
        if len(use.images) > row.most:
            return f"The request holds {len(use.images):,} images"
        return ""
    if row.rule == "request-bytes" and use.request_bytes > row.most:
        if use.images:
            images = f", {megabytes(use.image_bytes)} of them images"
        else:
            images = ""
        return f"The request has at least {megabytes(use.request_bytes)}{images}"
    if (
        row.rule == "media-bytes"
        and row.per == "request"
        and use.image_bytes > row.most
    ):
        return f"The images of the request have {megabytes(use.image_bytes)}"
    return ""


def _image_size(image: SentImage, row: ProviderLimit) -> str:
    if row.rule == "media-bytes":
        return megabytes(image.bytes)
    return f"{image.width:,} × {image.height:,}"


def breaks_limit(image: SentImage, row: ProviderLimit) -> bool:
    """Return whether an image alone is over a limit for each."""
    if row.rule == "media-bytes":
        size = image.bytes
    else:
        size = max(image.width, image.height)
    return size > row.most


def limit_text(row: ProviderLimit) -> str:
    """Return "100 images a request if the window has at most 200,000 tokens"."""
    what = {
        "media-count": f"{row.most:,} images a {row.per}",
        "media-pixels": f"{row.most:,} × {row.most:,} pixels",
        "media-bytes": (
            f"{megabytes(row.most)} {'an image' if row.per == 'image' else 'of images a request'}"
        ),
        "request-bytes": f"{megabytes(row.most)} a request",
    }[row.rule]
    if row.from_images:
        what += f" from {row.from_images} images on"
    if row.model_limit:
        return f"{what} if the window has at most {row.model_limit:,} tokens"
    return what


def megabytes(size: int) -> str:
    """Return "34.2 MB", where 1 MB is 1,048,576 bytes as in the limits of providers."""
    decimals = 2 if size % (_MEGABYTE // 4) == 0 else 1  # 3.75 MB is a limit
    # A size below a tenth of a megabyte would read as none at all.
    shown = max(size, _MEGABYTE // 10) if size else 0
    text = number_format.half_up(shown / _MEGABYTE, decimals)
    return f"{text.rstrip('0').rstrip('.')} MB"


def media_text(messages: Sequence[Message], provider: str) -> str:
    """Return "120 images, 34.2 MB of 32 MB": the images of a request, its bytes and their limit; ""
    without images."""
    use = media_use(messages)
    if not use.images:
        return ""
    rows = (
        row
        for row in provider_limits()
        if row.provider == provider and row.per == "request"
    )
    by_rule = {row.rule: row for row in rows}
    row = by_rule.get("request-bytes") or by_rule.get("media-bytes")
    # OpenAI limits the bytes of all images, others those of the whole request.
    size = use.image_bytes if row and row.rule == "media-bytes" else use.request_bytes
    if row:
        limit = f" of {megabytes(row.most)}"
    else:
        limit = ""
    return f"{number_format.plural(len(use.images), 'image')}, {megabytes(size)}{limit}"


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
            # TIFF is refused by all APIs, whatever the message says of it.
            is_compared = history.api.name == "anthropic" or found == "image/tiff"
            if (
                is_compared
                and found
                and mime.startswith("image/")
                and found != _plain(mime)
            ):
                text = f"says {mime} of an image that is {found}."
                yield history.finding(ERROR, "media-type", index, text)


def with_mended_media(message: Message, provider: str) -> Message:
    """Return the message with a line for each image whose base64 is broken, and with the type of
    the others as their bytes are; the same object if there is nothing to mend."""
    blocks = tuple(_mended(block, provider) for block in message.blocks)
    is_same = all(new is old for new, old in zip(blocks, message.blocks, strict=True))
    if is_same:
        return message
    return with_blocks(message, blocks)


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
        return with_result(
            block, [_mended_part(part, provider) for part in block.result]
        )
    return None


def _mended_part(part: Json, provider: str) -> Json:
    media = _encoded_part(part)
    if media is None:
        return part
    if not _is_base64(media[1]):
        kind = "input_text" if part.get("type") == "input_image" else "text"
        # The Responses API has another word for a text in a result.
        return {"type": kind, "text": image_line("")}
    source = part.get("source")
    found = _type_of(media[1])
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
        # Files without a type are decoded only where they cannot be anything but an image.
        is_known = (
            block.mime.startswith(("image/", "application/pdf")) or not block.mime
        )
        # Without source and type the data may be a link in any form.
        is_link = block.extra.get("$source") is None and not block.mime
        yield (
            _split(block.mime, block.data)
            if is_encoded and is_known and not is_link
            else None
        )
    elif isinstance(block, ToolResponse) and isinstance(block.result, list):
        yield from map(_encoded_part, block.result)


def _encoded_part(part: Json) -> tuple[str, str] | None:
    """Return type and base64 of an image in a result; None for anything else."""
    data = media_data(part)
    if not data or not isinstance(part, dict):
        return None
    if data.startswith("data:"):
        return _split("", data)
    source = part.get("source")
    if not isinstance(source, dict):
        return None
    return str(source.get("media_type", "")), data


def _split(mime: str, data: str) -> tuple[str, str]:
    """Return type and base64, of a data URL as well."""
    if not data.startswith("data:"):
        return mime, data
    head, mark, rest = data.partition(";base64,")
    if mark:
        return (head.removeprefix("data:"), rest)
    return (mime, "")


def _is_base64(data: str) -> bool:
    if isinstance(data, TruncatedText):
        # The rest is in the file, and was base64 in its beginning.
        return data.size % _GROUP == 0
    # A digest stands for data that were left in the file.
    if DIGEST_MARK in data:
        return True
    # Probably some agents break base64 into lines, and the APIs take that.
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
    # The name of the kind stands behind the size of the file.
    if start.startswith(_WEBP[0]) and start[8:12] == _WEBP[1]:
        return "image/webp"
    return next((mime for first, mime in _STARTS if start.startswith(first)), "")


def _plain(mime: str) -> str:
    # Clients write both names of JPEG, and Anthropic compares the type with the bytes.
    return "image/jpeg" if mime == "image/jpg" else mime

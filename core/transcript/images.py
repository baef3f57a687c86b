"""Finds the images in messages and replaces them by a line."""

from __future__ import annotations

import binascii
import hashlib
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain

from core.common.json_value import Json
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Media,
    Message,
    Text,
    ToolResponse,
    with_blocks,
    with_result,
)

# Token costs of media: images by the pixels in their header, never by the length of their base64.


MEDIA_TOKENS = 1_600
"""Tokens of a sound, a document or an image of unknown size, for a model without a formula of its
own; also the most that one image costs there."""

DIGEST_MARK = (
    "…"  # precedes the digest in shortened base64; neither base64 nor a URL contains it
)
_WRAPPERS = ("source", "file", "inlineData", "inline_data", "image_url")
_IMAGE_TYPES = ("image", "image_url", "input_image")
_MEDIA = ("image/", "audio/", "video/", "application/pdf")
_DIGEST_LENGTH = 32
_PIXELS_PER_TOKEN = 750
_LOW = "low"  # detail
_LONGEST_EDGE = 1_568  # providers scale larger images down to this many pixels
_MAX_HEADER = (
    65_536  # base64 characters searched; a JPEG's size may follow its embedded preview
)
_HEADER_LENGTHS = (128, 1_024, 8_192, _MAX_HEADER)
_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def is_plain_text(media: Media) -> bool:
    """Return True for a document of plain text, as in Anthropic's messages: its data are words."""
    return media.extra.get("$source") == "text"


@dataclass(frozen=True, slots=True)
class ImageFormula:
    """How the provider of models whose names match ``pattern`` counts an image of a width and
    height in pixels; ``unknown`` tokens are those of one whose size is not known, ``low`` those of
    any that is sent with low detail, 0 where its size counts then, too."""

    pattern: str
    tokens: Callable[[int, int], float]
    unknown: int
    low: int = 0

    def is_guess(self, data: str, detail: Json = None) -> bool:
        """Return whether the tokens of an image are a guess, because its size is not known."""
        is_fixed = self.tokens is _fixed or (self.low and detail == _LOW)
        return not is_fixed and media_size(data) is None


def _by_area(width: int, height: int) -> float:
    """Anthropic: area / 750 after scaling, at most ``MEDIA_TOKENS``."""
    shrink = min(1.0, _LONGEST_EDGE / max(width, height))
    return min(MEDIA_TOKENS, width * shrink * height * shrink / _PIXELS_PER_TOKEN)


def _tiled(width: int, height: int, *, base: int, tile: int) -> float:
    """OpenAI: fits into 2048 x 2048, then the shorter side into 768; tiles of 512 pixels."""
    shrink = min(1.0, 2_048 / max(width, height))
    shrink *= min(1.0, 768 / (min(width, height) * shrink))
    columns, rows = (
        math.ceil(round(side * shrink, 6) / 512) for side in (width, height)
    )
    return base + tile * columns * rows


def _patched(width: int, height: int, *, factor: float) -> float:
    """OpenAI: patches of 32 pixels, at most 1,536 after scaling, times a factor of the model."""
    patches = math.ceil(width / 32) * math.ceil(height / 32)
    return factor * min(1_536, patches)


def _cropped(width: int, height: int) -> float:
    """Gemini 1.5 to 2.5: 258 tokens a tile, whose side is the shorter one / 1.5, 256 to 768."""
    if max(width, height) <= 384:
        return 258
    side = min(768.0, max(256.0, min(width, height) / 1.5))
    return 258 * math.ceil(width / side) * math.ceil(height / side)


def _fixed(width: int, height: int) -> float:
    """Gemini 3: 1,120 tokens at the default resolution."""
    return 1_120


_PATCHES = (
    # The guide says 1.62 and 2.46 for the last two; calculator and bills of OpenAI say this.
    ("gpt-4[.]1-mini", 1.62),
    ("gpt-4[.]1-nano", 2.46),
    ("o4-mini", 1.72),
    (r"gpt-5[.\d]*-mini", 1.2),
    (r"gpt-5[.\d]*-nano", 1.5),
)
_TILES = (
    ("gpt-4o-mini", 2_833, 5_667),
    ("gpt-5", 70, 140),
    (r"\bo[13]\b", 75, 150),
    ("computer-use", 65, 129),
    ("gpt-4|chatgpt", 85, 170),
)
FORMULAS = (
    *(
        ImageFormula(pattern, partial(_patched, factor=factor), round(factor * 1_024))
        for pattern, factor in _PATCHES
    ),
    *(
        ImageFormula(
            pattern, partial(_tiled, base=base, tile=tile), base + 4 * tile, base
        )
        for pattern, base, tile in _TILES
    ),
    ImageFormula("gemini-3", _fixed, 1_120),
    ImageFormula("gemini|gemma", _cropped, 4 * 258),
)
"""By the guides of OpenAI (images and vision) and Google (tokens, image understanding) as of
November 2026; the first that matches counts."""
BY_AREA = ImageFormula("", _by_area, MEDIA_TOKENS)


@cache
def image_formula(model: str) -> ImageFormula:
    """Return the formula of a model; Anthropic's for Claude and for models without a known one."""
    name = model.lower()
    found = (formula for formula in FORMULAS if re.search(formula.pattern, name))
    return next(found, BY_AREA)


def image_detail(media: Media) -> Json:
    """Return the level of detail that an image is sent with in OpenAI's APIs, None for none."""
    return media.extra.get(
        "detail", media.extra.get("$source_extra", NO_EXTRA).get("detail")
    )


def media_tokens(
    data: str, formula: ImageFormula = BY_AREA, detail: Json = None
) -> int:
    """Return the tokens of base64 data, a data URL or a link by a provider's formula."""
    if formula.low and detail == _LOW:
        return formula.low
    size = media_size(data)
    if size is None:
        return formula.unknown
    return max(1, math.ceil(round(formula.tokens(*size), 6)))


def media_size(data: str) -> tuple[int, int] | None:
    """Return width and height in pixels of base64 data or a data URL; None if the header has no
    size."""
    if data.startswith("data:"):
        payload = data.partition(",")[2]
    else:
        payload = data
    return image_size(_decoded(payload[:_MAX_HEADER].partition(DIGEST_MARK)[0]))


def header_part(data: str) -> str:
    """Return as much of the beginning of base64 data or a data URL as ``media_size`` needs."""
    headers = (data[:length] for length in _HEADER_LENGTHS)
    return next(
        (header for header in headers if media_size(header)), data[: _HEADER_LENGTHS[0]]
    )


def media_digest(data: str) -> str:
    """Return a digest of base64 data, the same for a data URL and for data shortened to its
    digest."""
    if data.startswith("data:"):
        payload = data.rpartition(",")[2]
    else:
        payload = data
    _, cut, digest = payload.rpartition(DIGEST_MARK)
    if cut:
        return digest
    # Fast: CPUs have instructions for it.
    full_digest = hashlib.sha256(payload.encode("utf-8", "surrogatepass"))
    return full_digest.hexdigest()[:_DIGEST_LENGTH]


def image_size(header: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels from the first bytes of a PNG, GIF, WebP or JPEG file."""
    if header[:8] == b"\x89PNG\r\n\x1a\n":
        return _valid_size(
            int.from_bytes(header[16:20], "big"), int.from_bytes(header[20:24], "big")
        )
    if header[:4] == b"GIF8":
        return _valid_size(
            int.from_bytes(header[6:8], "little"),
            int.from_bytes(header[8:10], "little"),
        )
    if header[:4] == b"RIFF" and header[8:12] == b"WEBP":
        return _webp_size(header)
    if header[:2] == b"\xff\xd8":
        return _jpeg_size(header)
    return None


def media_data(part: Json) -> str | None:
    """Return the data or link of a media part of any provider; None for other JSON."""
    if not isinstance(part, Mapping):
        return None
    for found in (part, *(part.get(name) for name in _WRAPPERS)):
        data = _payload(found)
        if data is not None:
            return data
    if part.get("type") in _IMAGE_TYPES:
        link = part.get("image_url")
        return link if isinstance(link, str) else ""
    return None


def _payload(found: Json) -> str | None:
    if not isinstance(found, Mapping):
        return None
    base64_data = found.get("base64")
    if isinstance(base64_data, str):
        return base64_data
    mime = found.get("media_type") or found.get("mimeType") or found.get("mime_type")
    is_media = isinstance(mime, str) and mime.startswith(_MEDIA)
    data = found.get("data")
    if is_media and isinstance(data, str):
        return data
    link = found.get("url")
    if isinstance(link, str) and link.startswith("data:"):
        return link
    return None


def _decoded(text: str) -> bytes:
    try:
        return binascii.a2b_base64(text[: len(text) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _valid_size(width: int, height: int) -> tuple[int, int] | None:
    if width > 0 and height > 0:
        return (width, height)
    return None


def _webp_size(header: bytes) -> tuple[int, int] | None:
    kind = header[12:16]
    if kind == b"VP8X":
        return _valid_size(
            int.from_bytes(header[24:27], "little") + 1,
            int.from_bytes(header[27:30], "little") + 1,
        )
    if kind == b"VP8L":
        bits = int.from_bytes(header[21:25], "little")
        return _valid_size((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if kind == b"VP8 ":
        return _valid_size(
            int.from_bytes(header[26:28], "little") & 0x3FFF,
            int.from_bytes(header[28:30], "little") & 0x3FFF,
        )
    return None


def _jpeg_size(header: bytes) -> tuple[int, int] | None:
    place = 2
    while place + 9 <= len(header) and header[place] == 0xFF:
        if header[place + 1] in _JPEG_SIZES:
            return _valid_size(
                int.from_bytes(header[place + 7 : place + 9], "big"),
                int.from_bytes(header[place + 5 : place + 7], "big"),
            )
        place += 2 + max(2, int.from_bytes(header[place + 2 : place + 4], "big"))
    return None


def images_of(message: Message) -> Iterator[str]:
    """Yield the data or link of each image, in results too; "" where the file has neither."""
    for block in message.blocks:
        if isinstance(block, Media):
            if _is_image(block):
                yield block.data
        else:
            yield from _result_images(block)


def _result_images(block: Block) -> Iterator[str]:
    if isinstance(block, ToolResponse) and isinstance(block.result, list):
        yield from (
            data for part in block.result if (data := _image_data(part)) is not None
        )


def guessed_images(messages: Sequence[Message], formula: ImageFormula) -> int:
    """Return how many images count by a guess, because the file does not say their size."""
    blocks = list(chain.from_iterable(message.blocks for message in messages))
    images = [
        block for block in blocks if isinstance(block, Media) and _is_image(block)
    ]
    in_results = chain.from_iterable(map(_result_images, blocks))
    return sum(formula.is_guess(one.data, image_detail(one)) for one in images) + sum(
        map(formula.is_guess, in_results)
    )


def without_images(message: Message, chosen: Collection[int]) -> Message:
    """Return the message with a line instead of the images whose numbers, from 0, are in
    ``chosen``."""
    numbers = iter(range(sum(1 for _ in images_of(message))))
    blocks = tuple(
        _without(block, lambda: next(numbers) in chosen) for block in message.blocks
    )
    return with_blocks(message, blocks)


def older_images(messages: Sequence[Message], kept: int) -> dict[int, tuple[int, ...]]:
    """Return the numbers of all but the newest ``kept`` images, by message."""
    places = [
        (at, number)
        for at, one in enumerate(messages)
        for number, _ in enumerate(images_of(one))
    ]
    older: dict[int, tuple[int, ...]] = {}
    for at, number in places[: max(0, len(places) - kept)]:
        older[at] = (*older.get(at, ()), number)
    return older


def _without(block: Block, is_chosen: Callable[[], bool]) -> Block:
    if isinstance(block, Media):
        if _is_image(block) and is_chosen():
            return Text(image_line(block.data))
        return block
    if not isinstance(block, ToolResponse) or not isinstance(block.result, list):
        return block
    parts: list[Json] = []
    is_changed = False
    for part in block.result:
        # Each call of ``is_chosen`` counts an image, so it is asked of images alone.
        if _image_data(part) is not None and is_chosen():
            parts.append(_text_part(part))
            is_changed = True
        else:
            parts.append(part)
    return with_result(block, parts) if is_changed else block


def _text_part(part: Json) -> Json:
    """Return the line for an image in a result, as a part of the same API."""
    assert isinstance(part, Mapping)
    text = image_line(_image_data(part) or "")
    if "type" not in part:
        return {"text": text}
    return {
        "type": "input_text" if part["type"] == "input_image" else "text",
        "text": text,
    }


def image_line(data: str) -> str:
    """Return "[image left out, 1,024 × 768]"."""
    size = media_size(header_part(data))
    if size:
        return f"[image left out, {size[0]:,} × {size[1]:,}]"
    return "[image left out]"


def _is_image(media: Media) -> bool:
    return (
        media.mime.startswith("image/")
        or media_size(header_part(media.data)) is not None
    )


def _image_data(part: Json) -> str | None:
    """Return the data or link of an image among the parts of a result; None for other parts."""
    if not isinstance(part, Mapping):
        return None
    data = media_data(part)
    if data is None:
        return None
    # A part without such a type, as of Gemini, is an image if the header of its data says so.
    if part.get("type") in _IMAGE_TYPES or media_size(header_part(data)):
        return data
    return None

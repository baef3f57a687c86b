"""Finds the images in messages and replaces them by a line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain

from core.common.json_value import Json
from core.transcript.image_tokens import (
    ImageFormula,
    header_part,
    image_detail,
    media_data,
    media_size,
)
from core.transcript.model import (
    Block,
    Media,
    Message,
    Text,
    ToolResponse,
    with_blocks,
    with_result,
)

_IMAGE_TYPES = ("image", "image_url", "input_image")


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
    parts = [
        _text_part(part) if _image_data(part) is not None and is_chosen() else part
        for part in block.result
    ]
    is_unchanged = all(new is old for new, old in zip(parts, block.result, strict=True))
    if is_unchanged:
        return block
    return with_result(block, parts)


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
    if isinstance(part, Mapping):
        data = media_data(part)
    else:
        data = None
    if data is None or not isinstance(part, Mapping):
        return None
    return (
        data
        if part.get("type") in _IMAGE_TYPES or media_size(header_part(data))
        else None
    )

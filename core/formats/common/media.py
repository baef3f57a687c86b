"""Long base64 of images: left in the file, with what is needed to know and to find it again.

A session may hold hundreds of megabytes of images, of which nothing but their size is ever
counted. Their text is replaced by its beginning and a digest; ``untrimmed`` reads it again, for an
export. ``shorten`` does the same with every long text of a file that is only read to be compared;
``restored`` reads those.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, BinaryIO

import orjson

from core.common.json_value import MISSING, Json
from core.formats.common.json_parsing import parse_bytes, plain_value
from core.formats.common.source_bytes import read_range
from core.transcript.image_tokens import CUT, held_part, media_data, media_digest
from core.transcript.model import Message, SourceDocument, with_blocks

LONG = 65_536
"""Bytes: records shorter than this stay as they are, and so does shorter base64."""

SHORT = 100
"""Characters up to which ``shorten`` leaves a text as it is."""

_JSON_TEXTS = ("arguments", "value")
"""Fields whose texts readers of lines read as JSON."""
_MARK = "\x1a"
_BEGINNING = 40  # characters; readers look at no more
_KEYS = ("data", "base64", "url", "image_url")
_PROBE = 100  # bytes
_DEEPEST = 20  # levels of JSON down to which images are looked for


class TruncatedText(str):
    """The beginning of a long text and its digest; the text is ``size`` bytes from ``start`` of the document.

    Equal to another one where the whole texts are.
    """

    __slots__ = ("size", "start")
    start: int
    size: int


def trim_images(value: Json, data: bytes, start: int, dropped: Collection[str] = ()) -> None:
    """Replace the long base64 of images in a value just parsed from ``data`` at byte ``start``.

    Only text that stands in ``data`` letter for letter is replaced, and none in the ``dropped`` fields
    of the value, which nobody keeps.
    """
    if len(data) < LONG:
        return
    stack: list[tuple[Json, int]] = [([value], 0)]
    place = 0
    while stack:
        found, depth = stack.pop()
        if isinstance(found, dict):
            place = _trim_fields(found, data, start, place)
        if isinstance(found, list):
            inner: Sequence[Json] = found
        else:
            inner = [one for key, one in found.items() if found is not value or key not in dropped]
        if depth < _DEEPEST:
            stack.extend((one, depth + 1) for one in reversed(inner) if isinstance(one, dict | list))


def _trim_fields(found: dict[str, Json], data: bytes, start: int, place: int) -> int:
    """Replace what ``media_data`` takes of an object; returns where in ``data`` to look next."""
    if not media_data(found):
        return place
    for key in _KEYS:
        text = found.get(key)
        if type(text) is str and len(text) >= LONG and text.isascii() and " " not in text:
            at = find_long(data, text.encode(), place)
            if at >= 0:
                found[key] = _trimmed(text, start + at)
                place = at + len(text)
    return place


def find_long(data: bytes, text: bytes, place: int = 0) -> int:
    """Where a long text stands in ``data``, -1 where it does not; the first place from ``place`` on."""
    at = data.find(text[:_PROBE], place)  # looking for a short text is quicker by far
    if at >= 0 and data.startswith(text, at):
        return at
    at = data.find(text, place)
    return at if at >= 0 else data.find(text, 0, place + len(text))


def _trimmed(text: str, start: int) -> TruncatedText:
    short = TruncatedText(f"{held_part(text)}{CUT}{media_digest(text)}")
    short.start, short.size = start, len(text)
    return short


def text_length(text: str) -> int:
    """Characters of a text, of the whole one where it is trimmed."""
    return text.size if isinstance(text, TruncatedText) else len(text)


def untrimmed(message: Message, document: SourceDocument) -> Message:
    """The message with every trimmed text as its file has it; the same object where there is none.

    Raises InputError where the file has changed.
    """
    if message.sources and all(source.end - source.start < LONG for source in message.sources):
        return message  # of short records, in which nothing was trimmed

    def read(text: str) -> str:
        if not isinstance(text, TruncatedText):
            return text
        return read_range(document, text.start, text.start + text.size).decode()

    made: Message = _mapped(message, read, 0)
    return made


def shorten(value: Json, data: bytes, start: int) -> None:
    """Replace each long text in a value just parsed: equal ones by equal ones."""
    _shorten(value, {}, 0)


def restored(message: Message, stream: BinaryIO) -> Message:
    """The message with the texts that ``shorten`` replaced, read again from its records in ``stream``."""
    texts: dict[str, str] = {}

    def read(text: str) -> str:
        if _MARK in text and not texts:
            for source in message.sources:
                stream.seek(source.start)
                _shorten(parse_bytes(stream.read(source.end - source.start)).value, texts, 0)
        return texts.get(text, text)

    return with_blocks(message, _mapped(message.blocks, read, 0))


def _shorten(value: Json, texts: dict[str, str], depth: int) -> None:
    """Replace the long texts of a list or object; ``texts`` gets what stood for what is there then."""
    if not isinstance(value, dict | list) or depth > _DEEPEST:
        return
    for key, one in value.items() if isinstance(value, dict) else enumerate(value):
        if type(one) is not str:
            _shorten(one, texts, depth + 1)
        elif len(one) > SHORT and not one.isspace():
            short = _short_json(one, texts, depth) if key in _JSON_TEXTS else _short(one)
            value[key], texts[short] = short, one


def _short_json(text: str, texts: dict[str, str], depth: int) -> str:
    """The text of a list or object with short texts in it; other JSON, or what may be some, as it is."""
    value = plain_value(text)
    if not isinstance(value, dict | list):
        return _short(text) if value is MISSING and text.lstrip()[0] not in '{["' else text
    _shorten(value, texts, depth + 1)
    return orjson.dumps(value).decode()


def _short(text: str) -> str:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{text[:_BEGINNING]}{_MARK}{digest}"


def _mapped(value: Any, change: Callable[[str], str], depth: int) -> Any:
    """A frozen dataclass, tuple, list, dict or text with each text in it as ``change`` makes it."""
    kind = type(value)
    if isinstance(value, str):
        return change(value)
    if depth > _DEEPEST + 10:
        return value
    if is_dataclass(value):
        old = {one.name: getattr(value, one.name) for one in fields(value)}
        new = {name: _mapped(one, change, depth + 1) for name, one in old.items()}
        changed = {name: one for name, one in new.items() if one is not old[name]}
        return replace(value, **changed) if changed and not isinstance(value, type) else value
    if kind is dict:
        new = {name: _mapped(one, change, depth + 1) for name, one in value.items()}
        return new if any(one is not value[name] for name, one in new.items()) else value
    if kind is list or kind is tuple:
        several = [_mapped(one, change, depth + 1) for one in value]
        same = all(one is old for one, old in zip(several, value, strict=True))
        return value if same else kind(several)
    return value

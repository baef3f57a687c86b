"""Leaves long base64 of images in the file, with what is needed to find it again.

A session may hold hundreds of megabytes of images, and only their size is counted. Their text is replaced by
its beginning and a digest; ``untrimmed`` reads it again for an export. ``shorten`` does the same with every
long text of a file that is only read for comparison; ``restored`` reads those again.
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
"""Bytes: shorter records and shorter base64 stay unchanged."""

SHORT = 100
"""Characters: ``shorten`` leaves shorter texts unchanged."""

_JSON_TEXTS = ("arguments", "value")  # fields whose texts readers parse as JSON
_MARK = "\x1a"
_BEGINNING = 40  # characters; readers check no more
_KEYS = ("data", "base64", "url", "image_url")
_PROBE = 100  # bytes
_DEEPEST = 20  # levels of JSON that are searched for images


class TruncatedText(str):
    """The beginning of a long text and its digest; the text is ``size`` bytes from ``start`` of the document.
    Two are equal if the whole texts are."""

    __slots__ = ("size", "start")
    start: int
    size: int


def trim_images(value: Json, data: bytes, start: int, dropped: Collection[str] = ()) -> None:
    """Replace the long base64 of images in a value just parsed from ``data`` at byte ``start``. Only text
    that appears verbatim in ``data`` is replaced, and none in the ``dropped`` fields of the value, which no
    reader keeps."""
    if len(data) < LONG:
        return
    stack: list[tuple[Json, int]] = [([value], 0)]
    place = 0
    while stack:
        container, depth = stack.pop()
        if isinstance(container, dict):
            place = _trim_fields(container, data, start, place)
        if isinstance(container, list):
            inner: Sequence[Json] = container
        else:
            inner = [item for key, item in container.items() if container is not value or key not in dropped]
        if depth < _DEEPEST:
            stack.extend((item, depth + 1) for item in reversed(inner) if isinstance(item, dict | list))


def _trim_fields(item: dict[str, Json], data: bytes, start: int, place: int) -> int:
    """Trim the media of an object; return where in ``data`` to search next."""
    if not media_data(item):
        return place
    for key in _KEYS:
        text = item.get(key)
        if type(text) is str and len(text) >= LONG and text.isascii() and " " not in text:
            at = find_long(data, text.encode(), place)
            if at >= 0:
                item[key] = _trimmed(text, start + at)
                place = at + len(text)
    return place


def find_long(data: bytes, text: bytes, place: int = 0) -> int:
    """Return where a long text is in ``data``, from ``place`` on or anywhere; -1 if it is not."""
    at = data.find(text[:_PROBE], place)  # a search for a short text is much faster
    if at >= 0 and data.startswith(text, at):
        return at
    at = data.find(text, place)
    return at if at >= 0 else data.find(text, 0, place + len(text))


def _trimmed(text: str, start: int) -> TruncatedText:
    short = TruncatedText(f"{held_part(text)}{CUT}{media_digest(text)}")
    short.start, short.size = start, len(text)
    return short


def text_length(text: str) -> int:
    """Return the characters of a text, of the whole one if it is trimmed."""
    return text.size if isinstance(text, TruncatedText) else len(text)


def untrimmed(message: Message, document: SourceDocument) -> Message:
    """Return the message with every trimmed text read again; the same object if there is none. Raises
    InputError if the file has changed."""
    if message.sources and all(source.end - source.start < LONG for source in message.sources):
        return message  # short records are never trimmed

    def read(text: str) -> str:
        if not isinstance(text, TruncatedText):
            return text
        return read_range(document, text.start, text.start + text.size).decode()

    restored_message: Message = _mapped(message, read, 0)
    return restored_message


def shorten(value: Json, data: bytes, start: int) -> None:
    """Replace each long text in a value just parsed; equal texts by equal ones."""
    _shorten(value, {}, 0)


def restored(message: Message, stream: BinaryIO) -> Message:
    """Return the message with the texts that ``shorten`` replaced, read again from ``stream``."""
    texts: dict[str, str] = {}

    def read(text: str) -> str:
        if _MARK in text and not texts:
            for source in message.sources:
                stream.seek(source.start)
                _shorten(parse_bytes(stream.read(source.end - source.start)).value, texts, 0)
        return texts.get(text, text)

    return with_blocks(message, _mapped(message.blocks, read, 0))


def _shorten(value: Json, texts: dict[str, str], depth: int) -> None:
    """Shorten the long texts of a list or object; ``texts`` maps each short text to its original."""
    if not isinstance(value, dict | list) or depth > _DEEPEST:
        return
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if type(item) is not str:
            _shorten(item, texts, depth + 1)
        elif len(item) > SHORT and not item.isspace():
            short = _short_json(item, texts, depth) if key in _JSON_TEXTS else _short(item)
            value[key], texts[short] = short, item


def _short_json(text: str, texts: dict[str, str], depth: int) -> str:
    """Return a list or object in a text with its texts shortened; other JSON unchanged."""
    value = plain_value(text)
    if not isinstance(value, dict | list):
        return _short(text) if value is MISSING and text.lstrip()[0] not in '{["' else text
    _shorten(value, texts, depth + 1)
    return orjson.dumps(value).decode()


def _short(text: str) -> str:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{text[:_BEGINNING]}{_MARK}{digest}"


def _mapped(value: Any, change: Callable[[str], str], depth: int) -> Any:
    """Apply ``change`` to each text in a frozen dataclass, tuple, list, dict or text."""
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

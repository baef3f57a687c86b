"""Leaves long base64 of images in the file, with what is needed to find it again.

A session may hold hundreds of megabytes of images, and only their size is counted. Their text is replaced by
its beginning and a digest; ``restore_images`` reads it again for an export. ``shorten`` does the same with
every long text of a file that is only read for comparison; ``restored`` reads those again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, BinaryIO

import orjson

from core.common.json_value import MISSING, Json
from core.formats.common.json_parsing import parse_bytes, parse_clean_json
from core.formats.common.source_bytes import read_range
from core.transcript.image_tokens import DIGEST_MARK, header_part, media_data, media_digest
from core.transcript.model import Message, SourceDocument, with_blocks

MIN_TRIMMED_SIZE = 65_536
"""Bytes: shorter records and shorter base64 stay unchanged."""

MAX_SHORT_LENGTH = 100
"""Characters: ``shorten`` leaves shorter texts unchanged."""

_JSON_TEXTS = ("arguments", "value")  # fields whose texts readers parse as JSON
_SHORTENED_MARK = "\x1a"
_PREFIX_LENGTH = 40  # characters; readers check no more
_DATA_FIELDS = ("data", "base64", "url", "image_url")
_SEARCH_PREFIX_SIZE = 100  # bytes
_MAX_DEPTH = 20  # levels of JSON that are searched for images


class TruncatedText(str):
    """The beginning of a long text and its digest; the text is ``size`` bytes from ``start`` of the document.
    Two are equal if the whole texts are."""

    __slots__ = ("size", "start")
    start: int
    size: int


def trim_images(value: Json, data: bytes, start: int, dropped_fields: Collection[str] = ()) -> None:
    """Replace the long base64 of images in a value just parsed from ``data`` at byte ``start``. Only text
    that appears verbatim in ``data`` is replaced, and none in the ``dropped_fields`` fields of the value,
    which no reader keeps."""
    if len(data) < MIN_TRIMMED_SIZE:
        return
    stack: list[tuple[Json, int]] = [([value], 0)]
    search_start = 0
    while stack:
        container, depth = stack.pop()
        if isinstance(container, dict):
            search_start = _trim_fields(container, data, start, search_start)
        if isinstance(container, list):
            items: Sequence[Json] = container
        else:
            items = [
                item for key, item in container.items() if container is not value or key not in dropped_fields
            ]
        if depth < _MAX_DEPTH:
            stack.extend((item, depth + 1) for item in reversed(items) if isinstance(item, dict | list))


def _trim_fields(item: dict[str, Json], data: bytes, start: int, search_start: int) -> int:
    """Trim the media of an object; return where in ``data`` to search next."""
    if not media_data(item):
        return search_start
    for key in _DATA_FIELDS:
        text = item.get(key)
        if type(text) is str and len(text) >= MIN_TRIMMED_SIZE and text.isascii() and " " not in text:
            at = find_text_bytes(data, text.encode(), search_start)
            if at >= 0:
                item[key] = _trimmed_text(text, start + at)
                search_start = at + len(text)
    return search_start


def find_text_bytes(data: bytes, text: bytes, search_start: int = 0) -> int:
    """Return where a long text is in ``data``, from ``search_start`` on or anywhere; -1 if it is not."""
    found_at = data.find(text[:_SEARCH_PREFIX_SIZE], search_start)  # a search for a short text is much faster
    if found_at >= 0 and data.startswith(text, found_at):
        return found_at
    found_at = data.find(text, search_start)
    return found_at if found_at >= 0 else data.find(text, 0, search_start + len(text))


def _trimmed_text(text: str, start: int) -> TruncatedText:
    trimmed_text = TruncatedText(f"{header_part(text)}{DIGEST_MARK}{media_digest(text)}")
    trimmed_text.start, trimmed_text.size = start, len(text)
    return trimmed_text


def text_length(text: str) -> int:
    """Return the characters of a text, of the whole one if it is trimmed."""
    return text.size if isinstance(text, TruncatedText) else len(text)


def restore_images(message: Message, document: SourceDocument) -> Message:
    """Return the message with every trimmed text read again; the same object if there is none. Raises
    InputError if the file has changed."""
    if message.sources and all(source.end - source.start < MIN_TRIMMED_SIZE for source in message.sources):
        return message  # short records are never trimmed

    def read(text: str) -> str:
        if not isinstance(text, TruncatedText):
            return text
        return read_range(document, text.start, text.start + text.size).decode()

    result: Message = _map_texts(message, read, 0)
    return result


def shorten_texts(value: Json, data: bytes, start: int) -> None:
    """Replace each long text in a value just parsed; equal texts by equal ones."""
    _shorten_in(value, {}, 0)


def restore_texts(message: Message, stream: BinaryIO) -> Message:
    """Return the message with the texts that ``shorten`` replaced, read again from ``stream``."""
    texts: dict[str, str] = {}

    def read(text: str) -> str:
        if _SHORTENED_MARK in text and not texts:
            for source in message.sources:
                stream.seek(source.start)
                _shorten_in(parse_bytes(stream.read(source.end - source.start)).value, texts, 0)
        return texts.get(text, text)

    return with_blocks(message, _map_texts(message.blocks, read, 0))


def _shorten_in(value: Json, texts: dict[str, str], depth: int) -> None:
    """Shorten the long texts of a list or object; ``texts`` maps each short text to its original."""
    if not isinstance(value, dict | list) or depth > _MAX_DEPTH:
        return
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if type(item) is not str:
            _shorten_in(item, texts, depth + 1)
        elif len(item) > MAX_SHORT_LENGTH and not item.isspace():
            short_text = _shortened_json(item, texts, depth) if key in _JSON_TEXTS else _shortened(item)
            value[key], texts[short_text] = short_text, item


def _shortened_json(text: str, texts: dict[str, str], depth: int) -> str:
    """Return a list or object in a text with its texts shortened; other JSON unchanged."""
    value = parse_clean_json(text)
    if not isinstance(value, dict | list):
        return _shortened(text) if value is MISSING and text.lstrip()[0] not in '{["' else text
    _shorten_in(value, texts, depth + 1)
    return orjson.dumps(value).decode()


def _shortened(text: str) -> str:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{text[:_PREFIX_LENGTH]}{_SHORTENED_MARK}{digest}"


def _map_texts(value: Any, change: Callable[[str], str], depth: int) -> Any:
    """Apply ``change`` to each text in a frozen dataclass, tuple, list, dict or text."""
    kind = type(value)
    if isinstance(value, str):
        return change(value)
    if depth > _MAX_DEPTH + 10:
        return value
    if is_dataclass(value):
        old = {item.name: getattr(value, item.name) for item in fields(value)}
        new = {name: _map_texts(item, change, depth + 1) for name, item in old.items()}
        changed = {name: item for name, item in new.items() if item is not old[name]}
        return replace(value, **changed) if changed and not isinstance(value, type) else value
    if kind is dict:
        new = {name: _map_texts(item, change, depth + 1) for name, item in value.items()}
        return new if any(item is not value[name] for name, item in new.items()) else value
    if kind is list or kind is tuple:
        items = [_map_texts(item, change, depth + 1) for item in value]
        is_unchanged = all(item is old for item, old in zip(items, value, strict=True))
        return value if is_unchanged else kind(items)
    return value

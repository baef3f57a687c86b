"""Leaves the long texts of a file that is only read for comparison in the file."""

from __future__ import annotations

import hashlib
from typing import BinaryIO

import orjson

from core.common.json_value import MISSING, Json
from core.formats.common.json_parsing import parse_bytes, parse_clean_json
from core.formats.common.media import map_texts
from core.transcript.model import Message, with_blocks

_MAX_SHORT_LENGTH = 100  # characters: shorter texts stay
_JSON_TEXTS = ("arguments", "value")  # fields whose texts readers parse as JSON
_SHORTENED_MARK = "\x1a"
_PREFIX_LENGTH = 40  # characters; readers check no more
_MAX_DEPTH = 20  # levels of JSON


def shorten_texts(value: Json, data: bytes, start: int) -> None:
    """Replace each long text in a value just parsed; equal texts by equal ones. ``restore_texts`` reads them
    again."""
    _shorten_in(value, {}, 0)


def restore_texts(message: Message, stream: BinaryIO) -> Message:
    """Return the message with the texts that ``shorten_texts`` replaced, read again from ``stream``."""
    texts: dict[str, str] = {}

    def read(text: str) -> str:
        if _SHORTENED_MARK in text and not texts:
            for source in message.sources:
                stream.seek(source.start)
                _shorten_in(parse_bytes(stream.read(source.end - source.start)).value, texts, 0)
        return texts.get(text, text)

    return with_blocks(message, map_texts(message.blocks, read))


def _shorten_in(value: Json, texts: dict[str, str], depth: int) -> None:
    """Shorten the long texts of a list or object; ``texts`` maps each short text to its original."""
    if not isinstance(value, dict | list) or depth > _MAX_DEPTH:
        return
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if type(item) is not str:
            _shorten_in(item, texts, depth + 1)
        elif len(item) > _MAX_SHORT_LENGTH and not item.isspace():
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

"""Leaves long base64 of images in the file, with what is needed to find it again.

A session may hold hundreds of megabytes of images, and only their size is counted. Their text is
replaced by its beginning and a digest; ``restore_images`` reads it again for an export.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from core.common.json_value import Json
from core.formats.common.open_document import read_range
from core.transcript.image_tokens import (
    DIGEST_MARK,
    header_part,
    media_data,
    media_digest,
)
from core.transcript.model import Message, SourceDocument

MIN_TRIMMED_SIZE = 65_536
"""Bytes: shorter records and shorter base64 stay unchanged."""

_DATA_FIELDS = ("data", "base64", "url", "image_url")
_SEARCH_PREFIX_SIZE = 100  # bytes
_MAX_DEPTH = 20  # levels of JSON that are searched for images


class TruncatedText(str):
    """The beginning of a long text and its digest; the text is ``size`` bytes from ``start`` of the
    document. Two are equal if the whole texts are."""

    __slots__ = ("size", "start")
    start: int
    size: int


def trim_images(value: Json, data: bytes, start: int) -> None:
    """Replace the long base64 of images in a value just parsed from ``data`` at byte ``start``.
    Only text that appears verbatim in ``data`` is replaced."""
    if len(data) < MIN_TRIMMED_SIZE:
        return
    stack: list[tuple[Json, int]] = [(value, 0)]
    search_start = 0
    while stack:
        container, depth = stack.pop()
        if isinstance(container, dict):
            search_start = _trim_fields(container, data, start, search_start)
            container = [*container.values()]
        if isinstance(container, list) and depth < _MAX_DEPTH:
            stack.extend(
                (item, depth + 1)
                for item in reversed(container)
                if isinstance(item, dict | list)
            )


def _trim_fields(
    item: dict[str, Json], data: bytes, start: int, search_start: int
) -> int:
    """Trim the media of an object; return where in ``data`` to search next."""
    if not media_data(item):
        return search_start
    for key in _DATA_FIELDS:
        text = item.get(key)
        if (
            type(text) is str
            and len(text) >= MIN_TRIMMED_SIZE
            and text.isascii()
            and " " not in text
        ):
            at = find_text_bytes(data, text.encode(), search_start)
            if at >= 0:
                trimmed_text = TruncatedText(
                    f"{header_part(text)}{DIGEST_MARK}{media_digest(text)}"
                )
                trimmed_text.start, trimmed_text.size = start + at, len(text)
                item[key] = trimmed_text
                search_start = at + len(text)
    return search_start


def find_text_bytes(data: bytes, text: bytes, search_start: int = 0) -> int:
    """Return where a long text is in ``data``, from ``search_start`` on or anywhere; -1 if it is
    not."""
    found_at = data.find(
        text[:_SEARCH_PREFIX_SIZE], search_start
    )  # a search for a short text is much faster
    if found_at >= 0 and data.startswith(text, found_at):
        return found_at
    found_at = data.find(text, search_start)
    if found_at >= 0:
        return found_at
    return data.find(text, 0, search_start + len(text))


def text_length(text: str) -> int:
    """Return the characters of a text, of the whole one if it is trimmed."""
    if isinstance(text, TruncatedText):
        return text.size
    return len(text)


def restore_images(message: Message, document: SourceDocument) -> Message:
    """Return the message with every trimmed text read again; the same object if there is none.
    Raises InputError if the file has changed."""
    if message.sources and all(
        source.end - source.start < MIN_TRIMMED_SIZE for source in message.sources
    ):
        return message  # short records are never trimmed

    def read(text: str) -> str:
        if not isinstance(text, TruncatedText):
            return text
        return read_range(document, text.start, text.start + text.size).decode()

    result: Message = map_texts(message, read)
    return result


def map_texts(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:
    """Apply ``change`` to each text in a frozen dataclass, tuple, list, dict or text; what holds no
    changed text is returned as the same object."""
    if isinstance(value, str):
        return change(value)
    if depth > _MAX_DEPTH + 10:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        old = {item.name: getattr(value, item.name) for item in fields(value)}
        changed = _changed_entries(old, change, depth)
        if changed:
            return replace(value, **changed)
        return value
    if type(value) is dict:
        changed = _changed_entries(value, change, depth)
        if changed:
            return {**value, **changed}
        return value
    if type(value) in (list, tuple):
        return _map_items(value, change, depth)
    return value


def _map_items(value: Any, change: Callable[[str], str], depth: int) -> Any:
    items = [map_texts(item, change, depth + 1) for item in value]
    is_unchanged = all(item is old for item, old in zip(items, value, strict=True))
    if is_unchanged:
        return value
    return type(value)(items)


def _changed_entries(
    entries: Mapping[Any, Any], change: Callable[[str], str], depth: int
) -> dict[Any, Any]:
    """Return the entries that are another object after ``map_texts``."""
    changed = {}
    for name, item in entries.items():
        new = map_texts(item, change, depth + 1)
        if new is not item:
            changed[name] = new
    return changed

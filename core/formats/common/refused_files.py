"""Refuses files that are plainly no transcript, by their first bytes, in one sentence."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import BinaryIO

from core.common.errors import InputError
from core.formats.common.unsupported_formats import (
    UnreadableKindError,
    unsupported_database_kind,
    unsupported_text_kind,
)

BLANKS = b" \t\r\n\x0b\x0c"
_HEAD_SIZE = 65536
_ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
_SQLITE_SIGNATURE = b"SQLite format 3\x00"
_BINARY_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF document"),
    (_SQLITE_SIGNATURE, "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\xfd7zXZ\x00", "xz compressed data"),
    (b"BZh", "bzip2 compressed data"),
    (b"\x1f\x8b", "gzip compressed data inside packed data"),
    (b"\x28\xb5\x2f\xfd", "zst compressed data inside packed data"),
)


def is_zip_head(head: bytes) -> bool:
    return head.startswith(_ZIP_SIGNATURES)


def refuse_content(name: str, stream: BinaryIO, path: Path | None = None) -> None:
    """Raise InputError for content that is empty, binary, a web page or a known unsupported kind. A zip
    passes. ``path`` is the unpacked file on disk, if there is one."""
    head = stream.read(_HEAD_SIZE)
    is_blank = not head.removeprefix(codecs.BOM_UTF8).strip(BLANKS)
    while is_blank and (next_bytes := stream.read(_HEAD_SIZE)):
        head = next_bytes.lstrip(BLANKS)
        is_blank = not head
    if is_blank:
        raise InputError(f"{name} is empty.", "Choose a transcript that holds at least one record.")
    if is_zip_head(head):
        return
    known_kind = unsupported_text_kind(head)
    if path and head.startswith(_SQLITE_SIGNATURE):
        known_kind = unsupported_database_kind(path)
    if known_kind:
        raise UnreadableKindError(name, known_kind)
    kind = _binary_kind(head)
    if kind or _has_zeros(head):
        raise InputError(
            f"{name} is not a text or JSON file (it looks like {kind or 'binary data'}).",
            "Choose a transcript in JSON or JSONL.",
        )
    text_start = head.removeprefix(codecs.BOM_UTF8).lstrip()[:200].lower()
    if text_start.startswith((b"<!doctype html", b"<html")):
        raise InputError(
            f"{name} is HTML, not JSON: a web page, perhaps an error page saved by a download.",
            "Download the transcript again.",
        )


def _has_zeros(head: bytes) -> bool:
    """Return whether the head has zero bytes, except in later lines of a log, which a crash may leave."""
    is_json = head.removeprefix(codecs.BOM_UTF8).lstrip(BLANKS).startswith((b"{", b"["))
    return b"\x00" in (head.partition(b"\n")[0] if is_json else head)


def _binary_kind(head: bytes) -> str:
    if head[257:262] == b"ustar":
        return "a tar archive; unpack it first"
    return next((kind for signature, kind in _BINARY_SIGNATURES if head.startswith(signature)), "")

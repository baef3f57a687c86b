"""Refuses what is plainly no transcript in one sentence: paths that are no readable file, other content."""

from __future__ import annotations

import codecs
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from core.common.errors import InputError
from core.formats.common.databases import SQLITE_SIGNATURE
from core.formats.common.unsupported_formats import UnreadableKindError, unsupported_text_kind

BLANKS = b" \t\r\n\x0b\x0c"
_HEAD_SIZE = 65536
_ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
_BINARY_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF document"),
    (SQLITE_SIGNATURE, "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\xfd7zXZ\x00", "xz compressed data"),
    (b"BZh", "bzip2 compressed data"),
    (b"\x1f\x8b", "gzip compressed data inside packed data"),
    (b"\x28\xb5\x2f\xfd", "zst compressed data inside packed data"),
)
_KINDS: Mapping[int, str] = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def is_zip_head(head: bytes) -> bool:
    return head.startswith(_ZIP_SIGNATURES)


def refuse_content(name: str, stream: BinaryIO, path: Path | None = None) -> None:
    """Raise InputError for content that is empty, binary, a web page or a known unsupported kind. A zip
    and a database on disk pass. ``path`` is the unpacked file on disk, if there is one."""
    head = stream.read(_HEAD_SIZE)
    is_blank = not head.removeprefix(codecs.BOM_UTF8).strip(BLANKS)
    while is_blank and (next_bytes := stream.read(_HEAD_SIZE)):
        head = next_bytes.lstrip(BLANKS)
        is_blank = not head
    if is_blank:
        raise InputError(f"{name} is empty.", "Choose a transcript that holds at least one record.")
    if is_zip_head(head) or (path and head.startswith(SQLITE_SIGNATURE)):
        return
    if known_kind := unsupported_text_kind(head):
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


def not_a_file_error(path: Path, mode: int) -> InputError:
    """Return the error for an existing path that is not a regular file."""
    if stat.S_ISDIR(mode):
        return InputError(f"{path.name or path} is a folder, not a transcript.", _folder_hint(path))
    kind = _KINDS.get(stat.S_IFMT(mode), "a special file")
    return InputError(
        f"{path.name} is {kind}, not a file.", "Give - as the file to read a transcript from standard input."
    )


def unreadable_error(path: Path, error: OSError | ValueError) -> InputError:
    """Return the error for a path that cannot be opened."""
    if isinstance(error, FileNotFoundError):
        problem = "is a link to a file that is not there" if path.is_symlink() else "was not found"
        return InputError(f"{path} {problem}.", "Check the path.")
    if isinstance(error, PermissionError):
        return InputError(f"You are not allowed to read {path}.", "Change its permissions or copy it.")
    reason = error.strerror if isinstance(error, OSError) else ""
    return InputError(f"{path} cannot be read: {(reason or str(error)).lower()}.", "Check the path.")


def _folder_hint(path: Path) -> str:
    """Suggest what to open in a folder, worded for command line and window."""
    try:
        if any((path / "events").glob("event-*.json")) or any(path.glob("event-*.json")):
            name = path.resolve().name
            packed, folder = shlex.quote(f"{name}.zip"), shlex.quote(name)
            return f"It is an OpenHands conversation: zip it and choose the zip (zip -r {packed} {folder})."
        sessions = [file for file in path.glob("*.jsonl") if file.is_file()]
    except OSError:
        sessions = []
    if not sessions:
        return "Choose a file in it."
    newest = max(sessions, key=_modified_at)
    if len(sessions) == 1:
        return f"Choose the session in it: {newest.name}."
    return f"Choose a session in it; the newest of {len(sessions):,} is {newest.name}."


def _modified_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0

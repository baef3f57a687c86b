"""Members of zip archives as documents, within bounds."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.common.errors import InputError
from core.formats.common import compressed_files, late
from core.formats.common.compressed_files import (
    check_memory_size,
    is_decompression_bomb,
    too_large_error,
    unpacking_errors,
)
from core.formats.common.open_document import open_binary, utf8_document
from core.transcript.model import SourceDocument

_ENCRYPTED_FLAG = 0x1

if TYPE_CHECKING:
    from zipfile import ZipFile


_DAMAGE_ERRORS = (
    ValueError,
    OSError,
    EOFError,
    IndexError,
    OverflowError,
    struct.error,
    NotImplementedError,
)
"""Raised by zipfile for a damaged list of contents, beside BadZipFile."""


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A file inside a zip: its name there and its unpacked size in bytes."""

    name: str
    size: int
    is_locked: bool = False  # with a password


def archive_members(document: SourceDocument) -> tuple[ArchiveMember, ...]:
    """Return the files of a zip in its order. Raises InputError for a damaged zip or a zip bomb."""
    if document.packing:
        raise InputError(
            f"{document.name} is a zip inside {document.packing} data.",
            "Unpack it, then open the zip.",
        )
    with open_archive(document) as archive:
        # a name may be empty, which is_dir does not expect
        infos = [info for info in archive.infolist() if not info.filename.endswith("/")]
    sizes = [(info.compress_size, info.file_size) for info in infos]
    if document.data is not None:
        packed_size = len(document.data)
    else:
        packed_size = document.size
    # Many small files together can be a bomb, too.
    sizes.append((packed_size, sum(info.file_size for info in infos)))
    if any(is_decompression_bomb(*pair) for pair in sizes):
        raise too_large_error(document.name)
    return tuple(
        ArchiveMember(
            info.filename, info.file_size, bool(info.flag_bits & _ENCRYPTED_FLAG)
        )
        for info in infos
        if not _is_of_system(info.filename)
    )


def _is_of_system(name: str) -> bool:
    """Return True for what macOS and Windows put into a zip beside the files of a person."""
    return name.startswith("__MACOSX/") or name.rpartition("/")[2] in (
        ".DS_Store",
        "Thumbs.db",
    )


@contextmanager
def open_archive(document: SourceDocument) -> Iterator[ZipFile]:
    """Open a zip once for several reads. Raises InputError."""
    with open_binary(document) as stream:
        try:
            archive = late.zipfile.ZipFile(stream)
        except (late.zipfile.BadZipFile, *_DAMAGE_ERRORS) as error:
            raise damaged_archive_error(document) from error
        with archive:
            yield archive


def read_member(
    document: SourceDocument, name: str, archive: ZipFile | None = None
) -> SourceDocument:
    """Unpack one file of a zip in memory, from ``archive`` if it is open already. Raises InputError
    for a damaged or locked file."""
    if archive is None:
        (data,) = read_members(document, (name,))
    else:
        data = _unpacked_bytes(document, archive, name)
    return replace(
        document, name=f"{document.name}/{name}", data=data, packing="", member=""
    )


def member_document(
    document: SourceDocument, member: ArchiveMember, archive: ZipFile
) -> SourceDocument:
    """Return one file of a zip: a small one unpacked in memory, a large one unpacked while it is
    read. Raises InputError for a damaged or locked file, and for a large one inside data that is in
    memory."""
    # A line may be as long as that, so what is shorter fits in memory in any case.
    if (
        member.size <= compressed_files.MAX_LINE_SIZE
        or document.path is None
        or document.data is not None
    ):
        return read_member(document, member.name, archive)
    return replace(
        document,
        name=f"{document.name}/{member.name}",
        packing="zip",
        member=member.name,
    )


def read_members(document: SourceDocument, names: Sequence[str]) -> Iterator[bytes]:
    """Unpack several files of a zip one after the other. Raises InputError."""
    with open_archive(document) as archive:
        for name in names:
            yield _unpacked_bytes(document, archive, name)


def _unpacked_bytes(document: SourceDocument, archive: ZipFile, name: str) -> bytes:
    try:
        member = archive.getinfo(name)
    except KeyError as error:
        raise InputError(
            f"{document.name} holds no {name}.", "Open the file again."
        ) from error
    check_memory_size(
        f"{document.name}/{name}", member.file_size, compressed_files.MAX_SIZE_IN_MEMORY
    )
    with unpacking_errors(f"{name} in {document.name}"):
        return archive.read(member)


def open_member(document: SourceDocument, name: str) -> SourceDocument:
    """Do as ``read_member``, in UTF-8. Raises InputError if it is not text."""
    return utf8_document(read_member(document, name))


def damaged_archive_error(document: SourceDocument) -> InputError:
    # Inspect writes the list of contents when the run ends.
    if document.name.endswith(".eval"):
        kind, hint = ".eval zip", "Copy the log again once the run has ended."
    else:
        kind, hint = "zip", "Copy or download it again."
    return InputError(
        f"{document.name} is a damaged {kind}: its list of contents is missing, so it was cut off.",
        hint,
    )

"""Streams the content of compressed files (gzip, zst, zip) without unpacking them as a whole."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO

from core.common.errors import InputError
from core.formats.common import late

_CHUNK = 1024  # packed bytes per step: a hostile chunk unpacks to 32 MB
_WINDOW = 1 << 27  # bytes of zst history; zstd itself requires a flag for more
_BUFFER = 1 << 20
_SIGNATURES: Mapping[str, bytes] = {"gzip": b"\x1f\x8b", "zst": b"\x28\xb5\x2f\xfd"}

RATIO_CHECK_SIZE = 256 << 20
"""Bytes below which the compression ratio is not checked."""
MAX_UNPACKED_SIZE = 8 << 30
"""Bytes that may come out of one packed file, or out of all files of a zip."""
MAX_LINE_SIZE = 64 << 20
"""Bytes of one line. Lines of real transcripts were seen up to 13 million characters."""
MAX_SIZE_IN_MEMORY = 128 << 20
"""Bytes of packed content that may be in memory at once: a file of a zip, or a packed JSON
value."""
MAX_JSON_SIZE = 1 << 30
"""Bytes of an unpacked file that is one JSON value, and of standard input."""
MAX_RATIO = 1000
"""Largest ratio for a large file; transcripts pack to a tenth, repeated images to a hundredth."""


def packing_of(head: bytes) -> str:
    """Return how bytes are packed, by their beginning: "gzip", "zst", or "" if they are not."""
    return next(
        (name for name, signature in _SIGNATURES.items() if head.startswith(signature)),
        "",
    )


def open_unpacked(
    name: str, packed_stream: BinaryIO, packing: str, member: str = ""
) -> BinaryIO:
    """Return a stream of the content of ``packed_stream``; closing it closes that. Reading raises
    InputError. ``member`` is the file to read if the packing is "zip"."""
    if packing == "zip":
        return io.BufferedReader(_ArchiveStream(name, packed_stream, member), _BUFFER)
    return io.BufferedReader(_UnpackedStream(name, packed_stream, packing), _BUFFER)


def is_decompression_bomb(packed_size: int, unpacked_size: int) -> bool:
    # Small files may be packed as well as they like; only large ones can fill the memory.
    return unpacked_size > MAX_UNPACKED_SIZE or (
        unpacked_size > RATIO_CHECK_SIZE and unpacked_size > MAX_RATIO * packed_size
    )


def too_large_error(name: str) -> InputError:
    return InputError(
        f"{name} unpacks to far more than a transcript holds, so it was not read.",
        "Unpack it yourself if you trust it, then open the file.",
    )


def check_memory_size(name: str, size: int, max_size: int) -> None:
    """Raise InputError for packed content that is too large for memory."""
    if size > max_size:
        raise InputError(
            (
                f"{name} unpacks to more than {max_size >> 20} MB, too much to hold in memory "
                f"as one JSON value."
            ),
            "Unpack it, then open the file.",
        )


def check_file_size(name: str, size: int) -> None:
    """Raise InputError for an unpacked file that is too large for memory."""
    if size > MAX_JSON_SIZE:
        raise InputError(
            (
                f"{name} has more than {MAX_JSON_SIZE >> 20} MB, too much to hold in memory as "
                f"one JSON value."
            ),
            "Write its records as lines (JSONL), then open the file.",
        )


def read_to_memory(name: str, stream: BinaryIO, max_size: int) -> bytes:
    """Read the rest of an unpacking stream. Raises InputError if it is too large."""
    data = stream.read(max_size + 1)
    check_memory_size(name, len(data), max_size)
    return data


class _UnpackedStream(io.RawIOBase):
    """Unpacks gzip or zst; concatenated members or frames count as one file, as their tools do."""

    def __init__(self, name: str, packed_stream: BinaryIO, packing: str) -> None:
        self._name, self._packed, self._packing = name, packed_stream, packing
        self._create_unpacker = _unpacker_factory(packing)
        self._unpacker: Any = None
        self._unused = b""
        self._ready = memoryview(b"")
        self._packed_size = self._unpacked_size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # An unpacker may need several pieces before it gives a byte.
        while not self._ready and self._unpack_next():
            pass
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def close(self) -> None:
        self._packed.close()
        super().close()

    def _unpack_next(self) -> bool:
        """Unpack the next piece; False at the end."""
        piece, self._unused = self._unused, b""
        if not piece:
            piece = self._packed.read(_CHUNK)
            self._packed_size += len(piece)
        if not piece:
            if self._unpacker is not None:
                # A stream that ends in between was cut off.
                raise self._damage_error()
            return False
        if self._unpacker is None:
            # Tapes and some copies fill up the last block with zeros.
            if self._unpacked_size and not piece.strip(b"\0"):  # padding at the end
                return True
            self._unpacker = self._create_unpacker()
        self._unpack(piece)
        return True

    def _unpack(self, piece: bytes) -> None:
        try:
            unpacked = self._unpacker.decompress(piece)
        except (
            Exception
        ) as error:  # zlib.error or ZstdError, whose library is loaded late
            # The library has no class for a window that is too large.
            if "memory" in str(error):
                raise self._window_error() from error
            raise self._damage_error() from error
        if self._unpacker.eof:
            # What stands behind a member is the start of the next one.
            self._unused, self._unpacker = self._unpacker.unused_data, None
        self._unpacked_size += len(unpacked)
        # Checked at each piece: afterwards it would be too late.
        if is_decompression_bomb(self._packed_size, self._unpacked_size):
            raise too_large_error(self._name)
        self._ready = memoryview(unpacked)

    def _window_error(self) -> InputError:
        return InputError(
            f"{self._name} was packed with a window of more than {_WINDOW >> 20} MB.",
            "Unpack it with zstd --long=31, then open the file.",
        )

    def _damage_error(self) -> InputError:
        return InputError(
            f"{self._name} is {self._packing} data that is damaged or cut off.",
            f"Unpack it with {'gzip' if self._packing == 'gzip' else 'zstd'} to see what is left.",
        )


@contextmanager
def unpacking_errors(name: str) -> Iterator[None]:
    """Turn errors of unpacking a file of a zip into an InputError."""
    try:
        yield
    except InputError:
        raise
    except (RuntimeError, NotImplementedError) as error:
        raise InputError(
            f"{name} cannot be unpacked: {error}.",
            "Unpack the zip, then open the file.",
        ) from error
    except Exception as error:  # each compression method has its own errors
        raise InputError(
            f"{name} is damaged.", "Unpack the zip to see what is left of it."
        ) from error


class _ArchiveStream(io.RawIOBase):
    def __init__(self, name: str, packed_stream: BinaryIO, member: str) -> None:

        self._name, self._packed = name, packed_stream
        with unpacking_errors(name), late.zipfile.ZipFile(packed_stream) as archive:
            self._stream = archive.open(member)  # outlives the archive object

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with unpacking_errors(self._name):
            data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        self._packed.close()
        super().close()


def _unpacker_factory(packing: str) -> Callable[[], Any]:
    if packing == "gzip":
        return partial(zlib.decompressobj, zlib.MAX_WBITS | 16)

    # A larger window than the default is needed for files packed with --long.
    return late.zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj

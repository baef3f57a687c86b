"""Images that have only a header, of any pixels and bytes."""

import base64
import struct

from core.formats.common.document import TruncatedText


def png(width: int = 40, height: int = 30, size: int = 0) -> str:
    header = (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I4sII", 13, b"IHDR", width, height)
        + b"\x08\x02\0\0\0"
    )
    text = base64.b64encode(header + bytes(3)).decode()
    if not size:
        return text
    long = TruncatedText(f"{text}…digest")
    long.start, long.size = 0, size
    return long

"""Conversion between IContent entries and messages, with fields of any type."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest

from core.transcript.image_tokens import image_size, media_tokens
from core.transcript.llxprt_content import block_from_entry, message_entry, message_from_entry
from core.transcript.model import ToolCall, ToolResponse


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text"},
        {"type": "text", "text": None},
        {"type": "tool_call", "id": 7, "name": "read_file"},
        {"type": "tool_response", "callId": "a", "result": None, "error": None},
        {"type": "tool_response", "toolName": ""},
        {"type": "media", "mimeType": "image/png", "data": "x", "caption": ""},
        {"type": "code", "code": "\ud800", "language": 3},
        {"type": "unheard of", "x": 1},
        "no object",
    ],
)
def test_a_block_comes_back_as_it_was(block: Any) -> None:
    entry = {"speaker": "ai", "blocks": [block], "metadata": {"id": "m"}}
    assert message_entry(message_from_entry(entry)) == entry


def test_ids_that_are_no_text_still_tell_calls_apart() -> None:
    call, answer = (
        block_from_entry({"type": "tool_call", "id": 7}),
        block_from_entry({"type": "tool_response", "callId": 8}),
    )
    assert isinstance(call, ToolCall)
    assert isinstance(answer, ToolResponse)
    assert (call.id, answer.call_id) == ("7", "8")


PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
GIF = b"GIF89a" + struct.pack("<HH", 32, 16)
JPEG = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08" + struct.pack(">HH", 480, 640) + b"\x03"
WEBP_X = b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
WEBP_L = b"RIFF\0\0\0\0WEBPVP8L" + bytes(4) + b"\x2f" + (639 | 479 << 14).to_bytes(4, "little")
WEBP = b"RIFF\0\0\0\0WEBPVP8 " + bytes(10) + struct.pack("<HH", 640, 480)


@pytest.mark.parametrize("head", [PNG, JPEG, WEBP_X, WEBP_L, WEBP])
def test_the_header_tells_the_size(head: bytes) -> None:
    assert image_size(head) == (640, 480)
    assert media_tokens(base64.b64encode(head).decode()) == 410


@pytest.mark.parametrize("head", [b"", b"hello", PNG[:18], JPEG[:8], b"\xff\xd8" + b"\xff" * 40, GIF[:6]])
def test_a_header_without_a_size_is_no_size(head: bytes) -> None:
    assert image_size(head) is None

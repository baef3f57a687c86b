"""Image sizes from file headers."""

from __future__ import annotations

import base64
import struct

import pytest

from core.transcript.image_tokens import MEDIA_TOKENS, image_size, media_data, media_tokens

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


@pytest.mark.parametrize("data", ["", "not base64!", "https://example.org/a.png", "data:,", "äöü=" * 9])
def test_what_cannot_be_measured_costs_the_flat_price(data: str) -> None:
    assert media_tokens(data) == MEDIA_TOKENS


@pytest.mark.parametrize("part", [None, "text", {"type": "text", "text": "a"}, {"data": "a"}, {"url": "b"}])
def test_other_json_is_no_media(part: object) -> None:
    assert media_data(part) is None

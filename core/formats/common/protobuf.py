"""Reads messages of Protocol Buffers without their schema."""

from __future__ import annotations

_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5


def message_fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """Return numbers and values of the fields; nothing for bytes that are no message."""
    fields: list[tuple[int, int | bytes]] = []
    at = 0
    try:
        while at < len(data):
            tag, at = _varint(data, at)
            number, wire = tag >> 3, tag & 7
            if wire == _VARINT:
                value, at = _varint(data, at)
                fields.append((number, value))
                continue
            if wire == _BYTES:
                length, at = _varint(data, at)
            else:
                length = {_FIXED_64: 8, _FIXED_32: 4}[wire]
            if not number or at + length > len(data):
                return []
            fields.append((number, data[at : at + length]))
            at += length
    except (IndexError, KeyError):
        return []
    return fields


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at

"""Redacts secrets in an exporter's output inside JSON string values, so that JSON stays valid."""

from __future__ import annotations

import codecs

from core.common.json_value import Json
from core.common.redaction.redact import SecretFinder, count_json, find_secrets, redact, redact_json
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.json_ranges import InvalidJsonError
from core.formats.writing.base import ExporterOutput, OutputShape
from core.formats.writing.raw_json import dump_json, value_of


def count_written(written: ExporterOutput) -> int:
    return sum(_count(unit, written.shape) for unit in _units(written))


def redact_written(written: ExporterOutput, find: SecretFinder = find_secrets) -> tuple[bytes, int]:
    """Return the redacted export, of the same shape, and the number of secrets."""
    total = 0
    parts: list[bytes] = []
    for unit in _units(written):
        data, count = _redacted(unit, written.shape, find)
        total += count
        parts.append(data if count else unit)
    joint = b"\n" if written.shape is OutputShape.LINES else b""
    return joint.join(parts), total


def _units(written: ExporterOutput) -> list[bytes]:
    return written.data.split(b"\n") if written.shape is OutputShape.LINES else [written.data]


def _count(unit: bytes, shape: OutputShape) -> int:
    parsed = _parsed(unit, shape)
    if parsed is None:
        return len(find_secrets(unit.decode("utf-8", "replace")))
    return count_json(parsed[0])


def _redacted(unit: bytes, shape: OutputShape, find: SecretFinder) -> tuple[bytes, int]:
    parsed = _parsed(unit, shape)
    if parsed is None:  # text, or a line that is not JSON
        text, count = redact(unit.decode("utf-8", "replace"), find)
        return text.encode("utf-8", "replace"), count
    count = redact_json(parsed, find)
    return dump_json(parsed[0], pretty=shape is OutputShape.JSON), count


def _parsed(unit: bytes, shape: OutputShape) -> list[Json] | None:
    """Return the JSON value of a unit in a list of one, None for text."""
    if shape is OutputShape.TEXT:
        return None
    if shape is OutputShape.LINES:
        parsed = parse_bytes(unit.removeprefix(codecs.BOM_UTF8))
        return None if parsed.error else [parsed.value]
    try:
        return [value_of(unit)]
    except InvalidJsonError:
        return None

"""Redacts secrets in an exporter's output inside JSON string values, so that JSON stays valid."""

from __future__ import annotations

import codecs

from core.common.json_value import Json
from core.common.redaction.redact import (
    SecretFinder,
    count_secrets_in_json,
    find_secrets,
    redact,
    redact_json,
)
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.json_ranges import InvalidJsonError
from core.formats.writing.base import ExporterOutput, OutputShape
from core.formats.writing.raw_json import dump_json, parse_json_file


def count_output_secrets(output: ExporterOutput) -> int:
    return sum(_secret_count(unit, output.shape) for unit in _units(output))


def redact_output(output: ExporterOutput, find_in_text: SecretFinder = find_secrets) -> tuple[bytes, int]:
    """Return the redacted export, of the same shape, and the number of secrets."""
    total = 0
    parts: list[bytes] = []
    for unit in _units(output):
        data, count = _redact_unit(unit, output.shape, find_in_text)
        total += count
        parts.append(data if count else unit)
    separator = b"\n" if output.shape is OutputShape.LINES else b""
    return separator.join(parts), total


def _units(output: ExporterOutput) -> list[bytes]:
    return output.data.split(b"\n") if output.shape is OutputShape.LINES else [output.data]


def _secret_count(unit: bytes, shape: OutputShape) -> int:
    parsed = _unit_json(unit, shape)
    if parsed is None:
        return len(find_secrets(unit.decode("utf-8", "replace")))
    return count_secrets_in_json(parsed[0])


def _redact_unit(unit: bytes, shape: OutputShape, find_in_text: SecretFinder) -> tuple[bytes, int]:
    parsed = _unit_json(unit, shape)
    if parsed is None:  # text, or a line that is not JSON
        text, count = redact(unit.decode("utf-8", "replace"), find_in_text)
        return text.encode("utf-8", "replace"), count
    count = redact_json(parsed, find_in_text)
    return dump_json(parsed[0], pretty=shape is OutputShape.JSON), count


def _unit_json(unit: bytes, shape: OutputShape) -> list[Json] | None:
    """Return the JSON value of a unit in a list of one, None for text."""
    if shape is OutputShape.TEXT:
        return None
    if shape is OutputShape.LINES:
        parsed = parse_bytes(unit.removeprefix(codecs.BOM_UTF8))
        return None if parsed.error else [parsed.value]
    try:
        return [parse_json_file(unit)]
    except InvalidJsonError:
        return None

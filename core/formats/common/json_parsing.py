"""Parses JSON: fast if it is clean, lenient with notes if it is not."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import orjson

from core.common.json_value import MISSING, Json
from core.transcript.model import Source

_ZEROS = "\0 \t\r\n"
_MIN_INEXACT = float(1 << 63)  # integers from here on may have become floats
TOO_DEEP, TOO_LONG = "nested too deeply", "a number has too many digits"
"""Reasons why valid JSON is not read."""
MAX_DEPTH = 200
"""Levels of nesting that are read: far more than transcripts have, and few enough for recursion."""


class ParsedJson(NamedTuple):  # faster than a dataclass; there is one per line
    """A value, or the reason there is none. ``note`` is a warning about a value that was read."""

    value: Json = None
    error: str = ""
    note: str = ""


def parse_clean_json(data: bytes | str) -> Json:
    """Return the value of clean JSON; MISSING if ``parse_bytes`` must decide."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return MISSING
    return value if _is_exact((value,), 0) else MISSING


def parse_bytes(data: bytes) -> ParsedJson:
    """Parse one JSON value leniently: lone surrogates, NaN, big integers, and broken UTF-8 with a note."""
    value = parse_clean_json(data)
    return _parse_leniently(data) if value is MISSING else ParsedJson(value)


def _is_exact(values: Iterable[Json], level: int) -> bool:
    """Return whether values are not too deep and hold no float that may have been an integer: orjson makes
    floats of integers above 64 bits, but ids must stay exact."""
    if level > MAX_DEPTH:
        return False
    for value in values:
        kind = type(value)
        if kind is str:  # nearly always
            continue
        if kind is dict:
            if not _is_exact(value.values(), level + 1):
                return False
        elif kind is list:
            if not _is_exact(value, level + 1):
                return False
        elif kind is float and abs(value) >= _MIN_INEXACT:
            return False
    return True


def parse_text(text: str) -> Json:
    """Return the JSON value of a text. Raises JSONDecodeError, or ValueError with TOO_DEEP or TOO_LONG."""
    try:
        value = json.loads(text, strict=False)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        raise ValueError(TOO_DEEP if isinstance(error, RecursionError) else TOO_LONG) from error
    if is_too_deep(value):
        raise ValueError(TOO_DEEP)
    return value


def is_too_deep(value: Json) -> bool:
    """Return whether lists and objects are nested more than DEEPEST levels."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        containers = [container for container in level if isinstance(container, dict | list)]
        if not containers:
            return False
        level = [
            value
            for container in containers
            for value in (container.values() if isinstance(container, dict) else container)
        ]
    return True


def _parse_leniently(data: bytes) -> ParsedJson:
    note = ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        note = "bytes that are not UTF-8 were replaced"
    try:
        return ParsedJson(parse_text(text), "", note)
    except ValueError as error:
        return ParsedJson(error=_reason(error, text))


def _reason(error: ValueError, text: str) -> str:
    if text.strip(_ZEROS) == "":
        return "zero bytes, as a crash leaves them"
    if isinstance(error, json.JSONDecodeError):
        at_end = error.pos >= len(text) or error.msg.startswith("Unterminated string")
        return "incomplete JSON" if at_end else f"not JSON ({error.msg.lower()})"
    return str(error)


_BLANK = re.compile(r"[ \t\r\n]*")
_MAX_CHECKED_ELEMENTS = 200  # elements of an array to check; at least one must be a record
_UNDECODED_BYTE = re.compile("[\udc80-\udcff]")


class JsonRecord(NamedTuple):  # faster than a dataclass; there is one per line
    """One record of a file: a line, or an element of an array. Lines count from 1."""

    line: int
    start: int
    end: int
    value: Json

    def source(self, part: int = 0) -> Source:
        """Return the place of the record, for its message number ``part``."""
        return Source(self.line, self.start, self.end, part)


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """A parsed JSON value. ``records`` are its elements if it is an array; ``arrays`` those of the fields
    that are arrays if it is an object, and ``objects`` its fields that are objects. ``warnings`` and
    ``repairs`` are (line, text). Concatenated objects count as an array."""

    value: Json
    records: tuple[JsonRecord, ...] | None = None
    arrays: Mapping[str, tuple[JsonRecord, ...]] = field(default_factory=dict)
    warnings: tuple[tuple[int, str], ...] = ()
    objects: Mapping[str, JsonRecord] = field(default_factory=dict)
    repairs: tuple[tuple[int, str], ...] = ()


class InvalidJsonError(Exception):
    """The text is not one JSON value; ``line`` and ``column`` count from 1, 0 if unknown."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


def parse_json_document(data: bytes, *, line: int = 1, start: int = 0) -> JsonDocument:
    """Parse bytes that are one JSON value at ``line`` and byte ``start`` of the document. Several objects,
    each starting on its own line, are read like an array. Of repeated keys the last wins, with a warning.
    Raises InvalidJsonError."""
    scanner = _JsonScanner(data, line, start)
    try:
        document = scanner.parse()
    except json.JSONDecodeError as error:
        raise InvalidJsonError(error.msg, line + error.lineno - 1, error.colno) from error
    except RecursionError as error:
        raise InvalidJsonError(TOO_DEEP) from error
    except ValueError as error:
        raise InvalidJsonError(TOO_LONG) from error
    if is_too_deep(document.value):
        raise InvalidJsonError(TOO_DEEP)
    return document


class NoRecordsError(InvalidJsonError):
    """The text is a JSON array without records."""


class _JsonScanner:
    """One pass over the text. ``text`` and ``undecoded_text`` have the same characters at the same
    places, but ``undecoded_text`` preserves bytes that are not UTF-8, so that byte offsets are right."""

    def __init__(self, data: bytes, line: int, start: int) -> None:
        bom_size = 0
        while data.startswith(codecs.BOM_UTF8, bom_size):
            bom_size += 3
        self.undecoded_text = data[bom_size:].decode("utf-8", "surrogateescape")
        self._is_ascii = self.undecoded_text.isascii()
        self.text = _UNDECODED_BYTE.sub("\ufffd", self.undecoded_text)
        self.warnings: list[tuple[int, str]] = []
        self.repairs: list[tuple[int, str]] = []
        self._repeated_keys: list[str] = []
        self._objects: dict[str, JsonRecord] = {}
        self._char, self._byte, self._line = 0, start + bom_size, line
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object_from_pairs, strict=False)
        if self.text != self.undecoded_text:
            at = _UNDECODED_BYTE.search(self.undecoded_text)
            line_offset = self.undecoded_text.count("\n", 0, at.start() if at else 0)
            self.repairs.append((line + line_offset, "bytes that are not UTF-8 were replaced"))

    def parse(self) -> JsonDocument:
        at = self._skip_blanks(0)
        if self.text[at : at + 1] == "[":
            records, at = self._parse_array(at, needs_records=True)
            document = JsonDocument([record.value for record in records], tuple(records))
        elif self.text[at : at + 1] == "{":
            document, at = self._parse_concatenated(at)
        else:
            value, at = self._decoder.raw_decode(self.text, at)
            document = JsonDocument(value)
        at = self._skip_blanks(at)
        if at != len(self.text):
            raise json.JSONDecodeError("Something follows the end of the JSON value", self.text, at)
        warnings, repairs = tuple(self.warnings), tuple(self.repairs)
        objects = self._objects if document.records is None else {}
        return replace(document, warnings=warnings, objects=objects, repairs=repairs)

    def _parse_concatenated(self, at: int) -> tuple[JsonDocument, int]:
        """Parse an object, or several concatenated ones (pretty-printed JSON lines)."""
        line, start = self._line_and_byte(at)
        value, arrays, end = self._parse_fields(at)
        records = [JsonRecord(line, start, self._line_and_byte(end)[1], value)]
        at = self._skip_blanks(end)
        while self.text[at : at + 1] == "{" and "\n" in self.text[end:at]:
            line, start = self._line_and_byte(at)
            value, end = self._parse_value(at, line)
            records.append(JsonRecord(line, start, self._line_and_byte(end)[1], value))
            at = self._skip_blanks(end)
        if len(records) == 1:
            return JsonDocument(value, None, arrays), at
        return JsonDocument([record.value for record in records], tuple(records)), at

    def _parse_array(self, at: int, *, needs_records: bool = False) -> tuple[list[JsonRecord], int]:
        records: list[JsonRecord] = []
        at = self._skip_blanks(at + 1)
        if self.text[at : at + 1] == "]":
            return records, at + 1
        while True:
            line, start = self._line_and_byte(at)
            value, at = self._parse_value(at, line)
            records.append(JsonRecord(line, start, self._line_and_byte(at)[1], value))
            if (
                needs_records
                and len(records) == _MAX_CHECKED_ELEMENTS
                and not any(record.value and isinstance(record.value, dict | list) for record in records)
            ):
                raise NoRecordsError(
                    f"the first {_MAX_CHECKED_ELEMENTS} elements of its array are no records"
                )
            at, closed = self._skip_separator(at, "]")
            if closed:
                return records, at

    def _parse_fields(self, at: int) -> tuple[dict[str, Json], dict[str, tuple[JsonRecord, ...]], int]:
        value: dict[str, Json] = {}
        arrays: dict[str, tuple[JsonRecord, ...]] = {}
        at = self._skip_blanks(at + 1)
        if self.text[at : at + 1] == "}":
            return value, arrays, at + 1
        while True:
            line, _ = self._line_and_byte(at)
            key, at = self._parse_key(at)
            if key in value:
                self._warn_repeated(line, key)
                arrays.pop(key, None)
                self._objects.pop(key, None)
            if self.text[at : at + 1] == "[":
                records, at = self._parse_array(at)
                value[key] = [record.value for record in records]
                arrays[key] = tuple(records)
            else:
                line, start = self._line_and_byte(at)
                value[key], at = self._parse_value(at, line)
                if isinstance(value[key], dict):
                    self._objects[key] = JsonRecord(line, start, self._line_and_byte(at)[1], value[key])
            at, closed = self._skip_separator(at, "}")
            if closed:
                return value, arrays, at

    def _parse_key(self, at: int) -> tuple[str, int]:
        if self.text[at : at + 1] != '"':
            raise json.JSONDecodeError("Expecting a field name in double quotes", self.text, at)
        key, at = self._decoder.raw_decode(self.text, at)
        at = self._skip_blanks(at)
        if self.text[at : at + 1] != ":":
            raise json.JSONDecodeError("Expecting ':'", self.text, at)
        return key, self._skip_blanks(at + 1)

    def _parse_value(self, at: int, line: int) -> tuple[Json, int]:
        value, end = self._decoder.raw_decode(self.text, at)
        for key in self._repeated_keys:
            self._warn_repeated(line, key)
        self._repeated_keys.clear()
        return value, end

    def _skip_separator(self, at: int, closing_character: str) -> tuple[int, bool]:
        at = self._skip_blanks(at)
        character = self.text[at : at + 1]
        if character == closing_character:
            return at + 1, True
        if character != ",":
            raise json.JSONDecodeError(f"Expecting ',' or '{closing_character}'", self.text, at)
        return self._skip_blanks(at + 1), False

    def _skip_blanks(self, at: int) -> int:
        match = _BLANK.match(self.text, at)
        return match.end() if match else at

    def _line_and_byte(self, at: int) -> tuple[int, int]:
        """Return line and byte of a character; called in ascending order, so that all calls make one pass."""
        self._line += self.undecoded_text.count("\n", self._char, at)
        if self._is_ascii:  # avoids a copy of a long part
            self._byte += at - self._char
        else:
            self._byte += len(self.undecoded_text[self._char : at].encode("utf-8", "surrogateescape"))
        self._char = at
        return self._line, self._byte

    def _object_from_pairs(self, pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        value = dict(pairs)
        if len(value) != len(pairs):
            key_counts = Counter(key for key, _ in pairs)
            self._repeated_keys.extend(sorted(key for key, count in key_counts.items() if count > 1))
        return value

    def _warn_repeated(self, line: int, key: str) -> None:
        self.warnings.append((line, f'the field "{key}" is repeated; the last value was used'))

"""Parses JSON: lines, leniently if they are not clean, and documents with the place of each
element."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

import orjson

from core.common.json_value import JSON_BLANKS, MAX_COUNT, MISSING, Json, json_fault
from core.transcript.model import NO_EXTRA, Source

# The fast parser keeps integers of 64 bits exact and makes floats of larger ones.
_MIN_INEXACT = float(1 << 63)  # integers from here on may have become floats
TOO_DEEP, TOO_LONG = "nested too deeply", "a number has too many digits"
"""Reasons why valid JSON is not read."""
MAX_DEPTH = 200
"""Levels of nesting that are read: far more than transcripts have, and few enough for recursion."""
_MAX_CHECKED_ELEMENTS = (
    200  # elements of an array to check; at least one must be a record
)
_UNDECODED_BYTE = re.compile("[\udc80-\udcff]")


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


def _is_exact(values: Iterable[Json], level: int) -> bool:
    """Return whether values are not too deep and hold no float that may have been an integer:
    orjson makes floats of integers above 64 bits, but ids must stay exact."""
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


def json_or_text(value: Json) -> Json:
    """Return the JSON in a text; any other value, and a text that is none, as it is."""
    if isinstance(value, str):
        parsed = parse_bytes(value.encode("utf-8", "replace"))
    else:
        parsed = None
    return value if parsed is None or parsed.error else parsed.value


def parse_bytes(data: bytes) -> ParsedJson:
    """Parse one JSON value leniently: lone surrogates, NaN, big integers, and broken UTF-8 with a
    note."""
    value = parse_clean_json(data)
    if value is not MISSING:
        return ParsedJson(value)
    # Escaped bytes keep every place in the text.
    text = data.decode("utf-8", "surrogateescape")
    if _UNDECODED_BYTE.search(text):
        note = "bytes that are not UTF-8 were replaced"
    else:
        note = ""
    if note:
        text = data.decode("utf-8", "replace")
    try:
        return ParsedJson(parse_text(text), "", note)
    except json.JSONDecodeError as error:
        # A crash of the system leaves blocks of zeros.
        if not text.strip("\0 \t\r\n"):
            return ParsedJson(error="zero bytes, as a crash leaves them")
        # At the end it may still be written; in between it is damage.
        at_end = error.pos >= len(text) or error.msg.startswith("Unterminated string")
        return ParsedJson(
            error="incomplete JSON" if at_end else f"not JSON ({json_fault(error)})"
        )
    except ValueError as error:
        return ParsedJson(error=str(error))


def parse_text(text: str) -> Json:
    """Return the JSON value of a text. Raises JSONDecodeError, or ValueError with TOO_DEEP or
    TOO_LONG."""
    try:
        # Line breaks inside of texts are no JSON, but agents write them.
        value = json.loads(text, strict=False)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        raise ValueError(
            TOO_DEEP if isinstance(error, RecursionError) else TOO_LONG
        ) from error
    if _is_too_deep(value):
        raise ValueError(TOO_DEEP)
    return value


def _is_too_deep(value: Json) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return any(isinstance(container, dict | list) for container in level)


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
    """A parsed JSON value. ``records`` are its elements if it is an array; ``arrays`` those of the
    fields that are arrays if it is an object, and ``objects`` its fields that are objects.
    ``warnings`` and ``repairs`` are (line, text). Concatenated objects count as an array."""

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
        self.reason, self.line, self.column = reason, line, column


class NoRecordsError(InvalidJsonError):
    """The text is a JSON array without records."""


def parse_json_document(data: bytes, *, line: int = 1, start: int = 0) -> JsonDocument:
    """Parse bytes that are one JSON value at ``line`` and byte ``start`` of the document. Several
    objects, each starting on its own line, are read like an array. Of repeated keys the last wins,
    with a warning. Raises InvalidJsonError."""
    try:
        document = _JsonScanner(data, line, start).document()
    except json.JSONDecodeError as error:
        raise InvalidJsonError(
            json_fault(error), line + error.lineno - 1, error.colno
        ) from error
    except RecursionError as error:
        raise InvalidJsonError(TOO_DEEP) from error
    except ValueError as error:
        raise InvalidJsonError(TOO_LONG) from error
    if _is_too_deep(document.value):
        raise InvalidJsonError(TOO_DEEP)
    return document


class _JsonScanner:
    """One pass over the text, at the character ``_at``. ``_text`` and ``_undecoded`` have the same
    characters at the same places, but ``_undecoded`` keeps bytes that are not UTF-8, so that byte
    offsets are right."""

    def __init__(self, data: bytes, line: int, start: int) -> None:
        bom_size = 0
        # Some files have two marks, from two programs that each added one.
        while data.startswith(codecs.BOM_UTF8, bom_size):
            bom_size += 3
        self._undecoded = data[bom_size:].decode("utf-8", "surrogateescape")
        self._is_ascii = self._undecoded.isascii()
        # A replacement of the same length keeps both texts in step.
        self._text = _UNDECODED_BYTE.sub("\ufffd", self._undecoded)
        self._at = 0
        self._measured_at = 0
        self._byte = start + bom_size
        self._line = line
        self._arrays: dict[str, tuple[JsonRecord, ...]] = {}
        self._objects: dict[str, JsonRecord] = {}
        self._warnings: list[tuple[int, str]] = []
        self._repairs: list[tuple[int, str]] = []
        self._repeated_keys: list[str] = []
        # The exact parser: ids above 64 bits must not become floats.
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object_from_pairs, strict=False
        )
        if broken := _UNDECODED_BYTE.search(self._undecoded):
            line += self._undecoded.count("\n", 0, broken.start())
            self._repairs.append((line, "bytes that are not UTF-8 were replaced"))

    def document(self) -> JsonDocument:
        self._skip_blanks()
        records: tuple[JsonRecord, ...] | None = None
        value: Json = None
        if self._next() == "[":
            records = self._array(needs_records=True)
        elif self._next() == "{":
            line, start = self._place()
            value = self._object()
            records = (
                JsonRecord(line, start, self._place()[1], value),
                *self._following_objects(),
            )
            records = records if len(records) > 1 else None
        else:
            value = self._record().value
        self._skip_blanks()
        if self._at < len(self._text):
            raise json.JSONDecodeError("Extra data", self._text, self._at)
        warnings = tuple(self._warnings)
        repairs = tuple(self._repairs)
        if records is not None:
            value = [record.value for record in records]
            return JsonDocument(value, records, warnings=warnings, repairs=repairs)
        return JsonDocument(value, None, self._arrays, warnings, self._objects, repairs)

    def _following_objects(self) -> Iterator[JsonRecord]:
        """Yield objects behind the first one, each on a line of its own (pretty-printed JSON
        lines)."""
        while True:
            end = self._at
            self._skip_blanks()
            # On the same line it would be damage, as of two writers at once.
            if self._next() != "{" or "\n" not in self._text[end : self._at]:
                return
            yield self._record()

    def _array(self, *, needs_records: bool = False) -> tuple[JsonRecord, ...]:
        records: list[JsonRecord] = []
        for _ in self._elements("]"):
            records.append(self._record())
            if (
                # Without this check an array of numbers of any size would be read to its end.
                needs_records
                and len(records) == _MAX_CHECKED_ELEMENTS
                and not any(
                    record.value and isinstance(record.value, dict | list)
                    for record in records
                )
            ):
                raise NoRecordsError(
                    f"the first {_MAX_CHECKED_ELEMENTS} elements of its array are no records"
                )
        return tuple(records)

    def _object(self) -> dict[str, Json]:
        value: dict[str, Json] = {}
        for _ in self._elements("}"):
            line, _ = self._place()
            key = self._key()
            if key in value:
                self._warn_repeated(line, key)
                # The last one wins, so the places of the first must go.
                self._arrays.pop(key, None)
                self._objects.pop(key, None)
            if self._next() == "[":
                self._arrays[key] = self._array()
                value[key] = [record.value for record in self._arrays[key]]
            else:
                record = self._record()
                value[key] = record.value
                if isinstance(record.value, dict):
                    self._objects[key] = record
        return value

    def _elements(self, closing: str) -> Iterator[None]:
        """Go into an array or object, stop at each element, which the caller passes, and leave
        it."""
        self._at += 1
        self._skip_blanks()
        character = self._next()
        while character != closing:
            yield
            self._skip_blanks()
            character = self._next()
            if character == ",":
                self._at += 1
                self._skip_blanks()
            elif character != closing:
                raise json.JSONDecodeError(
                    f"A comma or {closing} is missing", self._text, self._at
                )
        self._at += 1

    def _key(self) -> str:
        if self._next() != '"':
            raise json.JSONDecodeError("Expecting property name", self._text, self._at)
        key: str
        key, self._at = self._decoder.raw_decode(self._text, self._at)
        self._skip_blanks()
        if self._next() != ":":
            raise json.JSONDecodeError("Expecting ':'", self._text, self._at)
        self._at += 1
        self._skip_blanks()
        return key

    def _record(self) -> JsonRecord:
        line, start = self._place()
        value, self._at = self._decoder.raw_decode(self._text, self._at)
        # Repeated keys further inside are noted by the decoder, which knows no lines.
        for key in self._repeated_keys:
            self._warn_repeated(line, key)
        self._repeated_keys.clear()
        return JsonRecord(line, start, self._place()[1], value)

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip_blanks(self) -> None:
        if match := JSON_BLANKS.match(self._text, self._at):
            self._at = match.end()

    def _place(self) -> tuple[int, int]:
        """Return line and byte of the current character; all calls together make one pass."""
        # Counted from the last place on, so that a long document is passed once.
        self._line += self._undecoded.count("\n", self._measured_at, self._at)
        if self._is_ascii:  # avoids a copy of a long part
            self._byte += self._at - self._measured_at
        else:
            passed = self._undecoded[self._measured_at : self._at]
            self._byte += len(passed.encode("utf-8", "surrogateescape"))
        self._measured_at = self._at
        return self._line, self._byte

    def _object_from_pairs(self, pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        value = dict(pairs)
        if len(value) != len(pairs):
            key_counts = Counter(key for key, _ in pairs)
            self._repeated_keys.extend(
                sorted(key for key, count in key_counts.items() if count > 1)
            )
        return value

    def _warn_repeated(self, line: int, key: str) -> None:
        self._warnings.append(
            (line, f'the field "{key}" is repeated; the last value was used')
        )


_MAX_SECONDS = 100_000_000_000  # as seconds the year 5138, as milliseconds 1973
_MAX_DIGITS = 20  # of 64 bits


def content_parts(content: Json) -> Sequence[Json]:
    """Return the parts of a message's content; a text is one part."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list_of(content)


def fields_of(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else NO_EXTRA


def list_of(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()


def string_of(value: Json) -> str:
    return value if isinstance(value, str) else ""


def coerce_text(value: Json) -> str:
    """Return an id or name as text: as it is, "" for null or absent, else as Python writes it."""
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    # Ids are numbers in some formats; links compare them as text.
    return str(value)


def other_fields(
    record: Mapping[str, Json], known: Collection[str]
) -> Mapping[str, Json]:
    """Return the fields that are not ``known``; always the same empty mapping if there are none."""
    return {key: value for key, value in record.items() if key not in known} or NO_EXTRA


def nested(value: Json, *names: str) -> Json:
    """Return the value at a path of fields, None if it is not there."""
    for name in names:
        if isinstance(value, dict):
            value = value.get(name)
        else:
            value = None
    return value


def number_of(value: Json) -> int | None:
    """Return a count (tokens, messages) as an integer, None for anything but a number up to
    MAX_COUNT."""
    # By type, as a bool is an int in Python, but no count.
    if type(value) is not int and type(value) is not float:
        return None
    if -MAX_COUNT <= value <= MAX_COUNT:
        return int(value)
    return None  # false for NaN, too


def written_number(text: str) -> int | None:
    """Return the number of 64 bits that decimal digits write, None for any other text."""
    digits = text.removeprefix("-")
    if digits.isdecimal() and len(digits) <= _MAX_DIGITS:
        return int(text)
    return None


def sum_of(*values: Json) -> int | None:
    """Return the sum of those values that are counts, None if there are none."""
    numbers = [number for number in map(number_of, values) if number is not None]
    if numbers:
        return sum(numbers)
    return None


def request_tokens(input_tokens: Json, *cache_tokens: Json) -> int | None:
    """Return the size of a request in tokens. Some agents include cached tokens in it, others do
    not: a figure that is at least the cached tokens is taken to include them."""
    tokens = number_of(input_tokens)
    cached_tokens = sum_of(*cache_tokens) or 0
    # Anthropic reports cached tokens apart, OpenAI within the input.
    if tokens is None or tokens >= cached_tokens:
        return tokens
    return tokens + cached_tokens


def iso_timestamp(value: Json) -> str:
    """Return a time as ISO 8601: text as it is, a number as seconds or milliseconds since 1970."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return string_of(value)
    try:
        # Milliseconds are told from seconds by their size, as no session is that old or that late.
        if abs(value) < _MAX_SECONDS:
            seconds = value
        else:
            seconds = value / 1000
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return ""

"""Redacts secrets in an exporter's output inside JSON string values, so that JSON stays valid; also
those known by their name (``api_key: …``) where they appear without it."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from core.common.json_value import Json
from core.common.redaction import (
    NOT_SEARCHED,
    Secret,
    SecretFinder,
    count_secrets_in_json,
    find_secrets,
    find_secrets_in_json,
    redact,
    redact_json,
    secret_texts_in_json,
    without_overlaps,
)
from core.common.secret_rules import PREFIXES
from core.formats.common.document import line_records
from core.formats.common.json_parsing import InvalidJsonError, JsonRecord, parse_bytes
from core.formats.common.messages import ImportNotes
from core.formats.common.open_document import (
    check_unchanged,
    document_lines,
    read_document,
)
from core.formats.writing.exporter import (
    ExporterOutput,
    ExportInput,
    OutputShape,
    is_readable,
)
from core.formats.writing.format_capabilities import CAPABILITIES
from core.formats.writing.plain_text import dump_json
from core.formats.writing.raw_json import parse_json_file, source_shape
from core.transcript.model import (
    Block,
    Conversation,
    ImportReport,
    Message,
    SourceDocument,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.scopes import ALL, history_of_scope

_SHOWN_PREFIXES = {start: start[:4] for one in PREFIXES for start in one.starts}
_MAX_SHOWN = 12  # messages named for one kind; the rest is counted
_LABELS = {
    "mail": "mail address",
    "token": "web token",
    "secret": "named secret",
    "authorization": "authorization header",
    "aws-key": "AWS key",
    "api-key": "API key",
    "github-token": "GitHub token",
    "gitlab-token": "GitLab token",
    "pypi-token": "PyPI token",
    "npm-token": "npm token",
    "openrouter-key": "OpenRouter key",
    "sendgrid-key": "SendGrid key",
    NOT_SEARCHED: "text that could not be searched",
}


@dataclass(frozen=True, slots=True)
class SecretLocation:
    """One secret: its kind, the public prefix of such keys, its message and field.
    ``message_number`` is the message's number as it is shown; 0 if it is in no message of the
    transcript."""

    kind: str
    prefix: str
    message_number: int
    field: str


def secret_locations_in(
    messages: Iterable[tuple[int, Message]], find: SecretFinder = find_secrets
) -> tuple[SecretLocation, ...]:
    return tuple(
        location
        for number, message in messages
        for block in message.blocks
        for location in _locations_in_block(number, block, find)
    )


def _locations_in_block(
    number: int, block: Block, find: SecretFinder
) -> Iterator[SecretLocation]:
    for field, value in _fields(block):
        for match in find_secrets_in_json(value, find):
            if isinstance(match.key, str):
                name = f"{field} {match.key}"
            else:
                name = field
            for secret in match.whole:
                prefix = _public_prefix(match.text[secret.start : secret.end])
                yield SecretLocation(secret.kind, prefix, number, name)


def _fields(block: Block) -> Iterator[tuple[str, Json]]:
    match block:
        case Text():
            yield "text", block.text
        case Thinking():
            yield "thinking", block.text
        case ToolCall():
            yield f"call {block.name}", block.arguments
        case ToolResponse():
            yield "result", block.result
            yield "error", block.error


def _public_prefix(secret: str) -> str:
    """Return at most four characters of a key's public prefix; "" if it has none."""
    return next(
        (
            prefix
            for start, prefix in _SHOWN_PREFIXES.items()
            if secret.startswith(start)
        ),
        "",
    )


def secret_label(kind: str) -> str:
    """Return a kind in words: "GitHub token"."""
    return _LABELS.get(kind) or kind[:1].upper() + kind[1:].replace("-", " ")


def secret_lines(locations: Sequence[SecretLocation]) -> tuple[str, ...]:
    """Return a line for each kind and prefix: "2 × GitHub token ghp_…: #12 result, #40 text"."""
    groups: dict[tuple[str, str], list[SecretLocation]] = {}
    for location in locations:
        groups.setdefault((location.kind, location.prefix), []).append(location)
    return tuple(
        f"{len(group):,} × {secret_label(kind)}{f' {start}…' if start else ''}: "
        f"{_first_words_text(f'{_message_label(location)} {location.field}' for location in group)}"
        for (kind, start), group in groups.items()
    )


def secrets_summary(locations: Sequence[SecretLocation]) -> str:
    """Return the kinds with their messages: "GitHub token (#12, #40), password (#7)"."""
    groups: dict[str, list[SecretLocation]] = {}
    for location in locations:
        groups.setdefault(location.kind, []).append(location)
    return ", ".join(
        f"{secret_label(kind)} ({_first_words_text(map(_message_label, group))})"
        for kind, group in groups.items()
    )


def _message_label(location: SecretLocation) -> str:
    if location.message_number:
        return f"#{location.message_number}"
    return "added text"


def _first_words_text(words: Iterable[str]) -> str:
    distinct_words = list(dict.fromkeys(words))
    if len(distinct_words) > _MAX_SHOWN:
        remainder = f" and {len(distinct_words) - _MAX_SHOWN:,} more"
    else:
        remainder = ""
    return f"{', '.join(distinct_words[:_MAX_SHOWN])}{remainder}"


_MIN_LENGTH = (
    12  # characters: anything shorter, or without a digit, may be a common word
)
_MAX_SECRETS = 300  # limits how many secrets are searched for without their names, to bound the time
_KIND = "secret"
_PART = 100_000  # bytes that are decoded at once


def count_output_secrets(
    output: ExporterOutput, find: SecretFinder = find_secrets
) -> int:
    count = 0
    for unit in _units(output):
        parsed = _unit_json(unit, output.shape)
        if parsed is None:
            count += len(find(unit.decode("utf-8", "replace")))
        else:
            count += count_secrets_in_json(parsed[0], find)
    return count


def redact_output(
    output: ExporterOutput, find_in_text: SecretFinder = find_secrets
) -> tuple[bytes, int]:
    """Return the redacted export, of the same shape, and the number of secrets."""
    total = 0
    parts: list[bytes] = []
    for unit in _units(output):
        data, count = _redact_unit(unit, output.shape, find_in_text)
        total += count
        parts.append(data if count else unit)
    separator = b"\n" if output.shape is OutputShape.LINES else b""
    return separator.join(parts), total


def _units(output: ExporterOutput) -> Iterator[bytes]:
    """Yield the lines, the empty one behind the last included, or the whole."""
    data, start = output.data, 0
    while output.shape is OutputShape.LINES and (end := data.find(b"\n", start)) >= 0:
        yield data[start:end]
        start = end + 1
    yield data[start:] if start else data


def _redact_unit(
    unit: bytes, shape: OutputShape, find_in_text: SecretFinder
) -> tuple[bytes, int]:
    parsed = _unit_json(unit, shape)
    if parsed is None:  # text, or a line that is not JSON
        text, count = redact(unit.decode("utf-8", "replace"), find_in_text)
        return text.encode("utf-8", "replace"), count
    count = redact_json(parsed, find_in_text)
    return dump_json(parsed[0], pretty=shape is OutputShape.JSON), count


def _unit_json(unit: bytes, shape: OutputShape) -> list[Json] | None:
    if shape is OutputShape.TEXT:
        return None
    if shape is OutputShape.LINES:
        parsed = parse_bytes(unit.removeprefix(codecs.BOM_UTF8))
        if parsed.error:
            return None
        return [parsed.value]
    try:
        return [parse_json_file(unit)]
    except InvalidJsonError:
        return None


def named_secrets_in(
    messages: Iterable[Message], find: SecretFinder = find_secrets
) -> tuple[str, ...]:
    """Return the named secrets of these messages, longest first."""
    fields = (
        field
        for message in messages
        for block in message.blocks
        for field in _fields(block)
    )
    secrets = dict.fromkeys(
        text for _, value in fields for text in secret_texts_in_json(value, find)
    )
    distinctive = (
        text
        for text in secrets
        if len(text) >= _MIN_LENGTH
        # Without a digit it may be a common word, which would go everywhere.
        and any(map(str.isdigit, text))
        and not find_secrets(text)
    )
    # A secret may be part of a longer one.
    return tuple(sorted(islice(distinctive, _MAX_SECRETS), key=len, reverse=True))


def find_with_named_secrets(
    text: str, named_secrets: Sequence[str], find: SecretFinder = find_secrets
) -> Sequence[Secret]:
    """Return the secrets of a text, with those that are known from elsewhere."""
    found = find(text)
    repeated = [
        secret
        for value in named_secrets
        if value in text
        for secret in _occurrences(text, value)
    ]
    if repeated:
        return without_overlaps([*found, *repeated])
    return found


def _occurrences(text: str, value: str) -> Iterator[Secret]:
    start = text.find(value)
    while start >= 0:
        yield Secret(start, start + len(value), _KIND)
        start = text.find(value, start + len(value))


def damage_of(conversation: Conversation) -> tuple[int, int]:
    """Return how many records of a file are written as they were read, and how many of its lines
    are left out because they are no whole record, when a copy of it is written."""
    name, document = conversation.format, conversation.document
    if name not in CAPABILITIES or not is_readable(document):
        return 0, 0
    history = history_of_scope(conversation, ALL)
    shape = source_shape(ExportInput(conversation=conversation, history=history), name)
    if shape is OutputShape.LINES:
        check_unchanged(document)
        # Read line by line: a large log would take all its bytes in memory.
        notes = _notes_on(document)
        return len(notes.repaired), _dropped(notes)
    return int(not _is_utf8(read_document(document))), 0


def strict_output(output: ExporterOutput) -> ExporterOutput:
    """Return the output with every record as strict JSON in UTF-8; bytes that are that already
    stay. What had to be changed is said in its warnings."""
    if output.shape is OutputShape.LINES:
        data, mended, dropped = _strict_lines(output.data)
        if data is output.data:
            return output
        return _mended(output, data, mended, dropped)
    if output.shape is OutputShape.JSON and not _is_utf8(output.data):
        try:
            value = parse_json_file(output.data)
        except InvalidJsonError:
            return output  # the check of what was written refuses it with its reason
        return _mended(output, dump_json(value, pretty=True) + b"\n", 1, 0)
    return output


def _strict_lines(data: bytes) -> tuple[bytes, int, int]:
    """Return the lines as strict JSON, how many were mended and how many dropped; the same bytes if
    there is nothing to change."""
    notes = _notes_on(_as_document(data))
    dropped = _dropped(notes)
    if not notes.repaired and not dropped and not notes.warnings and _is_utf8(data):
        return data, 0, 0
    written = b"".join(line + b"\n" for line in _record_lines(data))
    # The mark belongs to the file and to none of its records.
    if data.startswith(codecs.BOM_UTF8):
        written = codecs.BOM_UTF8 + written
    return written, len(notes.repaired), dropped


def _notes_on(document: SourceDocument) -> ImportReport:
    notes = ImportNotes()
    for _ in _records(document, notes):
        pass  # only what is noted counts: all values of a large export take more than its bytes
    return notes.report()


def _dropped(notes: ImportReport) -> int:
    return sum(number for _, number in notes.skipped)


def _as_document(data: bytes) -> SourceDocument:
    return SourceDocument(name="the export", path=None, data=data, size=len(data))


def _records(document: SourceDocument, notes: ImportNotes) -> Iterator[JsonRecord]:
    return line_records(
        document, document_lines(document, on_repair=notes.repair), notes
    )


def _record_lines(data: bytes) -> Iterator[bytes]:
    """Yield the records, those of strict bytes as they are."""
    for record in _records(_as_document(data), ImportNotes()):
        raw = data[record.start : record.end]
        is_strict = b"\n" not in raw and b"\0" not in raw and _is_utf8(raw)
        yield raw if is_strict and _is_record(raw) else dump_json(record.value)


def _is_record(raw: bytes) -> bool:
    """Return whether bytes are one object or list and nothing beside it."""
    notes = ImportNotes()
    document = SourceDocument(name="", path=None, data=raw, size=len(raw))
    found = list(line_records(document, document_lines(document), notes))
    return len(found) == 1 and not notes.report().repaired


def _is_utf8(data: bytes) -> bool:
    """Return whether bytes are UTF-8, a part at a time: one text of a large export takes up to four
    times its bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _PART):
            decoder.decode(data[start : start + _PART])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _mended(
    output: ExporterOutput, data: bytes, mended: int, dropped: int
) -> ExporterOutput:
    warnings = output.warnings
    if mended:
        warnings += (f"Written as it was read, mended: damaged records ({mended:,}).",)
    if dropped:
        warnings += (f"Left out: lines that are not a whole record ({dropped:,}).",)
    return replace(output, data=data, warnings=warnings)

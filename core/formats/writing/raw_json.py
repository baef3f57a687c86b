"""What exporters of JSON formats share: they read the records of the source file again, and write
those of unchanged messages as they were."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from typing import BinaryIO, TypeAlias
from uuid import UUID, uuid5

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.json_parsing import (
    InvalidJsonError,
    parse_bytes,
    parse_json_document,
    string_of,
)
from core.formats.common.message_lists import iterate_source_records
from core.formats.common.messages import INPUT_TOKEN_FIELDS
from core.formats.common.open_document import read_document, read_line
from core.formats.writing.exporter import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
    OutputShape,
    export_messages,
)
from core.formats.writing.format_capabilities import count_extra_losses
from core.formats.writing.plain_text import dump_json, dump_lines
from core.transcript.model import Conversation, SourceDocument
from core.transcript.provenance import SIZES_FIELD, carried_sizes_json


def record_json(data: bytes, start: int, end: int, name: str) -> Json:
    """Return the JSON value in a byte range. Raises InputError if the file changed."""
    parsed = parse_bytes(data[start:end])
    if parsed.error:
        raise InputError(
            f"{name} changed since it was read.", "Open it again, then export."
        )
    return parsed.value


_REQUEST_SIZE_FIELDS = (*INPUT_TOKEN_FIELDS, "prompt_tokens", "total_tokens")


def rebuild_container(conversation: Conversation, records: Sequence[Json]) -> bytes:
    """Put other records into the source's container; every other field and conversation stays.

    Leading system records stay in front. The ``usage`` of the object that holds the records loses
    the size of the request, which held other records.
    """
    data = read_document(conversation.document)
    layout, name = conversation.layout, conversation.document.name
    system = [
        record_json(data, start, end, name)
        for _, start, end in layout.get("system", ())
    ]
    all_records = [*system, *records]
    if layout.get("container") != "jsonl":
        value = _with_records(
            _parse_source(data, name), layout.get("path", ()), all_records
        )
        return dump_json(value, pretty=True) + b"\n"
    if "line" not in layout:
        return dump_lines(all_records)
    line = read_line(conversation.document, layout["line"])
    value = _with_records(
        _parse_source(line.data, name), layout.get("path", ()), all_records
    )
    return b"".join((data[: line.start], dump_json(value), data[line.end :]))


def parse_json_file(data: bytes) -> Json:
    """Return the value of a JSON file; a list for concatenated objects. Raises InvalidJsonError."""
    parsed = parse_bytes(data.removeprefix(codecs.BOM_UTF8))
    if parsed.error:
        return parse_json_document(data).value
    return parsed.value


def _parse_source(data: bytes, name: str) -> Json:
    try:
        return parse_json_file(data)
    except InvalidJsonError as error:
        raise InputError(
            f"{name} changed since it was read.", "Open it again, then export."
        ) from error


def _with_records(value: Json, path: Sequence[str | int], records: list[Json]) -> Json:
    if not path:
        return records
    container = value
    for key in path[:-1]:
        container = container[key]
    container[path[-1]] = records
    if isinstance(container, dict):
        usage = container.get("usage")
    else:
        usage = None
    if isinstance(usage, dict):
        container["usage"] = {
            name: item
            for name, item in usage.items()
            if name not in _REQUEST_SIZE_FIELDS
        }
    return value


def deterministic_uuid(namespace: UUID, name: str) -> UUID:
    return uuid5(namespace, name.encode("utf-8", "replace").decode())


def source_shape(export_input: ExportInput, name: str) -> OutputShape:
    """Return LINES if the source is of the format ``name`` and has lines, else JSON."""
    has_lines = (
        export_input.is_from_format(name)
        and export_input.conversation.layout.get("container") == "jsonl"
    )
    return OutputShape.LINES if has_lines else OutputShape.JSON


def pieces_with_records(
    export_input: ExportInput, name: str
) -> Iterator[tuple[ExportMessage, Json | None]]:
    """Yield each piece with its record in the source; None if it has none or the format differs."""
    document = export_input.conversation.document
    is_same_format = export_input.is_from_format(name)
    if is_same_format:
        data = read_document(document)
    else:
        data = b""
    for piece in export_messages(export_input):
        yield (
            piece,
            record_json(data, *piece.record, document.name)
            if is_same_format and piece.record
            else None,
        )


_Write: TypeAlias = Callable[[ExportInput, ExportLosses], ExporterOutput]


def _stays_as_it_is(export_input: ExportInput) -> bool:
    """Return whether a source is exported whole and has nothing that its agent would read
    otherwise."""
    conversation = export_input.conversation
    is_linked = not conversation.branches and not conversation.report.lost_parents
    return is_linked and export_input.is_whole_source


def transcript_exporter(
    names: tuple[str, ...],
    label: str,
    suffix: str,
    about: str,
    *,
    new: _Write,
    edited: _Write,
    append: Callable[[ExportInput], ExporterOutput] | None = None,
    target: str = "",
    kept_fields: Sequence[str] = (),
    has_provenance: bool = False,
    carries_sizes: bool = False,
) -> Exporter:
    """Declare the exporter of a format that is read, too, by its name and short names.

    ``edited`` writes the source's file with other messages, ``new`` a file for messages of another
    format; a source that is exported whole stays as it is, unless it holds withdrawn branches or
    rows whose parent is not in it.
    ``append`` records the compaction at the end of the source. ``target`` names the format in
    warnings if that is not the label. Of the further fields of messages it has a place for
    ``kept_fields``. ``carries_sizes``: its agent ignores unknown fields of its records, so that the
    file can carry how its sizes were calibrated.
    """

    def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
        if options.append_boundary and append is not None:
            return append(export_input)
        losses = ExportLosses(target or label)
        is_own = export_input.is_from_format(names[0])
        # Bytes that nothing has to change are not written anew: a round trip would change white
        # space.
        if is_own and _stays_as_it_is(export_input):
            return ExporterOutput(
                read_document(export_input.conversation.document),
                source_shape(export_input, names[0]),
            )
        if not is_own:
            count_extra_losses(export_input, losses, names[0], kept_fields)
        output = (edited if is_own else new)(export_input, losses)
        if carries_sizes and has_place_for_sizes(export_input, names[0]):
            output = with_carried_field(output, export_input)
        return replace(output, warnings=(*losses.warnings(), *output.warnings))

    return Exporter(
        name=names[0],
        short_names=names[1:],
        label=label,
        suffix=suffix,
        about=about,
        write=write,
        has_boundary=append is not None,
        has_provenance=has_provenance,
        carries_sizes=carries_sizes,
    )


def has_place_for_sizes(export_input: ExportInput, name: str) -> bool:
    """Return whether the first record of a format that carries sizes may carry those of this
    conversation."""
    conversation = export_input.conversation
    is_own = export_input.is_from_format(name)
    return conversation.number == 1 or not is_own or "line" not in conversation.layout


def with_carried_field(
    output: ExporterOutput, export_input: ExportInput
) -> ExporterOutput:
    """Return the output with the calibration in its first record, or in the object that it is; that
    of an earlier export goes."""
    if output.shape is not OutputShape.LINES:
        data = record_with_sizes(output.data, export_input, pretty=True)
        if data is output.data:
            return output
        return replace(output, data=data.rstrip(b"\n") + b"\n")
    end = output.data.find(b"\n")
    first = output.data[:end]
    changed = record_with_sizes(first, export_input)
    if changed is first:
        return output
    rest = memoryview(output.data)[end:]  # a copy less of what may be large
    return replace(output, data=b"".join((changed, rest or b"\n")))


def record_with_sizes(
    record: bytes, export_input: ExportInput, *, pretty: bool = False
) -> bytes:
    """Return the JSON of a record with the calibration; the record itself if it is there already,
    or has no place for it."""
    sizes = export_input.sizes
    key = SIZES_FIELD.encode()
    body = record.rstrip()
    if sizes is None:
        note = {}
    else:
        note = {SIZES_FIELD: carried_sizes_json(sizes, export_input.messages)}
    if note and body.startswith(b"{") and body.endswith(b"}") and key not in record:
        before = body[:-1].rstrip()
        comma = b"," if len(before) > 1 else b""
        return b"".join((before, comma, dump_json(note)[1:], record[len(body) :]))
    value = parse_bytes(record).value
    if isinstance(value, list) and value:
        holder = value[0]
    else:
        holder = value
    if not isinstance(holder, dict) or dump_json(holder.get(SIZES_FIELD)) == dump_json(
        note.get(SIZES_FIELD)
    ):
        return record
    holder.pop(SIZES_FIELD, None)
    holder |= note
    return dump_json(value, pretty=pretty)


def json_exporter(
    names: tuple[str, ...],
    label: str,
    target: str,
    about: str,
    *,
    records: Callable[[ExportInput, ExportLosses], Sequence[Json]],
    request: Callable[[ExportInput, Sequence[Json], ExportLosses], Json],
    kept_fields: Sequence[str] = (),
) -> Exporter:
    """Declare the exporter of an API's messages: the source's container with ``records``, or a
    ``request`` that holds them."""

    def edited(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
        data = rebuild_container(
            export_input.conversation, records(export_input, losses)
        )
        return ExporterOutput(data, source_shape(export_input, names[0]))

    def new(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
        return json_file(request(export_input, records(export_input, losses), losses))

    return transcript_exporter(
        names,
        label,
        ".json",
        about,
        new=new,
        edited=edited,
        target=target,
        kept_fields=kept_fields,
    )


def json_file(value: Json) -> ExporterOutput:
    return ExporterOutput(dump_json(value, pretty=True) + b"\n", OutputShape.JSON)


@dataclass(frozen=True, slots=True)
class _Source:
    stream: BinaryIO
    name: str
    is_array: bool


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A record of the source that is an object, from byte ``start`` to ``end``. ``fields`` are
    those of its own fields that were asked for; the rest stays in the file."""

    start: int
    end: int
    fields: Mapping[str, Json]
    _source: _Source

    @property
    def data(self) -> bytes:
        """The record on one line: its bytes, unless it is an element of an array or holds line
        breaks."""
        if self._source.is_array:
            data = b""
        else:
            data = self._read()
        if data and b"\n" not in data:
            return data
        return dump_json(self.value)

    @property
    def value(self) -> dict[str, Json]:
        """The record, parsed anew. Raises InputError if the file changed."""
        value = parse_bytes(self._read()).value
        if not isinstance(value, dict):
            raise InputError(
                f"{self._source.name} changed since it was read.",
                "Open it again, then export.",
            )
        return value

    def text(self, name: str) -> str:
        """Return one of the ``fields`` that is a text, "" if it is absent or no text."""
        return string_of(self.fields.get(name))

    def _read(self) -> bytes:
        self._source.stream.seek(self.start)
        return self._source.stream.read(self.end - self.start)


@contextmanager
def source_lines(
    conversation: Conversation, names: Sequence[str]
) -> Iterator[Iterator[SourceLine]]:
    """Open the source and yield its records that are objects, in file order, each with the fields
    ``names``.

    Raises InputError if the file changed. The records can be read as long as the source is open.
    """
    is_array = conversation.layout.get("container") == "array"
    with _open_source(conversation.document) as stream:
        source = _Source(stream, conversation.document.name, is_array)
        yield (
            SourceLine(record.start, record.end, _chosen(record.value, names), source)
            for record in iterate_source_records(conversation)
            if isinstance(record.value, dict)
        )


def _chosen(value: Mapping[str, Json], names: Sequence[str]) -> dict[str, Json]:
    return {name: value[name] for name in names if name in value}


def _open_source(document: SourceDocument) -> BinaryIO:
    """Open the bytes that records refer to: packed ones are unpacked in memory, as no part can be
    reached."""
    if document.path is None or document.data is not None or document.packing:
        return BytesIO(read_document(document))
    return document.path.open("rb")
